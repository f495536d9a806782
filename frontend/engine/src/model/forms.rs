//! How the decode products are cut for their shapes.

use shaders::matvec::Form;

/// A form for `rows` rows of `k` columns: the fastest of those timed in `shaders/MEASUREMENTS.md`. Few long rows are
/// split along the columns, so that the device has enough to do; many rows share what a lane loads of x.
#[must_use]
pub fn matvec_form(rows: u32, k: u32) -> Form {
    match (rows, k) {
        (8192.., _) => Form { rows: 4, groups: 4, ksplit: 1 },
        (_, 4096..) => Form { rows: 1, groups: 8, ksplit: 2 },
        _ => Form { rows: 1, groups: 4, ksplit: 1 },
    }
}
