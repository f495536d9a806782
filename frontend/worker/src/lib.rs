//! The worker's wasm bundle: owns the engine and speaks [`protocol`] with the page.
//!
//! ```text
//! page ─ToWorker─▶ web ──▶ router ──▶ loading · generating · diagnosing · tuning · keeping
//!      ◀─ToPage───          host: device, model, session, one at a time
//! ```
//! What needs a browser (messages, `fetch`, files, storage, the adapter's name) is behind [`platform::Platform`];
//! `web` implements it, and the tests implement it with files and a native device. So loads, answers, cancelling and
//! the recovery of a lost device are tested without a browser.

mod adapters;
mod batch;
mod caches;
pub mod choices;
mod constraining;
pub mod constraints;
mod convert;
mod details;
pub mod device;
mod diagnosing;
mod drafting;
mod embedding;
mod experts;
mod failure;
mod generating;
mod host;
mod keeping;
mod loading;
mod local;
mod media;
pub mod platform;
mod progress;
mod reading;
mod router;
mod saving;
mod state;
mod towers;
mod tuning;
mod verifying;
#[cfg(target_arch = "wasm32")]
mod web;

pub use host::Host;
