//! Installing what a build or a test needs, on a machine that has Rust and Node.

mod browser;
mod debian;
mod deny;
mod fallback;
mod node;
mod published;
mod schemas;
mod servers;
mod wasm;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use browser::{chromium, firefox, fonts, headless_shell, software_vulkan, webkit};
pub use deny::cargo_deny;
pub use node::{install, npx};
pub use published::gemma3_270m;
pub use schemas::schema_suite;
pub use servers::{docker_registry, moto, nginx};
pub use wasm::Toolchain;

/// Installers run one at a time: apt and npm would meet each other's locks and half-made folders.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Waits for other installers of this process. Held while one runs.
fn alone() -> MutexGuard<'static, ()> {
    INSTALLING.lock().unwrap_or_else(PoisonError::into_inner)
}
