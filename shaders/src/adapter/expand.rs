//! Launcher and CPU twin of `wgsl/adapter/expand.wgsl`: `Y += B·(scales ⊙ z)` for products with the same input.

use crate::case::{Arg, Case, CaseError, Expected, LEN, args, random};
use crate::matvec::Correction;
use crate::{Defines, Kernel, PreprocessError, Source};

/// Rows per workgroup.
const ROWS: u32 = 8;
/// Columns per workgroup.
const COLUMNS: u32 = 64;

/// Maximum rank of all adapters together: the kernel holds z in half of the workgroup memory that every device has.
pub const MAX_RANK: u32 = 256;

/// The kernel for one to three products. Bindings: params, state (its `len` is T), z, B, scales, then the products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expand(pub usize);

params! {
    /// The uniform at binding 0.
    #[derive(Default, Eq)]
    pub struct Params {
        /// Columns of each product.
        pub n: [u32; 3],
        /// Rank in vec4s.
        pub quads: u32,
        /// Running total of workgroups along x, per product.
        pub groups: [u32; 3],
        /// Row stride of z, in vec4s.
        pub stride: u32,
        /// Offset of each product's part of z, in vec4s.
        pub z_at: [u32; 4],
        /// Offset of each product's rows of B, in vec4s.
        pub b_at: [u32; 4],
    }
}

impl Params {
    /// Parameters for products of `n` columns; `stride` is the row length of z in elements.
    pub fn new(n: &[u32], stride: u32, correction: &Correction) -> Self {
        let mut params =
            Self { quads: correction.rank / 4, stride: stride / 4, z_at: [u32::MAX; 4], ..Self::default() };
        let mut total = 0;
        for i in 0..3 {
            let columns = n.get(i).copied().unwrap_or(0);
            if let Some((z, b)) = correction.places[i].filter(|_| columns > 0) {
                params.n[i] = columns;
                params.z_at[i] = z / 4;
                params.b_at[i] = b / 4;
                total += columns.div_ceil(COLUMNS);
            }
            params.groups[i] = total;
        }
        params
    }

    /// Workgroups for a chunk of `rows` rows.
    pub fn dispatch(&self, rows: u32) -> [u32; 3] {
        [self.groups[2], rows.div_ceil(ROWS), 1]
    }
}

/// Returns the twin for one product, in f64: `y[T, n] + B·(scales ⊙ z)`, z `[T, rank]`, B `[n, rank]`.
pub fn expand(y: &[f32], z: &[f32], b: &[f32], scales: &[f32]) -> Vec<f32> {
    let rank = scales.len();
    let n = b.len() / rank;
    let correction = |t: usize, row: usize| -> f64 {
        let terms = (0..rank)
            .map(|j| f64::from(b[row * rank + j]) * f64::from(scales[j]) * f64::from(z[t * rank + j]));
        terms.sum()
    };
    y.iter().enumerate().map(|(i, &y)| (f64::from(y) + correction(i / n, i % n)) as f32).collect()
}

impl Kernel for Expand {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self(products) = *self;
        let defines = Defines::new()
            .set("SEGMENTS", products)
            .set("LATER_SEGMENTS", products - 1)
            .set("ROWS", ROWS)
            .set("COLUMNS", COLUMNS)
            .set("MAX_QUADS", MAX_RANK / 4);
        Source::build::<Params>("adapter/expand.wgsl", format!("adapter_expand_{products}"), &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        let (rank, widths) = (12_u32, [75_u32, 64, 130]);
        let widths = &widths[..self.0.min(widths.len())];
        let b_at = |i: usize| rank * widths[..i].iter().sum::<u32>();
        let z_at = |i: usize| rank * i as u32;
        let mut correction = Correction { rank, places: [None; 3] };
        for (i, place) in correction.places.iter_mut().enumerate().take(widths.len()) {
            *place = Some((z_at(i), b_at(i)));
        }
        let stride = rank * widths.len() as u32;
        let params = Params::new(widths, stride, &correction);
        let z = random(56, (LEN * stride) as usize);
        let b = random(57, b_at(widths.len()) as usize);
        let scales = random(58, rank as usize);
        let mut args = args![uniform(&params), state(0, LEN), floats(&z), floats(&b), floats(&scales)];
        let mut expected = Vec::new();
        for (i, &n) in widths.iter().enumerate() {
            let y = random(59 + i as u64, (LEN * n) as usize);
            let mine: Vec<f32> = z
                .chunks_exact(stride as usize)
                .flat_map(|row| row[z_at(i) as usize..][..rank as usize].to_vec())
                .collect();
            let rows = &b[b_at(i) as usize..][..(rank * n) as usize];
            expected.push(Expected::new(args.len(), expand(&y, &mine, rows, &scales), 1e-4));
            args.push(Arg::floats(&y));
        }
        Ok(Case { args, grid: params.dispatch(LEN), expected })
    }
}
