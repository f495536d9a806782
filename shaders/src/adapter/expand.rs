//! Launcher and CPU twin of `wgsl/adapter/expand.wgsl`: `Y += B·(scales ⊙ z)` for products with the same input.

use crate::matvec::Correction;
use crate::{Defines, PreprocessError, Source};

/// Rows per workgroup.
const ROWS: u32 = 8;
/// Columns per workgroup.
const COLUMNS: u32 = 64;

/// Maximum rank of all adapters together: the kernel holds z in half of the workgroup memory that every device has.
pub const MAX_RANK: u32 = 256;

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
    #[must_use]
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
    #[must_use]
    pub fn dispatch(&self, rows: u32) -> [u32; 3] {
        [self.groups[2], rows.div_ceil(ROWS), 1]
    }
}

/// The kernel for one to three products. Bindings: params, state (its `len` is T), z, B, scales, then the products.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source(products: usize) -> Result<Source, PreprocessError> {
    let defines = Defines::new()
        .set("SEGMENTS", products)
        .set("LATER_SEGMENTS", products - 1)
        .set("ROWS", ROWS)
        .set("COLUMNS", COLUMNS)
        .set("MAX_QUADS", MAX_RANK / 4);
    Source::build::<Params>("adapter/expand.wgsl", format!("adapter_expand_{products}"), &defines)
}

/// The twin for one product, in f64: `y[T, n] + B·(scales ⊙ z)`, z `[T, rank]`, B `[n, rank]`.
#[must_use]
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
