//! What the program says of input that it cannot use.
//!
//! Because of this file cargo compiles the program itself beside all tests. Without it, the step `site` would compile it and
//! its dependencies again, with other features.

use std::path::Path;
use std::process::Command;

/// Whether the program succeeded with these arguments, and what it said.
fn glue(arguments: &[&Path]) -> (bool, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_glue")).args(arguments).output().expect("the program starts");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn arguments_that_are_missing_are_told() {
    let (done, said) = glue(&[]);
    assert!(!done && said.contains("usage: glue INPUT.wasm OUT_DIR NAME"), "{said}");
}

#[test]
fn a_file_that_is_missing_or_no_wasm_is_named() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for input in [Path::new("missing.wasm"), Path::new("Cargo.toml")] {
        let (done, said) = glue(&[input, out, Path::new("page")]);
        assert!(!done && said.contains(&input.display().to_string()), "{said}");
    }
}
