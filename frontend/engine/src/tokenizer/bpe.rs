//! Byte pair encoding by a list of merges.

use std::collections::HashMap;

use crate::gguf::StringArray;

use super::error::TokenizerError;
use super::join::{Join, join_all};
use super::vocabulary::Vocabulary;

/// The result of a merge.
#[derive(Clone, Copy, Debug)]
struct Merge {
    /// Index in the list of merges; lower ranks are applied first.
    rank: u32,
    joined: u32,
}

/// The merges by pair of ids.
#[derive(Clone, Debug)]
pub(super) struct Merges(HashMap<(u32, u32), Merge>);

/// Maximum number of characters of a merge in an error.
const SHOWN: usize = 40;

impl Merges {
    /// Parses entries `left right`, in order of rank.
    pub(super) fn new(merges: &StringArray, vocabulary: &Vocabulary) -> Result<Self, TokenizerError> {
        let mut by_pair = HashMap::with_capacity(merges.len());
        for (index, text) in merges.iter().enumerate() {
            let fault =
                |problem| TokenizerError::Merge { index, merge: text.chars().take(SHOWN).collect(), problem };
            // Pieces write a space as `▁`, so the first space after the first byte is the separator.
            let border = text.bytes().skip(1).position(|byte| byte == b' ').map(|at| at + 1);
            let border = border.ok_or_else(|| fault("has no space between its pieces"))?;
            let (left, right) = (&text[..border], &text[border + 1..]);
            let pair = vocabulary.id(left).zip(vocabulary.id(right));
            let pair = pair.ok_or_else(|| fault("names a piece that is no token"))?;
            let joined = vocabulary.id(&[left, right].concat());
            let joined = joined.ok_or_else(|| fault("makes a piece that is no token"))?;
            // A control token is not spelled by a text.
            if vocabulary.is_special(joined) {
                continue;
            }
            by_pair.entry(pair).or_insert(Merge { rank: index as u32, joined });
        }
        Ok(Self(by_pair))
    }

    /// Applies merges until none is left: the lowest rank first, on ties the leftmost.
    pub(super) fn apply(&self, ids: &[u32]) -> Vec<u32> {
        join_all(ids.iter().copied(), |left, right| {
            let merge = self.0.get(&(left, right))?;
            Some(Join { rank: merge.rank, joined: merge.joined })
        })
    }
}
