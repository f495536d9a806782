//! Clippy beside the compiler.
//!
//! `cargo clippy` compiles nothing, and so checks all dependencies once more. Here each crate of the workspace is linted
//! right before it is compiled, against the dependencies that are compiled in any case. The compiled code is the
//! compiler's own: Clippy as a compiler would leave out optimisations.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use std::{env, fs};

use anyhow::{Context as _, Result};

use crate::process::{run, succeeds};
use crate::project;

/// Set where cargo calls this program in place of the compiler.
const AS_COMPILER: &str = "GEMTAB_LINTING_COMPILER";

/// Its value where a crate is linted and compiled one after the other.
const APART: &str = "apart";

/// Its value where Clippy compiles all but libraries without their tests.
const TESTS: &str = "tests";

/// Clippy, in the place of the compiler.
const CLIPPY: &str = "clippy-driver";

/// The copy of this program that cargo calls.
fn wrapper() -> PathBuf {
    project::state().join(format!("compiler{}", env::consts::EXE_SUFFIX))
}

/// Keeps a copy of this program, to be called as the compiler: where tests are compiled, cargo replaces this one.
pub fn keep_wrapper() -> Result<()> {
    let own = env::current_exe().context("cannot find this program")?;
    let (wrapper, part) = (wrapper(), wrapper().with_extension("part"));
    fs::create_dir_all(project::state())
        .and_then(|()| fs::copy(&own, &part))
        .and_then(|_| fs::rename(&part, &wrapper))
        .with_context(|| format!("{} cannot be written", wrapper.display()))
}

/// Has a cargo command lint the crates of the workspace before it compiles them. What lints find are warnings.
pub fn lint(cargo: &mut Command) {
    wrap(cargo, APART);
}

/// Has a cargo command compile tests by Clippy, which is the compiler with lints: a library is linted with its tests, and not once
/// more without them. What lints find are warnings.
pub fn lint_tests(cargo: &mut Command) {
    wrap(cargo, TESTS);
}

fn wrap(cargo: &mut Command, manner: &str) {
    let cap = ["--cap-lints", "warn"].map(|word| format!("{word}__CLIPPY_HACKERY__")).concat();
    cargo.env("RUSTC_WORKSPACE_WRAPPER", wrapper()).env(AS_COMPILER, manner).env("CLIPPY_ARGS", cap);
}

/// Where cargo has called this program as the compiler: lints, compiles, and is done.
pub fn as_compiler() -> Option<ExitCode> {
    let manner = env::var_os(AS_COMPILER)?;
    let mut arguments = env::args_os().skip(1);
    let compiler = arguments.next()?;
    let arguments: Vec<_> = arguments.collect();
    let done = (|| {
        if manner == TESTS {
            let lints = !is_plain_library(&arguments);
            let mut command = if lints { Command::new(CLIPPY) } else { Command::new(&compiler) };
            return run(command.args(lints.then_some(&compiler)).args(&arguments));
        }
        let linted = linted(&arguments).filter(|_| succeeds(Command::new(CLIPPY).arg("--version")));
        if let Some(linted) = &linted {
            run(Command::new(CLIPPY).arg(&compiler).args(linted))?;
        }
        // Clippy has said what the compiler would.
        run(Command::new(&compiler).args(&arguments).args(linted.map(|_| "--cap-lints=allow")))
    })();
    // The compiler has said why.
    Some(if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether these compile a library without its tests, of which there is also one with them.
fn is_plain_library(arguments: &[OsString]) -> bool {
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    has("lib") && !has("--test")
}

/// The arguments that lint what these compile. `None` where they ask for something else.
fn linted(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let mut linted = Vec::new();
    let mut compiles = false;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        if text.starts_with("--emit=") {
            compiles = true;
            linted.push("--emit=metadata".into());
        } else if let Some(messages) = text.strip_prefix("--json=") {
            // Cargo would take the files that are announced for those of the compiler.
            let kept: Vec<_> = messages.split(',').filter(|message| *message != "artifacts").collect();
            linted.push(format!("--json={}", kept.join(",")).into());
        } else if argument == "--out-dir" {
            linted.extend([argument.clone(), Path::new(rest.next()?).join("linted").into()]);
        } else {
            linted.push(argument.clone());
        }
    }
    compiles.then_some(linted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compiled_is_linted_apart() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let compile =
            words("--crate-name app --json=diagnostic-rendered-ansi,artifacts --emit=link --out-dir /t");
        let lint =
            words("--crate-name app --json=diagnostic-rendered-ansi --emit=metadata --out-dir /t/linted");
        assert_eq!(linted(&compile), Some(lint));
        assert_eq!(linted(&words("- --crate-name ___ --print=file-names")), None);
    }

    #[test]
    fn a_library_is_linted_with_its_tests() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert!(is_plain_library(&words("--crate-name app --crate-type lib --emit=link")));
        for linted in
            ["--crate-name app --emit=link --test", "--crate-name server --crate-type bin --emit=link"]
        {
            assert!(!is_plain_library(&words(linted)), "{linted}");
        }
    }
}
