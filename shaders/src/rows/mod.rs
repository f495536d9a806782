//! What stands between the matrix products of prefill: norms, residual additions, activations, rotation, the append to
//! the cache. Everything is row-major f32, a row for each position of the chunk; `state.len` says how many count.

pub mod gelu_mul;
pub mod norm_add;
pub mod qkv_finish;

/// `rms(row; weights)` in f64; without weights where `weights` is `None`.
#[must_use]
pub fn rms(row: &[f64], weights: Option<&[f32]>, eps: f64) -> Vec<f64> {
    let mean = row.iter().map(|v| v * v).sum::<f64>() / row.len() as f64;
    let factor = (mean + eps).sqrt().recip();
    let weight = |i: usize| weights.map_or(1.0, |weights| f64::from(weights[i]));
    row.iter().enumerate().map(|(i, v)| v * factor * weight(i)).collect()
}
