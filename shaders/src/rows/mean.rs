//! Launcher and CPU twin of `wgsl/rows/mean.wgsl`: the mean of the rows of each text.

use crate::case::{Case, CaseError, Expected, args, random};
use crate::{Defines, Kernel, PreprocessError, Source};

/// The kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mean;

params! {
    /// The uniform at binding 0. Then: the state (its `len` is N), the first row of each text and the one behind its last, u32
    /// `[N, 2]`, x f32 `[T, 4·quads]`, out f32 `[N, 4·quads]`.
    #[derive(Default, Eq)]
    pub struct Params {
        /// A quarter of the elements of a row.
        pub quads: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

impl Params {
    /// Parameters for rows of `width` elements, a multiple of 4.
    pub const fn new(width: u32) -> Self {
        Self { quads: width / 4, pad: [0; 3] }
    }

    /// Workgroups for this many texts.
    pub const fn dispatch(&self, texts: u32) -> [u32; 3] {
        [self.quads.div_ceil(16), texts, 1]
    }
}

/// CPU twin: the means of the rows of x, `[T, width]`.
pub fn mean(texts: &[[u32; 2]], x: &[f32], width: usize) -> Vec<f32> {
    let of_text = |&[begin, end]: &[u32; 2]| {
        let rows = &x[begin as usize * width..end as usize * width];
        (0..width).map(move |column| {
            let sum: f64 = rows.iter().skip(column).step_by(width).map(|&value| f64::from(value)).sum();
            (sum / f64::from(end - begin)) as f32
        })
    };
    texts.iter().flat_map(of_text).collect()
}

impl Kernel for Mean {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>("rows/mean.wgsl", "rows_mean", &Defines::new())
    }

    /// Three texts of 1, 40 and 9 rows.
    fn case(&self) -> Result<Case, CaseError> {
        let (width, texts) = (132, [[0, 1], [1, 41], [41, 50]]);
        let params = Params::new(width);
        let x = random(34, (width * 50) as usize);
        let want = mean(&texts, &x, width as usize);
        let spans = texts.as_flattened().to_vec();
        let args = args![uniform(&params), state(0, 3), Words(spans), floats(&x), zeros(want.len())];
        Ok(Case { args, grid: params.dispatch(3), expected: vec![Expected::new(4, want, 1e-5)] })
    }
}
