//! `probe`: the engine from a terminal. Every command prints one JSON object; a failure is one line on stderr and a
//! non-zero exit.

mod adapters;
mod bench;
mod check;
mod commands;
mod device;
mod diffuse;
mod drafts;
mod embed;
mod files;
mod generate;
mod grammars;
mod info;
mod logits;
mod media;
mod plan;
mod train;

use std::io::Write as _;

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
fn printed(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| text.trim_end().to_owned())
}

/// Prevents Mesa's device selection layer from connecting to a desktop that does not exist. It would print errors
/// and select nothing.
#[allow(unsafe_code)]
fn quiet_without_a_desktop() {
    let set = |name: &str| std::env::var_os(name).is_some();
    if cfg!(target_os = "linux") && !set("XDG_RUNTIME_DIR") && !set("MESA_VK_DEVICE_SELECT") {
        // SAFETY: this is the only thread so far.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}
