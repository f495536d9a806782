//! Node packages, installed exactly as the lock files say.

use std::path::Path;
use std::process::Command;
use std::{fs, io};

use anyhow::{Context as _, Result, bail};

use super::alone;
use crate::process::{exists, run, step};

/// Installs the packages of `folder/package-lock.json` into `folder/node_modules`, unless they are there.
pub fn install(folder: &Path) -> Result<()> {
    let _alone = alone();
    let wanted = fs::read(folder.join("package-lock.json"))
        .with_context(|| format!("cannot read the lock file of {}", folder.display()))?;
    let stamp = folder.join("node_modules/.installed-lock.json");
    match fs::read(&stamp) {
        Ok(installed) if installed == wanted => return Ok(()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot read {}", stamp.display()));
        }
        _ => {}
    }
    if !exists("node") {
        bail!("Node is missing. Install Node 20 or newer (https://nodejs.org) and run this again.");
    }
    step("Installing Node packages", || {
        let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
        npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder);
        // The browser comes from the system; see `browser`.
        run(npm.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"))?;
        fs::write(&stamp, &wanted).with_context(|| format!("cannot write {}", stamp.display()))
    })
}

/// A program that an installed package brings.
pub fn npx(folder: &Path, program: &str) -> Command {
    let suffix = if cfg!(windows) { ".cmd" } else { "" };
    Command::new(folder.join("node_modules/.bin").join(format!("{program}{suffix}")))
}
