//! `probe` as a person calls it.

mod arguments;
#[path = "../../../engine/tests/common/mod.rs"]
mod common;
mod diffuse;
mod drafts;
mod plan;
mod train;
