//! Launcher of `wgsl/matmul/few_rows.wgsl`: products of a few rows, which read the weights once. The twin of the
//! product is [`super::matmul()`].

use crate::matvec::{Correction, Form};
use crate::planes::UNIT;
use crate::{DType, Defines, PlanarLayout, Planes, PreprocessError, Source};

/// Partial sums of 16 bytes that fit into the workgroup memory of every device.
const MAX_SUMS: u32 = 1024;

params! {
    /// The uniform at binding 0.
    #[derive(Default, Eq)]
    pub struct Params {
        /// Planes of each matrix.
        pub planes: [Planes; 3],
        /// Rows of each segment.
        pub rows: [u32; 3],
        /// Units per row of every matrix.
        pub units_per_row: u32,
        /// Running total of workgroups, per segment.
        pub groups: [u32; 3],
        /// Row stride of the per-layer inputs.
        pub ple_stride: u32,
        /// Row stride of each segment's results in Y.
        pub y_stride: [u32; 3],
        /// Offset of this layer in the per-layer inputs.
        pub ple_at: u32,
        /// Offset of each segment's results in Y.
        pub y_at: [u32; 3],
        /// Row stride of z, in vec4s.
        pub z_stride: u32,
        /// Offset of each matrix's part of z, in vec4s; 0xffffffff without an update.
        pub z_at: [u32; 3],
        /// Workgroups along x.
        pub grid_width: u32,
        /// Offset of each matrix's rows of B, in vec4s.
        pub b_at: [u32; 3],
        /// Unused.
        pub pad: u32,
    }
}

impl Params {
    /// The same for a part of a matrix, whose first row is `row0` of `rows`.
    #[must_use]
    pub fn part(mut self, row0: u32, rows: u32) -> Self {
        (self.y_stride[0], self.y_at[0]) = (rows, row0);
        self
    }

    /// The same with the low-rank update of adapters: `z_stride` is the row length of z in elements, and B begins at row
    /// `row0` of its matrix.
    #[must_use]
    pub fn with_correction(mut self, correction: &Correction, z_stride: u32, row0: u32) -> Self {
        self.z_stride = z_stride / 4;
        for (i, place) in correction.places.iter().enumerate() {
            self.z_at[i] = place.map_or(u32::MAX, |(z, _)| z / 4);
            self.b_at[i] = place.map_or(0, |(_, b)| (b + row0 * correction.rank) / 4);
        }
        self
    }

    /// The same with per-layer inputs in rows of `stride` elements, from `at` on.
    #[must_use]
    pub const fn with_ple(self, stride: u32, at: u32) -> Self {
        Self { ple_stride: stride, ple_at: at, ..self }
    }
}

/// What is done with the dot products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Epilogue {
    /// Y = X·Wᵀ, for one to three matrices with the same X. Results of the matrices follow one another in Y, each
    /// with room for [`FewRows::MAX_ROWS`] rows.
    Store,
    /// Y = gelu_tanh(X·W0ᵀ)·(X·W1ᵀ).
    Geglu,
    /// Y = gelu_tanh(X·Wᵀ)·ple.
    Ple,
}

/// One permutation of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FewRows {
    /// Maximum number of rows of X: 1, 2, 4 or 8.
    pub rows: u32,
    /// Storage types: one to three for [`Epilogue::Store`], two for [`Epilogue::Geglu`], one for [`Epilogue::Ple`].
    pub dtypes: Vec<DType>,
    /// What is done with the dot products.
    pub epilogue: Epilogue,
    /// Whether Y is rounded to int8 ([`super::pack_rows`]). Needs a form with 16 columns per workgroup.
    pub packs: bool,
    /// Total rank of the adapters whose low-rank update is added to the dot products, in vec4s; 0 without one.
    pub quads: u32,
    /// How the work is divided, and whether X was rounded to int8. Pairs have at most two rows per group.
    pub form: Form,
}

impl FewRows {
    /// The numbers of rows that there are kernels for.
    pub const ROWS: [u32; 4] = [1, 2, 4, 8];
    /// Maximum number of rows.
    pub const MAX_ROWS: u32 = 8;

    /// The product of up to `rows` rows, at most [`Self::MAX_ROWS`], with matrices of these storage types.
    #[must_use]
    pub fn new(rows: u32, dtypes: &[DType], form: Form) -> Self {
        let rows = rows.next_power_of_two().clamp(1, Self::MAX_ROWS);
        Self { rows, dtypes: dtypes.to_vec(), epilogue: Epilogue::Store, packs: false, quads: 0, form }
    }

    /// The shader. Bindings: params, the matrices, state (its `len` is T), X, per-layer inputs for
    /// [`Epilogue::Ple`], Y; with an update, z and the adapters' buffer, which begins with the scales. Packed rows are
    /// two buffers: codes and scales.
    ///
    /// # Errors
    /// When the template cannot be expanded.
    pub fn source(&self) -> Result<Source, PreprocessError> {
        let (columns, threads) = (self.form.rows, self.form.threads());
        let pair = self.epilogue == Epilogue::Geglu;
        let pass = (MAX_SUMS / threads).min(threads / self.columns_per_workgroup());
        let floats = self.dtypes.iter().all(|dtype| dtype.is_float());
        let mut defines = self
            .form
            .define_few_rows(Defines::new(), floats)
            .set("ROWS", self.rows)
            .set("PASS", self.rows.min(pass))
            .set("SUMS", if pair { 2 * columns } else { columns })
            .set("MATRICES", self.dtypes.len())
            .set("LATER_SEGMENTS", self.segments() - 1)
            .set("SHARED", self.segments() > 1)
            .set("THREE", self.segments() == 3)
            .set("PAIR", pair)
            .set("PLE", self.epilogue == Epilogue::Ple)
            .set("PACK_Y", self.packs)
            .set("CORRECTED", self.quads > 0)
            .set("QUADS", self.quads);
        for (i, dtype) in self.dtypes.iter().enumerate() {
            defines = defines.set(&format!("DTYPE{i}"), dtype.name());
        }
        Source::build::<Params>("matmul/few_rows.wgsl", self.name(), &defines)
    }

    fn name(&self) -> String {
        let types: Vec<_> = self.dtypes.iter().map(|dtype| dtype.name()).collect();
        let epilogue = match self.epilogue {
            Epilogue::Store => "",
            Epilogue::Geglu => "_geglu",
            Epilogue::Ple => "_ple",
        };
        format!(
            "matmul_{}_rows{}{epilogue}{}{}_{}",
            types.join("_").to_lowercase(),
            self.rows,
            if self.packs { "_packs" } else { "" },
            if self.quads > 0 { format!("_a{}", 4 * self.quads) } else { String::new() },
            self.form.name(),
        )
    }

    /// Number of matrices whose columns of Y are computed one after the other.
    fn segments(&self) -> usize {
        if self.epilogue == Epilogue::Store { self.dtypes.len() } else { 1 }
    }

    /// Columns of Y per workgroup.
    #[must_use]
    pub const fn columns_per_workgroup(&self) -> u32 {
        self.form.rows_per_workgroup()
    }

    /// Parameters for these matrices, and workgroups for any number of rows that the kernel supports.
    #[must_use]
    pub fn dispatch(&self, matrices: &[&PlanarLayout]) -> (Params, [u32; 3]) {
        debug_assert!(!self.packs || self.columns_per_workgroup() == UNIT);
        let mut params = Params::default();
        let (mut total, mut y_at) = (0, 0);
        for (i, layout) in matrices.iter().enumerate() {
            (params.planes[i], params.units_per_row) = (layout.planes, layout.units_per_row);
            if i < self.segments() {
                (params.rows[i], params.y_stride[i], params.y_at[i]) = (layout.n, layout.n, y_at);
                total += layout.n.div_ceil(self.columns_per_workgroup());
                y_at += Self::MAX_ROWS * layout.n;
            }
            params.groups[i..].fill(total);
        }
        let grid = crate::grid(total);
        params.grid_width = grid[0];
        (params, grid)
    }
}
