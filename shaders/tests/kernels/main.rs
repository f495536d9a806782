//! The kernels against their twins, on a device. One program, since each that links `wgpu` takes long to compile.

mod adapter;
mod attention_block;
mod attention_decode;
mod audio;
mod backward;
mod backward_experts;
mod barriers;
mod common;
mod diffusion;
mod draft;
mod experts;
mod exponential;
mod low_rank;
mod matvec;
mod naga;
mod permutations;
mod quant;
mod rounds;
mod rows;
mod sampling;
mod subnormal;
mod towers;
mod training;
mod vision;
mod weights;
mod workgroup_memory;
