//! What can be wrong with a file's vocabulary.

use thiserror::Error;

/// A vocabulary that cannot be used. Each variant names the metadata key at fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum TokenizerError {
    /// A key is missing.
    #[error("the file has no {key}")]
    Missing { key: &'static str },
    /// A key has a value of another type.
    #[error("{key} is not {expected}")]
    Type { key: &'static str, expected: &'static str },
    /// An array that runs parallel to the tokens has another length.
    #[error("{key} has {found} entries for {expected} tokens")]
    Length {
        key: &'static str,
        found: usize,
        /// Entries of `tokenizer.ggml.tokens`.
        expected: usize,
    },
    /// More entries than ids can count.
    #[error("{key} has {found} entries, more than the {limit} that can be read")]
    TooMany { key: &'static str, found: usize, limit: usize },
    /// A control token that is longer than any is. Each length is looked for in all text.
    #[error("the control token {id} is {bytes} bytes long; up to {most} can be read")]
    LongSpecial { id: u32, bytes: usize, most: usize },
    /// A merge that is not two pieces of the vocabulary, or whose result is not one.
    #[error("tokenizer.ggml.merges: entry {index} ({merge:?}) {problem}")]
    Merge {
        index: usize,
        /// The entry, shortened.
        merge: String,
        problem: &'static str,
    },
    /// A key names a token that the vocabulary does not have.
    #[error("{key} is {id}, but there are {count} tokens")]
    Id {
        key: &'static str,
        id: i64,
        /// Entries of `tokenizer.ggml.tokens`.
        count: usize,
    },
    /// No piece spells this byte, and there is no `<unk>` to stand for it.
    #[error("tokenizer.ggml.tokens has neither {piece} nor <unk>")]
    Byte { piece: String },
    /// A control token without which no prompt can be written.
    #[error("tokenizer.ggml.tokens has no {token}")]
    Special { token: &'static str },
}
