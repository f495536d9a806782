//! What kernels for the matrix units of a device have in common.

/// Rows from which on matrix units are used; fewer leave most of a tile empty.
pub const LEAST_ROWS: u32 = 33;
/// Workgroup memory of the largest kernel, in bytes.
pub const WORKGROUP_MEMORY: u32 = 46 << 10;

/// What the matrix units of a device multiply, as far as kernels use them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MatrixUnits {
    /// Nothing: there are none.
    #[default]
    None,
    /// Halves, 16×16×16, with sums in f32.
    Halves,
    /// Signed bytes, 16×16×32, with sums in i32.
    Int8,
}

/// A spelling of matrices of halves in WGSL: there is no standard yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// wgpu's `EXPERIMENTAL_COOPERATIVE_MATRIX`.
    Wgpu,
    /// Chromium's `chromium-experimental-subgroup-matrix`, behind a flag. Its kernels need `shader-f16` as well.
    Chromium,
}

impl Dialect {
    /// The one that this target compiles.
    pub const HERE: Self = if cfg!(target_arch = "wasm32") { Self::Chromium } else { Self::Wgpu };

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Wgpu => "wgpu",
            Self::Chromium => "chromium",
        }
    }
}
