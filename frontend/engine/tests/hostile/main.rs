//! Files that are made to do harm: small ones that ask for much memory, and broken ones of every kind.

#[path = "../common/mod.rs"]
mod common;
mod counting;
mod fuzz;
mod media;
mod parsers;
