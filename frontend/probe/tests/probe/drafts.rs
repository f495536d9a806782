//! Speculative decoding by `probe generate`: what was drafted is in its report, and the answer is the one without drafts.

use std::process::{Command, Output};

use serde_json::Value;

use crate::common;

fn generate(more: &[&str]) -> Output {
    let model = common::repository("server/models/pebble.gguf");
    let mut probe = Command::new(env!("CARGO_BIN_EXE_probe"));
    probe.arg("generate").arg(model).args(["--prompt", "Who are you?", "--greedy"]).args(more);
    probe.output().expect("probe runs")
}

fn answer(more: &[&str]) -> Value {
    let output = generate(more);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn drafts_are_reported_and_change_no_answer() {
    let drafter = common::repository("server/models/pebble-drafter.gguf").to_string_lossy().into_owned();
    let plain = answer(&[]);
    assert_eq!(plain["speculation"], Value::Null);
    for more in [&["--draft", &drafter, "--draft-tokens", "3"][..], &["--ngram", "3"], &["--ngram"]] {
        let drafted = answer(more);
        assert_eq!(drafted["ids"], plain["ids"], "{more:?}");
        let count = |key: &str| drafted["speculation"][key].as_u64().unwrap_or_else(|| panic!("{drafted}"));
        assert!(count("drafted") <= 7 * count("rounds") && count("accepted") <= count("drafted"));
        if more.contains(&"--draft") {
            assert_eq!(count("drafted"), 3 * count("rounds"));
            assert!(count("accepted") > count("rounds"), "it was trained for this model: {drafted}");
        }
    }
}

#[test]
fn options_of_drafts_that_contradict_one_another_are_refused() {
    for more in
        [&["--draft", "x", "--ngram"][..], &["--draft-tokens", "3"], &["--draft", "x", "--draft-tokens", "8"]]
    {
        let output = generate(more);
        assert!(!output.status.success() && output.stdout.is_empty(), "{more:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("--draft"), "{more:?}");
    }
}
