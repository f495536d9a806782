//! `probe plan`: every phase of every published shape, without a device.

use std::process::Command;

use serde_json::Value;

use crate::common;

fn plan(arguments: &[&str]) -> Result<String, String> {
    let mut probe = Command::new(env!("CARGO_BIN_EXE_probe"));
    // A driver that is nowhere: nothing may ask for a device.
    probe.arg("plan").args(arguments).env("VK_DRIVER_FILES", "/nowhere");
    let done = probe.output().expect("probe runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    if done.status.success() { Ok(text(done.stdout)) } else { Err(text(done.stderr)) }
}

fn sums(arguments: &[&str]) -> Value {
    let text = plan(arguments).expect("a plan");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(all["steps"].as_array().map(Vec::len), all["sums"]["steps"].as_u64().map(|n| n as usize));
    all["sums"].clone()
}

#[test]
fn every_shape_has_a_plan_for_every_phase_that_it_can_run() {
    for shape in ["e2b", "e4b", "12b", "26b", "31b"] {
        for phase in ["decode", "verify", "prefill", "tail", "vision", "audio", "train"] {
            // The plans themselves are verified for all shapes elsewhere.
            if !["e2b", "26b"].contains(&shape) && phase != "decode" && !common::is_thorough() {
                continue;
            }
            let arguments = [shape, "--phase", phase, "--tokens", "512"];
            match (shape, phase) {
                ("26b" | "31b", "audio") => {
                    assert!(plan(&arguments).expect_err("no plan").contains("no audio tower"));
                }
                _ => {
                    let sums = sums(&arguments);
                    assert!(sums["weights"].as_u64() > Some(4_000_000), "{shape} {phase}: {sums}");
                    assert!(sums["temporaries"].as_u64() > Some(0), "{shape} {phase}: {sums}");
                }
            }
        }
    }
}

#[test]
fn adapters_have_plans() {
    for (phase, more) in [("decode", 1), ("prefill", 2)] {
        let steps = |more: &[&str]| {
            let arguments = [&["e2b", "--phase", phase], more].concat();
            sums(&arguments)["steps"].as_u64().expect("a number")
        };
        assert!(steps(&["--adapter-rank", "16"]) >= steps(&[]) + more, "{phase}");
        assert!(steps(&["--adapter-rank", "128"]) >= steps(&[]) + 35 * more, "{phase}");
    }
    assert!(plan(&["e2b", "--adapter-rank", "257"]).expect_err("no plan").contains("257"));
}

#[test]
fn a_round_with_a_drafter_has_a_plan() {
    let models = common::repository("server/models");
    let [target, drafter] =
        ["pebble.gguf", "pebble-drafter.gguf"].map(|name| models.join(name).to_string_lossy().into_owned());
    let round = [&*target, "--phase", "verify"];
    let steps = |more: &[&str]| sums(&[&round, more].concat())["steps"].as_u64().expect("a number");
    // Three draft steps: input, projection, five dispatches of a layer, head and pick.
    assert!(steps(&["--draft", &drafter]) >= steps(&[]) + 3 * 9);
    let published = |more: &[&str]| {
        sums(&[&["e2b", "--phase", "verify"], more].concat())["steps"].as_u64().expect("a number")
    };
    assert!(published(&["--draft", "e2b-drafter"]) >= published(&[]) + 3 * (4 + 4 * 5));
    let refused = plan(&["e2b", "--phase", "verify", "--draft", &drafter]).expect_err("no plan");
    assert!(
        refused.contains("made for a model whose embedding length is 256; this model’s is 1536"),
        "{refused}"
    );
}

#[test]
fn a_diffusion_model_has_plans_of_its_own() {
    let of = |phase| plan(&["26b-diffusion", "--phase", phase, "--tokens", "512"]);
    for phase in ["prefill", "canvas"] {
        let sums = sums(&["26b-diffusion", "--phase", phase, "--tokens", "512"]);
        assert!(sums["weights"].as_u64() > Some(4_000_000), "{phase}: {sums}");
    }
    let all: Value = serde_json::from_str(&of("canvas").expect("a plan")).expect("JSON");
    assert_eq!(all["rows"], 256);
    for phase in ["decode", "tail", "vision"] {
        of(phase).expect_err("no plan");
    }
    assert!(of("train").expect_err("no plan").contains("cannot train a model that decodes by diffusion"));
    assert!(plan(&["26b", "--phase", "canvas"]).expect_err("no plan").contains("diffusion"));
}

#[test]
fn limits_are_taken_from_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("limits.json");
    std::fs::write(
        &file,
        r#"{"storage_buffers": 8, "largest_binding": 134217728, "largest_part": 134217728}"#,
    )
    .expect("a file");
    let file = file.to_string_lossy();
    let largest = |more: &[&str]| {
        let arguments = [&["e2b"], more].concat();
        sums(&arguments)["largest_binding"].as_u64().expect("bytes")
    };
    assert!(largest(&[]) > 1 << 30);
    assert!(largest(&["--limits", &file]) <= 128 << 20);
    std::fs::write(folder.path().join("limits.json"), r#"{"largest": 1}"#).expect("a file");
    assert!(plan(&["e2b", "--limits", &file]).expect_err("no plan").contains("doesn't hold limits"));
}

#[test]
fn a_table_has_a_line_for_each_step() {
    let text = plan(&["e2b", "--table"]).expect("a plan");
    assert!(
        text.lines().next().is_some_and(|line| line.contains("embed_gather") && line.contains("token_embd"))
    );
    assert!(text.contains("attention_decode") && text.contains("\ntemporaries "), "{text}");
}
