//! The tensors of a vision tower under uniform names, with their shapes checked (specification §9.6).

use std::ops::Range;

use shaders::PlanarLayout;
use shaders::matmul::Clamps;

use super::config::{Encoder, Kind, PATCHES, TowerConfig};
use crate::gguf::Header;
use crate::weights::{MatrixSpec, TensorError, TensorList};
use crate::weights::{Weights, finite};

/// The linears of a layer, in the order of `v.clamp_data`.
const LINEARS: [&str; 7] = ["attn_q", "attn_k", "attn_v", "attn_out", "ffn_gate", "ffn_up", "ffn_down"];
/// The bounds of all linears in one tensor.
const PACKED: &str = "v.clamp_data";

/// Returns the name of a tensor of layer `i`.
pub fn in_layer(i: u32, name: &str) -> String {
    format!("v.blk.{i}.{name}")
}

/// Finds all tensors of a tower.
///
/// # Errors
/// The first tensor that is missing or wrong, by name.
pub fn find(header: &Header, config: &TowerConfig) -> Result<TensorList, TensorError> {
    let mut finder = Finder { header, list: TensorList::default() };
    let (width, side) = match config.kind {
        Kind::Encoder(encoder) => (encoder.width, 16),
        Kind::Direct(width) => (width, 48),
    };
    let k = 3 * side * side;
    let (n, d) = (u64::from(width), u64::from(config.model_width));
    match config.kind {
        Kind::Encoder(encoder) => {
            finder.rows(PATCHES, "patches", &[side, side, 3, n], k, 0..n)?;
            for i in 0..encoder.layers {
                finder.layer(&encoder, i)?;
            }
            if encoder.standardised {
                finder.vector("v.std_bias", n)?;
                finder.vector("v.std_scale", n)?;
            }
            finder.packed_bounds(&encoder)?;
        }
        Kind::Direct(_) => {
            finder.rows(PATCHES, "patches", &[k, n], k, 0..n)?;
            finder.vector("v.patch_embd.bias", n)?;
            for (norm, len) in [("v.patch_norm.1", k), ("v.patch_norm.2", n), ("v.patch_norm.3", n)] {
                finder.vector(&format!("{norm}.weight"), len)?;
                finder.vector(&format!("{norm}.bias"), len)?;
            }
        }
    }
    // A table per axis, with as many rows as images need.
    let table = "v.position_embd.weight";
    let stored = header.tensor(table).and_then(|t| t.shape.get(1)).copied().unwrap_or(0);
    let used = u64::from(config.positions);
    finder.rows(table, "columns", &[n, stored, 2], n, 0..used)?;
    finder.rows(table, "rows", &[n, stored, 2], n, stored..stored + used)?;
    finder.list.add_matrix(header, "mm.input_projection.weight", "projection", [n, d])?;
    Ok(finder.list)
}

struct Finder<'a> {
    header: &'a Header,
    list: TensorList,
}

impl Finder<'_> {
    /// The rows of a tensor with more than two dimensions, as a matrix. It must be a float tensor, since blocks are
    /// only along the first dimension.
    fn rows(
        &mut self,
        tensor: &str,
        name: &str,
        shape: &[u64],
        k: u64,
        rows: Range<u64>,
    ) -> Result<(), TensorError> {
        let found =
            self.header.tensor(tensor).ok_or_else(|| TensorError::Missing { name: tensor.to_owned() })?;
        if found.shape != shape {
            let (name, found) = (tensor.to_owned(), found.shape.clone());
            return Err(TensorError::Shape { name, found, expected: shape.to_vec() });
        }
        let whole = shape.len() == 2;
        let dtype = found.dtype.known().filter(|dtype| whole || dtype.block_elements() == 1);
        let dtype = dtype
            .ok_or_else(|| TensorError::Type { name: tensor.to_owned(), dtype: found.dtype.to_string() })?;
        PlanarLayout::new(dtype, k, 1)
            .map_err(|source| TensorError::Layout { name: tensor.to_owned(), source })?;
        let bytes = dtype.row_bytes(k).unwrap_or(0);
        let range = found.offset + rows.start * bytes..found.offset + rows.end * bytes;
        let n = rows.end - rows.start;
        self.list.matrices.push(MatrixSpec { name: name.to_owned(), dtype, k, n, range, cut: None });
        Ok(())
    }

    fn vector(&mut self, tensor: &str, len: u64) -> Result<(), TensorError> {
        self.list.add_vector(self.header, tensor, tensor, &[len], false)
    }

    fn layer(&mut self, encoder: &Encoder, i: u32) -> Result<(), TensorError> {
        let (d, ff) = (u64::from(encoder.width), u64::from(encoder.feed_forward));
        for norm in ["ln1", "attn_post_norm", "ln2", "ffn_post_norm"] {
            self.vector(&in_layer(i, &format!("{norm}.weight")), d)?;
        }
        for norm in ["attn_q_norm", "attn_k_norm"] {
            self.vector(&in_layer(i, &format!("{norm}.weight")), encoder.head_dim.into())?;
        }
        for linear in LINEARS {
            let name = in_layer(i, linear);
            let shape = match linear {
                "ffn_gate" | "ffn_up" => [d, ff],
                "ffn_down" => [ff, d],
                _ => [d, d],
            };
            self.list.add_matrix(self.header, &format!("{name}.weight"), &name, shape)?;
            self.list.add_bounds(self.header, &name)?;
        }
        Ok(())
    }

    /// The bounds of all linears in one tensor: four for each, then four for the projector, which has none.
    fn packed_bounds(&mut self, encoder: &Encoder) -> Result<(), TensorError> {
        if self.header.tensor(PACKED).is_none() {
            return Ok(());
        }
        let linears = u64::from(encoder.layers) * LINEARS.len() as u64 + 1;
        self.list.add_vector(self.header, PACKED, PACKED, &[4 * linears], true)
    }
}

/// Returns the bounds of a linear of layer `i`: stored with it, or packed.
pub fn clamps(weights: &Weights, i: u32, linear: &str) -> Option<Clamps> {
    weights.clamps(&in_layer(i, linear)).or_else(|| {
        let place = LINEARS.iter().position(|&name| name == linear)?;
        let at = 4 * (i as usize * LINEARS.len() + place);
        packed(weights.on_host.get(PACKED)?.get(at..at + 4)?)
    })
}

/// Four zeros mean no bounds: missing values were written as zeros.
fn packed(quad: &[f32]) -> Option<Clamps> {
    match *quad {
        [in_min, in_max, out_min, out_max] if quad.iter().any(|&v| v != 0.0) => {
            Some(finite([in_min, in_max], [out_min, out_max]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_bound_nothing() {
        assert_eq!(packed(&[0.0; 4]), None);
        let clamps = packed(&[-1.0, 2.0, -3.0, f32::INFINITY]).expect("bounds");
        assert_eq!(clamps, Clamps { input: [-1.0, 2.0], output: [-3.0, f32::MAX] });
    }
}
