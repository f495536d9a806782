//! Kernels find workgroup memory as another left it.

use crate::common::Gpu;

/// Where a device clears it, kernels that lean on zeros would pass all the same: the tests would not see them.
#[test]
fn kernels_run_behind_one_that_has_filled_workgroup_memory_with_nan() {
    // A workgroup may run on a core that has filled nothing.
    assert!((0..100).any(|_| Gpu::get().finds_nan()), "this device clears workgroup memory");
}
