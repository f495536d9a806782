//! Audio: from a file or a microphone to soft tokens.
//!
//! [`wav`] reads files natively (a browser decodes them itself), [`resample`] converts to 16 kHz, [`Sound`] splits
//! into clips. [`Audio`] loads a model's [`Tower`] on demand, and an [`Encoder`] encodes one clip as samples
//! arrive. The tower looks ahead by at most 30 ms, so a clip is encoded while it is recorded, and little work is
//! left at its end.

mod config;
mod conformer;
mod encoder;
mod error;
mod fft;
pub mod mel;
mod on_demand;
pub mod resample;
mod sound;
mod tensors;
mod tower;
mod tower_plan;
pub mod wav;

pub use config::{Conformer, Kind, TowerConfig};
pub use encoder::Encoder;
pub use error::AudioError;
pub use on_demand::{Audio, medium};
pub use sound::{CLIP_SAMPLES, Sound};
pub use tower::Tower;
pub use tower_plan::TowerPlan;

/// Sample rate of all towers.
pub const RATE: u32 = 16_000;
