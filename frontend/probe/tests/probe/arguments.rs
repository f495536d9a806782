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

#[test]
fn masks_and_answers_of_a_grammar() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it is written");
        path.to_string_lossy().into_owned()
    };
    let model = common::repository("frontend/engine/tests/golden/models/tiny-e2b.q4_k_m.gguf");
    let model = model.to_string_lossy().into_owned();
    let run = |arguments: &[&str]| {
        let out = probe(arguments).output().expect("it runs");
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        serde_json::from_slice::<serde_json::Value>(&out.stdout).map_err(|_| said)
    };
    let schema = file("schema.json", r#"{"type": "boolean"}"#);
    let tools = file("tools.json", r#"{"tools": [{"name": "now"}]}"#);

    let whole = run(&["mask", &model, "--schema", &schema, "--whitespace", "none", "--prefix=true"]);
    assert_eq!(whole.expect("a mask")["allowed"], serde_json::json!([1, 106]));
    let called = run(&["mask", &model, "--tools", &tools, "--prefix=<|tool_call>call:now{}<tool_call|>"]);
    assert_eq!(called.expect("a mask")["allowed"], serde_json::json!([1, 48, 50, 106]));

    let odd = file("odd.json", r#"{"items": {"type": "string", "format": "colour"}}"#);
    for (arguments, words) in [
        (["mask", &model, "--schema", &odd, "--prefix="], "/items: this value of \"format\""),
        (["mask", &model, "--schema", &schema, "--prefix=no"], "doesn't continue"),
    ] {
        let said = run(&arguments).expect_err("it fails");
        assert!(said.contains(words), "{said}");
    }

    let text = file("text.txt", "hm<channel|> <|tool_call>call:now{}<tool_call|><turn|>x");
    let parsed = run(&["parse", &model, "--text", &text, "--in-thought"]).expect("parts");
    let calls = serde_json::json!([{"name": "now", "arguments": {}}]);
    let parts = serde_json::json!({"thinking": "hm", "content": "", "calls": calls, "invalid": []});
    assert_eq!(parsed, parts);

    let answer = [
        "generate",
        &model,
        "--prompt",
        "Hi",
        "--schema",
        &schema,
        "--whitespace",
        "none",
        "--max-tokens",
        "9",
    ];
    let text = run(&answer).expect("an answer")["text"].to_string();
    assert!(["\"true<", "\"false<"].iter().any(|word| text.starts_with(word)), "{text}");
}
