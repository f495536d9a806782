//! Matrix–vector products of decode.

mod case;
mod epilogue;
mod kernel;
mod low_rank;
mod params;
mod product;
mod prologue;
pub mod twin;

pub use epilogue::Epilogue;
pub use kernel::Matvec;
pub use low_rank::{Correction, HandoffForm, HandoffPlaces, LowRank, ZSource};
pub use params::Params;
pub use product::{Form, shrink_form};
pub use prologue::{Merge, Norms, Prologue};
