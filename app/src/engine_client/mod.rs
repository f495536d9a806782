//! The page's side of the conversation with the engine.
//!
//! [`EngineClient`] numbers requests and hands each its own stream of events; [`worker::WorkerTransport`] carries the
//! messages to a dedicated worker.

mod client;
mod worker;

pub use client::{EngineClient, Notice, Reply};

use protocol::Event;

/// Where a transport delivers what it hears.
pub type Sink = std::rc::Rc<dyn Fn(Delivery)>;

/// What a transport hears.
#[derive(Clone, Debug, PartialEq)]
pub enum Delivery {
    /// The engine said this.
    Event(Event),
    /// The engine is gone, and why.
    Crashed(String),
    /// It sent what this page cannot read, and what is wrong with it.
    Unreadable(String),
}
