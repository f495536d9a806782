//! Models that decode by diffusion: what stands in front of the layers of a canvas, and what is made of its logits, a tile
//! of the vocabulary at a time. Everything is row-major f32, a row for each position; `state.len` says how many count.

mod case;
pub mod join;
pub mod statistics;
pub mod weigh;

use bytemuck::{Pod, Zeroable};

/// Statistics of the logits of a row (`wgsl/diffusion/row.wgsl`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Row {
    /// The largest logit.
    pub top: f32,
    /// Σ e^(z − top).
    pub sum: f32,
    /// Σ (z − top)·e^(z − top).
    pub weighted: f32,
    /// The first id that has the largest logit.
    pub best: u32,
}

impl Row {
    /// Entropy of the softmax, in nats.
    pub fn entropy(&self) -> f32 {
        let sum = f64::from(self.sum);
        (sum.ln() - f64::from(self.weighted) / sum) as f32
    }
}

/// A sample of a row.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Pick {
    /// The id.
    pub id: u32,
    /// Probabilities of all ids so far, together.
    pub cumulative: f32,
}

/// Returns a logit as its step has it, in f64: softcapped (0: not), divided by the temperature.
pub fn tempered(raw: f64, softcap: f64, temperature: f64) -> f64 {
    let capped = if softcap == 0.0 { raw } else { softcap * (raw / softcap).tanh() };
    capped / temperature
}
