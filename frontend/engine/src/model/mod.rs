//! The text decoder: configuration, tensors, and plans.

mod architectures;
mod classes;
mod config;
mod corrections;
mod decode;
mod decoder;
mod denoising;
mod diffusion;
mod drafter;
mod embed;
mod embedding2;
mod encoder;
mod expert_cache;
mod expert_scratch;
mod experts;
mod few_rows;
mod gemma;
mod gemma3;
mod gemma4;
mod host_table;
mod kv_cache;
pub mod layer;
mod parts;
mod prefill;
pub mod product;
mod ropes;
mod rounded_rows;
mod row_cache;
mod rows;
mod sampler;
mod sampling_plans;
mod scratch;
mod slots;
mod step_error;
mod tensors;
mod tuning;
mod verify;

pub use classes::{Class, LARGE};
pub use config::{Architecture, Attention, Config, ConfigError, Encoder, Experts, LayerConfig, OtherKind};
pub(crate) use config::{Bounds, EPSILON};
pub(crate) use corrections::shape as target_shape;
pub use corrections::{Corrections, total_rank};
pub use decoder::{
    Costs, Decoder, DecoderPlans, DraftReader, DraftSource, DraftStep, Drafts, LoadedModel, LogitsPlans,
    LogitsReader, MaskedSource, Plans, Preparing, Speculation, TIMED_POSITIONS, TokenSource,
};
pub use denoising::{Denoising, DenoisingError, MAX_CANVAS, Stability};
pub use diffusion::{
    CanvasLogits, Diffuser, DiffusionPlans, Noise, NoiseError, Predicted, Recorded, RecordedStep,
};
pub use drafter::{DraftParts, Drafter, DrafterError, DrafterSpec};
pub use encoder::{BATCH_ROWS, EncoderPlans, TextEncoder};
pub use expert_cache::{ExpertSource, ExpertUse};
pub(crate) use expert_scratch::ExpertScratch;
pub(crate) use experts::{Pairs, ranges};
pub use host_table::{HostTable, RowError};
pub use kv_cache::{KEYS, KvCache, KvType, LayerCache, ring};
pub use layer::Site;
pub use parts::{Extent, Parts, Rope, history};
pub use row_cache::{RowCache, RowCacheValues};
pub(crate) use rows::activation_params;
pub use scratch::{Scratch, TEXT_CHUNK, chunk};
pub use step_error::{ExpertError, StepError};
pub use tensors::DENSE;
pub use tuning::{Tuning, large_products};
