//! How the decode products are cut for their shapes, and which of them are packed.

use std::collections::BTreeSet;

use shaders::matvec::{Form, Matvec, Prologue};
use shaders::selftest;

use crate::gpu::{Gpu, GpuError, Program, Timer};
use crate::plan::Limits;
use crate::weights::TensorList;

/// Rows from which a product is large enough to earn back what packing x costs every workgroup.
pub const LARGE: u32 = 8192;
/// Ranks of all adapters together up to which decode makes z of a correction without dispatches of its own: partial results grow with
/// them, and every workgroup behind reads all.
pub const MOST_FUSED_RANK: u32 = 64;
/// What packed products must save before they are taken: less is noise, and they round more.
const LEAST_GAIN: f64 = 0.05;

/// Which products of decode are packed: x rounded to signed bytes, and integers multiplied. Only quantised matrices have
/// such a form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Products {
    /// Those of [`LARGE`] rows and more, if they turn out to be faster on this device when the model is loaded.
    #[default]
    Measured,
    /// None: all multiply floats.
    Floats,
    /// Those of at least so many rows, as far as the device has the kernels. With 0, all.
    Packed {
        /// Rows of all matrices that share x.
        least_rows: u32,
    },
}

/// A form for a kernel with `rows` rows in all: the fastest of those timed in `shaders/MEASUREMENTS.md`. Few long rows are
/// split along the columns, so that the device has enough to do, and so are those behind the merge of attention; many
/// rows share what a lane loads of x. On a processor that plays a graphics device there is no room to fill, and what
/// every workgroup repeats costs most.
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

/// What is chosen for a device, by measuring or because somebody says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Rows from which the products of decode are packed; none where none are.
    pub packed: Option<u32>,
}

impl Choices {
    /// What `products` asks for where the device can: packed products, if any.
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

/// Whether the kernels of one program that another has not are faster than those that the other has instead, by enough to
/// take what they round.
///
/// # Errors
/// When the device was lost.
pub async fn is_faster(gpu: &Gpu, packed: &Program, floats: &Program) -> Result<bool, GpuError> {
    let timer = Timer::new(gpu)?;
    let before = time_those_not_in(&timer, floats, packed).await?;
    let after = time_those_not_in(&timer, packed, floats).await?;
    Ok(after < before * (1.0 - LEAST_GAIN))
}

/// The products of decode that [`Products::Measured`] is about, each shape once: storage types of the matrices that share x,
/// columns, rows in all. None where no product is large and quantised.
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

/// Whether a kernel multiplies packed numbers.
#[must_use]
pub fn is_packed(form: &selftest::Form) -> bool {
    matches!(form, selftest::Form::Matvec(kernel) if kernel.form.packed)
}

/// Milliseconds of the kernels of one program that another has not.
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
