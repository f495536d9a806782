//! Launcher and CPU twin of `wgsl/backward/heads.wgsl`: the gradient through head norms and RoPE.

use super::norm::norm;
use crate::{Defines, PreprocessError, Source, rope};

/// One permutation of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Heads {
    /// Elements per head, even.
    pub head_dim: u32,
    /// Whether the norm has weights and RoPE follows (queries and keys), or neither (values).
    pub turned: bool,
}

params! {
    /// The uniform at binding 0. Then: state, x, dy, dx, and with `turned` vectors and the RoPE table.
    #[derive(Default)]
    pub struct Params {
        /// Heads per row.
        pub heads: u32,
        /// Offset of the weights in `vectors`.
        pub norm: u32,
        /// Rows of the first part of the RoPE table.
        pub rope_hi_rows: u32,
        /// If not 0, the result is added to dx.
        pub add: u32,
        /// ε of the norm.
        pub eps: f32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

impl Heads {
    /// Returns the shader.
    pub fn source(&self) -> Result<Source, PreprocessError> {
        let defines = Defines::new().set("HALF", self.head_dim / 2).set("TURNED", self.turned);
        let form = if self.turned { "turned" } else { "bare" };
        let name = format!("backward_heads_h{}_{form}", self.head_dim);
        Source::build::<Params>("backward/heads.wgsl", name, &defines)
    }

    /// Workgroups for `rows` rows, at most 65 535.
    pub const fn dispatch(&self, params: &Params, rows: u32) -> [u32; 3] {
        [params.heads, rows, 1]
    }
}

/// CPU twin for one head at position `pos`: `dx`. `table` is from [`rope::table`], `weights` are the norm's.
pub fn heads(
    form: &Heads,
    params: &Params,
    (weights, table): (&[f32], &[[f32; 2]]),
    pos: u32,
    x: &[f64],
    dy: &[f64],
) -> Vec<f64> {
    if !form.turned {
        return norm(x, None, dy, f64::from(params.eps));
    }
    let half = form.head_dim as usize / 2;
    let mut back = dy.to_vec();
    for j in 0..half {
        let [cos, sin] =
            rope::cos_sin(table, form.head_dim, params.rope_hi_rows, pos, j as u32).map(f64::from);
        back[j] = dy[j] * cos + dy[j + half] * sin;
        back[j + half] = dy[j + half] * cos - dy[j] * sin;
    }
    norm(x, Some(weights), &back, f64::from(params.eps))
}
