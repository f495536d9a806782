//! A model that decodes by diffusion: a canvas of tokens is denoised as a whole, step by step, then becomes final, and the
//! next one begins (specification §13).
//!
//! | file | has |
//! |---|---|
//! | [`plans`] | what the device does |
//! | [`diffuser`] | the programs, and what the host writes and reads between them |
//! | [`logits`] | logits of a canvas on the host, for comparisons |
//! | [`noise`] | the random numbers of a block |

mod diffuser;
mod logits;
mod noise;
mod plans;

pub use diffuser::{Diffuser, Predicted};
pub use logits::CanvasLogits;
pub use noise::{Noise, NoiseError, Recorded, RecordedStep};
pub use plans::DiffusionPlans;
