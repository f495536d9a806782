//! Gemma 4's tokenizer, read from GGUF metadata.
//!
//! Byte pair encoding over Unicode scalar values with an explicit list of merges. The only normalisation is that a
//! space becomes `▁` (U+2581); there is no prefix space and no pre-tokenizer, so merges run over the whole text
//! between special tokens. A character without a piece of its own is spelled with the byte pieces `<0x00>`…`<0xFF>`.
//!
//! Files differ in what they say about this vocabulary: `tokenizer.ggml.model` is `llama` or `gemma4`, scores are
//! indices or −1000, byte pieces are typed "normal" or "byte", `add_bos_token` is true or false. None of that is
//! believed: scores, model name and `add_bos_token` are ignored, byte pieces and special tokens are known by their
//! text.

mod bpe;
mod decode;
mod encode;
mod error;
mod load;
pub mod special;
mod vocabulary;

pub use decode::StreamDecoder;
pub use encode::Specials;
pub use error::TokenizerError;
pub use special::SpecialTokens;

use bpe::Merges;
use vocabulary::Vocabulary;

/// Text to token ids and back. About 25 MB for the published vocabulary of 262 144 pieces and 514 906 merges.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    vocabulary: Vocabulary,
    merges: Merges,
    /// Id of each byte's piece, or of the unknown token where a byte has none.
    bytes: Box<[u32; 256]>,
    special: SpecialTokens,
    stop_ids: Vec<u32>,
}

impl Tokenizer {
    /// Number of pieces; ids are below it.
    #[must_use]
    pub fn vocabulary_size(&self) -> usize {
        self.vocabulary.len()
    }

    /// The id of the piece with exactly this text (`▁` for a space), special tokens included.
    #[must_use]
    pub fn id(&self, text: &str) -> Option<u32> {
        self.vocabulary.id(text)
    }

    /// The text of a piece as the file has it (`▁` for a space).
    #[must_use]
    pub fn piece(&self, id: u32) -> Option<&str> {
        self.vocabulary.piece(id)
    }

    /// Whether the id is a control token: never text of its own, never produced from [`Specials::Ignore`].
    #[must_use]
    pub fn is_special(&self, id: u32) -> bool {
        self.vocabulary.is_special(id)
    }

    /// The control tokens of the chat format.
    #[must_use]
    pub fn special(&self) -> &SpecialTokens {
        &self.special
    }

    /// Ids that end an answer, ascending: `<eos>`, `<turn|>`, `<|tool_response>` and those the file names.
    #[must_use]
    pub fn stop_ids(&self) -> &[u32] {
        &self.stop_ids
    }

    /// Ids that must never be drawn in text generation, ascending: the slots, beginnings and ends of media.
    #[must_use]
    pub fn suppressed_ids(&self) -> Vec<u32> {
        self.special.media_ids()
    }
}
