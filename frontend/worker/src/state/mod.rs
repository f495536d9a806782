//! What the worker remembers between requests. Nothing here knows the host, which holds it all.

pub mod drafter;
pub mod encoded;
pub mod encoder;
pub mod heard;
pub mod identity;
pub mod keeper;
pub mod kept_caches;
pub mod known;
pub mod pages;
pub(crate) mod sealed;
pub mod shown;
pub mod subject;
pub mod tasks;
pub mod tuning;
pub mod turns;
