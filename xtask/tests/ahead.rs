//! The script that makes pipelines ahead, run by Node.

use std::path::Path;
use std::process::Command;

#[test]
fn pipelines_that_were_made_ahead_are_kept_until_they_are_asked_for() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ahead.mjs");
    let output = Command::new("node").arg(script).output().expect("Node runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
