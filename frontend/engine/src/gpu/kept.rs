//! Native devices that are opened once and used again, with the kernels that were compiled on them: a test program opens
//! hundreds one after another, and would compile the same kernels each time.

use std::sync::Mutex;

use super::GpuOptions;
use super::opened::{Opened, lock};

/// Devices that may be used again, with the options that they were opened with.
static KEPT: Mutex<Vec<(Key, Opened)>> = Mutex::new(Vec::new());

/// What a device depends on.
type Key = (Option<String>, bool, Option<u64>, bool);

fn key(options: &GpuOptions) -> Key {
    (options.adapter.clone(), options.portable, options.largest_binding, options.no_matrix_units)
}

/// Returns a device that was opened with such options and that nobody uses any more.
pub(super) fn find(options: &GpuOptions) -> Option<Opened> {
    if cfg!(test) {
        // These tests have devices fail.
        return None;
    }
    let key = key(options);
    let mut kept = lock(&KEPT);
    // Whoever uses a device has the kernels, too.
    let is_free = |opened: &Opened| opened.compiled.is_free();
    kept.retain(|(_, opened)| !is_free(opened) || lock(&opened.lost).is_none());
    let (_, opened) = kept.iter().find(|(other, opened)| *other == key && is_free(opened))?;
    *lock(&opened.fault) = None;
    Some(opened.clone())
}

/// Keeps a device for whoever opens one with such options next.
pub(super) fn keep(options: &GpuOptions, opened: &Opened) {
    lock(&KEPT).push((key(options), opened.clone()));
}

/// Forgets a device that is going to be lost.
pub(super) fn forget(opened: &Opened) {
    lock(&KEPT).retain(|(_, kept)| !kept.compiled.is_same(&opened.compiled));
}
