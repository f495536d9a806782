//! `probe train` as a person calls it: rows of several kinds in, an adapter of both formats out, bad rows by their line.

use std::path::Path;
use std::process::{Command, Output};

use engine::adapter::{self, Projection};
use pollster::block_on;
use serde_json::{Value, json};

use crate::common;

const MODEL: &str = "frontend/engine/tests/golden/models/tiny-31b.q4_0.gguf";

fn train(model: &str, folder: &Path, rows: &[Value], more: &[&str]) -> Output {
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    let data = folder.join("data.jsonl");
    std::fs::write(&data, lines.join("\n")).expect("the data is written");
    let mut probe = Command::new(env!("CARGO_BIN_EXE_probe"));
    probe.arg("train").arg(common::repository(model)).arg("--data").arg(&data);
    probe.arg("--out").arg(folder.join("out")).args(more).output().expect("probe runs")
}

/// The one line that says why.
fn refusal(output: &Output) -> String {
    assert!(!output.status.success() && output.stdout.is_empty());
    let said = String::from_utf8_lossy(&output.stderr);
    said.lines().last().unwrap_or_default().to_owned()
}

fn ids() -> Value {
    json!({ "ids": [2, 300, 301, 302], "labels": [-100, -100, 301, 302] })
}

#[test]
fn chats_and_ids_become_an_adapter_of_both_formats() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = [ids(), json!({ "prompt": "The ship?", "completion": "Aurora." })];
    let gradients = folder.path().join("gradients.safetensors");
    let grads = gradients.to_string_lossy();
    let more = ["--rank", "2", "--alpha", "4", "--targets", "q,k,down", "--steps", "2", "--lr", "1e-3"];
    let more = [&more[..], &["--batch", "2", "--grads", &grads]].concat();
    let output = train(MODEL, folder.path(), &rows, &more);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let losses: Vec<f64> = serde_json::from_value(told["loss"].clone()).expect("losses");
    assert!(losses.len() == 2 && losses[1] < losses[0], "{losses:?}");
    assert!(told["tokens_per_s"].as_f64().is_some_and(|speed| speed > 0.0));
    assert!(told["gpu_bytes"].as_u64() > told["training_bytes"].as_u64());

    let out = folder.path().join("out");
    let peft = block_on(adapter::open(&out)).expect("PEFT");
    assert!(peft.rank() == 2 && peft.iter().all(|(_, factors)| factors.scale == 2.0));
    assert!(peft.iter().any(|(_, factors)| factors.b.iter().any(|&b| b != 0.0)));
    assert_eq!(block_on(adapter::open(&out.join("adapter.gguf"))).expect("GGUF"), peft);
    let bytes = std::fs::read(&gradients).expect("gradients");
    let tensors = safetensors::SafeTensors::deserialize(&bytes).expect("safetensors");
    assert_eq!(tensors.len(), 2 * peft.len());
    assert!(tensors.tensor("lora.blk.0.attn_q.A").is_ok());
}

#[test]
fn the_router_of_a_mixture_is_trained_where_it_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = "frontend/engine/tests/golden/models/tiny-moe.q4_k_m.gguf";
    let with = |targets: &str| {
        train(model, folder.path(), &[ids()], &["--rank", "2", "--targets", targets, "--steps", "1"])
    };
    let output = with("all, router");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let adapter = block_on(adapter::open(&folder.path().join("out"))).expect("PEFT");
    let (routers, others): (Vec<_>, Vec<_>) =
        adapter.iter().partition(|(target, _)| target.projection == Projection::Router);
    // Global layers take their values from keys.
    assert_eq!((routers.len(), others.len()), (4, 4 * 7 - 2));
    assert!(routers.iter().all(|(_, factors)| factors.b.iter().any(|&b| b != 0.0)));
    assert!(refusal(&with("all,expert")).contains("\"expert\""));
}

#[test]
fn the_experts_of_a_mixture_are_trained_where_they_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = "frontend/engine/tests/golden/models/tiny-moe.q4_k_m.gguf";
    let more = ["--rank", "2", "--targets", "q, experts", "--steps", "1"];
    let output = train(model, folder.path(), &[ids()], &more);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let adapter = block_on(adapter::open(&folder.path().join("out"))).expect("PEFT");
    let (experts, others): (Vec<_>, Vec<_>) =
        adapter.iter().partition(|(target, _)| target.projection.is_of_experts());
    assert_eq!((experts.len(), others.len()), (2 * 4, 4));
    assert!(experts.iter().all(|(_, factors)| factors.experts() == 8 && factors.b.iter().any(|&b| b != 0.0)));
}

#[test]
fn pictures_and_sound_are_found_beside_the_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let golden = common::repository("frontend/engine/tests/golden");
    std::fs::create_dir(folder.path().join("media")).expect("a folder");
    for file in ["strip.png", "chirp.wav"] {
        std::fs::copy(golden.join("media").join(file), folder.path().join("media").join(file))
            .expect("a copy");
    }
    let parts =
        |kind: &str, name: &str| json!([{ "type": kind, kind: name }, { "type": "text", "text": "What?" }]);
    let chat = |content: Value| json!({ "messages": [{ "role": "user", "content": content }, { "role": "assistant", "content": "That." }] });
    let rows = [chat(parts("image", "media/strip.png")), chat(parts("audio", "media/chirp.wav")), ids()];
    let model = "frontend/engine/tests/golden/models/tiny-e2b.q4_k_m.gguf";
    let projector = golden.join("models/tiny-e2b.mmproj.q8_0.gguf");
    let projector = projector.to_string_lossy();
    let more = ["--projector", &projector, "--budget", "70", "--rank", "2", "--targets", "q", "--steps", "2"];
    let more = [&more[..], &["--batch", "3", "--lr", "1e-2"]].concat();
    let output = train(model, folder.path(), &rows, &more);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let losses: Vec<f64> = serde_json::from_value(told["loss"].clone()).expect("losses");
    assert!(losses.len() == 2 && losses[1] < losses[0], "{losses:?}");

    let rows = [ids(), chat(parts("image", "media/gone.png"))];
    let said = refusal(&train(model, folder.path(), &rows, &more));
    assert!(said.contains("line 2: ") && said.contains("gone.png cannot be read"), "{said}");
    // Without the towers.
    let rows = [chat(parts("image", "media/strip.png"))];
    let said = refusal(&train(model, folder.path(), &rows, &[]));
    assert!(said.contains("line 1: ") && said.ends_with("has nothing to encode Image with"), "{said}");
}

#[test]
fn what_cannot_be_trained_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let masked = json!({ "ids": [2, 3], "labels": [-100, -100] });
    let picture = json!({ "messages": [
        { "role": "user", "content": [{ "type": "image" }] },
        { "role": "assistant", "content": "A ship." },
    ] });
    let cases = [
        (vec![ids(), picture], "line 2: doesn’t say which file the image is"),
        (vec![masked], "line 1: nothing to learn: it has no answer to train on"),
        (vec![], "has no examples"),
    ];
    for (rows, reason) in cases {
        let said = refusal(&train(MODEL, folder.path(), &rows, &[]));
        assert!(said.ends_with(reason), "{said}");
    }
    let said = refusal(&train(MODEL, folder.path(), &[ids()], &["--rank", "65"]));
    assert!(said.ends_with("the rank is 65, but must be between 1 and 64"), "{said}");
    let diffusion = "frontend/engine/tests/golden/models/tiny-diffusion.q4_k_m.gguf";
    let said = refusal(&train(diffusion, folder.path(), &[ids()], &[]));
    assert!(said.contains("diffusion"), "{said}");
    assert!(!folder.path().join("out").exists());
}
