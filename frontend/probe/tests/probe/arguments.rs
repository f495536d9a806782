//! What `probe` makes of its arguments.

use std::process::{Command, Stdio};

use crate::common;

const MODEL: &str = "server/models/pebble.gguf";

fn probe(arguments: &[&str]) -> Command {
    let mut probe = Command::new(env!("CARGO_BIN_EXE_probe"));
    probe.args(arguments).stderr(Stdio::piped());
    probe
}

fn model() -> String {
    common::repository(MODEL).to_string_lossy().into_owned()
}

#[test]
fn a_text_may_look_like_an_option() {
    for text in ["--x", "-1", "--help"] {
        let out = probe(&["tokenize", &model(), "--text", text]).output().expect("it runs");
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{text}: {said}");
        let ids: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
        assert!(ids["ids"].as_array().is_some_and(|ids| !ids.is_empty()), "{ids}");
    }
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let mut child = probe(&["info", &model()]).stdout(Stdio::piped()).spawn().expect("it runs");
    // Closed before anything is written.
    drop(child.stdout.take());
    let out = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&out.stderr), "");
    assert!(out.status.success(), "{}", out.status);
}

#[test]
fn a_machine_without_a_desktop_is_nothing_to_complain_about() {
    let out = probe(&["generate", &model(), "--prompt", "Hi", "--max-tokens", "1"])
        .env_remove("XDG_RUNTIME_DIR")
        .output()
        .expect("it runs");
    assert_eq!(String::from_utf8_lossy(&out.stderr), "");
    assert!(out.status.success());
}
