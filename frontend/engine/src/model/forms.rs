//! How the decode products are cut for their shapes, and which of them are packed.

use std::collections::BTreeSet;

use shaders::matvec::{Form, Matvec, Prologue};
use shaders::selftest;

use super::{Parts, TensorList, decode};
use crate::gpu::{Gpu, GpuError, Steps, Timer};

/// Rows from which a product is large enough to earn back what packing x costs every workgroup.
pub const LARGE: u32 = 8192;
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
/// every workgroup repeats costs most. `packed` is [`Parts::packed`].
#[must_use]
pub fn matvec_form(gpu: &Gpu, packed: Option<u32>, kernel: &Matvec, rows: u32) -> Form {
    let form = match (rows, kernel.k, kernel.prologue) {
        _ if gpu.is_software() => Form::new(4, 2, 1),
        (LARGE.., ..) => Form::new(4, 4, 1),
        (_, 4096.., _) | (_, _, Prologue::Merge) => Form::new(1, 8, 2),
        _ => Form::new(1, 8, 1),
    };
    let is_meant = packed.is_some_and(|least| rows >= least);
    let can = || Matvec { form, ..kernel.clone() }.can_be_packed();
    if is_meant && can() { form.packed() } else { form }
}

/// What was chosen.
pub struct Chosen {
    /// The layers and the head of one token.
    pub steps: Steps,
    /// Whether both forms were timed for it.
    pub timed: bool,
}

impl Chosen {
    fn untimed(steps: Steps) -> Self {
        Self { steps, timed: false }
    }
}

/// Decides which products are packed, sets [`Parts::packed`], and builds the layers and the head of one token so.
///
/// # Errors
/// When the device was lost, or refuses a kernel that is not packed.
pub async fn choose(gpu: &Gpu, parts: &mut Parts, products: Products) -> Result<Chosen, GpuError> {
    let asked = match products {
        Products::Floats => None,
        Products::Packed { least_rows } => Some(least_rows),
        Products::Measured => (!gpu.is_software() && !gpu.is_portable()).then_some(LARGE),
    };
    parts.packed = asked;
    let packed = if asked.is_some() { build_packed(gpu, parts).await? } else { None };
    if let (Some(packed), Products::Packed { .. }) = (&packed, products) {
        return Ok(Chosen::untimed(packed.clone()));
    }
    parts.packed = None;
    let floats = gpu.validating(decode::build(gpu, parts, None, 0)).await?;
    let Some(packed) = packed else { return Ok(Chosen::untimed(floats)) };
    let timer = Timer::new(gpu)?;
    let before = time_those_not_in(&timer, &floats, &packed).await?;
    let after = time_those_not_in(&timer, &packed, &floats).await?;
    if after >= before * (1.0 - LEAST_GAIN) {
        return Ok(Chosen { steps: floats, timed: true });
    }
    parts.packed = asked;
    Ok(Chosen { steps: packed, timed: true })
}

/// The list with packed products; none where no product is meant, or the device refuses them.
async fn build_packed(gpu: &Gpu, parts: &Parts) -> Result<Option<Steps>, GpuError> {
    match gpu.validating(decode::build(gpu, parts, None, 0)).await {
        // Not every browser has the packed products of WGSL.
        Err(GpuError::Kernel { .. }) => Ok(None),
        built => Ok(Some(built?).filter(|steps| steps.forms().any(is_packed))),
    }
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

/// Milliseconds of the kernels of one list that another has not.
async fn time_those_not_in(timer: &Timer<'_>, steps: &Steps, other: &Steps) -> Result<f64, GpuError> {
    let others = other.by_kernel();
    let mut ms = 0.0;
    for uses in steps.by_kernel() {
        if others.iter().all(|other| other.name != uses.name) {
            ms += timer.time(&uses.steps, u32::MAX, &|| ()).await?;
        }
    }
    Ok(ms)
}
