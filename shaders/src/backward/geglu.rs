//! Launcher and CPU twin of `wgsl/backward/geglu.wgsl`: the gradient of the gated activation, in place.

use crate::rows::gelu_mul::Params;
use crate::{Defines, PreprocessError, Source};

/// The shader. Bindings: params (as in the forward kernel, with dy as its output), state, dy, gate, up. The
/// gradients replace gate and, with `both`, up.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source(both: bool) -> Result<Source, PreprocessError> {
    let name = if both { "backward_geglu" } else { "backward_geglu_gate" };
    Source::build::<Params>("backward/geglu.wgsl", name, &Defines::new().set("BOTH", both))
}

/// Workgroups for `rows` rows.
#[must_use]
pub const fn dispatch(params: &Params, rows: u32) -> [u32; 3] {
    crate::rows::gelu_mul::dispatch(params, rows)
}

/// CPU twin for one element: the gradients of gate and up.
#[must_use]
pub fn geglu(a: f64, u: f64, dy: f64) -> (f64, f64) {
    let c = (2.0 / std::f64::consts::PI).sqrt();
    let t = (c * (a + 0.044715 * a * a * a)).tanh();
    let slope = 0.5 * (1.0 + t) + 0.5 * a * (1.0 - t * t) * c * (1.0 + 3.0 * 0.044715 * a * a);
    (dy * u * slope, dy * 0.5 * a * (1.0 + t))
}
