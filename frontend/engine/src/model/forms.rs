//! The forms of the decode products: how they are divided for their shapes, and which are packed.

use std::collections::BTreeSet;

use shaders::matvec::{Form, Matvec, Prologue};
use shaders::selftest;

use crate::gpu::{Gpu, GpuError, Program, Timer};
use crate::plan::Limits;
use crate::weights::TensorList;

/// Minimum number of rows of a packed product. For smaller ones, packing x in every workgroup costs more than it
/// saves.
pub const LARGE: u32 = 8192;
/// Maximum total rank for which decode computes z without separate dispatches. The number of partial results grows
/// with the rank, and every workgroup of the consumer reads all.
pub const MOST_FUSED_RANK: u32 = 64;
/// Minimum relative gain to choose packed products: less is noise, and they round more.
const MIN_GAIN: f64 = 0.05;

/// Which products of decode are packed: x is rounded to int8, and integers are multiplied. Only quantised matrices
/// have this form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Products {
    /// Those with at least [`LARGE`] rows, if they are measured to be faster when the model is loaded.
    #[default]
    Measured,
    /// None: all use floats.
    Floats,
    /// Those with at least this many rows, if the device supports them. With 0, all.
    Packed {
        /// Minimum number of rows of all matrices with the same x.
        least_rows: u32,
    },
}

/// The form of a kernel with `rows` rows in total: the fastest of those timed in `shaders/MEASUREMENTS.md`. A few
/// long rows are split along the columns to occupy the device, and so are products after the attention merge; with
/// many rows, several share the loaded x. On a software device there is nothing to occupy, and the work repeated by
/// each workgroup dominates.
#[must_use]
pub fn matvec_form(limits: Limits, choices: Choices, kernel: &Matvec, rows: u32) -> Form {
    let form = match (rows, kernel.k, kernel.prologue) {
        _ if limits.software => Form::new(4, 2, 1),
        (LARGE.., ..) => Form::new(4, 4, 1),
        (_, 4096.., _) | (_, _, Prologue::Merge) => Form::new(1, 8, 2),
        _ => Form::new(1, 8, 1),
    };
    let is_meant = choices.packed.is_some_and(|least| rows >= least);
    let can = || Matvec { form, ..kernel.clone() }.can_be_packed();
    if is_meant && can() { form.packed() } else { form }
}

/// The chosen forms for a device, by measuring or by request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Minimum number of rows of packed decode products; `None` if none are packed.
    pub packed: Option<u32>,
}

impl Choices {
    /// The choices for `products`: packed products, if requested and supported.
    #[must_use]
    pub fn asked(limits: Limits, products: Products) -> Self {
        let packed = match products {
            Products::Floats => None,
            Products::Packed { least_rows } => Some(least_rows),
            Products::Measured => (!limits.software && !limits.portable).then_some(LARGE),
        };
        Self { packed }
    }

    /// The products of these choices.
    #[must_use]
    pub fn products(self) -> Products {
        self.packed.map_or(Products::Floats, |least_rows| Products::Packed { least_rows })
    }
}

/// Whether the kernels of `packed` that are not in `floats` are faster than their counterparts, by enough to
/// justify the additional rounding.
///
/// # Errors
/// When the device was lost.
pub async fn is_faster(gpu: &Gpu, packed: &Program, floats: &Program) -> Result<bool, GpuError> {
    let timer = Timer::new(gpu)?;
    let before = time_those_not_in(&timer, floats, packed).await?;
    let after = time_those_not_in(&timer, packed, floats).await?;
    Ok(after < before * (1.0 - MIN_GAIN))
}

/// The products that [`Products::Measured`] times, each shape once: storage types of the matrices with the same x,
/// columns, total rows. Empty if no product is large and quantised.
#[must_use]
pub fn large_products(tensors: &TensorList, layers: usize) -> Vec<String> {
    const OF_LAYER: [&[&str]; 6] = [
        &["attn_q", "attn_k", "attn_v"],
        &["attn_output"],
        &["ffn_gate", "ffn_up"],
        &["ffn_down"],
        &["inp_gate"],
        &["proj"],
    ];
    let head = if tensors.matrix("output").is_some() { "output" } else { "token_embd" };
    let of_layers = (0..layers).flat_map(|i| OF_LAYER.map(|parts| (format!("blk.{i}."), parts)));
    let alone: [(String, &[&str]); 2] =
        [(String::new(), &[head]), (String::new(), &["per_layer_model_proj"])];
    let mut found = BTreeSet::new();
    for (prefix, parts) in of_layers.chain(alone) {
        let matrices: Vec<_> =
            parts.iter().filter_map(|part| tensors.matrix(&format!("{prefix}{part}"))).collect();
        let rows: u64 = matrices.iter().map(|matrix| matrix.n).sum();
        if rows >= LARGE.into() && matrices.iter().all(|matrix| !matrix.dtype.is_float()) {
            let types: Vec<_> = matrices.iter().map(|matrix| matrix.dtype.name()).collect();
            found.insert(format!("{} {}x{rows}", types.join("+"), matrices[0].k));
        }
    }
    found.into_iter().collect()
}

/// Whether a kernel uses packed products.
#[must_use]
pub fn is_packed(form: &selftest::Form) -> bool {
    matches!(form, selftest::Form::Matvec(kernel) if kernel.form.packed)
}

/// Milliseconds of the kernels of one program that are not in another.
async fn time_those_not_in(timer: &Timer<'_>, program: &Program, other: &Program) -> Result<f64, GpuError> {
    let others = other.by_kernel();
    let mut ms = 0.0;
    for uses in program.by_kernel() {
        if others.iter().all(|other| other.name != uses.name) {
            ms += timer.time(&uses.program, u32::MAX, &|| ()).await?;
        }
    }
    Ok(ms)
}
