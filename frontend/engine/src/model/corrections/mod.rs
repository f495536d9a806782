//! Adapters in the decoder: the corrections of all of them, stacked, so that their number costs no dispatches.
//!
//! | file | has |
//! |---|---|
//! | [`site`] | products that share an input |
//! | [`describe`] | the values of all corrections, without a device |
//! | [`experts`] | the corrections of the experts of a mixture |
//! | [`ahead`] | what a product leaves for the site behind it |
//! | [`load`] | their content, on the device |
//!
//! Products that share an input share a *site*. A site has one matrix A, `[corrected products · rank, K]`, that makes
//! z, and the rows of B of its products, `[rows, rank]`. `rank` is the sum over adapters of their largest ranks, each
//! rounded up to a multiple of 4; what an adapter lacks is zero. α/r is multiplied into B; the scale that a person sets
//! lies in a buffer with one number for each element of the rank.
//!
//! In decode z comes without a dispatch of its own where it can ([`UpdateSource`]). What that needs lies in one buffer a layer: the
//! scales, then site by site B, the columns of A, U, and the rows of B of V.

mod ahead;
mod describe;
mod experts;
mod load;
mod site;

pub use ahead::Ahead;
pub use describe::{Corrections, SiteCorrections, UpdateSource, total_rank};
pub use experts::{ExpertFactors, OfExperts};
pub use load::{Scales, load};
pub use site::shape;
