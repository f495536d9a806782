//! The page's side of the conversation with the engine.
//!
//! [`EngineClient`] numbers requests and hands each its own stream of events; a [`Transport`] carries the messages:
//! [`worker::WorkerTransport`] to the real engine in a dedicated worker, [`fake::FakeTransport`] to one that is
//! played by timers, so that every page can be tested without a graphics device.

mod client;
pub mod fake;
mod worker;

pub use client::{EngineClient, Notice, Reply};

use protocol::{Event, Request};

/// Carries requests to an engine. Its events come back through the [`Sink`] it was started with.
pub trait Transport {
    /// Sends a request, with the files it speaks of.
    ///
    /// # Errors
    /// When the engine cannot be reached any more, in words.
    fn post(&self, request: &Request, files: &[web_sys::Blob]) -> Result<(), String>;
}

/// Where a transport delivers what it hears.
pub type Sink = std::rc::Rc<dyn Fn(Delivery)>;

/// What a transport hears.
#[derive(Clone, Debug, PartialEq)]
pub enum Delivery {
    /// The engine said this.
    Event(Event),
    /// The engine is gone, and why.
    Crashed(String),
}
