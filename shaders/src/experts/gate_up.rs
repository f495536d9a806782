//! `wgsl/experts/gate_up.wgsl`: router choice, norm, gate, up and activation of the chosen experts for one token.

use super::{Mixture, choice};
use crate::math::{gelu_tanh, rms};
use crate::matvec::twin;
use crate::{DType, Planes, PreprocessError, Source};

/// Rows per workgroup, 32 threads each.
const GROUPS: u32 = 4;
/// Threads of a workgroup.
pub(super) const THREADS: u32 = 32 * GROUPS;

/// One permutation of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GateUp {
    /// The mixture.
    pub mixture: Mixture,
    /// Width of the residual stream.
    pub k: u32,
    /// Storage type of gate.
    pub gate: DType,
    /// Storage type of up.
    pub up: DType,
}

params! {
    /// The uniform at binding 0. Rows are numbered within an expert, experts within the layer.
    #[derive(Default)]
    pub struct Params {
        /// Planes of the gate matrix.
        pub gate_planes: Planes,
        /// Planes of the up matrix; equal to `gate_planes` if both are in one matrix.
        pub up_planes: Planes,
        /// Rows of gate, and of up.
        pub rows: u32,
        /// First expert of this dispatch.
        pub begin: u32,
        /// One past the last expert.
        pub end: u32,
        /// Offset of the norm's weights in `vectors`.
        pub norm: u32,
        /// First expert in the gate matrix.
        pub gate_first: u32,
        /// First expert in the up matrix.
        pub up_first: u32,
        /// Rows per expert in the gate matrix.
        pub gate_stride: u32,
        /// Rows per expert in the up matrix.
        pub up_stride: u32,
        /// First row of up within an expert.
        pub up_at: u32,
        /// Offset of the per-expert weight scales in `vectors`.
        pub scales: u32,
        /// Factor of the logits.
        pub scale: f32,
        /// ε of the norm.
        pub eps: f32,
    }
}

/// vec4s for the staged x, or for the partial sums.
const fn staged_vec4s(k: u32) -> u32 {
    if k / 4 > THREADS { k / 4 } else { THREADS }
}

/// Bytes of workgroup memory: x, the ranking, the choice, and a reduction.
pub(super) const fn workgroup_bytes(mixture: Mixture, k: u32) -> u32 {
    16 * staged_vec4s(k) + 4 * mixture.experts + 8 * mixture.used + 4 * THREADS
}

impl GateUp {
    /// The shader. Bindings: params, out, choices, h, logits, vectors, gate, up.
    ///
    /// # Errors
    /// When the template cannot be expanded.
    pub fn source(&self) -> Result<Source, PreprocessError> {
        let defines = self
            .mixture
            .defines()
            .set("K", self.k)
            .set("GATE", self.gate)
            .set("UP", self.up)
            .set("GROUPS", GROUPS)
            .set("THREADS", THREADS)
            .set("MEM", staged_vec4s(self.k));
        let name = format!("experts_gate_up_{}_{}_{}_k{}", self.mixture.name(), self.gate, self.up, self.k);
        Source::build::<Params>("experts/gate_up.wgsl", name, &defines)
    }

    /// Workgroups for experts of `rows` rows.
    #[must_use]
    pub const fn dispatch(&self, rows: u32) -> [u32; 3] {
        [rows.div_ceil(GROUPS), self.mixture.used, 1]
    }
}

/// The activations of the chosen experts; `None` for experts outside of the dispatch.
pub type Activations = Vec<Option<Vec<f64>>>;

/// CPU twin for one token, in f64: the activations `[used, rows]` and the choice. `gate` and `up` are dequantised,
/// laid out as on the device, and hold all experts of the dispatch.
#[must_use]
pub fn gate_up(
    kernel: &GateUp,
    params: &Params,
    (h, logits, vectors): (&[f32], &[f32], &[f32]),
    (gate, up): (&[f32], &[f32]),
) -> (Activations, Vec<(u32, f64)>) {
    let (k, rows) = (kernel.k as usize, params.rows as usize);
    let stream: Vec<f64> = h.iter().map(|&v| f64::from(v)).collect();
    let x = rms(&stream, Some(&vectors[params.norm as usize..][..k]), params.eps.into());
    let chosen = choice(kernel.mixture.used, logits, params.scale, &vectors[params.scales as usize..]);
    let half = |values: &[f32], first: u32| twin::product(&values[first as usize * k..][..rows * k], &x);
    let activated = |&(expert, _): &(u32, f64)| {
        (params.begin..params.end).contains(&expert).then(|| {
            let gate = half(gate, (expert - params.gate_first) * params.gate_stride);
            let up = half(up, (expert - params.up_first) * params.up_stride + params.up_at);
            gate.iter().zip(up).map(|(&gate, up)| gelu_tanh(gate) * up).collect()
        })
    };
    (chosen.iter().map(activated).collect(), chosen)
}
