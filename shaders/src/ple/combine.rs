//! Launcher and CPU twin of `wgsl/ple/combine.wgsl`: the per-layer inputs from the projected hidden state and the
//! per-layer embedding table.

use crate::case::{Arg, Case, CaseError, EPS, Expected, LEN, Matrix, args, matrix, random};
use crate::quant::planar_values;
use crate::{DType, Defines, Kernel, PlanarLayout, Planes, PreprocessError, Source};
/// Where the rows of the per-layer table come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// The host uploads the rows of the step as f32 `[T, L, P]` to binding 4.
    Host,
    /// Gathered from a planar matrix (binding 4) by token id (binding 6).
    Planar(DType),
}

/// The kernel for one kind of table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combine(pub Table);

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

impl Kernel for Combine {
    fn source(&self) -> Result<Source, PreprocessError> {
        let (name, defines) = match self.0 {
            Table::Host => ("ple_combine_host".to_owned(), Defines::new().set("HOST", true)),
            Table::Planar(dtype) => {
                (format!("ple_combine_{dtype}"), Defines::new().set("HOST", false).set("TABLE", dtype))
            }
        };
        Source::build::<Params>("ple/combine.wgsl", name, &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        const LAYERS: u32 = 2;
        let p = 256_u32;
        let tokens: [u32; LEN as usize] = [4, 0, 2];
        let count = (LEN * LAYERS * p) as usize;
        let proj = random(56, count);
        let norm = random(57, p as usize);
        let mut params = Params::new(512, LAYERS, p, EPS);
        let (words, rows) = match self.0 {
            Table::Host => {
                let rows = random(58, count);
                (rows.iter().map(|v| v.to_bits()).collect(), rows)
            }
            Table::Planar(dtype) => {
                let Matrix { layout, words, .. } = matrix(dtype, LAYERS * p, 5, 59)?;
                params = params.with_table(&layout, 0);
                let rows = tokens.iter().flat_map(|&token| planar_values(&layout, &words, token)).collect();
                (words, rows)
            }
        };
        let each = proj.chunks(p as usize).zip(rows.chunks(p as usize));
        let want: Vec<f32> = each.flat_map(|(proj, row)| combine(&params, proj, &norm, row)).collect();
        let mut args =
            args![uniform(&params), floats(&proj), floats(&norm), state(0, LEN), Words(words), zeros(count)];
        if self.0 != Table::Host {
            args.push(Arg::Words(tokens.to_vec()));
        }
        let grid = params.dispatch(LEN);
        Ok(Case { args, grid, expected: vec![Expected::new(5, want, 1e-3)] })
    }
}
