//! What the simulated engine needs of where it runs: a browser, or a test.

use std::future::Future;
use std::pin::Pin;

use protocol::Event;

/// A future of one thread.
pub type Local = Pin<Box<dyn Future<Output = ()>>>;

/// What the page hears.
#[derive(Clone, Debug)]
pub enum Said {
    /// An event.
    Event(Event),
    /// That the engine is gone, and why.
    Crashed(String),
}

/// Where the engine runs.
pub trait Platform {
    /// Tells the page.
    fn say(&self, said: Said);
    /// Runs a task beside the others.
    fn spawn(&self, task: Local);
    /// Waits so many milliseconds; in tests, until the other tasks have had their turn.
    fn pause(&self, milliseconds: u32) -> Local;
}
