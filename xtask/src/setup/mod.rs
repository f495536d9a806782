//! Installing what a build or a test needs, on a machine that has Rust and Node.

mod browser;
mod debian;
mod fallback;
mod node;
mod wasm;

pub use browser::{chromium, software_vulkan};
pub use node::{install, npx};
pub use wasm::Toolchain;
