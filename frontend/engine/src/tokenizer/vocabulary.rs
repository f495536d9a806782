//! The pieces, found by id and by text.

use std::hash::{BuildHasher, RandomState};

use crate::gguf::StringArray;

use super::{TokenizerError, special};

/// What a piece stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text, `▁` for a space.
    Text,
    /// One byte of UTF-8, which may be a part of a character.
    Byte(u8),
    /// A control token.
    Special,
}

/// Types of `tokenizer.ggml.token_type` that mark control tokens: unknown, control, user defined. Which of the three
/// a control token has depends on who wrote the file.
const CONTROL_TYPES: [i64; 3] = [2, 3, 4];
/// Marks a free slot of the index; ids stay below.
const FREE: u32 = u32::MAX;

/// Bytes of the longest control token that is believed.
const MOST_SPECIAL: usize = 256;

/// Pieces by id, and an index by text that holds no text of its own: 4 bytes a slot instead of a `String` a piece.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary {
    pieces: StringArray,
    kinds: Vec<Kind>,
    /// Open addressing with linear probing, at most half full; a power of two.
    slots: Vec<u32>,
    /// Keyed at random where the platform can, so that a file cannot be made to collide.
    hasher: RandomState,
    /// First bytes that any control token has.
    special_starts: Box<[bool; 256]>,
    /// Lengths in bytes that control tokens have, longest first.
    special_lengths: Vec<usize>,
}

impl Vocabulary {
    /// `types` runs parallel to `pieces`. Of two pieces with one text the first is found.
    ///
    /// # Errors
    /// [`TokenizerError::LongSpecial`].
    pub(super) fn new(pieces: StringArray, types: &[i64]) -> Result<Self, TokenizerError> {
        let mut vocabulary = Self {
            kinds: Vec::with_capacity(pieces.len()),
            slots: vec![FREE; (pieces.len() * 2).next_power_of_two()],
            hasher: RandomState::new(),
            special_starts: Box::new([false; 256]),
            special_lengths: Vec::new(),
            pieces,
        };
        for id in 0..vocabulary.pieces.len() {
            let text = vocabulary.pieces.get(id).unwrap_or_default();
            let slot = vocabulary.slot(text);
            let kind = match byte_of(text) {
                Some(byte) => Kind::Byte(byte),
                None if types.get(id).is_some_and(|t| CONTROL_TYPES.contains(t)) => Kind::Special,
                None if special::ALL.contains(&text) => Kind::Special,
                None => Kind::Text,
            };
            if vocabulary.slots[slot] == FREE {
                vocabulary.slots[slot] = id as u32;
            }
            if kind == Kind::Special
                && let Some(&first) = text.as_bytes().first()
            {
                if text.len() > MOST_SPECIAL {
                    let (id, bytes) = (id as u32, text.len());
                    return Err(TokenizerError::LongSpecial { id, bytes, most: MOST_SPECIAL });
                }
                vocabulary.special_starts[usize::from(first)] = true;
                vocabulary.special_lengths.push(text.len());
            }
            vocabulary.kinds.push(kind);
        }
        vocabulary.special_lengths.sort_unstable_by(|a, b| b.cmp(a));
        vocabulary.special_lengths.dedup();
        Ok(vocabulary)
    }

    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    pub(super) fn piece(&self, id: u32) -> Option<&str> {
        self.pieces.get(id as usize)
    }

    pub(super) fn kind(&self, id: u32) -> Option<Kind> {
        self.kinds.get(id as usize).copied()
    }

    pub(super) fn is_special(&self, id: u32) -> bool {
        self.kind(id) == Some(Kind::Special)
    }

    pub(super) fn id(&self, text: &str) -> Option<u32> {
        match self.slots[self.slot(text)] {
            FREE => None,
            id => Some(id),
        }
    }

    /// The first control token in `text`: where it begins, and its id. Of several that begin there, the longest.
    pub(super) fn find_special(&self, text: &str) -> Option<(usize, u32)> {
        text.bytes().enumerate().filter(|&(_, byte)| self.special_starts[usize::from(byte)]).find_map(
            |(start, _)| {
                // A byte inside a character may be the first byte of a token by value only.
                let rest = text.get(start..)?;
                let candidates = self.special_lengths.iter().filter_map(|&length| rest.get(..length));
                candidates
                    .filter_map(|text| self.id(text))
                    .find(|&id| self.is_special(id))
                    .map(|id| (start, id))
            },
        )
    }

    /// The slot that holds `text`, or the free one where it belongs.
    fn slot(&self, text: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.hasher.hash_one(text) as usize & mask;
        loop {
            match self.slots[slot] {
                FREE => return slot,
                id if self.pieces.get(id as usize) == Some(text) => return slot,
                _ => slot = (slot + 1) & mask,
            }
        }
    }
}

/// The byte that a piece such as `<0x0A>` spells. Known by its text: some files type byte pieces as ordinary ones.
fn byte_of(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("<0x")?.strip_suffix('>')?;
    let upper_hex = digits.len() == 2 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'A'..=b'F'));
    if upper_hex { u8::from_str_radix(digits, 16).ok() } else { None }
}
