//! The toolchain for the wasm builds.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use super::{debian, fallback};
use crate::process::{cargo, exists, output, run, step};
use crate::project;

/// The target that both bundles are compiled for.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Which toolchain compiles for wasm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolchain {
    /// The one that compiles everything else.
    Own,
    /// The one that [`fallback`] puts together from Debian's packages.
    Debian,
}

impl Toolchain {
    /// Finds a toolchain that can compile for wasm, and installs what is missing.
    ///
    /// # Errors
    /// When there is none and none can be installed: the message says what to do.
    pub fn ensure() -> Result<Self> {
        if let Some(found) = Self::find_or_add() {
            return Ok(found);
        }
        if !(debian::has_apt() && exists("rustup")) {
            bail!(
                "Rust has no {TARGET} target here, and it could not be added. Install Rust through rustup \
                 (https://rustup.rs) and run `rustup target add {TARGET}`."
            );
        }
        fallback::install()?;
        if !Self::Debian.has_standard_library() {
            bail!("the toolchain from Debian's packages has no standard library for {TARGET}");
        }
        Ok(Self::Debian)
    }

    /// Finds a toolchain that can compile for wasm, or has rustup add the target to the one that compiles everything else.
    /// `None` if rustup can't. Nothing may compile meanwhile.
    pub fn find_or_add() -> Option<Self> {
        let known = [Self::Own, Self::Debian].into_iter().find(|toolchain| toolchain.has_standard_library());
        if known.is_some() || !exists("rustup") {
            return known;
        }
        let added = step("Adding the wasm target to Rust", || {
            run(Command::new("rustup").args(["target", "add", TARGET]))
        });
        added.inspect_err(|error| eprintln!("    {error:#}")).ok().map(|()| Self::Own)
    }

    /// A cargo that compiles for wasm with this toolchain: `cargo SUBCOMMAND --target …`.
    pub fn cargo(self, subcommand: &str) -> Command {
        let mut cargo = cargo(&project::root());
        self.select(&mut cargo);
        cargo.arg(subcommand).args(["--locked", "--target", TARGET]);
        // Flags meant for native builds would replace those of `.cargo/config.toml`.
        cargo.env("CARGO_TARGET_DIR", project::wasm_target()).env_remove("RUSTFLAGS");
        cargo.env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("CARGO_BUILD_TARGET");
        cargo
    }

    /// Whether `cargo clippy` works with this toolchain.
    pub fn has_clippy(self) -> bool {
        let mut cargo = cargo(&project::root());
        self.select(&mut cargo);
        crate::process::succeeds(cargo.args(["clippy", "--version"]))
    }

    fn select(self, command: &mut Command) {
        if self == Self::Debian {
            command.env("RUSTUP_TOOLCHAIN", fallback::NAME);
        }
    }

    fn has_standard_library(self) -> bool {
        if self == Self::Debian && !fallback::is_linked() {
            return false;
        }
        let mut rustc = Command::new("rustc");
        self.select(&mut rustc);
        rustc.stderr(std::process::Stdio::null()).args(["--print", "target-libdir", "--target", TARGET]);
        let Ok(folder) = output(&mut rustc) else { return false };
        let Ok(entries) = fs::read_dir(PathBuf::from(folder.trim())) else { return false };
        entries.flatten().any(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("libstd-") && name.ends_with(".rlib")
        })
    }
}
