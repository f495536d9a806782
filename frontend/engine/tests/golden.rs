//! Logits and greedy continuations against the reference outputs of Hugging Face transformers (f32, eager): the
//! quantised models that the repository carries, and all of them where the full set lies beside the repository.
//!
//! Tolerances are those of the set: 2e-3 on softcapped logits with an f32 cache, 5e-2 with an f16 one; greedy ids up to
//! the first step whose margin is below twice that, or the first slot of a medium: the reference puts the padding token
//! in its place where no medium was given, which no chat can ask for (media tokens are never drawn there).

mod common;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::gpu::Gpu;
use engine::model::KvType;
use engine::session::{Control, LoadOptions, Options, Session};
use safetensors::SafeTensors;

const EXACT: f32 = 2e-3;
const HALF: f32 = 5e-2;

struct Case {
    model: PathBuf,
    outputs: PathBuf,
}

/// The text models of a golden set: `models/NAME.KIND.gguf` with `OUTPUTS/NAME/KIND.text.*`.
fn cases(models: &Path, outputs: &Path) -> Vec<Case> {
    let mut all = Vec::new();
    for name in ["tiny-e2b", "tiny-31b", "tiny-moe", "tiny-unified"] {
        let Ok(files) = std::fs::read_dir(outputs.join(name)) else { continue };
        for file in files.flatten() {
            let file = file.file_name().to_string_lossy().into_owned();
            let Some(kind) = file.strip_suffix(".text.json") else { continue };
            // The published layout of the unified model is llama.cpp's.
            let candidates = [format!("{name}.{kind}.gguf"), format!("{name}.{kind}.lcpp.gguf")];
            let model = candidates.iter().map(|c| models.join(c)).find(|path| path.exists());
            let model = model.unwrap_or_else(|| panic!("no model for {name}/{file}"));
            all.push(Case { model, outputs: outputs.join(name).join(kind) });
        }
    }
    all.sort_by(|a, b| a.model.cmp(&b.model));
    all
}

fn carried() -> Vec<Case> {
    let golden = common::repository("frontend/engine/tests/golden");
    cases(&golden.join("models"), &golden.join("outputs"))
}

fn beside() -> Vec<Case> {
    let golden = common::repository("../shared/golden");
    cases(&golden.join("models"), &golden.join("golden"))
}

struct Golden {
    json: serde_json::Value,
    bytes: Vec<u8>,
}

impl Golden {
    fn read(case: &Case) -> Self {
        let path = |extension: &str| PathBuf::from(format!("{}.text.{extension}", case.outputs.display()));
        let json = std::fs::read(path("json")).expect("golden JSON");
        Self {
            json: serde_json::from_slice(&json).expect("golden JSON parses"),
            bytes: std::fs::read(path("safetensors")).expect("golden tensors"),
        }
    }

    fn tensor(&self, name: &str) -> (Vec<usize>, Vec<u8>) {
        let tensors = SafeTensors::deserialize(&self.bytes).expect("golden tensors parse");
        let tensor = tensors.tensor(name).unwrap_or_else(|_| panic!("golden tensor {name}"));
        (tensor.shape().to_vec(), tensor.data().to_vec())
    }

    fn f32s(&self, name: &str) -> Vec<f32> {
        bytemuck::pod_collect_to_vec(&self.tensor(name).1)
    }

    fn u32s(&self, name: &str) -> Vec<u32> {
        bytemuck::pod_collect_to_vec(&self.tensor(name).1)
    }
}

fn ids(value: &serde_json::Value) -> Vec<u32> {
    value.as_array().expect("ids").iter().map(|id| id.as_u64().expect("an id") as u32).collect()
}

fn argmax(row: &[f32]) -> u32 {
    (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a))).expect("a row") as u32
}

fn greedy(session: &mut Session, prompt: &[u32], count: usize) -> Vec<u32> {
    let options = Options { max_tokens: count as u32, ignore_eos: true, ..Options::default() };
    pollster::block_on(session.generate(prompt, &options, &Control::default(), &mut |_| ()))
        .expect("an answer")
        .ids
}

fn check(gpu: &Rc<Gpu>, case: &Case, kv_type: KvType, tolerance: f32) {
    let golden = Golden::read(case);
    let options = LoadOptions { context: 2048, kv_type, ..LoadOptions::default() };
    let mut session = common::load(gpu, &case.model, &options);
    let label = case.model.file_name().expect("a file name").to_string_lossy().into_owned();
    let mut worst = 0.0f32;
    let mut steps = 0;
    for prompt in golden.json["prompts"].as_array().expect("prompts") {
        let key = prompt["key"].as_str().expect("a key");
        let prompt_ids = ids(&prompt["ids"]);
        if let Some(text) = prompt["text"].as_str() {
            let encoded = session.tokenizer().encode_prompt(text);
            assert_eq!(encoded, prompt_ids, "{label} {key}: ids of the prompt");
        }
        let want = golden.f32s(&format!("{key}.logits_last"));
        let rows = golden.tensor(&format!("{key}.logits_last")).0[0];
        let vocabulary = want.len() / rows;
        let got = pollster::block_on(session.logits(&prompt_ids, rows)).expect("logits");
        let difference = got.iter().zip(&want).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        worst = worst.max(difference);
        assert!(difference <= tolerance, "{label} {key}: logits differ by {difference}");

        // Rows whose two best logits are closer than the tolerance may fall either way.
        let likeliest = golden.u32s(&format!("{key}.argmax"));
        for (row, &id) in got.chunks(vocabulary).zip(&likeliest[likeliest.len() - rows..]) {
            let best = argmax(row);
            let gap = row[best as usize] - row[id as usize];
            assert!(gap <= 2.0 * tolerance, "{label} {key}: {best} beats {id} by {gap}");
        }

        let want = ids(&prompt["greedy"]);
        let margins = golden.f32s(&format!("{key}.greedy_margin"));
        let sure = margins.iter().position(|&m| m < 2.0 * tolerance).unwrap_or(want.len());
        let media = session.tokenizer().suppressed_ids();
        let plain = want.iter().position(|id| media.contains(id)).map_or(want.len(), |at| at + 1);
        let compared = sure.min(plain);
        if compared > 0 {
            let got = greedy(&mut session, &prompt_ids, compared);
            assert_eq!(got, want[..compared], "{label} {key}: greedy ids");
        }
        steps += compared;
    }
    assert!(steps > 0, "{label}: no greedy step is sure enough to compare");
    println!("{label} {kv_type:?}: logits differ by at most {worst:.1e}; {steps} greedy steps are equal");
}

#[test]
fn the_carried_models_agree_in_full_precision() {
    let gpu = common::gpu();
    let cases = carried();
    assert!(cases.len() >= 6, "the golden models are not where they should be");
    for case in &cases {
        check(&gpu, case, KvType::F32, EXACT);
    }
}

#[test]
fn the_carried_models_agree_with_a_half_precision_cache() {
    let gpu = common::gpu();
    // One of each shape: what differs between the types was compared above.
    for case in carried().iter().filter(|case| case.model.to_string_lossy().contains("q4_k_m")) {
        check(&gpu, case, KvType::F16, HALF);
    }
}

#[test]
fn the_whole_set_agrees_where_it_is_at_hand() {
    let gpu = common::gpu();
    let carried: Vec<_> =
        carried().into_iter().map(|case| case.model.file_name().map(ToOwned::to_owned)).collect();
    for case in
        beside().iter().filter(|case| !carried.contains(&case.model.file_name().map(ToOwned::to_owned)))
    {
        check(&gpu, case, KvType::F32, EXACT);
    }
}
