//! From the hub: through the protocol of Ollama's registry, or in parts.

use serde_json::{Value, json};
use std::fs;

use super::{Model, Target, fake::Fake, fake::Fault};
use crate::support::{Gguf, digest};

const REFUSAL: &[u8] =
    br#"{"error":"The specified tag is a sharded GGUF. Ollama does not support this yet."}"#;

/// Parts of a model and what they make when they are joined.
fn split() -> (Vec<Vec<u8>>, Vec<u8>) {
    let metadata = || Gguf::gemma4().text("general.name", "Large");
    let part = |gguf: Gguf, number| {
        gguf.number("split.no", number).number("split.count", 3).number("split.tensors.count", 3)
    };
    let parts = vec![
        part(metadata(), 0).tensor("token_embd.weight", &[256, 40]).build(),
        part(Gguf::default(), 1).tensor("a.weight", &[8]).data(&[1; 70]).build(),
        part(Gguf::default(), 2).tensor("b.weight", &[4, 2]).data(&[2; 9]).build(),
    ];
    let mut data = vec![7; 32];
    data.extend([[1; 70].as_slice(), &[0; 26], &[2; 9]].concat());
    let whole = metadata()
        .tensor_at("token_embd.weight", &[256, 40], 0)
        .tensor_at("a.weight", &[8], 32)
        .tensor_at("b.weight", &[4, 2], 32 + 96);
    (parts, whole.data(&data).build())
}

/// A hub with the parts and a projector, and what it says of them.
async fn hub(parts: &[Vec<u8>], projector: &[u8]) -> Fake {
    let fake = Fake::start().await;
    fake.answer("/v2/o/r/manifests/Q8_0", 400, REFUSAL);
    let name = |number| format!("Q8_0/large model-Q8_0-{number:05}-of-{:05}.gguf", parts.len());
    let mut files: Vec<(String, &[u8])> = vec![("mmproj-F16.gguf".into(), projector)];
    files.extend(parts.iter().zip(1..).map(|(part, number)| (name(number), part.as_slice())));
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let file = |(path, content): &(String, &[u8])| {
        let sha256 = digest(content).replace("sha256:", "");
        json!({"rfilename": path, "size": content.len(), "lfs": {"sha256": sha256, "size": content.len()}})
    };
    let siblings: Vec<Value> = files.iter().map(file).chain([json!({"rfilename": "README.md"})]).collect();
    let list = json!({"sha": commit, "siblings": siblings});
    fake.answer("/api/models/o/r", 200, list.to_string().as_bytes());
    for (path, content) in files {
        fake.answer(&format!("/o/r/resolve/{commit}/{}", path.replace(' ', "%20")), 200, content);
    }
    fake
}

#[tokio::test]
async fn a_repository_is_pulled_by_its_name() {
    let (fake, model, target) = (Fake::start().await, Model::tiny(), Target::new());
    fake.add("o/r", "Q4_K_M", &model);
    let puller = target.puller().hub(format!("http://{}", fake.address));
    for name in ["hf.co/o/r:Q4_K_M", "huggingface.co/o/r:Q4_K_M"] {
        target.pull_with(&puller, name).await.expect("pulled");
    }
    let listed = target.listed().await;
    assert_eq!(listed, ["hf.co/o/r:Q4_K_M", "huggingface.co/o/r:Q4_K_M"]);
    assert_eq!(fake.ranges(model.content()).len(), 1);
}

#[tokio::test]
async fn parts_are_joined() {
    let (parts, whole) = split();
    let projector = Gguf::new("clip").tensor("v.patch_embd.weight", &[4]).build();
    let (fake, target) = (hub(&parts, &projector).await, Target::new());
    let puller = target.puller().hub(format!("http://{}", fake.address));
    let name = "hf.co/o/r:Q8_0";
    target.pull_with(&puller, name).await.expect("pulled");
    assert_eq!(fs::read(target.blob(&whole)).expect("the whole"), whole);
    assert_eq!(fs::read(target.blob(&projector)).expect("the projector"), projector);
    assert_eq!(target.listed().await, [name]);
    // Model, projector, configuration and manifest; the parts are gone.
    assert_eq!(target.files().len(), 4, "{:?}", target.files());

    let requests = fake.asked("").len();
    target.told();
    target.pull_with(&puller, name).await.expect("pulled");
    assert_eq!(target.told(), [server::pull::Event::Planned { files: 0, bytes: 0 }]);
    assert_eq!(fake.asked("").len(), requests + 2);
}

#[tokio::test]
async fn what_a_join_that_was_cut_off_left_is_deleted() {
    let (parts, whole) = split();
    let (fake, target) = (hub(&parts, b"GGUF").await, Target::new());
    let blobs = target.path().join("blobs");
    fs::create_dir(&blobs).expect("a folder");
    let (left, held) = (blobs.join(".gemtab-left"), blobs.join(".gemtab-held"));
    fs::write(&left, &whole[..100]).expect("written");
    // As by a program that joins another model.
    let other = fs::File::create(&held).expect("a file");
    fs4::FileExt::try_lock(&other).expect("nobody else has it");
    let puller = target.puller().hub(format!("http://{}", fake.address));
    target.pull_with(&puller, "hf.co/o/r:Q8_0").await.expect("pulled");
    assert_eq!(fs::read(target.blob(&whole)).expect("the whole"), whole);
    assert!(!left.exists() && held.exists(), "{:?}", target.files());
}

#[tokio::test]
async fn parts_that_do_not_fit_are_refused_by_name() {
    let (mut parts, _) = split();
    parts[1] = parts[2].clone();
    let (fake, target) = (hub(&parts, b"GGUF").await, Target::new());
    let puller = target.puller().hub(format!("http://{}", fake.address));
    let error = target.pull_with(&puller, "hf.co/o/r:Q8_0").await.expect_err("refused").to_string();
    assert!(error.starts_with("Q8_0/large model-Q8_0-00002-of-00003.gguf can't be joined"), "{error}");
    assert!(target.listed().await.is_empty());

    // Two of a model, and one of another.
    let (mut parts, _) = split();
    let other =
        Gguf::default().number("split.no", 1).number("split.count", 3).number("split.tensors.count", 4);
    parts[1] = other.tensor("a.weight", &[8]).data(&[1; 70]).build();
    let (fake, target) = (hub(&parts, b"GGUF").await, Target::new());
    let puller = target.puller().hub(format!("http://{}", fake.address));
    let error = target.pull_with(&puller, "hf.co/o/r:Q8_0").await.expect_err("refused").to_string();
    assert!(error.contains("00002-of-00003.gguf") && error.contains("as many tensors"), "{error}");

    let error = target.pull_with(&puller, "hf.co/o/r:Q2_K").await.expect_err("not there");
    assert!(error.to_string().starts_with("There is no model “hf.co/o/r:Q2_K” on 127.0.0.1"), "{error}");
}

#[tokio::test]
async fn a_part_that_breaks_off_is_continued() {
    let (mut parts, _) = split();
    parts[2].resize(2_000_000, 3);
    let (fake, target) = (hub(&parts, b"GGUF").await, Target::new());
    fake.fail(&parts[2], [Fault::Cut(1_200_000)]);
    let puller = target.puller().hub(format!("http://{}", fake.address));
    target.pull_with(&puller, "hf.co/o/r:Q8_0").await.expect("pulled");
    let ranges: Vec<_> = fake.asked("00003-of-00003.gguf").into_iter().map(|asked| asked.range).collect();
    assert_eq!(ranges, [None, Some("bytes=1200000-".into())]);
}
