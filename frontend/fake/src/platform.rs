//! The environment of the simulated engine: a browser or a test.

use std::future::Future;
use std::pin::Pin;

use protocol::ToPage;

/// A future of one thread.
pub type Local = Pin<Box<dyn Future<Output = ()>>>;

/// What the page gets.
#[derive(Clone, Debug)]
pub enum Posted {
    /// A message.
    Message(ToPage),
    /// The engine has crashed, for this reason.
    Crashed(String),
}

/// Where the engine runs.
pub trait Platform {
    /// Sends it to the page.
    fn post(&self, posted: Posted);
    /// Runs a task beside the others.
    fn spawn(&self, task: Local);
    /// Waits so many milliseconds; in tests, until the other tasks have had their turn.
    fn pause(&self, milliseconds: u32) -> Local;
}
