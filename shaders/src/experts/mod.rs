//! Mixture of experts: the router's choice, and the products with the chosen experts (Gemma 4 specification §2.7).
//!
//! [`choose`] chooses for each row, and [`mix`] adds the experts to the dense part. In between, a few rows (a token, or
//! several that are verified together) have a product for each pair of row and expert: [`gate_up`] and [`down`]. In
//! prefill, [`buckets`] sorts the pairs by expert, and [`crate::matmul::experts`] computes the products. The choice
//! stays on the device. If only some experts have a place there, [`locate`] finds them. [`low_rank`] has what adapters add.

pub mod buckets;
pub(crate) mod case;
pub mod choose;
pub mod down;
pub mod gate_up;
pub mod locate;
pub mod low_rank;
pub mod mix;

use crate::{Defines, params};

/// Number of experts of a layer, and number of experts used per token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mixture {
    /// Experts per layer.
    pub experts: u32,
    /// Experts used per token.
    pub used: u32,
}

params! {
    /// An expert that the router chose for a token. The choices of a row are consecutive, the largest logit first.
    #[derive(Default)]
    pub struct Choice {
        /// Index of the expert.
        pub expert: u32,
        /// Weight of the expert's output in the sum.
        pub weight: f32,
    }
}

impl Mixture {
    /// Returns whether the kernels support this mixture with a residual stream of `width` elements: everything fits into 16
    /// KiB of workgroup memory.
    pub const fn is_supported(self, width: u32) -> bool {
        self.used >= 1
            && self.used <= self.experts
            && self.used <= 128
            && self.experts <= 2048
            && width <= crate::matvec::Matvec::MAX_NORM_K
    }

    pub(crate) fn defines(self) -> Defines {
        choice_defines().set("EXPERTS", self.experts).set("USED", self.used)
    }

    /// Returns the part of a kernel's name that identifies the mixture.
    pub(crate) fn name(self) -> String {
        format!("{}of{}", self.used, self.experts)
    }
}

/// What kernels need that read choices of any mixture.
pub(crate) fn choice_defines() -> Defines {
    Defines::new().set("CHOICE", params::wgsl::<Choice>("Choice"))
}

/// CPU twin of `wgsl/experts/ranking.wgsl`, in f64: expert and weight, the largest logit first.
pub fn choice(used: u32, logits: &[f32], scale: f32, scales: &[f32]) -> Vec<(u32, f64)> {
    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]).then(a.cmp(&b)));
    order.truncate(used as usize);
    let top = order.first().map_or(0.0, |&first| logits[first]);
    let exponential = |i: usize| ((f64::from(logits[i]) - f64::from(top)) * f64::from(scale)).exp();
    let total: f64 = order.iter().map(|&i| exponential(i)).sum();
    order.iter().map(|&i| (i as u32, exponential(i) / total * f64::from(scales[i]))).collect()
}
