//! The weights of a model as values, before loading.

use std::collections::HashMap;

use shaders::PlanarLayout;
use shaders::repack::requantize;

use super::{LoadError, Matrix, MatrixSpec, Part, TensorError, TensorList, Weights};
use crate::gpu::GpuError;
use crate::plan::{Limits, Origin, Value};

/// What of a model takes less memory on the device than in the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Savings<'s> {
    /// A matrix that stays on the host.
    pub on_host: Option<&'s str>,
    /// A matrix of floats that is requantised to [`requantize::TARGET`].
    pub requantized: Option<&'s str>,
    /// Experts per layer that have a place on the device, if not all.
    pub expert_slots: Option<u32>,
}

impl Weights {
    /// All tensors of the list, split if the device cannot bind them as a whole.
    ///
    /// # Errors
    /// When a matrix has no layout on the device, or cannot be split into small enough parts.
    pub fn describe(list: &TensorList, limits: Limits) -> Result<Self, LoadError> {
        Self::with_savings(list, Savings::default(), limits)
    }

    /// Same as [`Self::describe`], with less of them on the device.
    ///
    /// # Errors
    /// Same as [`Self::describe`].
    pub fn with_savings(list: &TensorList, savings: Savings<'_>, limits: Limits) -> Result<Self, LoadError> {
        let Savings { on_host, requantized, expert_slots } = savings;
        let is = |spec: &MatrixSpec, name: Option<&str>| name == Some(spec.name.as_str());
        let loaded = list.matrices.iter().filter(|spec| !is(spec, on_host));
        let matrices = loaded.map(|spec| {
            let rows = expert_slots.zip(spec.rows_per_expert());
            let n = rows.map_or(spec.n, |(slots, rows)| spec.n.min(rows * u64::from(slots)));
            let dtype = if is(spec, requantized) { requantize::TARGET } else { spec.dtype };
            Ok((spec.name.clone(), matrix(&MatrixSpec { n, dtype, ..spec.clone() }, limits)?))
        });
        let matrices = matrices.collect::<Result<_, LoadError>>()?;
        let mut places = HashMap::new();
        let (mut end, mut ple_norm) = (0_u32, None);
        for spec in &list.vectors {
            places.insert(spec.name.clone(), (end, spec.len));
            // Kernels read vectors as vec4s.
            end = (end + spec.len).next_multiple_of(4);
            if spec.name == PLE_NORM {
                ple_norm = Some(Value::new("per-layer norm", 4 * u64::from(spec.len), Origin::Weight));
            }
        }
        Ok(Self {
            matrices,
            limits,
            vectors: Value::new("vectors", 4 * u64::from(end), Origin::Weight),
            places,
            on_host: HashMap::new(),
            expert_slots,
            requantized: requantized.and_then(|name| list.matrix(name)).map(|spec| spec.dtype),
            ple_norm,
            rope_factors: None,
        })
    }
}

/// Checks that every matrix of a list has a layout on some device.
///
/// # Errors
/// [`TensorError::Layout`] when one has none.
pub fn check_layouts(list: &TensorList) -> Result<(), TensorError> {
    list.matrices.iter().try_for_each(|spec| {
        let rows = spec.cut.map_or(spec.n, |cut| cut.min(spec.n));
        let layout = PlanarLayout::new(spec.dtype, spec.k, rows);
        layout.map(|_| ()).map_err(|source| TensorError::Layout { name: spec.name.clone(), source })
    })
}

/// The norm of the per-layer inputs, which has its own value.
pub const PLE_NORM: &str = "per_layer_proj_norm";

fn matrix(spec: &MatrixSpec, limits: Limits) -> Result<Matrix, LoadError> {
    let rows = part_rows(spec, limits)?;
    let mut parts = Vec::new();
    let mut row0 = 0;
    while row0 < spec.n {
        let n = rows.min(spec.n - row0);
        let layout = PlanarLayout::new(spec.dtype, spec.k, n)
            .map_err(|source| TensorError::Layout { name: spec.name.clone(), source })?;
        let value = Value::new(spec.name.clone(), layout.bytes(), Origin::Weight);
        parts.push(Part { row0: row0 as u32, layout, value });
        row0 += n;
    }
    Ok(Matrix { dtype: spec.dtype, k: spec.k as u32, n: spec.n as u32, parts })
}

/// Rows per part of a matrix, so that a part fits a binding: all rows if possible.
fn part_rows(spec: &MatrixSpec, limits: Limits) -> Result<u64, LoadError> {
    let limit = limits.largest_binding;
    let rows = spec
        .rows_within(limits.largest_part.min(limit))?
        .map_or_else(|| spec.rows_within(limit), |rows| Ok(Some(rows)))?;
    rows.ok_or_else(|| {
        let bytes = spec.range.end - spec.range.start;
        GpuError::TooLarge { label: spec.name.clone(), bytes, limit }.into()
    })
}
