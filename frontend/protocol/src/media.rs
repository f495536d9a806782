//! Pictures and sound: what one costs, and what is to be said of it before it is sent.

use serde::{Deserialize, Serialize};

/// Bytes of a picture or a sound. They travel beside the message, as a `Blob`, because a handle costs nothing to clone
/// and is read only where the bytes are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Media {
    /// The same for the same bytes: what was encoded once need not be encoded again.
    pub key: u128,
    /// Its place among the handles beside the message.
    pub place: u32,
}

/// Most soft tokens that a picture may take. More of them show finer detail and take longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenBudget {
    /// As the picture needs: more where it is full of small detail, such as text.
    #[default]
    Auto,
    /// 70 tokens; a frame of a video takes so many.
    T70,
    /// 140 tokens.
    T140,
    /// 280 tokens.
    T280,
    /// 560 tokens.
    T560,
    /// 1120 tokens.
    T1120,
}

impl TokenBudget {
    /// All of them, the smallest first.
    pub const ALL: [Self; 6] = [Self::Auto, Self::T70, Self::T140, Self::T280, Self::T560, Self::T1120];

    /// Returns the tokens; `None` if the picture decides.
    #[must_use]
    pub fn tokens(self) -> Option<u32> {
        match self {
            Self::Auto => None,
            Self::T70 => Some(70),
            Self::T140 => Some(140),
            Self::T280 => Some(280),
            Self::T560 => Some(560),
            Self::T1120 => Some(1120),
        }
    }
}

/// What a medium is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sense {
    /// A picture.
    Sight,
    /// A sound.
    Hearing,
}

/// What the engine found when it looked at a picture or a sound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MediaReport {
    /// How large it is.
    pub size: MediaSize,
    /// Tokens that it takes in the prompt, the marks around it included; none while no model is loaded that takes it.
    pub tokens: Option<u32>,
    /// What the user should know before sending it.
    pub notices: Vec<MediaNotice>,
}

/// How large a medium is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum MediaSize {
    /// Pixels of a picture, as it is shown.
    Pixels {
        /// From left to right.
        width: u32,
        /// From top to bottom.
        height: u32,
    },
    /// A sound's length in seconds.
    Seconds(f64),
}

/// Something to know of a medium that can be sent all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MediaNotice {
    /// It is animated; the first frame is seen.
    FirstFrame,
    /// It is longer than the model hears at once, and is cut into so many clips.
    Clips(u32),
    /// Nothing is heard in it.
    Silent,
    /// The model reads no more than so many tokens of a picture, and gets those.
    FewerTokens(u32),
}
