//! Pictures and sound before the engine sees them: what a file is, and its way into a form that the engine takes.
//!
//! A picture stays the file that it is, since the engine reads its pixels itself. Sound becomes a WAV file of 16 kHz,
//! mono, 16 bits: the browser decodes and resamples what is picked ([`decode`]), and this module resamples what the
//! microphone hears, as it comes ([`resample`]). A video becomes pictures with their times, and its sound.

pub mod activity;
pub mod camera;
pub mod decode;
pub mod device;
pub mod extent;
pub mod kind;
pub mod level;
pub mod picture;
pub mod recorder;
pub mod resample;
pub mod subtitles;
pub mod video;
pub mod voices;
pub mod wav;

/// Samples a second of all sound that the engine hears.
pub const SAMPLE_RATE: u32 = 16_000;
