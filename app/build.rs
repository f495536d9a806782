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
    let one = |error: std::io::Error| vec![format!("locales: {error}")];
    let mut files = Vec::new();
    for entry in fs::read_dir("locales").map_err(one)? {
        let path = entry.map_err(one)?.path();
        if path.extension().is_some_and(|it| it == "ftl") {
            let tag = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            files.push((tag, fs::read_to_string(&path).map_err(one)?));
        }
    }
    let code = messages::generate(&messages::check(files)?);
    let folder = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&folder).join("messages.rs"), code).map_err(one)
}
