//! Media that do not fit their prompt.

use crate::template::Media;

/// Why a prompt with media cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MediaError {
    /// The prompt has places for more media, or fewer.
    #[error("the prompt has places for {places} media, and {given} are given")]
    Count {
        /// Places in the prompt.
        places: usize,
        /// Media given.
        given: usize,
    },
    /// A place is for a medium of another kind.
    #[error("place {index} of the prompt is for {place:?}, and {given:?} is given")]
    Kind {
        /// Number of the place, from 0.
        index: usize,
        /// What it is for.
        place: Media,
        /// What is given.
        given: Media,
    },
    /// A place has another number of slots than the medium has soft tokens.
    #[error("place {index} of the prompt has {slots} slots, and the medium has {tokens} soft tokens")]
    Slots {
        /// Number of the place, from 0.
        index: usize,
        /// Slots of the place.
        slots: u32,
        /// Soft tokens of the medium.
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
    NotEncoded {
        /// Position of its first slot.
        at: u32,
    },
    /// Soft tokens of another width than the model's.
    #[error("the soft tokens have {found} elements, and the model's embeddings {expected}")]
    Width {
        /// Elements of a soft token.
        found: u32,
        /// Width of the model.
        expected: u32,
    },
    /// The model has no tower for such media.
    #[error("this model has nothing to encode {media:?} with")]
    NoTower {
        /// The medium.
        media: Media,
    },
    /// A picture that must be read in one piece and is longer than the largest piece.
    #[error("the picture takes {tokens} tokens; this model was loaded to read at most {most} in one piece")]
    TooLong {
        /// Soft tokens of the picture.
        tokens: u32,
        /// Tokens of the largest piece.
        most: u32,
    },
}
