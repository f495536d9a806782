//! Matrix–vector products of decode.

mod launcher;
pub mod twin;

pub use launcher::{
    Correction, Epilogue, Form, Matvec, Merge, Norms, Params, Prologue, permutations, shrink_form,
};
