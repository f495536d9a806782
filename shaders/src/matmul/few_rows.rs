//! Launcher of `wgsl/matmul/few_rows.wgsl`: products of a few rows, which read the weights once. The twin of the
//! product is [`super::matmul()`].

use super::matmul;
use crate::adapter::expand::expand;
use crate::case::{Arg, Case, CaseError, Expected, Matrix, args, matrix, random, rows_of, tolerance};
use crate::math::gelu_tanh;
use crate::matvec::{Correction, Form};
use crate::planes::UNIT;
use crate::{DType, Defines, Kernel, PlanarLayout, Planes, PreprocessError, Source};

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
    /// Returns the same for a part of a matrix, whose first row is `row0` of `rows`.
    pub fn part(mut self, row0: u32, rows: u32) -> Self {
        (self.y_stride[0], self.y_at[0]) = (rows, row0);
        self
    }

    /// Returns the same with the low-rank update of adapters: `z_stride` is the row length of z in elements, and B begins at row
    /// `row0` of its matrix.
    pub fn with_correction(mut self, correction: &Correction, z_stride: u32, row0: u32) -> Self {
        self.z_stride = z_stride / 4;
        for (i, place) in correction.places.iter().enumerate() {
            self.z_at[i] = place.map_or(u32::MAX, |(z, _)| z / 4);
            self.b_at[i] = place.map_or(0, |(_, b)| (b + row0 * correction.rank) / 4);
        }
        self
    }

    /// Returns the same with per-layer inputs in rows of `stride` elements, from `at` on.
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
///
/// Bindings: params, the matrices, state (its `len` is T), X, per-layer inputs for [`Epilogue::Ple`], Y; with an update, z
/// and the adapters' buffer, which begins with the scales. Packed rows are two buffers: codes and scales.
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

    /// Returns the product of up to `rows` rows, at most [`Self::MAX_ROWS`], with matrices of these storage types.
    pub fn new(rows: u32, dtypes: &[DType], form: Form) -> Self {
        let rows = rows.next_power_of_two().clamp(1, Self::MAX_ROWS);
        Self { rows, dtypes: dtypes.to_vec(), epilogue: Epilogue::Store, packs: false, quads: 0, form }
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

    /// Returns the number of matrices whose columns of Y are computed one after the other.
    fn segments(&self) -> usize {
        if self.epilogue == Epilogue::Store { self.dtypes.len() } else { 1 }
    }

    /// Columns of Y per workgroup.
    pub const fn columns_per_workgroup(&self) -> u32 {
        self.form.rows_per_workgroup()
    }

    /// Parameters for these matrices, and workgroups for any number of rows that the kernel supports.
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

impl Kernel for FewRows {
    fn source(&self) -> Result<Source, PreprocessError> {
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

    /// Returns a product of one row fewer than the kernel has space for. A single stored matrix gives columns 5.. of rows that
    /// are 9 longer than it has rows.
    fn case(&self) -> Result<Case, CaseError> {
        let (k, rows) = (1280, (self.rows - 1).max(1));
        let n = |i: usize| match self.epilogue {
            Epilogue::Store => [75, 19, 37][i.min(2)],
            _ if self.packs => 80,
            _ => 75,
        };
        let matrices =
            self.dtypes.iter().enumerate().map(|(i, &dtype)| matrix(dtype, k, n(i), 31 + i as u64));
        let matrices = matrices.collect::<Result<Vec<_>, _>>()?;
        let (correction, z_stride, z_and_adapter, updates) = low_rank(self, &n, rows);
        let (x, inputs) = rows_of(random(42, (k * rows) as usize), self.form.packed);
        let mut products: Vec<_> = matrices.iter().map(|w| matmul(&w.layout, &w.words, &x)).collect();
        for (product, update) in products.iter_mut().zip(&updates) {
            product.iter_mut().zip(update).for_each(|(y, update)| *y += update);
        }
        let layouts: Vec<_> = matrices.iter().map(|w| &w.layout).collect();
        let (mut params, grid) = self.dispatch(&layouts);
        params = params.with_correction(&correction, z_stride, 0);
        let gated = |gate: f32, up: f32| (gelu_tanh(gate.into()) * f64::from(up)) as f32;
        let width = n(0) as usize;
        let ple = random(43, rows as usize * (width + 9));
        let y: Vec<f32> = match self.epilogue {
            Epilogue::Store if matrices.len() == 1 => {
                params = params.part(5, n(0) + 9);
                let row = |row: &[f32]| [&[0.0; 5], row, &[0.0; 4]].concat();
                products[0].chunks_exact(width).flat_map(row).collect()
            }
            Epilogue::Store => {
                let room = |(y, w): (&Vec<f32>, &Matrix)| {
                    let mut y = y.clone();
                    y.resize((FewRows::MAX_ROWS * w.layout.n) as usize, 0.0);
                    y
                };
                products.iter().zip(&matrices).flat_map(room).collect()
            }
            Epilogue::Geglu => {
                products[0].iter().zip(&products[1]).map(|(&gate, &up)| gated(gate, up)).collect()
            }
            Epilogue::Ple => {
                params = params.with_ple(n(0) + 9, 4);
                let inputs = ple.chunks_exact(width + 9).flat_map(|row| &row[4..4 + width]);
                products[0].iter().zip(inputs).map(|(&gate, &input)| gated(gate, input)).collect()
            }
        };
        let mut args = args![uniform(&params)];
        args.extend(matrices.into_iter().map(|w| Arg::Words(w.words)));
        args.push(Arg::state(0, rows));
        args.extend(inputs);
        args.extend((self.epilogue == Epilogue::Ple).then(|| Arg::floats(&ple)));
        // A gated product multiplies two sums, each with its own error.
        let largest = products.iter().flatten().fold(1.0_f32, |most, v| most.max(v.abs()));
        let factor = if self.epilogue == Epilogue::Store { 1.0 } else { 2.0 * largest };
        let expected = Expected::rows(&mut args, y, factor * tolerance(k), self.packs);
        args.extend(z_and_adapter);
        Ok(Case { args, grid, expected })
    }

    fn is_packed(&self) -> bool {
        self.form.packed || self.packs
    }
}

/// Returns the low-rank update of a case, where the second of three matrices has none: its places, the row length of z, its
/// bindings, and the update of every matrix.
fn low_rank(
    kernel: &FewRows,
    n: &dyn Fn(usize) -> u32,
    rows: u32,
) -> (Correction, u32, Vec<Arg>, Vec<Vec<f32>>) {
    let (rank, count) = (4 * kernel.quads, kernel.dtypes.len());
    let mut correction = Correction { rank, places: [None; 3] };
    if rank == 0 {
        return (correction, 0, Vec::new(), Vec::new());
    }
    let corrected = |i: usize| count < 3 || i != 1;
    let z_stride = rank * (0..count).filter(|&i| corrected(i)).count() as u32;
    let z = random(44, (rows * z_stride) as usize);
    let mut adapter: Vec<f32> = (0..rank).map(|j| if j < 4 { 0.5 } else { -1.5 }).collect();
    let scales = adapter.clone();
    let mut z_at = 0;
    let mut updates = Vec::new();
    for i in 0..count {
        let mut update = vec![0.0; (rows * n(i)) as usize];
        if corrected(i) {
            correction.places[i] = Some((z_at, adapter.len() as u32));
            let b = random(45 + i as u64, (n(i) * rank) as usize);
            let part =
                z.chunks_exact(z_stride as usize).flat_map(|row| &row[z_at as usize..][..rank as usize]);
            update = expand(&update, &part.copied().collect::<Vec<_>>(), &b, &scales);
            adapter.extend(b);
            z_at += rank;
        }
        updates.push(update);
    }
    (correction, z_stride, args![floats(&z), floats(&adapter)], updates)
}
