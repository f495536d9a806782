//! The browsers and the graphics driver that tests use.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::{debian, npx};
use crate::process::{output, run, step, succeeds};

/// The oldest Firefox that Playwright can drive as a distribution packages it.
const OLDEST_FIREFOX: u32 = 153;

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
    download(end2end, "Chromium")?;
    Ok(None)
}

/// A Chromium that draws no window around the page, where there is one: Debian's package is installed if it can be. None where
/// the caller names a browser.
pub fn headless_shell() -> Option<PathBuf> {
    let known = Path::new("/usr/bin/chromium-headless-shell");
    if env::var_os("CHROMIUM").is_some() {
        return None;
    }
    if !known.exists() && is_debian() && debian::has_apt() {
        // Tests in the other Chromium are slower, and nothing else.
        step("Installing Chromium's headless shell", || debian::install(&["chromium-headless-shell"])).ok();
    }
    known.exists().then(|| known.into())
}

/// A Firefox for Playwright: `FIREFOX` if it is set, else Debian's package, installed if need be, where it is new enough,
/// else Playwright's own build is downloaded and `None` is returned, which lets Playwright find it.
pub fn firefox(end2end: &Path) -> Result<Option<PathBuf>> {
    if let Some(path) = env::var_os("FIREFOX") {
        return Ok(Some(path.into()));
    }
    let known = Path::new("/usr/bin/firefox-esr");
    if !known.exists() && is_debian() && debian::has_apt() {
        step("Installing Firefox", || debian::install(&["firefox-esr"]))?;
    }
    let version = output(Command::new(known).arg("--version")).ok();
    if version.as_deref().and_then(major).is_some_and(|version| version >= OLDEST_FIREFOX) {
        return Ok(Some(known.into()));
    }
    download(end2end, "Firefox")?;
    Ok(None)
}

/// Downloads Playwright's own build of a browser.
fn download(end2end: &Path, browser: &str) -> Result<()> {
    step(&format!("Downloading {browser} for Playwright"), || {
        let mut playwright = npx(end2end, "playwright");
        playwright.args(["install", &browser.to_lowercase()]);
        if debian::has_apt() {
            playwright.arg("--with-deps");
        }
        run(playwright.current_dir(end2end))
    })
}

/// The number before the first point of a version, as in `Mozilla Firefox 153.0.1esr`.
fn major(version: &str) -> Option<u32> {
    version.split_whitespace().find_map(|word| word.split('.').next()?.parse().ok())
}

/// Downloads Playwright's WebKit if need be, and returns whether it is there. Says so where it can't be had: no
/// distribution packages one that Playwright could drive.
pub fn webkit(end2end: &Path) -> bool {
    let playwright = |words: &[&str]| {
        let mut playwright = npx(end2end, "playwright");
        playwright.args(words).current_dir(end2end);
        playwright.env("PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT", "5000");
        succeeds(&mut playwright)
    };
    // What it needs of the system is much, and of no use without it.
    if !playwright(&["install", "webkit"]) {
        eprintln!("    WebKit can't be downloaded here, so the page isn't tested in it.");
        return false;
    }
    if debian::has_apt() && !playwright(&["install-deps", "webkit"]) {
        eprintln!("    WebKit's system packages can't be installed here, so its tests may fail.");
    }
    true
}

/// Installs letters for what the tests write: Hebrew, Arabic, Chinese, Japanese and Korean. Where that can't be done, the
/// tests that need them say so, unless the system has its own.
pub fn fonts() {
    let folder = Path::new("/usr/share/fonts/truetype");
    let known = ["dejavu/DejaVuSans.ttf", "droid/DroidSansFallbackFull.ttf"];
    if debian::has_apt() && !known.iter().all(|font| folder.join(font).exists()) {
        step("Installing fonts", || debian::install(&["fonts-dejavu-core", "fonts-droid-fallback"])).ok();
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_from_what_firefox_prints() {
        assert_eq!(major("Mozilla Firefox 153.0.1esr\n"), Some(153));
        assert_eq!(major("Mozilla Firefox 9.0"), Some(9));
        assert_eq!(major("no version"), None);
    }
}
