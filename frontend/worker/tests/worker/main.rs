//! The worker on a native device. One program, since each that links the engine takes a minute to compile.

mod adapters;
mod conduct;
mod connection;
mod desk;
mod device;
mod diffusion;
mod drafting;
mod eight_bits;
mod embedding;
mod experts;
mod going_on;
mod kept_caches;
mod large_pictures;
mod media;
mod memory;
mod packed;
mod pages;
mod rechecking;
mod table;
mod towers;
mod tuning;
mod tuning_media;
mod verifying;
