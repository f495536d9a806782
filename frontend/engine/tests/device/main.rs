//! The engine on a device. One program, since each that links `wgpu` takes a minute to compile.

mod adapter;
mod adversarial;
mod ahead;
mod audio;
#[path = "../common/mod.rs"]
mod common;
mod constrained;
mod diffusion;
mod diffusion_experts;
mod drafter;
mod drafts;
mod embedding;
mod expert_adapter;
mod expert_cache;
mod experts;
mod faulty_source;
mod golden;
mod large_pictures;
mod made_up;
mod memory;
mod published;
mod session;
mod split_head;
mod table;
mod towers;
mod train;
mod vision;
