//! Errors of a file's vocabulary.

use thiserror::Error;

/// A vocabulary that cannot be used. Each variant names the metadata key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum TokenizerError {
    /// A required key is missing.
    #[error("the file has no {key}")]
    Missing { key: &'static str },
    /// A Gemma 3 file with another tokenizer than Gemma 3's.
    #[error(
        "tokenizer.ggml.model is {found:?}; gemtab reads files of Gemma 3 with the SentencePiece tokenizer (\"llama\")"
    )]
    Kind { found: String },
    /// A key has a value of another type.
    #[error("{key} is not {expected}")]
    Type { key: &'static str, expected: &'static str },
    /// An array does not have one entry per token.
    #[error("{key} has {found} entries for {expected} tokens")]
    Length {
        key: &'static str,
        found: usize,
        /// Number of entries of `tokenizer.ggml.tokens`.
        expected: usize,
    },
    /// More entries than the limit.
    #[error("{key} has {found} entries, more than the {limit} that can be read")]
    TooMany { key: &'static str, found: usize, limit: usize },
    /// A control token or an added token that is too long: text is searched for them.
    #[error("token {id}, which is matched as a whole, is {bytes} bytes long; up to {most} can be read")]
    LongMatch { id: u32, bytes: usize, most: usize },
    /// A merge that is not two tokens, or whose result is not a token.
    #[error("tokenizer.ggml.merges: entry {index} ({merge:?}) {problem}")]
    Merge {
        index: usize,
        /// The entry, truncated.
        merge: String,
        problem: &'static str,
    },
    /// A key refers to a token id that does not exist.
    #[error("{key} is {id}, but there are {count} tokens")]
    Id {
        key: &'static str,
        id: i64,
        /// Number of entries of `tokenizer.ggml.tokens`.
        count: usize,
    },
    /// There is no token for this byte, and no `<unk>`.
    #[error("tokenizer.ggml.tokens has neither {piece} nor <unk>")]
    Byte { piece: String },
    /// A required control token is missing.
    #[error("tokenizer.ggml.tokens has no {token}")]
    Special { token: &'static str },
}
