//! Launcher and CPU twin of `wgsl/backward/geglu.wgsl`: the gradient of the gated activation, in place.

use crate::rows::gelu_mul::Params;
use crate::{Defines, PreprocessError, Source};

/// Where the gradients go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// The gradient of gate replaces it; up is a constant.
    Gate,
    /// The gradients replace gate and up.
    Both,
    /// Same as [`Self::Both`], with gate and up in one buffer.
    Joined,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 3] = [Self::Gate, Self::Both, Self::Joined];

    /// Returns the shader. Bindings: params (as in the forward kernel, with dy as its output), state, dy, gate, and up unless
    /// they are joined.
    pub fn source(self) -> Result<Source, PreprocessError> {
        let name = match self {
            Self::Gate => "backward_geglu_gate",
            Self::Both => "backward_geglu",
            Self::Joined => "backward_geglu_joined",
        };
        let defines = Defines::new().set("BOTH", self == Self::Both).set("JOINED", self == Self::Joined);
        Source::build::<Params>("backward/geglu.wgsl", name, &defines)
    }
}

/// Workgroups for `rows` positions.
pub const fn dispatch(params: &Params, rows: u32) -> [u32; 3] {
    crate::rows::gelu_mul::dispatch(params, rows)
}

/// CPU twin for one element: the gradients of gate and up.
pub fn geglu(a: f64, u: f64, dy: f64) -> (f64, f64) {
    let c = (2.0 / std::f64::consts::PI).sqrt();
    let t = (c * (a + 0.044715 * a * a * a)).tanh();
    let slope = 0.5 * (1.0 + t) + 0.5 * a * (1.0 - t * t) * c * (1.0 + 3.0 * 0.044715 * a * a);
    (dy * u * slope, dy * 0.5 * a * (1.0 + t))
}
