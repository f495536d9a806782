//! The expert cache: experts of a mixture that is larger than the memory of the device.
//!
//! Each layer has slots for some of its experts; all are in the local copy of the file. A plan looks up the chosen ones
//! in a table (`wgsl/experts/locate.wgsl`), and the host loads what is missing between two submits. The values of the
//! cache are described with the other working buffers of experts ([`CacheValues`](super::expert_scratch::CacheValues)).
//!
//! | file | content |
//! |---|---|
//! | [`plans`] | repacking an expert into a slot |
//! | [`scores`] | which expert makes room for another |
//! | [`passes`] | chunks of rows, which choose more experts than there are slots |
//! | [`cache`] | loading experts from the file |

mod cache;
mod passes;
mod plans;
mod scores;

pub use cache::{Chunk, ExpertCache, ExpertSource, ExpertUse};
pub use plans::CachePlans;
