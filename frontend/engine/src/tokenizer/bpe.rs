//! Byte pair encoding: the merge algorithm.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::gguf::StringArray;

use super::error::TokenizerError;
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

/// One piece of the text, in a linked list of indices.
struct Symbol {
    id: u32,
    previous: usize,
    next: usize,
}

/// No neighbour.
const END: usize = usize::MAX;
/// The id of a symbol that was merged into its left neighbour.
const GONE: u32 = u32::MAX;
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
    ///
    /// O(n log n): a linked list of symbols, and a heap of candidate pairs. Candidates that became stale remain in
    /// the heap and are skipped when they are popped.
    pub(super) fn apply(&self, ids: &[u32]) -> Vec<u32> {
        let last = ids.len().wrapping_sub(1);
        let mut symbols: Vec<Symbol> = ids
            .iter()
            .enumerate()
            .map(|(at, &id)| Symbol {
                id,
                previous: at.checked_sub(1).unwrap_or(END),
                next: if at == last { END } else { at + 1 },
            })
            .collect();
        let mut heap = BinaryHeap::with_capacity(ids.len());
        let candidate = |symbols: &[Symbol], left: usize| {
            let next = symbols.get(left)?.next;
            let pair = (symbols[left].id, symbols.get(next)?.id);
            self.0.get(&pair).map(|merge| Reverse((merge.rank, left, pair.0, pair.1, merge.joined)))
        };
        heap.extend((0..symbols.len()).filter_map(|left| candidate(&symbols, left)));
        while let Some(Reverse((_, left, left_id, right_id, joined))) = heap.pop() {
            let right = symbols[left].next;
            let current = symbols[left].id == left_id && right != END && symbols[right].id == right_id;
            if !current {
                continue;
            }
            let after = symbols[right].next;
            symbols[left].id = joined;
            symbols[left].next = after;
            symbols[right].id = GONE;
            if after != END {
                symbols[after].previous = left;
            }
            heap.extend(candidate(&symbols, symbols[left].previous));
            heap.extend(candidate(&symbols, left));
        }
        symbols.iter().map(|symbol| symbol.id).filter(|&id| id != GONE).collect()
    }
}
