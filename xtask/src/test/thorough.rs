//! When `cargo xtask test --thorough` last passed on this machine.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::process::output;
use crate::project;

/// Notes that it passed now.
pub fn remember() -> Result<()> {
    let mut git = Command::new("git");
    git.args(["show", "--no-patch", "--format=%h"]).current_dir(project::root());
    let commit = output(&mut git)?;
    let date = output(Command::new("date").args(["-u", "+%Y-%m-%d %H:%M UTC"]))?;
    let line = format!("{} at {}", date.trim(), commit.trim());
    fs::write(file(), line).context("cannot note that the thorough run passed")
}

/// When it last passed, in words.
pub fn last() -> String {
    let noted = fs::read_to_string(file());
    noted.map_or_else(
        |_| "The thorough run (--thorough) has not passed here yet.".into(),
        |line| format!("The thorough run (--thorough) last passed here on {line}."),
    )
}

fn file() -> PathBuf {
    project::state().join("thorough")
}
