//! `wgsl/ple/locate.wgsl`: finds the rows of tokens in the row cache of the per-layer table.

use crate::case::{Case, CaseError, Expected, args};
use crate::{Defines, Kernel, PreprocessError, Source};

/// The slot of a line that is not in the cache, and the row of a token in it.
pub const NONE: u32 = u32::MAX;

/// The kernel: for a token and drafts behind it (`few_rows`, at most 64), whose step ends if the token's row is missing, or
/// for any number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locate {
    /// Whether it is for a few rows.
    pub few_rows: bool,
}

params! {
    /// The uniform at binding 0. Then: the state, the slot of each line, the token ids, and the rows in the cache.
    #[derive(Eq)]
    pub struct Params {
        /// Consecutive rows that are cached together.
        pub line: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

impl Params {
    /// Parameters for lines of so many rows.
    pub const fn new(line: u32) -> Self {
        Self { line, pad: [0; 3] }
    }
}

/// Workgroups for `rows` rows.
pub const fn dispatch(rows: u32) -> [u32; 3] {
    [rows.div_ceil(64), 1, 1]
}

/// CPU twin: the row in the cache of each token, or [`NONE`].
pub fn locate(params: &Params, slots: &[u32], tokens: &[u32]) -> Vec<u32> {
    let row = |&token: &u32| match slots[(token / params.line) as usize] {
        NONE => NONE,
        slot => slot * params.line + token % params.line,
    };
    tokens.iter().map(row).collect()
}

impl Kernel for Locate {
    fn source(&self) -> Result<Source, PreprocessError> {
        let suffix = if self.few_rows { "_few" } else { "" };
        let defines = Defines::new().set("FEW_ROWS", self.few_rows);
        Source::build::<Params>("ple/locate.wgsl", format!("ple_locate{suffix}"), &defines)
    }

    /// Rows in lines of two in a cache: every other line is there. Of a few rows, the first one is; drafts that are not become
    /// no token.
    fn case(&self) -> Result<Case, CaseError> {
        let tokens: &[u32] = if self.few_rows { &[5, 1, 6] } else { &[4, 7, 1] };
        let slots = [NONE, NONE, 3, 0];
        let params = Params::new(2);
        let located = locate(&params, &slots, tokens);
        let rows = tokens.len() as u32;
        let args = args![uniform(&params), state(0, rows), words(&slots), words(tokens), zeros(tokens.len())];
        let mut expected = vec![Expected::words(4, &located)];
        if self.few_rows {
            expected.push(Expected::words(3, &[5, NONE, 6]));
        }
        Ok(Case { args, grid: dispatch(rows), expected })
    }
}
