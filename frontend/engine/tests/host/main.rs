//! What needs no device: files that are read and written, blobs that are kept, plans. Through the public interface
//! alone. One program, since each that links `wgpu` takes long to compile.

mod adapter_names;
#[path = "../common/mod.rs"]
mod common;
mod diffusion;
mod embedding;
mod expert_adapter;
mod gemma3;
mod gguf;
mod http;
mod mlx;
mod paced_queue;
mod plan;
mod quant_vectors;
mod store;
mod wav;
