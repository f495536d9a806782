//! The vocabulary: tokens by id and by text.

use std::hash::{BuildHasher, RandomState};

use crate::gguf::StringArray;

use super::{TokenizerError, special};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text, `▁` for a space.
    Text,
    /// One byte of UTF-8, possibly a part of a character.
    Byte(u8),
    /// A control token.
    Special,
}

/// Types in `tokenizer.ggml.token_type` that mark control tokens: unknown, control, user defined. Writers differ in
/// which they use.
const CONTROL_TYPES: [i64; 3] = [2, 3, 4];
/// Marks a free slot of the index; ids are below it.
const FREE: u32 = u32::MAX;

/// Maximum length of a control token in bytes.
const MAX_SPECIAL: usize = 256;

/// Tokens by id, and an index by text that stores no text: 4 bytes per slot instead of a `String` per token.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary {
    pieces: StringArray,
    kinds: Vec<Kind>,
    /// Open addressing with linear probing, at most half full; a power of two.
    slots: Vec<u32>,
    /// With random keys if possible, so that a file cannot force collisions.
    hasher: RandomState,
    /// First bytes of control tokens.
    special_starts: Box<[bool; 256]>,
    /// Lengths of control tokens in bytes, longest first.
    special_lengths: Vec<usize>,
}

impl Vocabulary {
    /// `types` has one entry per token. If two tokens have the same text, the first is used.
    ///
    /// # Errors
    /// [`TokenizerError::LongSpecial`] when a control token is too long.
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
                if text.len() > MAX_SPECIAL {
                    let (id, bytes) = (id as u32, text.len());
                    return Err(TokenizerError::LongSpecial { id, bytes, most: MAX_SPECIAL });
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

    /// The first control token in `text`: its offset and its id. Of several at the same offset, the longest.
    pub(super) fn find_special(&self, text: &str) -> Option<(usize, u32)> {
        text.bytes().enumerate().filter(|&(_, byte)| self.special_starts[usize::from(byte)]).find_map(
            |(start, _)| {
                // A continuation byte may equal the first byte of a token.
                let rest = text.get(start..)?;
                let candidates = self.special_lengths.iter().filter_map(|&length| rest.get(..length));
                candidates
                    .filter_map(|text| self.id(text))
                    .find(|&id| self.is_special(id))
                    .map(|id| (start, id))
            },
        )
    }

    /// The slot of `text`, or the free slot for it.
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

/// The byte of a token such as `<0x0A>`. It is identified by text, because some files type byte tokens as normal
/// ones.
fn byte_of(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("<0x")?.strip_suffix('>')?;
    let upper_hex = digits.len() == 2 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'A'..=b'F'));
    if upper_hex { u8::from_str_radix(digits, 16).ok() } else { None }
}
