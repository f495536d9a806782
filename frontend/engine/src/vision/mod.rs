//! Pictures: from a file to pixels of the right size, and through the tower to soft tokens (specification §9).
//!
//! [`medium`] says what a file costs in a prompt, from its header alone. [`Vision`] makes soft tokens of it.

mod budget;
mod config;
mod error;
mod picture;
mod resize;
mod room;
mod tensors;
mod tower;
mod webp;

pub use budget::{Budget, Size, image_tokens, target_size};
pub use config::{Encoder, Kind, TowerConfig};
pub use error::PictureError;
pub use picture::{Format, Head, Picture, Pixels};
pub use tower::{Encoding, TowerPlan, Vision, medium};
