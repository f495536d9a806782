//! Decoding by diffusion against the reference outputs of Hugging Face transformers (f32), with the random numbers that
//! were recorded there: single passes, and whole runs step by step. The quantised model is in the repository, the other
//! one in the full set.
//!
//! Tolerances are those of the set: 2e-3 on logits, divided by the temperature of the step; ids are equal.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::bytes::{CancelToken, FileSource};
use engine::check::check;
use engine::gguf::Header;
use engine::gpu::Gpu;
use engine::model::{CanvasLogits, ConfigError, Denoising, Noise, Recorded};
use engine::plan::Tested;
use engine::session::{
    Control, DenoisingStep, DeviceMemory, DiffusionEvent, DiffusionOptions, DiffusionOutcome,
    DiffusionSession, EngineError, Finish, LoadOptions, ModelFile, ModelSpec, Session,
};
use engine::template::Piece;
use safetensors::SafeTensors;

use crate::common;

const EXACT: f32 = 2e-3;

/// A model and its reference outputs.
pub(super) struct Golden {
    pub(super) model: PathBuf,
    json: serde_json::Value,
    bytes: Vec<u8>,
}

impl Golden {
    fn open(models: &Path, outputs: &Path, kind: &str) -> Self {
        let path = |extension: &str| outputs.join(format!("tiny-diffusion/{kind}.diffusion.{extension}"));
        let json = std::fs::read(path("json")).expect("golden JSON");
        Self {
            model: models.join(format!("tiny-diffusion.{kind}.gguf")),
            json: serde_json::from_slice(&json).expect("golden JSON parses"),
            bytes: std::fs::read(path("safetensors")).expect("golden tensors"),
        }
    }

    pub(super) fn carried() -> Self {
        let golden = common::repository("frontend/engine/tests/golden");
        Self::open(&golden.join("models"), &golden.join("outputs"), "q4_k_m")
    }

    fn words<T: bytemuck::Pod>(&self, name: &str) -> Vec<T> {
        let tensors = SafeTensors::deserialize(&self.bytes).expect("golden tensors parse");
        let tensor = tensors.tensor(name).unwrap_or_else(|_| panic!("golden tensor {name}"));
        bytemuck::pod_collect_to_vec(tensor.data())
    }

    pub(super) fn prompt(&self) -> Vec<u32> {
        ids(&self.json["ids"])
    }

    pub(super) fn denoising(&self) -> Denoising {
        let int = |key: &str| self.json[key].as_u64().expect("a number") as u32;
        let float = |key: &str| self.json[key].as_f64().expect("a number") as f32;
        Denoising {
            canvas: int("canvas_length"),
            steps: int("max_denoising_steps"),
            t_min: float("t_min"),
            t_max: float("t_max"),
            entropy_bound: float("entropy_bound"),
            stability: int("stability_threshold"),
            confidence: float("confidence_threshold"),
        }
    }
}

fn ids(value: &serde_json::Value) -> Vec<u32> {
    value.as_array().expect("ids").iter().map(|id| id.as_u64().expect("an id") as u32).collect()
}

fn try_load(gpu: &Rc<Gpu>, path: &Path, options: &LoadOptions) -> Result<DiffusionSession, EngineError> {
    let file = ModelFile::local(Rc::new(FileSource::open(path).expect("the model file opens")));
    let cancel = CancelToken::new();
    pollster::block_on(DiffusionSession::load(Rc::clone(gpu), file, options, &cancel, &mut |_| ()))
}

fn load(gpu: &Rc<Gpu>, path: &Path) -> DiffusionSession {
    try_load(gpu, path, &common::exact_options()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

pub(super) fn generate(
    session: &mut DiffusionSession,
    prompt: &[u32],
    options: &DiffusionOptions,
) -> (DiffusionOutcome, Vec<DenoisingStep>) {
    let mut steps = Vec::new();
    let mut on = |event| match event {
        DiffusionEvent::Step(step) => steps.push(*step),
        DiffusionEvent::Prefilling { .. } | DiffusionEvent::Piece(..) | DiffusionEvent::Block(_) => {}
    };
    let answer = pollster::block_on(session.generate(prompt, options, &Control::default(), &mut on));
    (answer.expect("an answer"), steps)
}

/// One block by drawn numbers.
pub(super) fn options(denoising: Denoising, seed: u64) -> DiffusionOptions {
    let noise = Noise { seed, recorded: None };
    DiffusionOptions { denoising, blocks: 1, noise, ignore_eos: true, ..DiffusionOptions::default() }
}

fn furthest(got: &[f32], want: &[f32]) -> f32 {
    assert_eq!(got.len(), want.len());
    let differences = got.iter().zip(want).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |most, d| if d.is_nan() { f32::INFINITY } else { most.max(d) })
}

fn single_passes(gpu: &Rc<Gpu>, golden: &Golden) {
    let mut session = load(gpu, &golden.model);
    let prompt = golden.prompt();
    let text = golden.json["text"].as_str().expect("a text");
    assert_eq!(session.tokenizer().encode_prompt(text), prompt);
    let read = pollster::block_on(session.read(&prompt, &CancelToken::new(), &mut |_| ()));
    assert_eq!(read.expect("a prompt"), Some(0));
    let canvas: Vec<u32> = golden.words("single.canvas");
    let (diffuser, len) = (session.diffuser(), canvas.len() as u32);
    let reader = pollster::block_on(CanvasLogits::new(diffuser)).expect("the kernels");
    diffuser.begin().expect("a block");
    // The second pass is conditioned on what the first one predicts at this temperature.
    let cancel = CancelToken::new();
    for name in ["single.logits", "single_sc.logits"] {
        let uniform = vec![0.5; canvas.len()];
        let step = diffuser.step(&canvas, prompt.len() as u32, 0.8, &uniform, &cancel);
        pollster::block_on(step).expect("a step");
        let all = pollster::block_on(reader.read(diffuser, len, 1.0)).expect("logits");
        let rows = all.chunks(all.len() / canvas.len()).step_by(4).flatten().copied();
        let difference = furthest(&rows.collect::<Vec<_>>(), &golden.words::<f32>(name));
        assert!(difference <= EXACT, "{name} of {}: {difference}", golden.model.display());
    }
}

fn whole_run(gpu: &Rc<Gpu>, golden: &Golden) {
    let mut session = load(gpu, &golden.model);
    let recorded = Recorded::read(&golden.bytes).expect("random numbers");
    let count = golden.json["trace"].as_array().expect("a trace").len();
    assert_eq!(recorded.steps.len(), count);
    let noise = Noise { seed: 0, recorded: Some(recorded) };
    let denoising = golden.denoising();
    let options = DiffusionOptions { noise, logits: true, ..options(denoising, 0) };
    let (outcome, steps) = generate(&mut session, &golden.prompt(), &options);
    assert_eq!((steps.len(), outcome.steps), (count, vec![count as u32]));
    for (index, step) in steps.iter().enumerate() {
        let name = |part: &str| format!("step{index}.{part}");
        let ids = |part: &str| golden.words::<u32>(&name(part));
        let tolerance = EXACT / step.temperature;
        let wanted = golden.json["trace"][index]["temperature"].as_f64().expect("a temperature") as f32;
        assert!((step.temperature - wanted).abs() < 1e-6);
        assert_eq!(step.canvas, ids("canvas_in"), "step {index}");
        let logits = furthest(&step.logits, &golden.words::<f32>(&name("logits")));
        assert!(logits <= tolerance, "logits of step {index}: {logits}");
        let entropies = furthest(&step.predicted.entropies, &golden.words::<f32>(&name("entropy")));
        assert!(entropies <= tolerance, "entropies of step {index}: {entropies}");
        assert_eq!(step.predicted.likeliest, ids("argmax"), "step {index}");
        assert_eq!(step.predicted.sampled, ids("sampled"), "step {index}");
        let accepted: Vec<u8> = step.accepted.iter().map(|&accepted| u8::from(accepted)).collect();
        assert_eq!(accepted, golden.words::<u8>(&name("accepted")), "step {index}");
        assert_eq!(step.next, ids("canvas_out"), "step {index}");
    }
    let last = ids(&golden.json["final"]);
    assert_eq!(outcome.ids, last);
    let text = session.tokenizer().decode(&outcome.ids);
    assert!(!text.is_empty() && text == session.tokenizer().decode(&last));
}

#[test]
fn single_passes_agree_with_the_reference() {
    single_passes(&common::gpu(), &Golden::carried());
}

#[test]
fn a_whole_run_agrees_with_the_reference_step_by_step() {
    whole_run(&common::gpu(), &Golden::carried());
}

#[test]
fn the_full_set_agrees_as_well() {
    let Some(set) = common::full_set() else { return };
    let gpu = common::gpu();
    let golden = Golden::open(&set.join("models"), &set.join("golden"), "f16");
    single_passes(&gpu, &golden);
    whole_run(&gpu, &golden);
}

/// A canvas that became final is read by the encoder: what comes behind is as if it had been in the prompt. So it is where
/// rings turn: the tiny model's are of 576 slots.
#[test]
fn a_block_goes_on_behind_the_final_tokens_of_those_before() {
    let gpu = common::gpu();
    let golden = Golden::carried();
    let long: Vec<u32> = golden.prompt().into_iter().cycle().take(700).collect();
    for prompt in [golden.prompt(), long] {
        let mut session = load(&gpu, &golden.model);
        let wanted = Denoising { steps: 2, ..golden.denoising() };
        let blocks = DiffusionOptions { blocks: 3, ..options(wanted, 5) };
        let (outcome, steps) = generate(&mut session, &prompt, &blocks);
        assert_eq!((outcome.finish, outcome.ids.len()), (Finish::MaxTokens, 3 * 32));
        assert_eq!((outcome.steps, session.context_used()), (vec![2; 3], prompt.len() as u32 + 64));

        let mut fresh = load(&gpu, &golden.model);
        let before = [&prompt, &outcome.ids[..64]].concat();
        let cancel = CancelToken::new();
        pollster::block_on(fresh.read(&before, &cancel, &mut |_| ())).expect("a prompt");
        fresh.diffuser().begin().expect("a block");
        for step in steps.iter().filter(|step| step.block == 2) {
            let uniform = blocks.noise.uniform(2, step.step, 32);
            let (pos, temperature) = (before.len() as u32, step.temperature);
            let again = fresh.diffuser().step(&step.canvas, pos, temperature, &uniform, &cancel);
            let again = pollster::block_on(again).expect("a step");
            let difference = furthest(&again.entropies, &step.predicted.entropies);
            assert!(difference <= EXACT, "{} tokens, step {}: {difference}", prompt.len(), step.step);
            assert_eq!(again.likeliest, step.predicted.likeliest);
        }
    }
}

#[test]
fn an_answer_is_repeated_by_its_seed_and_reuses_the_cache() {
    let golden = Golden::carried();
    let mut session = load(&common::gpu(), &golden.model);
    let settings = Denoising { steps: 3, ..golden.denoising() };
    let prompt = golden.prompt();
    let (first, _) = generate(&mut session, &prompt, &options(settings, 1));
    let (second, steps) = generate(&mut session, &prompt, &options(settings, 1));
    let (third, again) = generate(&mut session, &prompt, &options(settings, 1));
    let cached = [&first, &second, &third].map(|outcome| outcome.timings.cached_tokens);
    assert_eq!(cached, [0, prompt.len() as u32 - 1, prompt.len() as u32 - 1]);
    // The last token of the prompt was read alone the second time: what differs is the order of sums.
    assert_eq!((&first.ids, &second.ids), (&second.ids, &third.ids));
    assert_eq!(steps, again);
    let (_, other) = generate(&mut session, &prompt, &options(settings, 2));
    assert_ne!(other[0].canvas, steps[0].canvas);
}

#[test]
fn a_block_ends_at_the_first_step_that_is_certain_enough() {
    let golden = Golden::carried();
    let mut session = load(&common::gpu(), &golden.model);
    let prompt = golden.prompt();
    let settings = |confidence| Denoising { steps: 4, stability: 0, confidence, ..golden.denoising() };
    // From the second answer on, all begin with the same cache.
    let [_, (_, all)] = [(); 2].map(|()| generate(&mut session, &prompt, &options(settings(0.0), 1)));
    assert_eq!(all.len(), 4, "never certain enough");
    let mean = |step: &DenoisingStep| {
        let entropies = &step.predicted.entropies;
        entropies.iter().sum::<f32>() / entropies.len() as f32
    };
    let entropies: Vec<f32> = all.iter().map(mean).collect();
    let least = entropies.iter().copied().fold(f32::INFINITY, f32::min);
    for confidence in [f32::MAX, least * 1.0001] {
        let ends = entropies.iter().position(|&entropy| entropy < confidence).expect("a step") + 1;
        let (_, steps) = generate(&mut session, &prompt, &options(settings(confidence), 1));
        assert_eq!(steps.len(), ends, "{confidence} of {entropies:?}");
        assert_eq!(steps[..], all[..ends]);
    }
}

#[test]
fn it_stops_between_steps() {
    let golden = Golden::carried();
    let mut session = load(&common::gpu(), &golden.model);
    let (control, mut seen, mut firm) = (Control::default(), Vec::new(), 0);
    let stopping = control.cancel.clone();
    let mut on = |event| {
        if let DiffusionEvent::Step(step) = event {
            seen.push((step.block, step.step));
            firm = step.accepted.iter().take_while(|accepted| **accepted).count();
            if seen.len() == 4 {
                stopping.cancel();
            }
        }
    };
    let settings = Denoising { steps: 3, ..golden.denoising() };
    let long = DiffusionOptions { blocks: 0, ..options(settings, 1) };
    let prompt = golden.prompt();
    let outcome = pollster::block_on(session.generate(&prompt, &long, &control, &mut on)).expect("an answer");
    assert_eq!((outcome.finish, outcome.steps), (Finish::Cancelled, vec![3]));
    assert_eq!(outcome.ids.len(), 32 + firm);
    assert_eq!(seen, [(0, 0), (0, 1), (0, 2), (1, 0)]);
    // What was not finished left nothing behind.
    let (after, _) = generate(&mut session, &prompt, &options(settings, 1));
    assert_eq!(after.ids, outcome.ids[..32]);
    assert_eq!(after.timings.cached_tokens, prompt.len() as u32 - 1);

    session = load(&common::gpu(), &golden.model);
    let outcome = pollster::block_on(session.generate(&prompt, &long, &control, &mut |_| ()));
    assert_eq!(outcome.expect("an answer").finish, Finish::Cancelled);
    assert_eq!(session.context_used(), 0);
}

#[test]
fn ids_that_end_a_turn_end_the_answer() {
    let golden = Golden::carried();
    let mut session = load(&common::gpu(), &golden.model);
    let settings = Denoising { steps: 1, ..golden.denoising() };
    let stops = session.tokenizer().stop_ids().to_vec();
    // One canvas in eleven or so has one of three ids among a thousand.
    let ended = (0..60).any(|seed| {
        let blocks = DiffusionOptions { blocks: 2, ..options(settings, seed) };
        let whole = generate(&mut session, &golden.prompt(), &blocks).0.ids;
        let until = DiffusionOptions { ignore_eos: false, ..blocks };
        let (outcome, _) = generate(&mut session, &golden.prompt(), &until);
        let end = whole.iter().position(|id| stops.contains(id));
        match end {
            Some(at) => {
                assert_eq!(outcome.ids, whole[..=at]);
                assert!(matches!(outcome.finish, Finish::EndOfTurn | Finish::ToolCall), "{outcome:?}");
                assert_eq!(outcome.steps.len(), at / 32 + 1);
            }
            None => assert_eq!((outcome.ids, outcome.finish), (whole, Finish::MaxTokens)),
        }
        end.is_some()
    });
    assert!(ended, "no canvas has one of {stops:?}");
}

/// What an answer says: its finish, its ids, the text of its pieces, and that of the last step.
fn told(session: &mut DiffusionSession, prompt: &[u32], options: &DiffusionOptions) -> Told {
    told_under(session, prompt, options, &Control::default())
}

struct Told {
    outcome: DiffusionOutcome,
    pieces: String,
    /// Tokens with the first piece.
    first: u32,
    canvas: String,
}

fn told_under(
    session: &mut DiffusionSession,
    prompt: &[u32],
    options: &DiffusionOptions,
    control: &Control,
) -> Told {
    let (mut pieces, mut first, mut canvas) = (String::new(), 0, String::new());
    let mut on = |event| match event {
        DiffusionEvent::Step(step) => canvas = step.text.iter().map(|it| it.text.as_str()).collect(),
        DiffusionEvent::Piece(Piece::Answer(text) | Piece::Thought(text), tokens) => {
            pieces.push_str(&text);
            first = if first == 0 { tokens } else { first };
        }
        _ => {}
    };
    let outcome = pollster::block_on(session.generate(prompt, options, control, &mut on));
    Told { outcome: outcome.expect("an answer"), pieces, first, canvas }
}

#[test]
fn what_a_canvas_shows_becomes_the_text_of_the_answer() {
    let golden = Golden::carried();
    let mut session = load(&common::gpu(), &golden.model);
    let settings = Denoising { steps: 2, ..golden.denoising() };
    let prompt = golden.prompt();
    let one = options(settings, 3);
    let whole = told(&mut session, &prompt, &one);
    assert_eq!(whole.pieces, whole.canvas);
    assert!(whole.pieces.chars().count() > 8, "{}", whole.pieces);

    // A stop string in the middle.
    let middle = whole.pieces.char_indices().nth(whole.pieces.chars().count() / 2).expect("a middle").0;
    let stop: String = whole.pieces[middle..].chars().take(3).collect();
    let at = whole.pieces.find(&stop).expect("it is there");
    let stopped = told(&mut session, &prompt, &DiffusionOptions { stop: vec![stop], ..one.clone() });
    assert_eq!((stopped.outcome.finish, &*stopped.pieces), (Finish::StopText, &whole.pieces[..at]));
    assert_eq!(stopped.canvas, stopped.pieces);
    assert!(whole.outcome.ids.starts_with(&stopped.outcome.ids));

    // A limit within the second block.
    let limited = DiffusionOptions { blocks: 0, max_tokens: 40, ..one.clone() };
    let limited = told(&mut session, &prompt, &limited).outcome;
    assert_eq!((limited.finish, limited.ids.len(), limited.steps.len()), (Finish::MaxTokens, 40, 2));
    assert_eq!(limited.ids[..32], whole.outcome.ids);
}

#[test]
fn an_answer_goes_on_from_its_beginning() {
    let golden = Golden::carried();
    let mut session = load(&common::gpu(), &golden.model);
    let settings = Denoising { steps: 2, ..golden.denoising() };
    let prompt = golden.prompt();
    let two = DiffusionOptions { blocks: 2, ..options(settings, 3) };
    let whole = told(&mut session, &prompt, &two);
    let begun = whole.outcome.ids[..32].to_vec();
    // After a lost device: the ids count.
    let restored = told(&mut session, &prompt, &DiffusionOptions { drawn: begun.clone(), ..two.clone() });
    assert_eq!((restored.outcome.ids, restored.outcome.finish), (whole.outcome.ids, Finish::MaxTokens));
    assert!(restored.first > 32 && whole.pieces.ends_with(&restored.pieces) && !restored.pieces.is_empty());
    // Continued by the person: they belong to the prompt.
    let longer = [prompt, begun.clone()].concat();
    let one = options(settings, 3);
    let continued = told(&mut session, &longer, &DiffusionOptions { begun: begun.len(), ..one.clone() });
    assert_eq!(continued.outcome.ids, told(&mut session, &longer, &one).outcome.ids);
    assert!(!continued.pieces.is_empty());
}

#[test]
fn a_thought_ends_with_its_block_when_the_answer_is_wanted_now() {
    let golden = Golden::carried();
    let mut session = load(&common::gpu(), &golden.model);
    let settings = Denoising { steps: 2, ..golden.denoising() };
    let control = Control::default();
    control.answer_now.set(true);
    let thinks = DiffusionOptions { blocks: 2, in_thought: true, ..options(settings, 3) };
    let told = told_under(&mut session, &golden.prompt(), &thinks, &control);
    let close = session.tokenizer().special().channel_close.expect("a thought can end");
    assert_eq!((told.outcome.ids.len(), told.outcome.ids[32]), (65, close));
    assert!(!control.answer_now.get());
}

#[test]
fn what_cannot_be_answered_is_refused() {
    let golden = Golden::carried();
    let mut session = load(&common::gpu(), &golden.model);
    let prompt = golden.prompt();
    let settings = golden.denoising();
    let mut refused = |prompt: &[u32], options: &DiffusionOptions| {
        let (control, mut on) = (Control::default(), |_| ());
        let answer = pollster::block_on(session.generate(prompt, options, &control, &mut on));
        answer.expect_err("no answer")
    };
    let plain = options(settings, 0);
    assert!(matches!(refused(&[], &plain), EngineError::Empty));
    assert!(matches!(refused(&[5000], &plain), EngineError::NoToken { id: 5000, vocabulary: 1024 }));
    // There is room for the prompt, not for a canvas.
    let full = EngineError::ContextFull { tokens: 2020, context: 2048 };
    assert_eq!(refused(&[5; 2020], &plain).to_string(), full.to_string());
    for canvas in [0, 513] {
        let wrong = options(Denoising { canvas, ..settings }, 0);
        assert!(matches!(refused(&prompt, &wrong), EngineError::Denoising(_)), "{canvas}");
    }
    let recorded = Recorded { canvas: vec![1; 31], steps: Vec::new() };
    let noise = Noise { seed: 0, recorded: Some(recorded) };
    assert!(matches!(refused(&prompt, &DiffusionOptions { noise, ..plain }), EngineError::Denoising(_)));
}

#[test]
fn files_are_of_one_kind() {
    let gpu = common::gpu();
    let models = common::repository("frontend/engine/tests/golden/models");
    let refused = try_load(&gpu, &models.join("tiny-moe.q4_k_m.gguf"), &LoadOptions::default()).err();
    let refused = refused.expect("no diffusion model").to_string();
    assert_eq!(refused, "this is a \"gemma4\" model, which does not decode by diffusion");
    let source = FileSource::open(models.join("tiny-diffusion.q4_k_m.gguf")).expect("the model opens");
    let (file, cancel) = (ModelFile::local(Rc::new(source)), CancelToken::new());
    let options = LoadOptions::default();
    let loaded = pollster::block_on(Session::load(Rc::clone(&gpu), file, &options, &cancel, &mut |_| ()));
    match loaded.err() {
        Some(EngineError::Config(error)) => assert_eq!(error, ConfigError::IsDiffusion),
        other => panic!("{other:?}"),
    }
    assert_eq!(gpu.bytes_in_use(), 0);
}

#[test]
fn a_load_takes_what_was_planned() {
    let (gpu, golden) = (common::gpu(), Golden::carried());
    // With all of the eight experts, and with the cache that has the fewest slots.
    for (context, expert_slots) in [(512, 0), (2048, 0), (512, 2), (2048, 7)] {
        let options = LoadOptions { context, expert_slots, ..LoadOptions::default() };
        let source = FileSource::open(&golden.model).expect("the model opens");
        let header = pollster::block_on(Header::read(&source)).expect("a header");
        let plan = ModelSpec::with_options(&header, &options).expect("a plan");
        let needs = plan.needs(DeviceMemory::assumed(&gpu)).expect("its needs");
        let planned = needs.memory(context, plan.storage);
        assert_eq!(needs.fit(context).expect("it fits").bytes, planned.total());
        let before = gpu.bytes_in_use();
        let session = try_load(&gpu, &golden.model, &options).expect("a session");
        assert_eq!(gpu.bytes_in_use() - before, planned.loaded(), "{context}, {expert_slots}");
        drop(session);
        assert_eq!(gpu.bytes_in_use(), before);
    }
}

#[test]
fn its_kernels_pass_the_self_test() {
    let (gpu, golden) = (common::gpu(), Golden::carried());
    let session = load(&gpu, &golden.model);
    let all = session.diffuser().tested();
    let names = [
        "diffusion_join",
        "diffusion_statistics",
        "diffusion_weigh",
        "backward_input_",
        "attention_block_",
        "matmul_experts_",
    ];
    for name in names {
        assert!(all.iter().any(|tested| tested.source.name.starts_with(name)), "no {name}");
    }
    for kernel in Tested::kernels(&all) {
        let checked = pollster::block_on(check(&gpu, &*kernel)).expect("a check");
        assert_eq!(checked.problem, None, "{}", checked.name);
    }
}
