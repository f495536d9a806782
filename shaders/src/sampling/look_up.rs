//! Launcher and CPU twin of `wgsl/sampling/look_up.wgsl`: tokens drafted by n-gram look-up.

use crate::case::{Case, CaseError, Expected, args};
use crate::state::State;
use crate::{Defines, Kernel, PreprocessError, Source};

/// Maximum length of a match: a longer one does not predict better.
const LONGEST: u32 = 8;

/// The kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookUp;

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
    pub const fn new(shortest: u32) -> Self {
        Self { shortest, pad: [0; 3] }
    }
}

/// CPU twin: the position after the best match of at least `shortest` tokens.
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
pub fn look_up(history: &[u32], shortest: u32, drafts: usize) -> Vec<u32> {
    match find(history, shortest) {
        Some(next) => history[next..].iter().copied().cycle().take(drafts).collect(),
        None => vec![history.last().copied().unwrap_or(0); drafts],
    }
}

impl Kernel for LookUp {
    fn source(&self) -> Result<Source, PreprocessError> {
        let defines = Defines::new().set("LONGEST", LONGEST);
        Source::build::<Params>("sampling/look_up.wgsl", "sampling_look_up", &defines)
    }

    /// Tokens drafted for a sequence with several matches.
    fn case(&self) -> Result<Case, CaseError> {
        let history = [1, 2, 3, 4, 9, 2, 3, 5, 6, 7, 8, 1, 2, 3];
        let len = 5;
        let state = State { len, history_len: history.len() as u32, ..State::default() };
        let params = Params::new(2);
        let mut want = vec![history[history.len() - 1]];
        want.extend(look_up(&history, params.shortest, len as usize - 1));
        let mut tokens = vec![0; len as usize];
        tokens[0] = want[0];
        // A longer buffer than the sequence.
        let mut ring = history.to_vec();
        ring.resize(20, 3);
        let args = args![uniform(&params), words(&[state]), Words(ring), Words(tokens)];
        Ok(Case { args, grid: [1, 1, 1], expected: vec![Expected::words(3, &want)] })
    }
}
