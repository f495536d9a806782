//! Launcher and CPU twin of `wgsl/sampling/look_up.wgsl`: tokens drafted by n-gram look-up.

use crate::{Defines, PreprocessError, Source};

/// Maximum length of a match: a longer one does not predict better.
const LONGEST: u32 = 8;

params! {
    /// The uniform at binding 0. Then: state, history, tokens. One workgroup.
    #[derive(Eq)]
    pub struct Params {
        /// Minimum length of a match, in tokens.
        pub shortest: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

impl Params {
    /// Parameters for matches of at least `shortest` tokens.
    #[must_use]
    pub const fn new(shortest: u32) -> Self {
        Self { shortest, pad: [0; 3] }
    }
}

/// The shader.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source() -> Result<Source, PreprocessError> {
    let defines = Defines::new().set("LONGEST", LONGEST);
    Source::build::<Params>("sampling/look_up.wgsl", "sampling_look_up".to_owned(), &defines)
}

/// CPU twin: the position after the best match of at least `shortest` tokens.
#[must_use]
pub fn find(history: &[u32], shortest: u32) -> Option<usize> {
    let count = history.len();
    let same = |p: usize| {
        let pairs = history[..=p].iter().rev().zip(history.iter().rev());
        pairs.take(LONGEST as usize).take_while(|(a, b)| a == b).count() as u32
    };
    let matches = (0..count.saturating_sub(1)).map(|p| (same(p), p + 1));
    matches.filter(|&(same, _)| same >= shortest).max().map(|(_, next)| next)
}

/// CPU twin: `drafts` tokens after a sequence that is not empty.
#[must_use]
pub fn look_up(history: &[u32], shortest: u32, drafts: usize) -> Vec<u32> {
    match find(history, shortest) {
        Some(next) => history[next..].iter().copied().cycle().take(drafts).collect(),
        None => vec![history.last().copied().unwrap_or(0); drafts],
    }
}
