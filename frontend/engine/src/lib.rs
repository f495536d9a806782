//! Gemma 4 on WebGPU: the same code natively (tests, `probe`, benchmarks) and in the browser's worker.
//!
//! A model is read through a [`bytes::ByteSource`]; [`gguf`] parses its header; [`tokenizer`] and [`template`]
//! handle text. [`model`] describes the decoder's computation as [`plan`]s. [`weights`] streams tensors to the
//! device. [`gpu`] owns the device and binds plans to programs. [`session`] is the interface for the worker.

pub mod adapter;
pub mod audio;
pub mod bytes;
pub mod check;
pub mod gguf;
pub mod gpu;
pub mod media;
pub mod model;
pub mod plan;
pub mod session;
pub mod split_mix;
pub mod store;
pub mod template;
pub mod tiles;
pub mod tokenizer;
pub mod train;
pub mod vision;
pub mod weights;
