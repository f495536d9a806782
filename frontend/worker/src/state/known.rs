//! What is known of pictures and sounds before they are encoded.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use engine::media::Medium;
use engine::vision::Budget;
use protocol::TokenBudget;

/// A medium as a prompt sees it.
#[derive(Clone, Debug)]
pub struct Known {
    /// The media that it is in a prompt: one picture, or the clips of a sound.
    pub media: Vec<Medium>,
    /// For a picture: its budget.
    pub budget: Budget,
    /// Whether a larger one was asked for than the model can read.
    pub cut: bool,
    /// How large it is.
    pub size: Size,
}

/// How large a medium is.
#[derive(Clone, Copy, Debug)]
pub enum Size {
    /// A picture.
    Pixels {
        /// Pixels of a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Whether it has more than one frame.
        animated: bool,
    },
    /// A sound.
    Seconds {
        /// Its length.
        seconds: f64,
        /// Whether nothing is heard in it.
        silent: bool,
    },
}

/// What is known of media, by key and budget.
pub type KnownMedia = RefCell<HashMap<(u128, TokenBudget), Rc<Known>>>;
