//! Launcher and CPU twin of `wgsl/backward/cross_entropy.wgsl`: softcap and cross-entropy, one tile of the
//! vocabulary at a time.

use bytemuck::{Pod, Zeroable};

use crate::{Defines, PreprocessError, Source};

params! {
    /// The uniform at binding 0. Then: state, targets, logits, stats; for the gradient also the weights of the
    /// rows.
    #[derive(Default)]
    pub struct Params {
        /// Tokens of the vocabulary in this tile.
        pub n: u32,
        /// The first of them.
        pub row0: u32,
        /// 1 for the first tile: the statistics are reset.
        pub first: u32,
        /// The softcap; 0: none.
        pub softcap: f32,
    }
}

/// Running statistics of a row: the largest logit, the sum of exponentials relative to it, the logit of the target.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Stat {
    /// Largest logit.
    pub top: f32,
    /// Σ e^(z − top).
    pub sum: f32,
    /// Logit of the target.
    pub target: f32,
    /// Unused.
    pub pad: f32,
}

impl Stat {
    /// Returns the loss of the row, after the last tile.
    pub fn loss(&self) -> f64 {
        f64::from(self.top) + f64::from(self.sum).ln() - f64::from(self.target)
    }
}

/// Returns the kernel that adds a tile to the statistics.
pub fn loss() -> Result<Source, PreprocessError> {
    let defines = Defines::new().set("LOSS", true);
    Source::build::<Params>("backward/cross_entropy.wgsl", "backward_cross_entropy_loss", &defines)
}

/// Returns the kernel that computes the gradients of a tile's logits.
pub fn gradient() -> Result<Source, PreprocessError> {
    let defines = Defines::new().set("LOSS", false);
    Source::build::<Params>("backward/cross_entropy.wgsl", "backward_cross_entropy_gradient", &defines)
}

impl Params {
    /// Workgroups of the loss kernel for `rows` rows, at most 65 535.
    pub const fn loss_dispatch(rows: u32) -> [u32; 3] {
        [rows, 1, 1]
    }

    /// Workgroups of the gradient kernel.
    pub const fn gradient_dispatch(&self, rows: u32) -> [u32; 3] {
        [self.n.div_ceil(256), rows, 1]
    }
}

/// CPU twin for one row of raw logits: the loss, and its gradient with respect to the logits.
pub fn cross_entropy(a: &[f64], target: usize, softcap: f64, weight: f64) -> (f64, Vec<f64>) {
    let cap = |a: f64| if softcap == 0.0 { a } else { softcap * (a / softcap).tanh() };
    let z: Vec<f64> = a.iter().map(|&a| cap(a)).collect();
    let top = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = z.iter().map(|z| (z - top).exp()).sum();
    let slope = |z: f64| if softcap == 0.0 { 1.0 } else { 1.0 - (z / softcap).powi(2) };
    let gradient = z.iter().enumerate().map(|(v, &z)| {
        let hit = if v == target { 1.0 } else { 0.0 };
        weight * ((z - top).exp() / sum - hit) * slope(z)
    });
    (top + sum.ln() - z[target], gradient.collect())
}
