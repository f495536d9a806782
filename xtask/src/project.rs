//! Where things are.

use std::env;
use std::path::PathBuf;

/// The root of the repository.
pub fn root() -> PathBuf {
    // Not the directory at compile time alone: the repository may have been moved since.
    let manifest =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    manifest.parent().map_or(manifest.clone(), PathBuf::from)
}

/// Cargo's target folder, for native builds.
pub fn target() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    root().join(target)
}

/// The target folder of the wasm builds: apart, because another toolchain may compile them.
pub fn wasm_target() -> PathBuf {
    target().join("wasm")
}

/// The built sites.
pub fn sites() -> PathBuf {
    target().join("site")
}

/// What `xtask` remembers between runs.
pub fn state() -> PathBuf {
    target().join("xtask")
}

/// An executable that cargo built with the named profile folder (`debug` or `release`).
pub fn executable(profile: &str, name: &str) -> PathBuf {
    target().join(profile).join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

/// The folder for what outlives this checkout: `~/.cache/gemtab`, or as `XDG_CACHE_HOME` says.
pub fn cache() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache"))).map(|cache| cache.join("gemtab"))
}
