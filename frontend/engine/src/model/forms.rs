//! How the decode products are cut for their shapes.

use shaders::matvec::{Form, Prologue};

use crate::gpu::Gpu;

/// A form for `rows` rows of `k` columns: the fastest of those timed in `shaders/MEASUREMENTS.md`. Few long rows are
/// split along the columns, so that the device has enough to do, and so are those behind the merge of attention; many
/// rows share what a lane loads of x. On a processor that plays a graphics device there is no room to fill, and what
/// every workgroup repeats costs most.
#[must_use]
pub fn matvec_form(gpu: &Gpu, prologue: Prologue, rows: u32, k: u32) -> Form {
    if gpu.is_software() {
        return Form { rows: 4, groups: 2, ksplit: 1 };
    }
    match (rows, k, prologue) {
        (8192.., ..) => Form { rows: 4, groups: 4, ksplit: 1 },
        (_, 4096.., _) | (_, _, Prologue::Merge) => Form { rows: 1, groups: 8, ksplit: 2 },
        _ => Form { rows: 1, groups: 8, ksplit: 1 },
    }
}
