//! `wgsl/rows/norm_add.wgsl`: RMS norm and residual addition over rows.

use crate::math::rms;
use crate::{Defines, PreprocessError, Source, grid};

/// One permutation of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NormAdd {
    /// x = rms(h; w2).
    Norm,
    /// h = (h + b·rms(branch; w1))·s.
    Add,
    /// h = (h + b·rms(branch; w1))·s, then x = rms(h; w2).
    AddNorm,
    /// h = (h + b·branch)·s, then x = rms(h; w2).
    AddPlainNorm,
}

params! {
    /// The uniform at binding 0.
    pub struct Params {
        /// Width of a row in vec4s.
        pub width4: u32,
        /// Rows per position of the step: 1, or the number of layers for per-layer embeddings.
        pub rows_per_position: u32,
        /// Offset of w1 in `vectors`.
        pub branch_norm: u32,
        /// Offset of w2 in `vectors`.
        pub norm: u32,
        /// Offset of the scalar that is multiplied with `scale`; [`Params::NONE`] for none.
        pub scale_at: u32,
        /// s, or the factor of s that does not come from `vectors`.
        pub scale: f32,
        /// ε of both norms.
        pub eps: f32,
        /// b, the factor of the branch.
        pub branch_scale: f32,
    }
}

impl Params {
    /// No scalar in `vectors`.
    pub const NONE: u32 = u32::MAX;

    /// Parameters for one row of `width` elements (a multiple of 4) per position, with s = b = 1. The offsets are
    /// the caller's to set.
    #[must_use]
    pub const fn new(width: u32, eps: f32) -> Self {
        Self {
            width4: width / 4,
            rows_per_position: 1,
            branch_norm: 0,
            norm: 0,
            scale_at: Self::NONE,
            scale: 1.0,
            eps,
            branch_scale: 1.0,
        }
    }
}

impl NormAdd {
    /// Every permutation.
    pub const ALL: [Self; 4] = [Self::Norm, Self::Add, Self::AddNorm, Self::AddPlainNorm];

    /// The shader. Bindings: params, state, vectors, h, branch (except `Norm`), x (except `Add`).
    ///
    /// # Errors
    /// When the template cannot be expanded.
    pub fn source(self) -> Result<Source, PreprocessError> {
        let (name, add, norm) = match self {
            Self::Norm => ("norm", false, true),
            Self::Add => ("add", true, false),
            Self::AddNorm => ("add_norm", true, true),
            Self::AddPlainNorm => ("add_plain_norm", true, true),
        };
        let plain = self == Self::AddPlainNorm;
        let defines = Defines::new().set("ADD", add).set("PLAIN", plain).set("NORM", norm);
        Source::build::<Params>("rows/norm_add.wgsl", format!("rows_norm_add_{name}"), &defines)
    }

    /// Workgroups for a chunk of `positions`.
    #[must_use]
    pub const fn dispatch(params: &Params, positions: u32) -> [u32; 3] {
        grid(positions * params.rows_per_position)
    }
}

/// CPU twin: the new h and x. For [`NormAdd::Norm`], `branch` is empty; for [`NormAdd::Add`], the returned x is.
#[must_use]
pub fn norm_add(
    form: NormAdd,
    params: &Params,
    vectors: &[f32],
    h: &[f32],
    branch: &[f32],
) -> (Vec<f64>, Vec<f64>) {
    let width = 4 * params.width4 as usize;
    let eps = f64::from(params.eps);
    let slice = |at: u32| &vectors[at as usize..at as usize + width];
    let mut s = f64::from(params.scale);
    if params.scale_at != Params::NONE {
        s *= f64::from(vectors[params.scale_at as usize]);
    }
    let (mut new_h, mut x) = (Vec::new(), Vec::new());
    for (row, old) in h.chunks(width).enumerate() {
        let mut sum: Vec<f64> = old.iter().map(|&v| f64::from(v)).collect();
        if form != NormAdd::Norm {
            let mut branch: Vec<f64> = branch[row * width..][..width].iter().map(|&v| f64::from(v)).collect();
            if form != NormAdd::AddPlainNorm {
                branch = rms(&branch, Some(slice(params.branch_norm)), eps);
            }
            let factor = f64::from(params.branch_scale);
            sum.iter_mut().zip(branch).for_each(|(sum, b)| *sum = (*sum + factor * b) * s);
        }
        if form != NormAdd::Add {
            x.extend(rms(&sum, Some(slice(params.norm)), eps));
        }
        new_h.extend(sum);
    }
    (new_h, x)
}
