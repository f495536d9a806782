//! Media that do not fit their prompt.

use super::Media;

/// Why a prompt with media cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum MediaError {
    /// The prompt has places for more media, or fewer.
    #[error("the prompt has places for {places} media, and {given} are given")]
    Count { places: usize, given: usize },
    /// A place is for a medium of another kind.
    #[error("place {index} of the prompt is for {place:?}, and {given:?} is given")]
    Kind {
        /// Number of the place, from 0.
        index: usize,
        place: Media,
        given: Media,
    },
    /// A place has another number of slots than the medium has soft tokens.
    #[error("place {index} of the prompt has {slots} slots, and the medium has {tokens} soft tokens")]
    Slots {
        /// Number of the place, from 0.
        index: usize,
        slots: u32,
        tokens: u32,
    },
    /// Soft tokens of another medium.
    #[error("these soft tokens are not those of the medium at place {index}")]
    Other {
        /// Number of the place, from 0.
        index: usize,
    },
    /// The block has to be read, but its soft tokens were not attached.
    #[error("the medium at token {at} has not been encoded")]
    NotEncoded { at: u32 },
    /// Soft tokens of another width than the model's.
    #[error("the soft tokens have {found} elements, and the model's embeddings {expected}")]
    Width { found: u32, expected: u32 },
    /// The model has no tower for such media.
    #[error("this model has nothing to encode {media:?} with")]
    NoTower { media: Media },
    /// A picture that must be read in one piece and is longer than the largest piece.
    #[error("the picture takes {tokens} tokens; this model was loaded to read at most {most} in one piece")]
    TooLong { tokens: u32, most: u32 },
}
