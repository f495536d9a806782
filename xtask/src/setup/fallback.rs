//! A wasm toolchain from Debian's packages, for machines on which rustup cannot download.
//!
//! Debian's `rustc-web` is a recent compiler, and it comes with the sources of the standard library, but without the
//! library for wasm. The packages are unpacked, not installed (they conflict with rustup), the folder is linked into
//! rustup, and the standard library is compiled once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::debian;
use super::wasm::TARGET;
use crate::process::{cargo, output, run, step, succeeds};
use crate::project;

/// The name under which rustup knows the toolchain.
pub const NAME: &str = "gemtab-wasm";

/// Whether rustup knows the toolchain.
pub fn is_linked() -> bool {
    succeeds(Command::new("rustc").env("RUSTUP_TOOLCHAIN", NAME).arg("--version"))
}

/// Puts the toolchain together and links it.
pub fn install() -> Result<()> {
    let cache = project::cache().context("cannot tell the cache folder: HOME is not set")?;
    let (folder, part) = (cache.join("rust"), cache.join("rust.part"));
    eprintln!("    rustup can't download here, so Debian's compiler is used for the wasm builds.");
    step("Fetching Debian's compiler (about 100 MB)", || unpack(&part))?;
    step("Linking it into rustup", || {
        remove(&folder)?;
        fs::rename(&part, &folder).with_context(|| format!("cannot create {}", folder.display()))?;
        run(Command::new("rustup").args(["toolchain", "link", NAME]).arg(&folder))?;
        ensure_it_starts()
    })?;
    step("Compiling the standard library for wasm (once, about 2 minutes)", || {
        build_standard_library(&folder, &cache.join("std"))
    })
}

/// Unpacks the packages into `folder`, in the shape of a rustup toolchain.
fn unpack(folder: &Path) -> Result<()> {
    debian::update();
    let standard_library = debian::dependencies("libstd-rust-web-dev", "libstd-rust-web-")?;
    let standard_library = standard_library.first().context("apt has no rustc-web for this release")?;
    let llvm = debian::dependencies(standard_library, "libllvm")?;
    let packages = ["rustc-web", "libstd-rust-web-dev", "rust-web-src", "rust-web-clippy"];
    let packages =
        packages.into_iter().chain([standard_library.as_str()]).chain(llvm.iter().map(String::as_str));

    let scratch = folder.with_extension("debs");
    for fresh in [folder, &scratch] {
        remove(fresh)?;
        fs::create_dir_all(fresh).with_context(|| format!("cannot create {}", fresh.display()))?;
    }
    for package in packages {
        debian::unpack(package, folder, &scratch)?;
    }
    remove(&scratch)?;

    move_entries(&folder.join("usr"), folder)?;
    let host = host_triple()?;
    move_entries(&folder.join("lib").join(host.replace("-unknown", "")), &folder.join("lib"))?;
    link_sources(folder)?;
    borrow(folder, &[Path::new("bin/cargo"), &Path::new("lib/rustlib").join(host).join("bin/rust-lld")])
}

/// Makes `lib/rustlib/src/rust` point at the sources, where cargo looks for them.
fn link_sources(folder: &Path) -> Result<()> {
    let sources = fs::read_dir(folder.join("src")).context("rust-web-src has no sources in it")?;
    let version = sources
        .flatten()
        .map(|entry| entry.file_name())
        .find(|name| name.to_string_lossy().starts_with("rustc-"))
        .context("rust-web-src has no sources in it")?;
    let link = folder.join("lib/rustlib/src/rust");
    if fs::symlink_metadata(&link).is_ok() {
        fs::remove_file(&link).with_context(|| format!("cannot replace {}", link.display()))?;
    }
    symlink(&Path::new("../../../src").join(version), &link)
}

/// Borrows programs of the machine's own toolchain. Links, not copies: a copied linker does not find its libLLVM.
fn borrow(folder: &Path, programs: &[&Path]) -> Result<()> {
    let own = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    for program in programs {
        let original = Path::new(own.trim()).join(program);
        if !original.exists() {
            bail!("{} is missing: install Rust through rustup", original.display());
        }
        symlink(&original, &folder.join(program))?;
    }
    Ok(())
}

/// Checks that the compiler finds its libraries; LLVM itself needs some that a bare system may lack.
fn ensure_it_starts() -> Result<()> {
    if is_linked() {
        return Ok(());
    }
    let llvm = debian::dependencies("libstd-rust-web-dev", "libstd-rust-web-")?
        .first()
        .map(|package| debian::dependencies(package, "libllvm"))
        .transpose()?
        .unwrap_or_default();
    debian::install(&llvm.iter().map(String::as_str).collect::<Vec<_>>())?;
    if !is_linked() {
        bail!("the unpacked compiler does not start: try `rustc +{NAME} --version`");
    }
    Ok(())
}

/// Compiles the standard library in an empty crate and copies it to where the compiler looks for it.
fn build_standard_library(toolchain: &Path, scratch: &Path) -> Result<()> {
    remove(scratch)?;
    let sources = scratch.join("src");
    fs::create_dir_all(&sources).with_context(|| format!("cannot create {}", sources.display()))?;
    fs::write(
        scratch.join("Cargo.toml"),
        "[package]\nname = \"nothing\"\nedition = \"2024\"\n\n[workspace]\n",
    )?;
    fs::write(sources.join("lib.rs"), "")?;

    let mut build = cargo(scratch);
    build.args(["build", "-Zbuild-std=std,panic_abort", "--release", "--target", TARGET]);
    build.env("RUSTUP_TOOLCHAIN", NAME).env("CARGO_TARGET_DIR", scratch.join("target"));
    // Building the library is a privilege of the nightly compiler; Debian's is as able.
    // Without bitcode in it, a later link with `lto = "fat"` fails.
    build
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Cembed-bitcode=yes")
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    run(&mut build)?;

    let libraries = toolchain.join("lib/rustlib").join(TARGET).join("lib");
    fs::create_dir_all(&libraries).with_context(|| format!("cannot create {}", libraries.display()))?;
    for entry in fs::read_dir(scratch.join("target").join(TARGET).join("release/deps"))?.flatten() {
        let name = entry.file_name();
        let text = name.to_string_lossy();
        if text.starts_with("lib") && text.ends_with(".rlib") && !text.starts_with("libnothing") {
            fs::copy(entry.path(), libraries.join(&name)).with_context(|| format!("cannot copy {text}"))?;
        }
    }
    remove(scratch)
}

fn host_triple() -> Result<String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` names no host")
}

/// Moves what `from` holds into `to`, folder by folder, and removes `from`.
fn move_entries(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() && target.is_dir() {
            move_entries(&entry.path(), &target)?;
        } else {
            fs::rename(entry.path(), &target)
                .with_context(|| format!("cannot move to {}", target.display()))?;
        }
    }
    fs::remove_dir(from).with_context(|| format!("cannot remove {}", from.display()))
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn symlink(to: &Path, link: &Path) -> Result<()> {
    let parent: PathBuf = link.parent().map(PathBuf::from).unwrap_or_default();
    fs::create_dir_all(&parent).with_context(|| format!("cannot create {}", parent.display()))?;
    #[cfg(unix)]
    let linked = std::os::unix::fs::symlink(to, link);
    #[cfg(not(unix))]
    let linked =
        Err(std::io::Error::other(format!("{} would be a link to {}", link.display(), to.display())));
    linked.with_context(|| format!("cannot create {}", link.display()))
}
