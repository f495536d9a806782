//! Installing what a build or a test needs, on a machine that has Rust and Node.

mod browser;
mod debian;
mod deny;
mod fallback;
mod node;
mod servers;
mod wasm;

pub use browser::{chromium, firefox, fonts, headless_shell, software_vulkan, webkit};
pub use deny::cargo_deny;
pub use node::{install, npx};
pub use servers::{docker_registry, moto, nginx};
pub use wasm::Toolchain;
