//! Sound: from a file or a microphone to soft tokens.
//!
//! [`wav`] reads files natively (a browser decodes them itself), [`resample`] brings them to 16 kHz, [`Sound`] cuts them
//! into clips. [`Hearing`] loads a model's [`Tower`] when it is needed; an [`Encoder`] takes the samples of one clip as they
//! come. Nothing in the tower looks ahead by more than 30 ms, so a clip is encoded while it is being spoken, and
//! its end leaves little to do.

mod config;
mod conformer;
mod encoder;
mod error;
mod fft;
mod hearing;
pub mod mel;
pub mod resample;
mod sound;
mod tensors;
mod tower;
pub mod wav;

pub use config::{Conformer, Kind, TowerConfig};
pub use encoder::Encoder;
pub use error::AudioError;
pub use hearing::{Hearing, medium};
pub use sound::{CLIP_SAMPLES, Sound};
pub use tower::{Tower, TowerPlan};

/// Samples a second, of everything that a tower hears.
pub const RATE: u32 = 16_000;
