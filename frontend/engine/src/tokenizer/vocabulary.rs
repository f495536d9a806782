//! The vocabulary: tokens by id and by text.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use crate::gguf::StringArray;

use super::{TokenizerError, special};

/// How to treat control tokens that are spelled in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specials {
    /// Parse them: for prompts created by this program.
    Parse,
    /// Treat them as text: for text from users, files or tools.
    Ignore,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text, `▁` for a space.
    Text,
    /// One byte of UTF-8, possibly a part of a character.
    Byte(u8),
    /// Text that is one token wherever it stands, such as a word that a fine-tune added.
    Added,
    /// A control token.
    Special,
}

/// Types in `tokenizer.ggml.token_type` that mark control tokens: unknown, control.
const CONTROL_TYPES: [i64; 2] = [2, 3];
/// The type "user defined". Some writers give it to control tokens too, so these are told by their names.
const USER_DEFINED: i64 = 4;
/// Marks a free slot of the index; ids are below it.
const FREE: u32 = u32::MAX;

/// Maximum length of a token that is matched as a whole, in bytes.
pub(super) const MAX_MATCHED: usize = 256;

/// Tokens by id, and an index by text that stores no text: 4 bytes per slot instead of a `String` per token.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary {
    pieces: StringArray,
    kinds: Vec<Kind>,
    /// Open addressing with linear probing, at most half full; a power of two.
    slots: Vec<u32>,
    /// With random keys if possible, so that a file cannot force collisions.
    hasher: RandomState,
    /// Added and control tokens by text, with `▁` for a space.
    matched: Vec<(Box<str>, u32)>,
    /// First bytes of these.
    starts: Box<[bool; 256]>,
}

impl Vocabulary {
    /// `types` has one entry per token. If two tokens have the same text, the first is used. `named` are tokens that
    /// the file gives a role, such as ending an answer. `unlearned` are the pieces of a vocabulary of Gemma 3 that are matched as
    /// a whole, although some files type them as text.
    ///
    /// # Errors
    /// [`TokenizerError::LongMatch`] when a control token or an added one is too long.
    pub(super) fn new(
        pieces: StringArray,
        types: &[i64],
        named: &HashSet<u32>,
        unlearned: Option<&HashSet<usize>>,
    ) -> Result<Self, TokenizerError> {
        let mut vocabulary = Self {
            kinds: Vec::with_capacity(pieces.len()),
            slots: vec![FREE; (pieces.len() * 2).next_power_of_two()],
            hasher: RandomState::new(),
            matched: Vec::new(),
            starts: Box::new([false; 256]),
            pieces,
        };
        for id in 0..vocabulary.pieces.len() {
            let text = vocabulary.pieces.get(id).unwrap_or_default();
            let slot = vocabulary.slot(text);
            let kind = match (byte_of(text), types.get(id)) {
                (Some(byte), _) => Kind::Byte(byte),
                _ if special::is_control(text) => Kind::Special,
                (None, Some(kind)) if CONTROL_TYPES.contains(kind) => Kind::Special,
                (None, Some(&USER_DEFINED)) if named.contains(&(id as u32)) => Kind::Special,
                (None, Some(&USER_DEFINED)) => Kind::Added,
                _ if unlearned.is_some() && is_reserved(text) => Kind::Special,
                _ if unlearned.is_some_and(|all| all.contains(&id)) => Kind::Added,
                _ => Kind::Text,
            };
            let is_first = vocabulary.slots[slot] == FREE;
            if matches!(kind, Kind::Added | Kind::Special) && is_first && !text.is_empty() {
                if text.len() > MAX_MATCHED {
                    let (id, bytes) = (id as u32, text.len());
                    return Err(TokenizerError::LongMatch { id, bytes, most: MAX_MATCHED });
                }
                let text = with_marks(text);
                vocabulary.starts[usize::from(text.as_bytes()[0])] = true;
                vocabulary.matched.push((text.into(), id as u32));
            }
            if is_first {
                vocabulary.slots[slot] = id as u32;
            }
            vocabulary.kinds.push(kind);
        }
        vocabulary.matched.sort();
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

    /// Returns the first added token in `text`, which has `▁` for a space: its range and its id. With
    /// [`Specials::Parse`], also control tokens. Of several at the same place, the longest.
    pub(super) fn find(&self, text: &str, specials: Specials) -> Option<(Range<usize>, u32)> {
        let bytes = text.as_bytes().iter().enumerate();
        bytes.filter(|&(_, &byte)| self.starts[usize::from(byte)]).find_map(|(start, _)| {
            // A continuation byte may equal the first byte of a token.
            let (length, id) = self.longest(text.get(start..)?.as_bytes(), specials)?;
            Some((start..start + length, id))
        })
    }

    /// Returns the longest token that is matched at the start of `text`: its length and its id.
    fn longest(&self, text: &[u8], specials: Specials) -> Option<(usize, u32)> {
        let mut found = None;
        // Those that begin as the text does.
        let mut begun = &self.matched[..];
        for length in 0..=text.len() {
            let Some((piece, id)) = begun.first() else { break };
            if piece.len() == length && (specials == Specials::Parse || !self.is_special(*id)) {
                found = Some((length, *id));
            }
            let Some(next) = text.get(length) else { break };
            let byte = |(piece, _): &(Box<str>, u32)| piece.as_bytes().get(length).copied();
            let from = begun.partition_point(|piece| byte(piece) < Some(*next));
            let to = begun.partition_point(|piece| byte(piece) <= Some(*next));
            begun = &begun[from..to];
        }
        found
    }

    /// Returns the slot of `text`, or the free slot for it.
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

/// Returns a text as pieces spell it, with `▁` for a space.
pub(super) fn with_marks(text: &str) -> String {
    text.replace(' ', "▁")
}

/// Returns whether a piece of Gemma 3 is a control token that some files type as text.
fn is_reserved(text: &str) -> bool {
    let number = text.strip_prefix("<unused").and_then(|rest| rest.strip_suffix('>'));
    let is_unused = number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    is_unused || ["<mask>", "<image_soft_token>"].contains(&text)
}

/// Returns the byte of a token such as `<0x0A>`. It is identified by text, because some files type byte tokens as normal
/// ones.
fn byte_of(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("<0x")?.strip_suffix('>')?;
    let upper_hex = digits.len() == 2 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'A'..=b'F'));
    if upper_hex { u8::from_str_radix(digits, 16).ok() } else { None }
}
