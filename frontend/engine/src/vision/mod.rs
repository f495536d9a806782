//! Images: from files to resized pixels, and through the tower to soft tokens (specification §9).
//!
//! [`medium`] returns a file's cost in a prompt, from its header only. [`Vision`] computes its soft tokens.

mod budget;
mod config;
mod error;
mod format;
mod picture;
mod programs;
mod resize;
mod stages;
mod tensors;
mod tower;
mod tower_plan;
mod webp;

pub use budget::{Budget, Size, image_tokens, target_size};
pub use config::{Encoder, Kind, TowerConfig};
pub use error::{PictureError, VisionError};
pub use format::Format;
pub use picture::{Head, Picture, Pixels};
pub use tower::{Encoding, Vision, medium};
pub use tower_plan::TowerPlan;
