//! `probe`: the engine from a terminal. Every command prints one JSON object; a failure is one line on stderr and a
//! non-zero exit.

#[cfg(not(target_arch = "wasm32"))]
mod adapters;
#[cfg(not(target_arch = "wasm32"))]
mod bench;
#[cfg(not(target_arch = "wasm32"))]
mod check;
#[cfg(not(target_arch = "wasm32"))]
mod commands;
#[cfg(not(target_arch = "wasm32"))]
mod device;
#[cfg(not(target_arch = "wasm32"))]
mod diffuse;
#[cfg(not(target_arch = "wasm32"))]
mod drafts;
#[cfg(not(target_arch = "wasm32"))]
mod files;
#[cfg(not(target_arch = "wasm32"))]
mod generate;
mod info;
#[cfg(not(target_arch = "wasm32"))]
mod logits;
#[cfg(not(target_arch = "wasm32"))]
mod media;
#[cfg(not(target_arch = "wasm32"))]
mod plan;
#[cfg(not(target_arch = "wasm32"))]
mod train;

#[cfg(not(target_arch = "wasm32"))]
use std::io::Write as _;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    quiet_without_a_desktop();
    match commands::run() {
        // A closed pipe, as with `head`, is not an error.
        Ok(value) => match writeln!(std::io::stdout(), "{}", printed(&value)) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                eprintln!("probe: {error}");
                std::process::ExitCode::FAILURE
            }
            _ => std::process::ExitCode::SUCCESS,
        },
        Err(error) => {
            // A single line, with all causes.
            eprintln!("probe: {}", format!("{error:#}").replace('\n', " "));
            std::process::ExitCode::FAILURE
        }
    }
}

/// JSON; strings are printed as they are.
#[cfg(not(target_arch = "wasm32"))]
fn printed(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| text.trim_end().to_owned())
}

/// Prevents Mesa's device selection layer from connecting to a desktop that does not exist. It would print errors
/// and select nothing.
#[cfg(not(target_arch = "wasm32"))]
#[allow(unsafe_code)]
fn quiet_without_a_desktop() {
    let set = |name: &str| std::env::var_os(name).is_some();
    if cfg!(target_os = "linux") && !set("XDG_RUNTIME_DIR") && !set("MESA_VK_DEVICE_SELECT") {
        // SAFETY: this is the only thread so far.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
