//! An engine that computes nothing: it plays one with timers, so that every page can be tested and drawn without a
//! graphics device. It runs only when the page's address asks for it: `?fake` or `?fake=WORD,WORD…`; the words are
//! those of [`Scenario`].

mod answers;
mod diagnosis;
mod media;
mod models;
mod play;
mod scenario;
mod tune;

pub use models::catalog;
pub use play::FakeTransport;
pub use scenario::{Models, Scenario};
