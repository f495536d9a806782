//! `wgsl/vision/heads.wgsl`: head norms and 2D RoPE.

use super::{GRID, PatchGrid, defines};
use crate::case::{Arg, Case, CaseError, EPS, Expected, args, random};
use crate::math::rms;
use crate::{Kernel, PreprocessError, Source};

/// The kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// Elements per head.
    pub head_dim: u32,
}

params! {
    /// The uniform at binding 0. Then: the patch grid, vectors, the rotations, q, k and v.
    #[derive(Default)]
    pub struct Params {
        /// Heads.
        pub heads: u32,
        /// Offset of the weights of the query norm in `vectors`.
        pub q_norm: u32,
        /// Offset of the key norm's weights.
        pub k_norm: u32,
        /// ε of the norms.
        pub eps: f32,
    }
}

impl Params {
    /// Workgroups for `patches` patches, at most 65 535.
    pub const fn dispatch(&self, patches: u32) -> [u32; 3] {
        [self.heads, patches, 1]
    }
}

/// Returns whether the kernel supports this head size.
pub const fn supports(head_dim: u32) -> bool {
    head_dim.is_multiple_of(4) && head_dim >= 4 && head_dim <= 128
}

/// Returns the RoPE table of positions `0..positions`: `(cos, sin)` of `position·θ^(−2j/w)` with `w = head_dim/2`,
/// `[positions, head_dim/4]`.
pub fn table(theta: f64, head_dim: u32, positions: u32) -> Vec<[f32; 2]> {
    let pairs = head_dim / 4;
    let angle = |position: u32, j: u32| f64::from(position) * theta.powf(-f64::from(j) / f64::from(pairs));
    (0..positions)
        .flat_map(|position| (0..pairs).map(move |j| angle(position, j)))
        .map(|angle| [angle.cos() as f32, angle.sin() as f32])
        .collect()
}

/// Inputs of the CPU twin in addition to the rows.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The size of the image in patches.
    pub grid: PatchGrid,
    /// Norm weights.
    pub vectors: &'a [f32],
    /// The table of [`table`].
    pub rope: &'a [[f32; 2]],
}

/// CPU twin: changes queries or keys in place; `norm` is the offset of their norm. Without `norm` they are values,
/// which get a norm without weights and no RoPE.
pub fn heads(head_dim: u32, params: &Params, inputs: Inputs<'_>, norm: Option<u32>, rows: &mut [f32]) {
    let hd = head_dim as usize;
    let pairs = hd / 4;
    for (index, head) in rows.chunks_exact_mut(hd).enumerate() {
        let patch = index as u32 / params.heads;
        let x: Vec<f64> = head.iter().map(|&x| x.into()).collect();
        let weights = norm.map(|at| &inputs.vectors[at as usize..at as usize + hd]);
        let normed = rms(&x, weights, params.eps.into());
        for axis in 0..2 {
            let columns = inputs.grid.columns;
            let position = if axis == 0 { patch % columns } else { patch / columns } as usize;
            for j in 0..pairs {
                let [cos, sin] = match norm {
                    Some(_) => inputs.rope[position * pairs + j].map(f64::from),
                    None => [1.0, 0.0],
                };
                let (a, b) = (axis * hd / 2 + j, axis * hd / 2 + j + pairs);
                head[a] = (normed[a] * cos - normed[b] * sin) as f32;
                head[b] = (normed[b] * cos + normed[a] * sin) as f32;
            }
        }
    }
}

impl Kernel for Heads {
    fn source(&self) -> Result<Source, PreprocessError> {
        let head_dim = self.head_dim;
        let defines = defines().set("HD", head_dim);
        Source::build::<Params>("vision/heads.wgsl", format!("vision_heads_h{head_dim}"), &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        let head_dim = self.head_dim;
        let hd = head_dim as usize;
        let params = Params { heads: 3, q_norm: 0, k_norm: head_dim, eps: EPS };
        let vectors = random(74, 2 * hd);
        let rope = table(100.0, head_dim, GRID.columns);
        let mut args = args![uniform(&params), words(&[GRID]), floats(&vectors), floats(rope.as_flattened())];
        let inputs = Inputs { grid: GRID, vectors: &vectors, rope: &rope };
        let mut expected = Vec::new();
        for (seed, norm) in (75..).zip([Some(params.q_norm), Some(params.k_norm), None]) {
            let rows = random(seed, GRID.patches() as usize * 3 * hd);
            let mut want = rows.clone();
            heads(head_dim, &params, inputs, norm, &mut want);
            expected.push(Expected::new(args.len(), want, 1e-4));
            args.push(Arg::floats(&rows));
        }
        let grid = params.dispatch(GRID.patches());
        Ok(Case { args, grid, expected })
    }
}
