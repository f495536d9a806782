//! Errors of media in prompts.

use super::Media;

/// Why a prompt with media cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum MediaError {
    /// The number of media differs from the number of places.
    #[error("the prompt has places for {places} media, and {given} are given")]
    Count { places: usize, given: usize },
    /// A place is for another kind of medium.
    #[error("place {index} of the prompt is for {place:?}, and {given:?} is given")]
    Kind {
        /// Index of the place, from 0.
        index: usize,
        place: Media,
        given: Media,
    },
    /// A place has a different number of slots than the medium has soft tokens.
    #[error("place {index} of the prompt has {slots} slots, and the medium has {tokens} soft tokens")]
    Slots {
        /// Index of the place, from 0.
        index: usize,
        slots: u32,
        tokens: u32,
    },
    /// The soft tokens are of another medium.
    #[error("these soft tokens are not those of the medium at place {index}")]
    Other {
        /// Index of the place, from 0.
        index: usize,
    },
    /// The soft tokens are needed, but were not attached.
    #[error("the medium at token {at} has not been encoded")]
    NotEncoded { at: u32 },
    /// The width of the soft tokens is not the model's.
    #[error("the soft tokens have {found} elements, and the model's embeddings {expected}")]
    Width { found: u32, expected: u32 },
    /// The model has no tower for this kind of media.
    #[error("this model has nothing to encode {media:?} with")]
    NoTower { media: Media },
    /// An image that must be processed in one chunk and is longer than the largest chunk.
    #[error("the picture takes {tokens} tokens; this model was loaded to read at most {most} in one piece")]
    TooLong { tokens: u32, most: u32 },
}
