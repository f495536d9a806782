//! Launcher and CPU twin of `wgsl/rows/group_sum.wgsl`: sums over groups of neighbouring rows.

use crate::case::{Case, CaseError, Expected, args, random};
use crate::{Defines, Kernel, PreprocessError, Source, grid};

/// The kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupSum;

params! {
    /// The uniform at binding 0. Then: the state (its `len` is T), part f32 `[T, sums·group, 4·quads]`, out f32
    /// `[T, sums, 4·quads]`.
    #[derive(Default, Eq)]
    pub struct Params {
        /// A quarter of the elements of a row.
        pub quads: u32,
        /// Sums per position.
        pub sums: u32,
        /// Rows per sum.
        pub group: u32,
        /// If not 0, the result is added to the output.
        pub add: u32,
    }
}

impl Params {
    /// Workgroups for `positions` positions.
    pub const fn dispatch(&self, positions: u32) -> [u32; 3] {
        grid((positions * self.sums * self.quads).div_ceil(256))
    }
}

/// CPU twin without the addition: the sums of `part`, `[T·sums, group, width]`.
pub fn group_sum(part: &[f32], width: usize, group: usize) -> Vec<f32> {
    let sum = |rows: &[f32], column: usize| rows.iter().skip(column).step_by(width).sum();
    part.chunks_exact(width * group)
        .flat_map(|rows| (0..width).map(move |column| sum(rows, column)))
        .collect()
}

impl Kernel for GroupSum {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>("rows/group_sum.wgsl", "rows_group_sum", &Defines::new())
    }

    fn case(&self) -> Result<Case, CaseError> {
        let (width, group, tokens) = (516, 3, 5);
        let params = Params { quads: width / 4, sums: 1, group, add: 0 };
        let part = random(33, (width * group * tokens) as usize);
        let y = group_sum(&part, width as usize, group as usize);
        let args = args![uniform(&params), state(0, tokens), floats(&part), zeros(y.len())];
        let expected = vec![Expected::new(3, y, 1e-6)];
        Ok(Case { args, grid: params.dispatch(tokens), expected })
    }
}
