//! CPU twins of the decode products, in f64.

use crate::math::rms;

/// Returns the residual sum of the `add` prologue: `h' = (h + rms(branch; w1))·s`.
pub fn add(h: &[f32], branch: &[f32], w1: &[f32], s: f32, eps: f32) -> Vec<f64> {
    let branch: Vec<f64> = branch.iter().map(|&v| f64::from(v)).collect();
    let normed = rms(&branch, Some(w1), eps.into());
    h.iter().zip(normed).map(|(&h, b)| (f64::from(h) + b) * f64::from(s)).collect()
}

/// `W·x`; `w` is dequantised and row-major `[rows, x.len()]`.
pub fn product(w: &[f32], x: &[f64]) -> Vec<f64> {
    w.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(&w, x)| f64::from(w) * x).sum()).collect()
}
