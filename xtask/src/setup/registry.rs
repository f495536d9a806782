//! The registry of models that tests of pulling fill and ask.

use anyhow::{Result, bail};

use super::debian;
use crate::process::{exists, step};

/// Installs `docker-registry` where apt can.
///
/// # Errors
/// When it is missing and can't be installed.
pub fn docker_registry() -> Result<()> {
    if exists("docker-registry") {
        return Ok(());
    }
    if !debian::has_apt() {
        bail!(
            "docker-registry is missing. Install it (https://github.com/distribution/distribution) and run this again."
        );
    }
    step("Installing docker-registry", || debian::install(&["docker-registry"]))
}
