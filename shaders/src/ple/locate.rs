//! `wgsl/ple/locate.wgsl`: finds the rows of tokens in the row cache of the per-layer table.

use crate::{Defines, PreprocessError, Source};

/// The slot of a line that is not in the cache, and the row of a token in it.
pub const NONE: u32 = u32::MAX;

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
    #[must_use]
    pub const fn new(line: u32) -> Self {
        Self { line, pad: [0; 3] }
    }
}

/// The shader: for a token and drafts behind it (`few_rows`, at most 64), whose step ends if the token's row is missing, or
/// for any number of rows.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source(few_rows: bool) -> Result<Source, PreprocessError> {
    let suffix = if few_rows { "_few" } else { "" };
    let defines = Defines::new().set("FEW_ROWS", few_rows);
    Source::build::<Params>("ple/locate.wgsl", format!("ple_locate{suffix}"), &defines)
}

/// Workgroups for `rows` rows.
#[must_use]
pub const fn dispatch(rows: u32) -> [u32; 3] {
    [rows.div_ceil(64), 1, 1]
}

/// CPU twin: the row in the cache of each token, or [`NONE`].
#[must_use]
pub fn locate(params: &Params, slots: &[u32], tokens: &[u32]) -> Vec<u32> {
    let row = |&token: &u32| match slots[(token / params.line) as usize] {
        NONE => NONE,
        slot => slot * params.line + token % params.line,
    };
    tokens.iter().map(row).collect()
}
