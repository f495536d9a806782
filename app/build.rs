//! Makes typed functions of the texts in `locales`, one file a language.

#[path = "build/messages.rs"]
mod messages;

use std::{env, fs, path::Path, process::ExitCode};

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=locales");
    println!("cargo::rerun-if-changed=build");
    match make() {
        Ok(()) => ExitCode::SUCCESS,
        Err(faults) => {
            for fault in faults {
                println!("cargo::error={fault}");
            }
            ExitCode::FAILURE
        }
    }
}

fn make() -> Result<(), Vec<String>> {
    let code = messages::generate(&messages::read(Path::new("locales"))?);
    let folder = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&folder).join("messages.rs"), code).map_err(|error| vec![error.to_string()])
}
