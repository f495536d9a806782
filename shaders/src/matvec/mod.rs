//! Matrix–vector products of decode.

mod adapters;
mod launcher;
mod permutations;
pub mod twin;

pub use adapters::{Adapted, Correction, Leaves, Leavings, Takes};
pub use launcher::{Epilogue, Form, Matvec, Merge, Norms, Params, Prologue, shrink_form};
pub use permutations::permutations;
