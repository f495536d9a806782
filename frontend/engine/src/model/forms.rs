//! How the decode products are cut for their shapes, and whether their large ones are packed.

use shaders::matvec::{Form, Matvec, Prologue};

use super::{Parts, decode};
use crate::gpu::{Gpu, GpuError, Steps, Timer};

/// What packed products must save before they are taken: less is noise, and they round more.
const LEAST_GAIN: f64 = 0.05;

/// A form for a kernel with `rows` rows in all: the fastest of those timed in `shaders/MEASUREMENTS.md`. Few long rows are
/// split along the columns, so that the device has enough to do, and so are those behind the merge of attention; many
/// rows share what a lane loads of x. On a processor that plays a graphics device there is no room to fill, and what
/// every workgroup repeats costs most.
#[must_use]
pub fn matvec_form(gpu: &Gpu, packed: bool, kernel: &Matvec, rows: u32) -> Form {
    if gpu.is_software() {
        return Form::new(4, 2, 1);
    }
    match (rows, kernel.k, kernel.prologue) {
        (8192.., ..) => {
            let form = Form::new(4, 4, 1);
            if packed && kernel.can_be_packed() { form.packed() } else { form }
        }
        (_, 4096.., _) | (_, _, Prologue::Merge) => Form::new(1, 8, 2),
        _ => Form::new(1, 8, 1),
    }
}

/// Whether large products are faster on this device with x in eight bits: those of one token are timed both ways. Sets
/// [`Parts::packed`].
///
/// # Errors
/// When the device was lost, or refuses a kernel that is not packed.
pub async fn choose_packed(gpu: &Gpu, parts: &mut Parts) -> Result<(), GpuError> {
    parts.packed = false;
    if gpu.is_software() || gpu.is_portable() {
        return Ok(());
    }
    let plain = gpu.validating(decode::build(gpu, parts, None, 0)).await?;
    parts.packed = true;
    let packed = match gpu.validating(decode::build(gpu, parts, None, 0)).await {
        Ok(packed) => packed,
        // Not every browser has the packed products of WGSL.
        Err(GpuError::Kernel { .. }) => {
            parts.packed = false;
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let timer = Timer::new(gpu)?;
    let before = time_those_not_in(&timer, &plain, &packed).await?;
    let after = time_those_not_in(&timer, &packed, &plain).await?;
    parts.packed = after < before * (1.0 - LEAST_GAIN);
    Ok(())
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
