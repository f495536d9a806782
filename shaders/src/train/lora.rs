//! Launchers and CPU twins of `wgsl/train/lora_reduce.wgsl`, `lora_expand.wgsl` and `lora_gradient.wgsl`.

use super::dropout::keeps;
use crate::{Defines, PreprocessError, Source};

/// Maximum rank.
pub const MAX_RANK: u32 = 64;

/// Which of the three kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lora {
    /// From rows to the rank: z = scale·F·x. Bindings: params, state, x, factors, z.
    Reduce,
    /// From the rank to rows, added: y += scale·F·z. Bindings: params, state, z, factors, y.
    Expand,
    /// The gradient of a factor, added: G += scale·pᵀ·z. Bindings: params, state, p, z, gradients.
    Gradient,
}

params! {
    /// The uniform at binding 0. The element of a factor for column j and rank r is at `at + j·by_column +
    /// r·by_rank`.
    #[derive(Default)]
    pub struct Params {
        /// Width of the rows.
        pub width: u32,
        /// Rank, at most [`MAX_RANK`].
        pub rank: u32,
        /// Offset of the factor.
        pub at: u32,
        /// Stride along the rank.
        pub by_rank: u32,
        /// Stride along the columns.
        pub by_column: u32,
        /// Factor of the result.
        pub scale: f32,
        /// Identifies the projection in the dropout hash.
        pub salt: u32,
        /// [`super::dropout::bound`].
        pub bound: u32,
    }
}

impl Params {
    /// Returns a factor `[rank, width]`, row-major: A.
    pub fn a(width: u32, rank: u32, at: u32, scale: f32) -> Self {
        Self { width, rank, at, by_rank: width, by_column: 1, scale, ..Self::default() }
    }

    /// Returns a factor `[width, rank]`, row-major: B.
    pub fn b(width: u32, rank: u32, at: u32, scale: f32) -> Self {
        Self { width, rank, at, by_rank: 1, by_column: rank, scale, ..Self::default() }
    }

    fn place(&self, column: usize, r: usize) -> usize {
        self.at as usize + column * self.by_column as usize + r * self.by_rank as usize
    }
}

impl Lora {
    /// All.
    pub const ALL: [Self; 3] = [Self::Reduce, Self::Expand, Self::Gradient];

    /// Returns the shader; with `dropout`, elements of x (p, y) are dropped.
    pub fn source(self, dropout: bool) -> Result<Source, PreprocessError> {
        let name = match self {
            Self::Reduce => "lora_reduce",
            Self::Expand => "lora_expand",
            Self::Gradient => "lora_gradient",
        };
        let defines = Defines::new().set("DROPOUT", dropout);
        let label = format!("train_{name}{}", if dropout { "_dropout" } else { "" });
        Source::build::<Params>(&format!("train/{name}.wgsl"), label, &defines)
    }

    /// Workgroups for `rows` rows.
    pub const fn dispatch(self, params: &Params, rows: u32) -> [u32; 3] {
        match self {
            Self::Reduce => [rows.div_ceil(4), 1, 1],
            Self::Expand => [params.width.div_ceil(64), rows.div_ceil(8), 1],
            Self::Gradient => [params.width.div_ceil(32), params.rank.div_ceil(8), 1],
        }
    }
}

/// 1 if element `i` of row `t` is kept, otherwise 0; `seed` is `None` without dropout.
fn kept(params: &Params, seed: Option<u64>, t: usize, i: usize) -> f64 {
    let keeps = seed.is_none_or(|seed| keeps(seed, params.salt, t as u32, i as u32, params.bound));
    if keeps { 1.0 } else { 0.0 }
}

/// CPU twin of [`Lora::Reduce`]: z.
pub fn reduce(params: &Params, seed: Option<u64>, x: &[f32], factors: &[f32]) -> Vec<f64> {
    let width = params.width as usize;
    let mut z = Vec::new();
    for (t, x) in x.chunks_exact(width).enumerate() {
        z.extend((0..params.rank as usize).map(|r| {
            let products = x.iter().enumerate().map(|(i, &x)| {
                kept(params, seed, t, i) * f64::from(x) * f64::from(factors[params.place(i, r)])
            });
            f64::from(params.scale) * products.sum::<f64>()
        }));
    }
    z
}

/// CPU twin of [`Lora::Expand`]: the term added to y.
pub fn expand(params: &Params, seed: Option<u64>, z: &[f32], factors: &[f32]) -> Vec<f64> {
    let mut y = Vec::new();
    for (t, z) in z.chunks_exact(params.rank as usize).enumerate() {
        y.extend((0..params.width as usize).map(|j| {
            let products =
                z.iter().enumerate().map(|(r, &z)| f64::from(z) * f64::from(factors[params.place(j, r)]));
            f64::from(params.scale) * kept(params, seed, t, j) * products.sum::<f64>()
        }));
    }
    y
}

/// CPU twin of [`Lora::Gradient`]: adds to `gradients`.
pub fn gradient(params: &Params, seed: Option<u64>, p: &[f32], z: &[f32], gradients: &mut [f64]) {
    let rows = p.chunks_exact(params.width as usize).zip(z.chunks_exact(params.rank as usize));
    for (t, (p, z)) in rows.enumerate() {
        for (j, &p) in p.iter().enumerate() {
            let scaled = f64::from(params.scale) * kept(params, seed, t, j) * f64::from(p);
            for (r, &z) in z.iter().enumerate() {
                gradients[params.place(j, r)] += scaled * f64::from(z);
            }
        }
    }
}
