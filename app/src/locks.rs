//! Locks between the tabs of this page: each sees by them what the others do.

pub use interop::locks::{Lock, hold, is_held, named, wait};
