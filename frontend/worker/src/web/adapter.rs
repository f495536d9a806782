//! What the browser says of its graphics adapter.

use interop::{HANDHELD, field, object};
use js_sys::{Function, Promise};
use protocol::failure::NoGpu;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::DedicatedWorkerGlobalScope;

use crate::device::AdapterNames;

/// Asks for the adapter that the engine will get. By name, for web-sys has WebGPU behind a flag.
pub async fn names() -> Result<AdapterNames, NoGpu> {
    let scope = super::scope();
    let gpu = get(&scope.navigator(), "gpu");
    if gpu.is_undefined() || gpu.is_null() {
        return Err(if scope.is_secure_context() { NoGpu::NoWebGpu } else { NoGpu::InsecureContext });
    }
    let adapter =
        request_adapter(&gpu).await.ok().filter(|adapter| !adapter.is_null() && !adapter.is_undefined());
    let adapter = adapter.ok_or(NoGpu::NoAdapter)?;
    let info = get(&adapter, "info");
    let text = |name: &str| get(&info, name).as_string().unwrap_or_default();
    // It moved from the adapter to its information.
    let is_fallback = [&info, &adapter].iter().any(|place| get(place, "isFallbackAdapter").is_truthy());
    let features = features(&adapter);
    Ok(AdapterNames {
        vendor: text("vendor"),
        architecture: text("architecture"),
        device: text("device"),
        description: text("description"),
        browser: scope.navigator().user_agent().unwrap_or_default(),
        is_fallback,
        subgroups: features.iter().any(|name| name == "subgroups").then(|| subgroups(&info)).flatten(),
        matrix_units: has_matrix_units(&info, &features),
        mobile: is_mobile(&scope),
        ram: ram(&scope.navigator()),
        features,
    })
}

/// Whether this is a phone or a tablet: as Chromium says, or as the page has found out ([`HANDHELD`]).
fn is_mobile(scope: &DedicatedWorkerGlobalScope) -> bool {
    get(&get(&scope.navigator(), "userAgentData"), "mobile").is_truthy()
        || scope.location().hash().ends_with(HANDHELD)
}

/// Bytes of the computer's memory, which Chromium tells roughly, in GiB.
fn ram(navigator: &JsValue) -> Option<u64> {
    let gib = get(navigator, "deviceMemory").as_f64().filter(|gib| *gib > 0.0)?;
    Some((gib * f64::from(1 << 30)) as u64)
}

/// The features of Chromium's matrices, which `xtask/src/site/ahead.js` asks for, and of halves.
const MATRICES: [&str; 3] = ["subgroups", "chromium-experimental-subgroup-matrix", "shader-f16"];

/// Whether the adapter multiplies matrices of halves, 16×16×16, with sums in f32.
fn has_matrix_units(info: &JsValue, features: &[String]) -> bool {
    let configs = js_sys::try_iter(&get(info, "subgroupMatrixConfigs")).ok().flatten();
    let multiplies_halves = |config: &JsValue| {
        let is = |name: &str, wanted: &str| get(config, name).as_string().is_some_and(|it| it == wanted);
        is("componentType", "f16")
            && is("resultComponentType", "f32")
            && ["M", "N", "K"].into_iter().all(|side| get(config, side).as_f64() == Some(16.0))
    };
    MATRICES.into_iter().all(|name| features.iter().any(|offered| offered == name))
        && configs.into_iter().flatten().filter_map(Result::ok).any(|config| multiplies_halves(&config))
}

/// What the adapter offers, by name.
fn features(adapter: &JsValue) -> Vec<String> {
    let set = js_sys::try_iter(&get(adapter, "features")).ok().flatten();
    let mut names: Vec<_> = set.into_iter().flatten().filter_map(|name| name.ok()?.as_string()).collect();
    names.sort();
    names
}

fn subgroups(info: &JsValue) -> Option<(u32, u32)> {
    let size = |name: &str| get(info, name).as_f64().map(|size| size as u32);
    Some((size("subgroupMinSize")?, size("subgroupMaxSize")?))
}

async fn request_adapter(gpu: &JsValue) -> Result<JsValue, JsValue> {
    let options = object(&[("powerPreference", &"high-performance".into())])?;
    let promise = get(gpu, "requestAdapter").dyn_into::<Function>()?.call1(gpu, &options)?;
    JsFuture::from(Promise::resolve(&promise)).await
}

fn get(object: &JsValue, name: &str) -> JsValue {
    field(object, name).unwrap_or(JsValue::UNDEFINED)
}
