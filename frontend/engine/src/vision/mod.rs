//! Pictures: from a file to pixels of the right size, and through the tower to soft tokens (specification §9).
//!
//! [`medium`] says what a file costs in a prompt, from its header alone. [`Vision`] makes soft tokens of it.

mod budget;
mod config;
mod error;
mod format;
mod picture;
mod resize;
mod room;
mod tensors;
mod tower;
mod webp;

pub use budget::{Budget, Size, image_tokens, target_size};
pub use config::{Encoder, Kind, TowerConfig};
pub use error::{PictureError, VisionError};
pub use format::Format;
pub use picture::{Head, Picture, Pixels};
pub use tower::{Encoding, TowerPlan, Vision, medium};
