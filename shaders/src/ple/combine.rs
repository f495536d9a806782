//! Launcher and CPU twin of `wgsl/ple/combine.wgsl`: the per-layer inputs from the projected hidden state and the
//! per-layer embedding table.

use crate::{DType, Defines, PlanarLayout, Planes, PreprocessError, Source};
/// Where the rows of the per-layer table come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// The host uploads the rows of the step as f32 `[T, L, P]` to binding 4.
    Host,
    /// Gathered from a planar matrix (binding 4) by token id (binding 6).
    Planar(DType),
}

params! {
    /// The uniform at binding 0. Then: `proj` f32 `[T, L, P]`, the norm's weights f32 `[P]`, the state, the table, and
    /// `ple` f32 `[T, L, P]`; with a planar table also the token ids.
    pub struct Params {
        /// Planes of this part of the table.
        pub planes: Planes,
        /// Layers L.
        pub layers: u32,
        /// P / 4.
        pub quads: u32,
        /// First row of the table in this part.
        pub row0: u32,
        /// Rows in this part.
        pub rows: u32,
        /// `d^-½`
        pub proj_scale: f32,
        /// `√P`
        pub table_scale: f32,
        /// ε of the norm.
        pub eps: f32,
        /// Unused.
        pub pad: u32,
    }
}

impl Params {
    /// Parameters for hidden size `d` and `layers` layers of `p` elements (a multiple of 4; of 16 with a planar
    /// table). [`Params::with_table`] sets the planes of a planar table.
    pub fn new(d: u32, layers: u32, p: u32, eps: f32) -> Self {
        Self {
            planes: Planes::default(),
            layers,
            quads: p / 4,
            row0: 0,
            rows: 0,
            proj_scale: 1.0 / (d as f32).sqrt(),
            table_scale: (p as f32).sqrt(),
            eps,
            pad: 0,
        }
    }

    /// Reads rows from a planar table, or from a part of it that starts at row `row0`.
    #[must_use]
    pub const fn with_table(mut self, part: &PlanarLayout, row0: u32) -> Self {
        self.planes = part.planes;
        self.row0 = row0;
        self.rows = part.n;
        self
    }

    /// Workgroups for up to `rows` tokens.
    pub const fn dispatch(&self, rows: u32) -> [u32; 3] {
        [self.layers, rows, 1]
    }
}

/// The kernel for one kind of table.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source(table: Table) -> Result<Source, PreprocessError> {
    let (name, defines) = match table {
        Table::Host => ("ple_combine_host".to_owned(), Defines::new().set("HOST", true)),
        Table::Planar(dtype) => {
            (format!("ple_combine_{dtype}"), Defines::new().set("HOST", false).set("TABLE", dtype))
        }
    };
    Source::build::<Params>("ple/combine.wgsl", name, &defines)
}

/// CPU twin for one layer of one token: `proj` and `table` have `P` elements.
pub fn combine(params: &Params, proj: &[f32], norm: &[f32], table: &[f32]) -> Vec<f32> {
    let x: Vec<f64> = proj.iter().map(|&x| f64::from(x) * f64::from(params.proj_scale)).collect();
    let mean = x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
    let factor = 1.0 / (mean + f64::from(params.eps)).sqrt();
    let rows = x.iter().zip(norm).zip(table);
    rows.map(|((x, &norm), &table)| {
        let sum = x * factor * f64::from(norm) + f64::from(params.table_scale) * f64::from(table);
        (sum * std::f64::consts::FRAC_1_SQRT_2) as f32
    })
    .collect()
}
