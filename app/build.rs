//! Makes typed functions of the texts in `locales`, one file a language, and those that find the texts of failures.

#[path = "build/failures.rs"]
mod failures;
#[path = "build/messages.rs"]
mod messages;

use std::{env, fs, io, path::Path, process::ExitCode};

/// Where the enums of failures are.
const ENUMS: [&str; 8] = [
    "../frontend/protocol/src/failure",
    "../frontend/protocol/src/example.rs",
    "../frontend/protocol/src/media.rs",
    "../frontend/protocol/src/pull.rs",
    "../frontend/protocol/src/said.rs",
    "src/failures/mod.rs",
    "src/mcp/error.rs",
    "src/tools/error.rs",
];

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=locales");
    println!("cargo::rerun-if-changed=build");
    for path in ENUMS {
        println!("cargo::rerun-if-changed={path}");
    }
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
    let catalogue = messages::read(Path::new("locales"))?;
    let mut sources = Vec::new();
    for path in ENUMS {
        sources.extend(read(Path::new(path)).map_err(|error| vec![format!("{path}: {error}")])?);
    }
    let failures =
        failures::generate(&sources, &catalogue, &failures::ROOTS, &failures::BY_HAND, &failures::SAME)?;
    let folder = env::var_os("OUT_DIR").unwrap_or_default();
    for (name, code) in [("messages.rs", messages::generate(&catalogue)), ("failures.rs", failures)] {
        fs::write(Path::new(&folder).join(name), code).map_err(|error| vec![error.to_string()])?;
    }
    Ok(())
}

/// A file, or those of a folder.
fn read(path: &Path) -> io::Result<Vec<String>> {
    if !path.is_dir() {
        return Ok(vec![fs::read_to_string(path)?]);
    }
    fs::read_dir(path)?.map(|entry| fs::read_to_string(entry?.path())).collect()
}
