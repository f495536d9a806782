//! The tokenizers of Gemma 4 and Gemma 3, read from GGUF metadata.
//!
//! Byte pair encoding over Unicode scalar values, with an explicit list of merges, or by the scores of the pieces
//! ([`scores`]) in files of Gemma 3. The only normalisation replaces a space with `▁` (U+2581). There is no prefix space
//! and no pre-tokenizer, so merges run over the whole text between special tokens. A character without its own token is encoded with the byte tokens `<0x00>`…`<0xFF>`.
//!
//! Files of Gemma 4 describe its vocabulary differently: `tokenizer.ggml.model` is `llama` or `gemma4`, scores are indices or
//! −1000, byte tokens have type "normal" or "byte", `add_bos_token` is true or false. These values are therefore
//! ignored; byte tokens and the control tokens of the chat format are identified by their text. Of the other tokens, types
//! 2 and 3 mark control tokens, and 4 ("user defined") text that is one token wherever it stands. Some files of Gemma 3
//! type such text as normal, so its runs of white space and its tags are identified too ([`vocabulary`]).

mod bpe;
mod decode;
mod encode;
mod error;
mod join;
mod load;
mod scores;
pub mod special;
mod vocabulary;

pub use decode::StreamDecoder;
pub use error::TokenizerError;
pub use load::{calls_functions, has_foreign_template, is_base, pieces};
pub use special::SpecialTokens;

use bpe::Merges;
use scores::Scores;
pub use vocabulary::Specials;
use vocabulary::Vocabulary;

/// How neighbouring symbols are joined.
#[derive(Clone, Debug)]
enum Joining {
    /// By a list of merges.
    Merges(Merges),
    /// By the scores of the pieces.
    Scores(Scores),
}

/// Text to token ids and back. About 25 MB for the published vocabulary of 262 144 pieces and 514 906 merges.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    vocabulary: Vocabulary,
    joining: Joining,
    /// Id of each byte's token, or of the unknown token if there is none.
    bytes: Box<[u32; 256]>,
    special: SpecialTokens,
    stop_ids: Vec<u32>,
}

impl Tokenizer {
    /// Vocabulary size; ids are below it.
    pub fn vocabulary_size(&self) -> usize {
        self.vocabulary.len()
    }

    /// Returns the id of the token with exactly this text (`▁` for a space), including special tokens.
    pub fn id(&self, text: &str) -> Option<u32> {
        self.vocabulary.id(text)
    }

    /// Returns the text of a token as in the file (`▁` for a space).
    pub fn piece(&self, id: u32) -> Option<&str> {
        self.vocabulary.piece(id)
    }

    /// Returns whether the id is a control token, which has no text and is never produced with [`Specials::Ignore`].
    pub fn is_special(&self, id: u32) -> bool {
        self.vocabulary.is_special(id)
    }

    /// Returns the control tokens of the chat format.
    pub fn special(&self) -> &SpecialTokens {
        &self.special
    }

    /// Ids that end an answer, ascending: `<eos>`, the end of a turn, `<|tool_response>` and those that the file specifies.
    pub fn stop_ids(&self) -> &[u32] {
        &self.stop_ids
    }

    /// Ids that must never be generated, ascending: slot, begin and end tokens of media.
    pub fn suppressed_ids(&self) -> Vec<u32> {
        self.special.media_ids()
    }
}
