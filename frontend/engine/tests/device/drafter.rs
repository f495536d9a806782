//! Drafters against the reference outputs of Hugging Face transformers (f32) where GEMTAB_GOLDEN names the full set, and
//! answers with a drafter against answers without one.
//!
//! Tolerances are those of the set: 2e-2 on logits and hidden states where keys, values and hidden states are the
//! engine's own in f32; ids are equal where the margin is above twice that.

use std::path::Path;
use std::rc::Rc;

use engine::bytes::{ByteSource, CancelToken, FileSource};
use engine::gguf::Header;
use engine::gpu::GpuError;
use engine::model::{Drafts, Speculation};
use engine::session::{Control, EngineError, LoadOptions, Options, Session, TablePlace};
use safetensors::SafeTensors;
use shaders::sampling::Settings;

use crate::common;

const EXACT: f32 = 2e-2;

fn model(name: &str) -> std::path::PathBuf {
    common::repository("frontend/engine/tests/golden/models").join(name)
}

/// Which head a drafter uses, if it has both.
#[derive(Clone, Copy, PartialEq)]
enum Head {
    Whole,
    Ordered,
}

fn use_drafter(session: &mut Session, path: &Path, head: Head) -> Result<(), EngineError> {
    let source: Rc<dyn ByteSource> = Rc::new(FileSource::open(path).expect("the drafter opens"));
    let header = pollster::block_on(Header::read(&*source)).expect("a header");
    let mut spec = session.drafter_spec(&header)?;
    if head == Head::Whole {
        spec.ordered = None;
    }
    pollster::block_on(session.use_drafter(&source, &spec, &CancelToken::new(), &mut |_| ()))
}

fn open(target: &Path, drafter: Option<&Path>) -> Session {
    let options = LoadOptions { context: 1024, ..common::exact_options() };
    let mut session = common::load(&common::gpu(), target, &options);
    if let Some(path) = drafter {
        use_drafter(&mut session, path, Head::Ordered)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    session
}

fn generate(
    session: &mut Session,
    ids: &[u32],
    options: &Options,
    drafts: Drafts,
) -> (Vec<u32>, Speculation) {
    let options = Options { drafts, ignore_eos: true, ..options.clone() };
    let answer = pollster::block_on(session.generate(ids, &options, &Control::default(), &mut |_| ()))
        .expect("an answer");
    (answer.ids, answer.timings.speculation.unwrap_or_default())
}

/// A prompt that begins as the models' training texts do.
fn prompt(len: u32) -> Vec<u32> {
    std::iter::once(2).chain((1..len).map(|i| 200 + (i * 7919) % 700)).collect()
}

/// Drafts are not known to the host, so one may have no row on the device. It is rejected then.
#[test]
fn a_drafter_drafts_beside_a_table_that_is_outside_of_the_device() {
    let (target, drafter) = (model("tiny-e2b.q4_k_m.gguf"), model("tiny-e2b-assistant.f16.gguf"));
    let with = |table| {
        let options = LoadOptions { context: 1024, table, ..common::exact_options() };
        common::load(&common::gpu(), &target, &options)
    };
    let options = Options { max_tokens: 16, ..Options::default() };
    let ids = prompt(40);
    let mut session = with(TablePlace::Device);
    let (want, _) = generate(&mut session, &ids, &options, Drafts::Never);
    use_drafter(&mut session, &drafter, Head::Ordered).expect("the drafter fits");
    let always = Drafts::Always { count: 3 };
    let (got, whole) = generate(&mut session, &ids, &options, always);
    assert_eq!(got, want);
    drop(session);
    let mut session = with(TablePlace::Host);
    assert!(session.decoder().needs_host());
    use_drafter(&mut session, &drafter, Head::Ordered).expect("the drafter fits");
    session.set_times_drafts(true);
    let drafted = [always, Drafts::Measured, always].map(|drafts| {
        let (got, did) = generate(&mut session, &ids, &options, drafts);
        assert_eq!(got, want, "{drafts:?}, {did:?}");
        did
    });
    assert!(drafted[0].rounds > 0 && drafted[0].accepted <= whole.accepted, "{drafted:?}, {whole:?}");
    // By now all of their rows were needed, and are there.
    assert_eq!(drafted[2], whole);
}

#[test]
fn an_answer_is_the_same_with_and_without_a_drafter() {
    let (target, drafter) = (model("tiny-e2b.q4_k_m.gguf"), model("tiny-e2b-assistant.f16.gguf"));
    let mut plain = open(&target, None);
    let mut session = open(&target, Some(&drafter));
    // Also on a software device.
    session.set_times_drafts(true);
    let greedy = Options { max_tokens: 12, ..Options::default() };
    let settings =
        Settings { temperature: 0.7, top_k: 40, top_p: 0.95, repeat_penalty: 1.1, ..Settings::default() };
    let sampled = Options { settings, seed: 5, ..greedy.clone() };
    // Shorter than the window of 16, and longer.
    let every: &[u32] = if common::is_thorough() { &[1, 2, 3, 4, 5, 6, 7] } else { &[3] };
    for (options, len, counts) in [(&greedy, 5, every), (&sampled, 40, &[7])] {
        let ids = prompt(len);
        let (want, _) = generate(&mut plain, &ids, options, Drafts::Never);
        assert_eq!(
            generate(&mut session, &ids, options, Drafts::Never).0,
            want,
            "a drafter that is not used"
        );
        for &count in counts {
            let (got, did) = generate(&mut session, &ids, options, Drafts::Always { count });
            assert_eq!(got, want, "{count} drafts, {did:?}");
            assert!(did.rounds > 0 && did.drafted == did.rounds * count, "{did:?}");
        }
        assert_eq!(generate(&mut session, &ids, options, Drafts::Measured).0, want);
        let costs = session.decoder().draft_costs();
        assert!(costs.token().is_some(), "{costs:?}");
    }
}

/// Whichever allocation fails while a drafter is loaded, nothing changes: neither what is loaded nor what is answered.
#[test]
fn a_drafter_that_does_not_fit_leaves_model_and_adapters_as_they_were() {
    let (gpu, drafter) = (common::gpu(), model("tiny-e2b-assistant.f16.gguf"));
    let options = LoadOptions { context: 512, ..common::exact_options() };
    let mut session = common::load(&gpu, &model("tiny-e2b.q4_k_m.gguf"), &options);
    let path = common::repository("frontend/engine/tests/golden/adapters/peft");
    let adapter = pollster::block_on(engine::adapter::open(&path)).expect("the adapter opens");
    pollster::block_on(session.add_adapter("peft", adapter.clone(), 1.0)).expect("the adapter fits");
    let options = Options { max_tokens: 8, ..Options::default() };
    let (want, _) = generate(&mut session, &prompt(20), &options, Drafts::Never);
    let mut refused = Vec::new();
    let mut limit = gpu.bytes_in_use();
    loop {
        gpu.limit_memory(limit);
        let used = use_drafter(&mut session, &drafter, Head::Ordered);
        gpu.limit_memory(u64::MAX);
        assert_eq!(generate(&mut session, &prompt(20), &options, Drafts::Never).0, want, "{used:?}");
        assert_eq!(session.decoder().has_drafter(), used.is_ok());
        let Err(EngineError::Gpu(GpuError::OutOfMemory { label, bytes, in_use })) = used else {
            used.expect("nothing else is wrong");
            break;
        };
        refused.push(label);
        // As much as it takes to come to the next allocation.
        limit = in_use + bytes;
    }
    assert!(
        ["token_embd", "ordering"].iter().all(|label| refused.iter().any(|it| it == label)),
        "{refused:?}"
    );
    // Rounds need memory, too. Without it answers come without drafts.
    let drafts = Drafts::Always { count: 3 };
    gpu.limit_memory(gpu.bytes_in_use());
    for _ in 0..2 {
        let (got, did) = generate(&mut session, &prompt(20), &options, drafts);
        assert!(got == want && did.rounds == 0, "{got:?} {did:?}");
    }
    gpu.limit_memory(u64::MAX);
    pollster::block_on(session.add_adapter("off", adapter, 0.0)).expect("the adapter fits");
    let (got, did) = generate(&mut session, &prompt(20), &options, drafts);
    assert!(got == want && did.rounds > 0, "{got:?} {did:?}");
}

/// What repeats is looked up first, though there is a drafter, and the drafter goes on behind it.
#[test]
fn repeated_text_is_looked_up_beside_a_drafter() {
    let (target, drafter) = (model("tiny-e2b.q4_k_m.gguf"), model("tiny-e2b-assistant.f16.gguf"));
    let mut plain = open(&target, None);
    let mut session = open(&target, Some(&drafter));
    let ids = [prompt(30), prompt(30)].concat();
    let options = Options { max_tokens: 40, ..Options::default() };
    let (want, _) = generate(&mut plain, &ids, &options, Drafts::Never);
    let (got, did) = generate(&mut session, &ids, &options, Drafts::LookUpFirst { count: 3 });
    assert_eq!(got, want, "{did:?}");
    assert!(0 < did.looked_up && did.looked_up < did.rounds, "{did:?}");
}

/// The demo model and its drafter, which were trained: rounds accept what they accept in the reference.
#[test]
fn the_drafter_of_the_demo_model_is_accepted_as_in_the_reference() {
    let models = common::repository("server/models");
    let mut session = open(&models.join("pebble.gguf"), Some(&models.join("pebble-drafter.gguf")));
    let json = std::fs::read(common::repository("frontend/engine/tests/golden/pebble-drafter.json"));
    let json: serde_json::Value =
        serde_json::from_slice(&json.expect("reference JSON")).expect("reference JSON parses");
    let prompts = json["prompts"].as_array().expect("prompts");
    // A short prompt, and one that is longer than the window.
    let is_run = |at: &usize| common::is_thorough() || [0, prompts.len() - 1].contains(at);
    for prompt in (0..prompts.len()).filter(is_run).map(|at| &prompts[at]) {
        let (key, greedy) = (prompt["key"].as_str().expect("a key"), ids(&prompt["greedy"]));
        let rounds = prompt["heads"]["full"]["rounds"].as_array().expect("rounds");
        let before = ids(&prompt["ids"]);
        // Up to the last round that is listed, and one token at the beginning.
        let accepted = |round: &serde_json::Value| round["accepted"].as_u64().expect("a number") as u32;
        let listed: u32 = rounds.iter().map(|round| accepted(round) + 1).sum();
        let options = Options { max_tokens: 1 + listed, ..Options::default() };
        let (text, did) = generate(&mut session, &before, &options, Drafts::Always { count: 4 });
        assert_eq!(text, greedy[..text.len().min(greedy.len())], "{key}");
        assert_eq!(text.len() as u32, 1 + listed);
        // The last rounds may have had no room for all of their drafts.
        let most: u32 = rounds.iter().map(accepted).sum();
        assert!(did.accepted <= most, "{key}: {did:?}");
        let whole = rounds.iter().take(did.rounds as usize).map(accepted).sum::<u32>();
        assert_eq!(did.accepted, whole, "{key}: {did:?}");
    }
}

/// A turn behind rejected drafts begins where the accepted text ends; and without the drafter the n-gram look-up drafts.
#[test]
fn a_conversation_goes_on_with_and_without_its_drafter() {
    let (target, drafter) = (model("tiny-e2b.q4_k_m.gguf"), model("tiny-e2b-assistant.f16.gguf"));
    let mut session = open(&target, Some(&drafter));
    let options = Options { max_tokens: 10, ..Options::default() };
    let mut ids = prompt(30);
    let (first, _) = generate(&mut session, &ids, &options, Drafts::Always { count: 7 });
    ids.extend(&first);
    ids.extend(prompt(4));
    let (second, _) = generate(&mut session, &ids, &options, Drafts::Always { count: 3 });
    session.forget();
    let (again, _) = generate(&mut session, &ids, &options, Drafts::Never);
    assert_eq!(second, again);
    pollster::block_on(session.remove_drafter()).expect("the device is there");
    let (looked_up, _) = generate(&mut session, &ids, &options, Drafts::Always { count: 3 });
    assert_eq!(looked_up, again);
    let refused = pollster::block_on(session.drafts(&ids, &[], 1));
    assert!(refused.is_err_and(|error| error.to_string() == "the model has no drafter"));
}

/// A drafter of another model, and files that are no drafters: the model still answers.
#[test]
fn other_files_are_refused_by_name() {
    let mut session = open(&model("tiny-31b.q4_0.gguf"), None);
    let error = |path: &Path, session: &mut Session| {
        use_drafter(session, path, Head::Ordered).expect_err("refused").to_string()
    };
    let of_another = error(&model("tiny-e2b-assistant.f16.gguf"), &mut session);
    let said =
        "the drafter was made for a model whose number of KV heads of sliding layers is 1; this model’s is 2";
    assert_eq!(of_another, said);
    let no_drafter = error(&model("tiny-31b.q4_0.gguf"), &mut session);
    assert_eq!(no_drafter, "this is a \"gemma4\" model, not a drafter (architecture gemma4-assistant)");
    let options = Options { max_tokens: 2, ..Options::default() };
    assert_eq!(generate(&mut session, &prompt(8), &options, Drafts::Never).0.len(), 2);
}

struct Golden {
    bytes: Vec<u8>,
}

impl Golden {
    fn floats(&self, name: &str) -> Vec<f32> {
        let tensors = SafeTensors::deserialize(&self.bytes).expect("golden tensors parse");
        let tensor = tensors.tensor(name).unwrap_or_else(|_| panic!("golden tensor {name}"));
        bytemuck::pod_collect_to_vec(tensor.data())
    }
}

fn ids(value: &serde_json::Value) -> Vec<u32> {
    let ids = value.as_array().expect("ids");
    ids.iter().map(|id| id.as_u64().expect("an id") as u32).collect()
}

fn distance(got: &[f32], want: &[f32]) -> f32 {
    assert_eq!(got.len(), want.len());
    got.iter().zip(want).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// Draft steps behind given tokens and hidden states, and the whole loop.
#[test]
fn drafts_and_answers_are_those_of_the_reference() {
    let Some(set) = common::full_set() else { return };
    for (name, head) in [("tiny-e2b", Head::Whole), ("tiny-e2b", Head::Ordered), ("tiny-31b", Head::Whole)] {
        let mut session = open(&set.join(format!("models/{name}.f16.gguf")), None);
        let drafter = set.join(format!("models/{name}-assistant.f16.gguf"));
        use_drafter(&mut session, &drafter, head).expect("a drafter");
        let path = |extension: &str| set.join(format!("golden/{name}/f16.assistant.{extension}"));
        let json = std::fs::read(path("json")).expect("golden JSON");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("golden JSON parses");
        let golden = Golden { bytes: std::fs::read(path("safetensors")).expect("golden tensors") };
        for prompt in json["prompts"].as_array().expect("prompts") {
            compare(&mut session, &golden, prompt, head);
        }
    }
}

fn compare(session: &mut Session, golden: &Golden, prompt: &serde_json::Value, head: Head) {
    const ROUNDS: usize = 6;
    const DRAFTS: u32 = 4;
    let key = prompt["key"].as_str().expect("a key");
    let (before, greedy) = (ids(&prompt["ids"]), ids(&prompt["greedy"]));
    let kind = if head == Head::Whole { "full" } else { "ordered" };
    let of = |what: &str| golden.floats(&format!("{key}.{kind}.{what}"));
    let (h, logits, hidden, mut margins) = (of("h"), of("logits"), of("h_next"), of("draft_margin"));
    if head == Head::Ordered {
        // Another centroid may be chosen where two are as good.
        margins
            .iter_mut()
            .zip(of("centroid_margin"))
            .for_each(|(margin, centroid)| *margin = margin.min(centroid));
    }
    let of_head = &prompt["heads"][kind];
    let mut worst: f32 = 0.0;
    for (number, round) in of_head["rounds"].as_array().expect("rounds").iter().take(ROUNDS).enumerate() {
        let position = round["position"].as_u64().expect("a position") as usize;
        let sequence: Vec<u32> = before.iter().chain(&greedy).copied().take(position + 1).collect();
        assert_eq!(u64::from(sequence[position]), round["token"].as_u64().expect("a token"));
        let width = h.len() / ROUNDS;
        let drafts = session.drafts(&sequence, &h[number * width..][..width], DRAFTS);
        let drafts = pollster::block_on(drafts).expect("drafts");
        for (at, (draft, want)) in drafts.iter().zip(ids(&round["draft_ids"])).enumerate() {
            let place = number * DRAFTS as usize + at;
            worst = worst.max(distance(&draft.hidden, &hidden[place * width..][..width]));
            if head == Head::Whole {
                let vocabulary = draft.logits.len();
                worst = worst.max(distance(&draft.logits, &logits[place * vocabulary..][..vocabulary]));
            }
            if margins[place] < 2.0 * EXACT {
                // What follows another token is not comparable.
                break;
            }
            assert_eq!(draft.id, want, "{key} {kind} round {number} step {at}");
        }
    }
    println!("{key} {kind}: {worst:e}");
    assert!(worst < EXACT, "{key} {kind}: {worst}");
    let options = Options { max_tokens: 48, ..Options::default() };
    let (text, did) = generate(session, &before, &options, Drafts::Always { count: DRAFTS });
    assert_eq!(text, greedy, "{key} {kind}, {did:?}");
    let rate = f64::from(did.accepted) / f64::from(did.drafted);
    let reference = of_head["acceptance"].as_f64().expect("a rate");
    println!("{key} {kind}: {rate} accepted, in the reference {reference}");
    assert!((rate - reference).abs() < 0.1, "{key} {kind}: {rate}, in the reference {reference}");
}
