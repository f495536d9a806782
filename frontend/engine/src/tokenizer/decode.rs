//! From token ids to text.

use super::Tokenizer;
use super::vocabulary::Kind;

impl Tokenizer {
    /// Returns the text of ids, without control tokens. Invalid UTF-8 becomes U+FFFD, and so does an invalid id.
    pub fn decode(&self, ids: &[u32]) -> String {
        self.decode_filtered(ids, false)
    }

    /// Same as [`Tokenizer::decode`], with control tokens spelled out.
    pub fn decode_with_specials(&self, ids: &[u32]) -> String {
        self.decode_filtered(ids, true)
    }

    /// Returns the bytes that a token stands for: a part of a character, or text. `None` for a control token, and for an
    /// invalid id.
    pub fn bytes(&self, id: u32) -> Option<Vec<u8>> {
        match self.vocabulary.kind(id)? {
            Kind::Special => None,
            Kind::Byte(byte) => Some(vec![byte]),
            Kind::Text | Kind::Added => self.piece(id).map(|piece| piece.replace('▁', " ").into_bytes()),
        }
    }

    fn decode_filtered(&self, ids: &[u32], keep_specials: bool) -> String {
        let mut bytes = Vec::new();
        let mut text = String::new();
        for &id in ids {
            match self.vocabulary.kind(id) {
                Some(Kind::Byte(byte)) => bytes.push(byte),
                kind => {
                    // A control token, printed or not, ends a character.
                    text.push_str(&String::from_utf8_lossy(&bytes));
                    bytes.clear();
                    match kind {
                        Some(Kind::Special) if !keep_specials => {}
                        _ => push_piece(&mut text, self.piece(id)),
                    }
                }
            }
        }
        text.push_str(&String::from_utf8_lossy(&bytes));
        text
    }
}

fn push_piece(text: &mut String, piece: Option<&str>) {
    match piece {
        Some(piece) => text.extend(piece.chars().map(|c| if c == '▁' { ' ' } else { c })),
        None => text.push(char::REPLACEMENT_CHARACTER),
    }
}

/// Decodes one id at a time, and holds back the bytes of an incomplete character.
///
/// The texts of [`StreamDecoder::push`] and a last [`StreamDecoder::flush`], joined, equal [`Tokenizer::decode`] of
/// all ids.
#[derive(Clone, Debug, Default)]
pub struct StreamDecoder {
    /// Bytes of an incomplete character: at most three.
    pending: Vec<u8>,
}

impl StreamDecoder {
    /// Processes the next id; returns the characters that are complete. Control tokens have no text.
    pub fn push(&mut self, tokenizer: &Tokenizer, id: u32) -> Option<String> {
        match tokenizer.vocabulary.kind(id) {
            Some(Kind::Byte(byte)) => {
                self.pending.push(byte);
                self.whole_characters()
            }
            kind => {
                let mut text = self.flush().unwrap_or_default();
                if kind != Some(Kind::Special) {
                    push_piece(&mut text, tokenizer.piece(id));
                }
                (!text.is_empty()).then_some(text)
            }
        }
    }

    /// Ends the text: an incomplete character becomes U+FFFD.
    pub fn flush(&mut self) -> Option<String> {
        let unfinished = !std::mem::take(&mut self.pending).is_empty();
        unfinished.then(|| char::REPLACEMENT_CHARACTER.to_string())
    }

    fn whole_characters(&mut self) -> Option<String> {
        let mut text = String::new();
        loop {
            match std::str::from_utf8(&self.pending) {
                Ok(whole) => {
                    text.push_str(whole);
                    self.pending.clear();
                    break;
                }
                Err(error) => {
                    let (whole, rest) = self.pending.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(whole));
                    let Some(invalid) = error.error_len() else {
                        self.pending = rest.to_vec();
                        break;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    self.pending = rest[invalid..].to_vec();
                }
            }
        }
        (!text.is_empty()).then_some(text)
    }
}
