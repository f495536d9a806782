//! Debian and Ubuntu packages.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::alone;
use crate::process::{exists, line, output, run, succeeds};

/// Whether this machine has apt.
pub fn has_apt() -> bool {
    cfg!(target_os = "linux") && exists("apt-get")
}

/// Refreshes apt's lists, where it may. A machine without the rights keeps the lists it has.
pub fn update() {
    let _alone = alone();
    refresh();
}

fn refresh() {
    if let Some(mut apt) = privileged(&["apt-get", "update", "-qq"]) {
        // A failure shows itself when a package is asked for; apt has said why.
        run(&mut apt).ok();
    }
}

/// Installs packages with apt, without what they only recommend.
///
/// # Errors
/// When apt fails, or when this user may not install: the message is the command to run.
pub fn install(packages: &[&str]) -> Result<()> {
    let mut words = vec!["apt-get", "install", "--yes", "-qq", "--no-install-recommends"];
    words.extend(packages);
    match privileged(&words) {
        Some(mut apt) => {
            let _alone = alone();
            refresh();
            run(&mut apt)
        }
        None => bail!(
            "some packages are missing, and only root can install them. Run this as root, then try again:\n    \
             apt-get update && apt-get install --no-install-recommends {}",
            packages.join(" ")
        ),
    }
}

/// Fetches the newest version of a package and unpacks it into `folder`, without installing it. Needs no rights.
pub fn unpack(package: &str, folder: &Path, scratch: &Path) -> Result<()> {
    let _alone = alone();
    // Without the option, apt warns root that its sandbox cannot write here.
    let words = ["download", "-qq", "-o", "APT::Sandbox::User=root", package];
    run(Command::new("apt-get").args(words).current_dir(scratch)).with_context(|| {
        format!("cannot fetch the package {package}. Run `apt-get update` as root, then try again")
    })?;
    let prefix = format!("{package}_");
    let file = std::fs::read_dir(scratch)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix)))
        .with_context(|| format!("apt-get fetched no file for {package}"))?;
    run(Command::new("dpkg").arg("-x").arg(&file).arg(folder))
}

/// The packages that `package` depends on whose names start with `prefix`.
pub fn dependencies(package: &str, prefix: &str) -> Result<Vec<String>> {
    let text = output(Command::new("apt-cache").args(["depends", package]))?;
    Ok(parse_dependencies(&text, prefix))
}

fn parse_dependencies(text: &str, prefix: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    names.filter(|name| name.starts_with(prefix)).map(str::to_owned).collect()
}

/// The command with root's rights: as it is for root, through sudo for others, `None` without either.
fn privileged(words: &[&str]) -> Option<Command> {
    let is_root = output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    let mut command = if is_root {
        Command::new("env")
    } else if exists("sudo") {
        let mut sudo = Command::new("sudo");
        sudo.arg("env");
        if !succeeds(Command::new("sudo").args(["-n", "true"])) {
            eprintln!("    sudo may ask for your password, for: {}", words.join(" "));
        }
        sudo
    } else {
        return None;
    };
    command.arg("DEBIAN_FRONTEND=noninteractive").args(words);
    eprintln!("    {}", line(&command));
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_found_by_prefix() {
        let text = "libstd-rust-web-1.96\n  Depends: libc6\n  Depends: libllvm22\n  Conflicts: <libllvm99>\n";
        assert_eq!(parse_dependencies(text, "libllvm"), ["libllvm22"]);
        assert!(parse_dependencies(text, "rustc").is_empty());
    }
}
