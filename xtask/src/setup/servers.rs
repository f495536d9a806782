//! Servers of others that tests and measurements run: a registry of models, a proxy, and S3.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::{alone, debian};
use crate::process::{exists, run, step, succeeds};
use crate::project;

/// S3 in Python. The tests of the server look for it under this name in the cache.
const MOTO: &str = "5.2.5";

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

/// nginx: the one that is installed, else one from Debian's package that is unpacked into the cache. Installing it would
/// start it.
///
/// # Errors
/// When it is missing and can't be fetched.
pub fn nginx() -> Result<PathBuf> {
    for installed in ["nginx", "/usr/sbin/nginx"] {
        if succeeds(Command::new(installed).arg("-v")) {
            return Ok(installed.into());
        }
    }
    let folder = cache()?.join("nginx");
    let program = folder.join("usr/sbin/nginx");
    if !succeeds(Command::new(&program).arg("-v")) {
        if !debian::has_apt() {
            bail!("nginx is missing. Install it (https://nginx.org) and run this again.");
        }
        step("Fetching nginx", || {
            let scratch = folder.join("package");
            std::fs::create_dir_all(&scratch)
                .with_context(|| format!("cannot create {}", scratch.display()))?;
            debian::unpack("nginx", &folder, &scratch)?;
            if !succeeds(Command::new(&program).arg("-v")) {
                bail!("Debian's nginx doesn't start here. Install it and run this again.");
            }
            Ok(())
        })?;
    }
    Ok(program)
}

/// `moto_server`, which is S3 in Python, in an environment of its own in the cache.
///
/// # Errors
/// When there is no Python, or its packages can't be downloaded.
pub fn moto() -> Result<PathBuf> {
    if exists("moto_server") {
        return Ok("moto_server".into());
    }
    let _alone = alone();
    let folder = cache()?.join(format!("moto-{MOTO}"));
    let program = folder.join("bin/moto_server");
    if succeeds(Command::new(&program).arg("--help")) {
        return Ok(program);
    }
    step("Installing moto, an S3 server for tests", || {
        let python = if exists("python3") { "python3" } else { "python" };
        run(Command::new(python).args(["-m", "venv", "--clear"]).arg(&folder))?;
        let mut pip = Command::new(folder.join("bin/python"));
        pip.args(["-m", "pip", "install", "--quiet", "--only-binary=:all:"]);
        pip.env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        run(pip.arg(format!("moto[server]=={MOTO}")))
    })?;
    Ok(program)
}

fn cache() -> Result<PathBuf> {
    project::cache().context("cannot tell the cache folder: HOME is not set")
}
