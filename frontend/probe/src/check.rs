//! The self-test: kernels against their CPU twins.

use std::rc::Rc;

use anyhow::{Result, bail};
use engine::check::{Check, check};
use engine::gpu::Gpu;
use serde_json::{Value, json};
use shaders::Kernel;

/// Tests each kernel. A wrong result is an error that names the kernel.
pub fn run(gpu: &Gpu, kernels: &[Rc<dyn Kernel>]) -> Result<Value> {
    let mut worst = Check::default();
    let mut wrong = Vec::new();
    for kernel in kernels {
        let check = pollster::block_on(check(gpu, &**kernel))?;
        if let Some(problem) = &check.problem {
            wrong.push(format!("{}: {problem}", check.name));
        }
        if check.deviation > worst.deviation {
            worst = check;
        }
    }
    if !wrong.is_empty() {
        bail!("{} of {} kernels give wrong results: {}", wrong.len(), kernels.len(), wrong.join("; "));
    }
    let worst = json!({ "kernel": worst.name, "share_of_allowed": worst.deviation });
    Ok(json!({ "adapter": gpu.report().name, "kernels": kernels.len(), "worst": worst }))
}
