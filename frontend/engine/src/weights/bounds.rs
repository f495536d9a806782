//! Bounds of the clipped linears of the towers, stored as four scalars next to the weights.

use std::collections::HashMap;

use shaders::matmul::Clamps;

use super::{TensorError, TensorList, Weights};
use crate::gguf::Header;

/// The four scalars of a linear.
const BOUNDS: [&str; 4] = ["input_min", "input_max", "output_min", "output_max"];

impl TensorList {
    /// Adds the bounds of a linear that the file has. Their values are kept on the host.
    ///
    /// # Errors
    /// When one is not a scalar.
    pub fn add_bounds(&mut self, header: &Header, linear: &str) -> Result<(), TensorError> {
        for bound in BOUNDS {
            let name = format!("{linear}.{bound}");
            if header.tensor(&name).is_some() {
                self.add_vector(header, &name, &name, &[1], true)?;
            }
        }
        Ok(())
    }
}

impl Weights {
    /// The bounds of a linear, if the file has any. A missing or NaN value is no bound.
    #[must_use]
    pub fn clamps(&self, linear: &str) -> Option<Clamps> {
        clamps_of(&self.on_host, linear)
    }
}

fn clamps_of(values: &HashMap<String, Vec<f32>>, linear: &str) -> Option<Clamps> {
    let value = |bound: &str| values.get(&format!("{linear}.{bound}")).map(|values| values[0]);
    let quad = BOUNDS.map(value);
    if quad.iter().all(Option::is_none) {
        return None;
    }
    let [in_min, in_max, out_min, out_max] = quad;
    let (low, high) = (f32::NEG_INFINITY, f32::INFINITY);
    Some(finite(
        [in_min.unwrap_or(low), in_max.unwrap_or(high)],
        [out_min.unwrap_or(low), out_max.unwrap_or(high)],
    ))
}

/// Converts bounds for kernels: infinities become the limits of f32, and NaN is no bound.
pub fn finite(input: [f32; 2], output: [f32; 2]) -> Clamps {
    // `max` and `min` with a NaN return the other number.
    let pair = |[low, high]: [f32; 2]| {
        let low = low.max(f32::MIN);
        [low, high.min(f32::MAX).max(low)]
    };
    Clamps { input: pair(input), output: pair(output) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_made_fit_for_the_kernel() {
        let bounds = |values: &[(&str, f32)]| -> HashMap<String, Vec<f32>> {
            values.iter().map(|(name, value)| (format!("l.{name}"), vec![*value])).collect()
        };
        assert_eq!(clamps_of(&bounds(&[]), "l"), None);
        let whole = [("input_min", -1.0), ("input_max", 2.0), ("output_min", -3.0), ("output_max", 4.0)];
        let clamps = Clamps { input: [-1.0, 2.0], output: [-3.0, 4.0] };
        assert_eq!(clamps_of(&bounds(&whole), "l"), Some(clamps));
        let odd = [("input_min", f32::NEG_INFINITY), ("input_max", f32::NAN), ("output_max", -5.0)];
        let clamps = Clamps { input: [f32::MIN, f32::MAX], output: [f32::MIN, -5.0] };
        assert_eq!(clamps_of(&bounds(&odd), "l"), Some(clamps));
    }
}
