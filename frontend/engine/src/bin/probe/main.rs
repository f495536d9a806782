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
mod media;
#[cfg(not(target_arch = "wasm32"))]
mod train;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    match commands::run() {
        Ok(value) => {
            println!("{value}");
            std::process::ExitCode::SUCCESS
        }
        Err(error) => {
            // One line, whatever the causes say.
            eprintln!("probe: {}", format!("{error:#}").replace('\n', " "));
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
