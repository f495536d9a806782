//! Matrix–vector products of decode.

mod adapters;
mod epilogue;
mod kernel;
mod params;
mod product;
mod prologue;
pub mod twin;

pub use adapters::{Adapted, Correction, HandoffForm, HandoffPlaces, ZSource};
pub use epilogue::Epilogue;
pub use kernel::Matvec;
pub use params::Params;
pub use product::{Form, shrink_form};
pub use prologue::{Merge, Norms, Prologue};
