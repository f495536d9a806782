//! The text decoder: what the file says, what it costs, and the lists of dispatches that run it.

mod config;
mod corrections;
mod decode;
mod decoder;
mod embed;
mod forms;
mod host_table;
mod kv_cache;
mod parts;
mod prefill;
mod sampler;
mod scratch;
mod tensors;

pub use config::{Attention, Config, ConfigError, LayerConfig};
pub use corrections::{Corrections, Site, spans};
pub use decoder::{Decoder, Ingredients, StepError};
pub use host_table::{HostTable, RowError};
pub use kv_cache::{KvCache, KvType, LayerCache, ring};
pub use parts::{Parts, Rope};
pub use scratch::{Scratch, chunk, ring_bytes, working_bytes};
pub use tensors::{MatrixSpec, TensorError, TensorList, VectorSpec};
