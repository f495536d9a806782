//! The test programs, compiled once for all steps.
//!
//! Cargo decides which features a crate has by looking at everything that one command builds. A command for each step
//! would therefore compile `wgpu` and `leptos` several times, each with other features. So one command compiles all
//! programs, and each step runs its own.
//!
//! The compiler of our own crates is Clippy's, which is the compiler with more lints: `cargo clippy` beside it would check
//! every crate once more, all dependencies included.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::process::{cargo, diagnostics, exists, output, step};
use crate::{project, site};

/// Every crate but the page's bundle, which is for wasm alone: here it would give the server's `leptos` the features
/// of a browser.
const NATIVE: &[&str] = &["--workspace", "--exclude", "frontend"];

/// Clippy as a compiler.
const CLIPPY: &str = "clippy-driver";

/// A compiled program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The folder of its package, relative to the root.
    pub package: PathBuf,
    /// The name of its target.
    pub name: String,
    /// Whether it holds tests.
    pub is_test: bool,
    /// Whether it is a file of `tests/`, and not the unit tests of a library or a program.
    pub is_integration_test: bool,
    /// Where it is.
    pub executable: PathBuf,
}

impl Program {
    /// Whether it has this package and name.
    pub fn is(&self, (package, name): (&str, &str)) -> bool {
        self.package == Path::new(package) && self.name == name
    }
}

/// Compiles the programs and returns them.
pub fn compile() -> Result<Vec<Program>> {
    step("Compiling all tests", || {
        let messages = output(build().arg("--message-format=json-render-diagnostics"))?;
        let root = project::root();
        Ok(messages.lines().filter_map(|message| parse(message, &root)).collect())
    })
}

/// Checks that neither the compiler nor Clippy has warned of anything in the compiled programs.
pub fn lint() -> Result<()> {
    if !exists(CLIPPY) {
        bail!("Clippy is missing. Install it with `rustup component add clippy`");
    }
    // It is compiled: cargo tells again what was said, this time in messages.
    match diagnostics(&mut build())? {
        0 => Ok(()),
        count => bail!("{count} warnings, which are errors here"),
    }
}

/// The executable of this name, if it has been compiled on the way.
pub fn executable(programs: &[Program], name: &str) -> Option<PathBuf> {
    let program = programs.iter().find(|program| !program.is_test && program.name == name)?;
    Some(program.executable.clone())
}

/// The command that compiles all tests.
fn build() -> Command {
    let mut build = cargo(&project::root());
    build.args(["test", "--locked", "--no-run", "--all-targets"]).args(NATIVE);
    // Up to a third of the compiler's time. Panics tell their lines without it.
    build.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "0");
    if exists(CLIPPY) {
        // What lints find stops no test from running: `lint` makes a failure of it.
        site::lint_tests(&mut build);
    }
    build
}

/// Reads one of cargo's messages. `None` when it does not tell of a program.
fn parse(message: &str, root: &Path) -> Option<Program> {
    let executable = field(message, "executable")?;
    let manifest = PathBuf::from(field(message, "manifest_path")?);
    let package = manifest.parent()?;
    Some(Program {
        package: package.strip_prefix(root).unwrap_or(package).to_owned(),
        name: field(message, "name")?,
        // Benchmarks are compiled to be linted, and are not run.
        is_test: message.contains("\"test\":true},\"features\"") && !message.contains("\"kind\":[\"bench\"]"),
        is_integration_test: message.contains("\"kind\":[\"test\"]"),
        executable: executable.into(),
    })
}

/// The first string of this name. Cargo writes its messages without spaces, and escapes nothing in paths but
/// backslashes.
fn field(message: &str, name: &str) -> Option<String> {
    let (_, rest) = message.split_once(&format!("\"{name}\":\""))?;
    let (value, _) = rest.split_once('"')?;
    Some(value.replace(r"\\", r"\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = concat!(
        r#"{"reason":"compiler-artifact","package_id":"path+file:///home/me/gemtab/shaders#0.1.0","#,
        r#""manifest_path":"/home/me/gemtab/shaders/Cargo.toml","target":{"kind":["test"],"crate_types":["bin"],"#,
        r#""name":"naga","src_path":"/home/me/gemtab/shaders/tests/naga.rs","edition":"2024","doc":false,"#,
        r#""doctest":false,"test":true},"profile":{"opt_level":"2","debuginfo":1,"debug_assertions":true,"#,
        r#""overflow_checks":true,"test":true},"features":[],"filenames":["/home/me/gemtab/t/naga-1f"],"#,
        r#""executable":"/home/me/gemtab/t/naga-1f","fresh":true}"#
    );

    #[test]
    fn a_test_program_is_read_from_a_message() {
        let program = parse(TEST, Path::new("/home/me/gemtab")).expect("a program");
        let expected = Program {
            package: "shaders".into(),
            name: "naga".into(),
            is_test: true,
            is_integration_test: true,
            executable: "/home/me/gemtab/t/naga-1f".into(),
        };
        assert_eq!(program, expected);
    }

    #[test]
    fn a_library_is_no_program_and_a_binary_no_test() {
        let library = TEST.replace(r#""executable":"/home/me/gemtab/t/naga-1f""#, r#""executable":null"#);
        assert_eq!(parse(&library, Path::new("/")), None);
        let binary = TEST.replace(r#""test":true},"features""#, r#""test":false},"features""#);
        let binary = binary.replace(r#""kind":["test"]"#, r#""kind":["bin"]"#);
        let program = parse(&binary, Path::new("/")).expect("a program");
        assert!(!program.is_test && !program.is_integration_test);
        let benchmark = TEST.replace(r#""kind":["test"]"#, r#""kind":["bench"]"#);
        assert!(!parse(&benchmark, Path::new("/")).expect("a program").is_test);
    }
}
