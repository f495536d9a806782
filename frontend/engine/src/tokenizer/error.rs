//! What can be wrong with a file's vocabulary.

use thiserror::Error;

/// A vocabulary that cannot be used. Each variant names the metadata key at fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TokenizerError {
    /// A key is missing.
    #[error("the file has no {key}")]
    Missing {
        /// The metadata key.
        key: &'static str,
    },
    /// A key has a value of another type.
    #[error("{key} is not {expected}")]
    Type {
        /// The metadata key.
        key: &'static str,
        /// What it should hold.
        expected: &'static str,
    },
    /// An array that runs parallel to the tokens has another length.
    #[error("{key} has {found} entries for {expected} tokens")]
    Length {
        /// The metadata key.
        key: &'static str,
        /// Entries it has.
        found: usize,
        /// Entries of `tokenizer.ggml.tokens`.
        expected: usize,
    },
    /// More entries than ids can count.
    #[error("{key} has {found} entries, more than the {limit} that can be read")]
    TooMany {
        /// The metadata key.
        key: &'static str,
        /// Entries it has.
        found: usize,
        /// Most entries.
        limit: usize,
    },
    /// A control token that is longer than any is. Each length is looked for in all text.
    #[error("the control token {id} is {bytes} bytes long; up to {most} can be read")]
    LongSpecial {
        /// Its id.
        id: u32,
        /// Bytes of its text.
        bytes: usize,
        /// The most that are read.
        most: usize,
    },
    /// A merge that is not two pieces of the vocabulary, or whose result is not one.
    #[error("tokenizer.ggml.merges: entry {index} ({merge:?}) {problem}")]
    Merge {
        /// Position in the list.
        index: usize,
        /// The entry, shortened.
        merge: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A key names a token that the vocabulary does not have.
    #[error("{key} is {id}, but there are {count} tokens")]
    Id {
        /// The metadata key.
        key: &'static str,
        /// The id it holds.
        id: i64,
        /// Entries of `tokenizer.ggml.tokens`.
        count: usize,
    },
    /// No piece spells this byte, and there is no `<unk>` to stand for it.
    #[error("tokenizer.ggml.tokens has neither {piece} nor <unk>")]
    Byte {
        /// The piece looked for.
        piece: String,
    },
    /// A control token without which no prompt can be written.
    #[error("tokenizer.ggml.tokens has no {token}")]
    Special {
        /// The token's text.
        token: &'static str,
    },
}
