//! Matrix–vector products of decode.

mod launcher;
pub mod twin;

pub use launcher::{Epilogue, Form, Matvec, Merge, Norms, Params, Prologue, permutations};
