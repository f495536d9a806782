//! `probe diffuse` as a person calls it: an answer by recorded numbers with its trace, and what is refused.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use safetensors::{Dtype, SafeTensors};
use serde_json::Value;

use crate::common;

fn golden(path: &str) -> PathBuf {
    common::repository("frontend/engine/tests/golden").join(path)
}

fn diffuse(model: &str, more: &[&str]) -> Output {
    let mut probe = Command::new(env!("CARGO_BIN_EXE_probe"));
    probe.arg("diffuse").arg(golden("models").join(model)).args(more).output().expect("probe runs")
}

const MODEL: &str = "tiny-diffusion.q4_k_m.gguf";

fn answer(more: &[&str]) -> Value {
    let output = diffuse(MODEL, more);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn refusal(model: &str, more: &[&str]) -> String {
    let output = diffuse(model, more);
    assert!(!output.status.success() && output.stdout.is_empty());
    String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned()
}

fn written(path: &Path, content: &Value) -> String {
    std::fs::write(path, content.to_string()).expect("a file is written");
    path.to_string_lossy().into_owned()
}

#[test]
fn recorded_numbers_give_the_recorded_answer_and_a_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let outputs = golden("outputs/tiny-diffusion");
    let told = std::fs::read(outputs.join("q4_k_m.diffusion.json")).expect("golden JSON");
    let told: Value = serde_json::from_slice(&told).expect("golden JSON parses");
    let number = |key: &str| told[key].to_string();
    let ids = written(&folder.path().join("ids.json"), &told["ids"]);
    let noise = outputs.join("q4_k_m.diffusion.safetensors");
    let trace = folder.path().join("trace.safetensors");
    let [noise_path, trace_path] = [&noise, &trace].map(|path| path.to_string_lossy().into_owned());
    let settings = [
        ("--ids", ids),
        ("--noise", noise_path),
        ("--trace", trace_path),
        ("--blocks", "1".to_owned()),
        ("--canvas", number("canvas_length")),
        ("--steps", number("max_denoising_steps")),
        ("--t-min", number("t_min")),
        ("--t-max", number("t_max")),
        ("--entropy-bound", number("entropy_bound")),
        ("--confidence", number("confidence_threshold")),
        ("--stability", number("stability_threshold")),
    ];
    let arguments: Vec<&str> = settings.iter().flat_map(|(name, value)| [*name, value.as_str()]).collect();
    let got = answer(&arguments);
    assert_eq!(got["ids"], told["final"]);
    assert_eq!(got["steps"], serde_json::json!([4]));
    assert!(got["text"].as_str().is_some_and(|text| !text.is_empty()));
    assert!(got["timings"]["denoise_ms"].as_f64().is_some_and(|ms| ms > 0.0));

    let [want, got] = [noise, trace].map(|path| std::fs::read(path).expect("tensors"));
    let [want, got] = [&want, &got].map(|bytes| SafeTensors::deserialize(bytes).expect("safetensors"));
    assert_eq!(got.len(), 4 * 7);
    for (name, tensor) in got.iter() {
        let want = want.tensor(name).expect("a golden tensor of that name");
        assert_eq!((tensor.dtype(), tensor.shape()), (want.dtype(), want.shape()), "{name}");
        if tensor.dtype() == Dtype::F32 {
            let floats = |data: &[u8]| bytemuck::pod_collect_to_vec::<u8, f32>(data);
            let both = floats(tensor.data()).into_iter().zip(floats(want.data()));
            let furthest = both.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(furthest <= 2e-3 / 0.4, "{name}: {furthest}");
        } else {
            assert_eq!(tensor.data(), want.data(), "{name}");
        }
    }
}

#[test]
fn a_conversation_is_answered_canvas_by_canvas() {
    let folder = tempfile::tempdir().expect("a folder");
    let messages =
        serde_json::json!({ "messages": [{ "role": "user", "content": "The ship?" }], "tools": null });
    let messages = written(&folder.path().join("messages.json"), &messages);
    let more = ["--messages", &messages, "--blocks", "2", "--canvas", "16", "--steps", "2", "--ignore-eos"];
    let got = answer(&more);
    assert_eq!(got["ids"].as_array().map(Vec::len), Some(32));
    assert_eq!((&got["steps"], &got["finish"]), (&serde_json::json!([2, 2]), &"MaxTokens".into()));
}

#[test]
fn what_cannot_be_is_refused_in_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let ids = written(&folder.path().join("ids.json"), &serde_json::json!([2, 300, 301]));
    let said = refusal("tiny-moe.q4_k_m.gguf", &["--ids", &ids]);
    assert!(said.contains("does not decode by diffusion"), "{said}");
    assert!(refusal(MODEL, &["--ids", &ids, "--canvas", "0"]).contains("canvas_length = 0"));
    assert!(refusal(MODEL, &["--ids", &ids, "--t-min", "0.9"]).contains("eb_t_min"));
    assert!(refusal(MODEL, &["--ids", &ids, "--noise", &ids]).contains("no random numbers"));
    refusal(MODEL, &[]);
}
