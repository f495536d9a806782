//! Byte pair encoding by the scores of pieces, as SentencePiece does it (Gemma 3): there is no list of merges.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::gguf::{Metadata, StringArray, Value};

use super::error::TokenizerError;
use super::join::{Join, join_all};
use super::vocabulary::{Kind, MAX_MATCHED, Vocabulary};

const SCORES: &str = "tokenizer.ggml.scores";
/// Pieces of the published vocabulary of Gemma 3, and the ids of those that are matched as a whole.
const PUBLISHED: usize = 262_144;
const PUBLISHED_UNLEARNED: [RangeInclusive<usize>; 3] = [5..=5, 107..=237, 255_968..=256_000];

/// The order in which pieces are made: the highest score first.
#[derive(Clone, Debug)]
pub(super) struct Scores(Vec<u32>);

impl Scores {
    /// Reads the scores of `count` pieces.
    pub(super) fn read(metadata: &Metadata, count: usize) -> Result<Self, TokenizerError> {
        let scores = match metadata.0.get(SCORES) {
            Some(Value::Floats(scores)) => scores,
            Some(_) => return Err(TokenizerError::Type { key: SCORES, expected: "an array of floats" }),
            None => return Err(TokenizerError::Missing { key: SCORES }),
        };
        if scores.len() != count {
            return Err(TokenizerError::Length { key: SCORES, found: scores.len(), expected: count });
        }
        Ok(Self(scores.iter().map(|&score| rank(score)).collect()))
    }

    /// Returns whether a piece has the score of those that were not learned: 0 or −1000, depending on the converter.
    fn is_unlearned(&self, id: usize) -> bool {
        let unlearned = [rank(0.0), rank(-1000.0)];
        self.0.get(id).is_some_and(|rank| unlearned.contains(rank))
    }

    /// Returns the pieces of Gemma 3 that are matched as a whole: runs of white space, tags, marks of pictures.
    pub(super) fn unlearned(&self, pieces: &StringArray) -> HashSet<usize> {
        let is_published = pieces.len() >= PUBLISHED;
        let known: HashSet<&str> = if is_published { HashSet::new() } else { pieces.iter().collect() };
        let is_unlearned = |id: usize, text: &str| {
            let count = text.chars().count();
            let is_run = |of: char| count > 0 && text.chars().all(|character| character == of);
            if is_run('\n') || is_run('\t') || (count > 1 && (is_run(' ') || is_run('▁'))) {
                return true;
            }
            if is_published {
                return PUBLISHED_UNLEARNED.iter().any(|ids| ids.contains(&id));
            }
            // In another vocabulary: what no two pieces make.
            let mut splits = text.char_indices().skip(1).map(|(at, _)| text.split_at(at));
            let can_be = count > 1 && text.len() <= MAX_MATCHED && self.is_unlearned(id);
            can_be && !splits.any(|(a, b)| known.contains(a) && known.contains(b))
        };
        pieces.iter().enumerate().filter(|&(id, text)| is_unlearned(id, text)).map(|(id, _)| id).collect()
    }

    /// Returns the parts of a text, after joining neighbours until none makes a text piece: the highest score first, on ties the
    /// leftmost. A part is a piece, or a single character that is none.
    pub(super) fn split<'t>(&self, vocabulary: &Vocabulary, text: &'t str) -> Vec<&'t str> {
        let ends = text.char_indices().map(|(at, character)| (at, at + character.len_utf8()));
        let characters: Vec<_> = ends.collect();
        let parts = join_all(characters.into_iter(), |(start, _), (_, end)| {
            let id = vocabulary.id(&text[start..end])?;
            let is_text = vocabulary.kind(id) == Some(Kind::Text);
            is_text.then(|| Join { rank: self.0[id as usize], joined: (start, end) })
        });
        parts.into_iter().map(|(start, end)| &text[start..end]).collect()
    }
}

/// Lower for higher scores.
fn rank(score: f32) -> u32 {
    // The bits of floats are in their order; those of negative ones in the opposite one. Adding 0 makes −0 to 0.
    let bits = (score + 0.0).to_bits();
    if bits >> 31 == 1 { bits } else { !bits & (u32::MAX >> 1) }
}
