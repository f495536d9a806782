//! Installing what a build or a test needs, on a machine that has Rust and Node.

mod browser;
mod debian;
mod deny;
mod fallback;
mod node;
mod registry;
mod wasm;

pub use browser::{chromium, firefox, fonts, headless_shell, software_vulkan, webkit};
pub use deny::cargo_deny;
pub use node::{install, npx};
pub use registry::docker_registry;
pub use wasm::Toolchain;
