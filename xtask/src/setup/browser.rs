//! The browser and the graphics driver that tests use.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{debian, npx};
use crate::process::{run, step};

/// A Chromium for Playwright: `CHROMIUM` if it is set, else the system's, else Debian's package is installed, else
/// Playwright's own build is downloaded and `None` is returned, which lets Playwright find it.
pub fn chromium(end2end: &Path) -> Result<Option<PathBuf>> {
    if let Some(path) = env::var_os("CHROMIUM") {
        return Ok(Some(path.into()));
    }
    // Not `/usr/bin/chromium-browser`: on Ubuntu it is a snap, which cannot read temporary folders.
    let known = Path::new("/usr/bin/chromium");
    if known.exists() {
        return Ok(Some(known.into()));
    }
    if is_debian() && debian::has_apt() {
        step("Installing Chromium", || debian::install(&["chromium"]))?;
        return Ok(Some(known.into()));
    }
    step("Downloading Chromium for Playwright", || {
        let mut playwright = npx(end2end, "playwright");
        playwright.args(["install", "chromium"]);
        if debian::has_apt() {
            playwright.arg("--with-deps");
        }
        run(playwright.current_dir(end2end))
    })?;
    Ok(None)
}

/// The driver file of lavapipe, Mesa's Vulkan on the CPU, installed where apt can; `None` leaves the choice of the
/// driver to the system: when the caller has made it, or when there is no lavapipe.
pub fn software_vulkan() -> Result<Option<PathBuf>> {
    if ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].iter().any(|name| env::var_os(name).is_some()) {
        return Ok(None);
    }
    if find_lavapipe().is_none() && debian::has_apt() {
        step("Installing a software Vulkan driver", || {
            debian::install(&["mesa-vulkan-drivers", "libvulkan1"])
        })?;
    }
    Ok(find_lavapipe())
}

fn find_lavapipe() -> Option<PathBuf> {
    let folder = Path::new("/usr/share/vulkan/icd.d");
    // Mesa 25 and newer name the file without the architecture.
    let names = [format!("lvp_icd.{}.json", env::consts::ARCH), "lvp_icd.json".to_owned()];
    names.iter().map(|name| folder.join(name)).find(|path| path.exists())
}

fn is_debian() -> bool {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    release.lines().any(|line| line == "ID=debian")
}
