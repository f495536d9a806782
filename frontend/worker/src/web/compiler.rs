//! Kernels compiled by the browser beside other work.

use engine::bytes::LocalBoxFuture;
use engine::gpu::{CompileAhead, Kernel};
use futures_util::FutureExt as _;
use interop::field;
use js_sys::{Array, Function, Promise};
use shaders::Access;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The part of this worker's script that makes pipelines before wgpu asks for them (`xtask/src/site/ahead.js`).
#[derive(Debug)]
pub struct Compiler;

impl CompileAhead for Compiler {
    fn compile(&self, kernels: Vec<Kernel>) -> LocalBoxFuture<'static, ()> {
        let begun = begin(&kernels);
        async move {
            // A kernel that fails here is compiled again when it is needed, which reports the error.
            if let Ok(done) = begun {
                JsFuture::from(done).await.ok();
            }
        }
        .boxed_local()
    }
}

/// Calls `compileAhead([[name, text, kinds of bindings]…])`.
fn begin(kernels: &[Kernel]) -> Result<Promise, JsValue> {
    let kernels = kernels.iter().map(|kernel| {
        let kinds = kernel.bindings.iter().map(|binding| JsValue::from(kind(binding.access)));
        Array::of3(&kernel.name.as_str().into(), &kernel.wgsl.as_str().into(), &kinds.collect::<Array>())
    });
    let scope: JsValue = super::scope().into();
    let compile: Function = field(&scope, "compileAhead").unwrap_or_default().dyn_into()?;
    compile.call1(&scope, &kernels.collect::<Array>())?.dyn_into()
}

/// `GPUBufferBindingType` of a binding.
const fn kind(access: Access) -> &'static str {
    match access {
        Access::Uniform => "uniform",
        Access::Read => "read-only-storage",
        Access::ReadWrite => "storage",
    }
}
