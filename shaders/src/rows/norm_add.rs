//! `wgsl/rows/norm_add.wgsl`: RMS norm and residual addition over rows.

use crate::case::{Arg, Case, CaseError, EPS, Expected, LEN, args, as_f32, random};
use crate::math::rms;
use crate::planes::UNIT;
use crate::{Defines, Kernel, PreprocessError, Source, grid};

/// Threads of a workgroup.
const THREADS: u32 = 256;

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
    /// [`Self::Norm`], with x rounded to int8 ([`crate::matmul::pack_rows`]).
    PackedNorm,
    /// [`Self::Add`], and h rounded to int8.
    PackedAdd,
    /// [`Self::AddNorm`], with x rounded to int8.
    PackedAddNorm,
    /// [`Self::PackedAddNorm`], and what router and experts of a mixture read: rms(h; w3), and rms(h; w4) rounded to int8.
    MixtureNorms,
}

/// The kernel for rows of up to `width` elements. Bindings: params, state, vectors, h, branch if it is added, x if it
/// is normed. A packed result is two buffers instead of x: codes and scales. Those of a mixture follow: the router's x,
/// the experts' codes and scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NormAddRows {
    /// What is computed.
    pub form: NormAdd,
    /// Maximum number of elements of a row.
    pub width: u32,
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
        /// Offset of w3 in `vectors`.
        pub router_norm: u32,
        /// Offset of w4 in `vectors`.
        pub expert_norm: u32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

impl Params {
    /// No scalar in `vectors`.
    pub const NONE: u32 = u32::MAX;

    /// Parameters for one row of `width` elements (a multiple of 4) per position, with s = b = 1. The offsets are
    /// the caller's to set.
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
            router_norm: 0,
            expert_norm: 0,
            pad: [0; 2],
        }
    }
}

impl NormAdd {
    /// Every permutation.
    pub const ALL: [Self; 8] = [
        Self::Norm,
        Self::Add,
        Self::AddNorm,
        Self::AddPlainNorm,
        Self::PackedNorm,
        Self::PackedAdd,
        Self::PackedAddNorm,
        Self::MixtureNorms,
    ];

    /// Returns whether the result is rounded to int8.
    pub const fn is_packed(self) -> bool {
        matches!(self, Self::PackedNorm | Self::PackedAdd | Self::PackedAddNorm | Self::MixtureNorms)
    }

    /// Returns whether a branch is added to h.
    pub const fn adds(self) -> bool {
        !matches!(self, Self::Norm | Self::PackedNorm)
    }

    /// Returns whether the result is x, which is normed, and not h.
    pub const fn norms(self) -> bool {
        !matches!(self, Self::Add | Self::PackedAdd)
    }

    /// Workgroups for a chunk of `positions`.
    pub const fn dispatch(params: &Params, positions: u32) -> [u32; 3] {
        grid(positions * params.rows_per_position)
    }
}

/// CPU twin: the new h and x, not rounded. Without a branch, `branch` is empty; without a norm, the returned x is.
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
        if form.adds() {
            let mut branch: Vec<f64> = branch[row * width..][..width].iter().map(|&v| f64::from(v)).collect();
            if form != NormAdd::AddPlainNorm {
                branch = rms(&branch, Some(slice(params.branch_norm)), eps);
            }
            let factor = f64::from(params.branch_scale);
            sum.iter_mut().zip(branch).for_each(|(sum, b)| *sum = (*sum + factor * b) * s);
        }
        if form.norms() {
            x.extend(rms(&sum, Some(slice(params.norm)), eps));
        }
        new_h.extend(sum);
    }
    (new_h, x)
}

impl Kernel for NormAddRows {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self { form, width } = *self;
        let name = match form {
            NormAdd::Norm => "norm",
            NormAdd::Add => "add",
            NormAdd::AddNorm => "add_norm",
            NormAdd::AddPlainNorm => "add_plain_norm",
            NormAdd::PackedNorm => "norm_packed",
            NormAdd::PackedAdd => "add_packed",
            NormAdd::PackedAddNorm => "add_norm_packed",
            NormAdd::MixtureNorms => "mixture_norms",
        };
        let run = if form.is_packed() { UNIT / 4 } else { 1 };
        let runs = width.div_ceil(4 * THREADS * run);
        let defines = Defines::new()
            .set("ADD", form.adds())
            .set("PLAIN", form == NormAdd::AddPlainNorm)
            .set("NORM", form.norms())
            .set("PACKED", form.is_packed())
            .set("MIXTURE", form == NormAdd::MixtureNorms)
            .set("RUN", run)
            .set("RUNS", runs);
        Source::build::<Params>("rows/norm_add.wgsl", format!("rows_norm_add_{name}_{runs}"), &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        let Self { form, width } = *self;
        let count = (LEN * width) as usize;
        let (h, branch) = (random(51, count), random(52, count));
        let mut vectors = random(53, 4 * width as usize);
        // The scalar, in a vec4 of its own.
        vectors.extend([0.75, 0.0, 0.0, 0.0]);
        let mut params = Params::new(width, EPS);
        (params.norm, params.scale_at) = (width, 4 * width);
        (params.router_norm, params.expert_norm) = (2 * width, 3 * width);
        let (new_h, x) = norm_add(form, &params, &vectors, &h, &branch);
        let mut args = args![uniform(&params), state(0, LEN), floats(&vectors), floats(&h)];
        let mut expected = Vec::new();
        if form.adds() {
            args.push(Arg::floats(&branch));
            expected.push(Expected::new(3, as_f32(&new_h), 1e-4));
        }
        if form.is_packed() || form.norms() {
            let result = as_f32(if form.norms() { &x } else { &new_h });
            expected.extend(Expected::rows(&mut args, result, 1e-4, form.is_packed()));
        }
        if form == NormAdd::MixtureNorms {
            for (norm, packed) in [(params.router_norm, false), (params.expert_norm, true)] {
                let params = Params { norm, ..params };
                let normed = as_f32(&norm_add(form, &params, &vectors, &h, &branch).1);
                expected.extend(Expected::rows(&mut args, normed, 1e-4, packed));
            }
        }
        Ok(Case { args, grid: NormAdd::dispatch(&params, LEN), expected })
    }

    fn is_packed(&self) -> bool {
        self.form.is_packed()
    }
}
