//! The expert cache: a mixture with slots for some of its experts is the same mixture, and reads the others on this
//! machine only.

use std::rc::Rc;

use engine::bytes::{ByteSource, CancelToken, LocalSource, MemorySource, RangeCopy};
use engine::gguf::Header;
use engine::gpu::Gpu;
use engine::model::{KvType, Tuning};
use engine::session::{
    Control, DeviceMemory, EngineError, Finish, LoadOptions, ModelFile, ModelSpec, Options, Session,
};
use pollster::block_on;

use crate::common::{self, Server};
use crate::faulty_source::FaultySource;

const MODEL: &str = "frontend/engine/tests/golden/models/tiny-moe.q4_k_m.gguf";
const LAYERS: u64 = 4;

fn file() -> Vec<u8> {
    std::fs::read(common::repository(MODEL)).expect("the golden model")
}

fn header() -> Header {
    block_on(Header::read(&MemorySource::new(file()))).expect("a header")
}

/// So many of eight experts per layer; two are used for a token.
fn with_slots(expert_slots: u32) -> LoadOptions {
    // What is timed may turn out otherwise for each session.
    let tuning = Some(Tuning::FLOATS);
    LoadOptions { context: 512, kv_type: KvType::F32, expert_slots, tuning, ..LoadOptions::default() }
}

fn load(gpu: &Rc<Gpu>, file: ModelFile, options: &LoadOptions) -> Result<Session, EngineError> {
    block_on(Session::load(Rc::clone(gpu), file, options, &CancelToken::new(), &mut |_| ()))
}

fn prompt() -> Vec<u32> {
    (0..20).map(|i| 200 + i * 7919 % 700).collect()
}

fn drawn(session: &mut Session, most: u32) -> Vec<u32> {
    let options = Options { max_tokens: most, ignore_eos: true, ..Options::default() };
    block_on(session.generate(prompt(), &options, &Control::default(), &mut |_| ())).expect("an answer").ids
}

/// Logits by prefill and token by token, and the tokens that are drawn.
fn everything(session: &mut Session) -> ([Vec<f32>; 2], Vec<u32>) {
    let ids = prompt();
    let read = block_on(session.logits(&ids[..], 12)).expect("logits");
    let stepped = block_on(session.logits_by_steps(&ids[..8], 8)).expect("logits");
    ([read, stepped], drawn(session, 16))
}

#[test]
fn a_mixture_with_slots_for_some_experts_is_the_same_mixture() {
    let gpu = common::gpu();
    let here = || ModelFile::local(Rc::new(MemorySource::new(file())));
    let mut whole = load(&gpu, here(), &with_slots(0)).expect("it loads");
    assert_eq!(whole.decoder().expert_use(), None);
    let want = everything(&mut whole);
    drop(whole);
    for slots in [2, 5] {
        let mut some = load(&gpu, here(), &with_slots(slots)).expect("it loads");
        // Every expert is multiplied as before, wherever it lies.
        assert!(everything(&mut some) == want, "with {slots} slots");
        let (found, used) = some.decoder().expert_use().expect("a cache");
        assert_eq!(found, slots);
        // Eight tokens step by step, and all that were drawn but the first, two experts in each layer.
        assert_eq!(used.uses, (8 + 15) * 2 * LAYERS);
        assert!(used.misses > 0 && used.misses < used.uses, "{used:?}");
        assert!(used.for_prompts > 0 && !used.loading.is_zero(), "{used:?}");
        assert!(used.missed_bytes > 0 && used.missed_bytes < used.bytes, "{used:?}");
    }
}

#[test]
fn what_is_in_the_cache_is_not_read_again() {
    let gpu = common::gpu();
    let mut session =
        load(&gpu, ModelFile::local(Rc::new(MemorySource::new(file()))), &with_slots(7)).expect("it loads");
    let read = |session: &Session| session.decoder().expert_use().expect("a cache").1;
    drawn(&mut session, 4);
    let before = read(&session);
    session.forget();
    drawn(&mut session, 4);
    let after = read(&session);
    // Each layer has slots for all of its experts but one.
    assert!(after.bytes - before.bytes < before.bytes / 2, "{before:?}, then {after:?}");
}

#[test]
fn experts_are_read_on_this_machine_alone() {
    let gpu = common::gpu();
    let server = Server::new(file());
    let remote = || ModelFile::remote(Rc::<Server>::clone(&server));
    let refused = load(&gpu, remote(), &with_slots(3)).err().expect("it is not loaded");
    let spec = ModelSpec::read(&header()).expect("a model");
    let all: u64 = spec.experts().map(|matrix| matrix.range.end - matrix.range.start).sum();
    assert!(matches!(refused, EngineError::NoExperts { bytes } if bytes == all), "{refused}");

    let (cancel, mut quiet) = (CancelToken::new(), |_, _| ());
    let copy = block_on(RangeCopy::read(&*server, 0..server.len(), &cancel, &mut quiet));
    let copy: Rc<dyn LocalSource> = Rc::new(copy.expect("memory"));
    let mut session =
        load(&gpu, ModelFile { local: Some(copy), ..remote() }, &with_slots(3)).expect("it loads");
    assert!(server.reads.take() > 0);
    drawn(&mut session, 8);
    assert!(session.decoder().expert_use().is_some_and(|(_, used)| used.bytes > 0));
    assert_eq!(server.reads.get(), 0);
}

fn faulty(gpu: &Rc<Gpu>, fails: bool) -> (Rc<FaultySource>, Session) {
    let file = FaultySource::new(file(), fails);
    let session =
        load(gpu, ModelFile::local(Rc::<FaultySource>::clone(&file)), &with_slots(2)).expect("it loads");
    (file, session)
}

/// Reads for the prompt, and for an answer of eight tokens.
fn reads(file: &FaultySource, session: &mut Session) -> [u32; 2] {
    [1, 8].map(|most| {
        session.forget();
        file.left.set(Some(u32::MAX));
        drawn(session, most);
        u32::MAX - file.left.take().unwrap_or_default()
    })
}

#[test]
fn an_answer_that_waits_for_an_expert_can_be_stopped() {
    let (file, mut session) = faulty(&common::gpu(), false);
    let want = drawn(&mut session, 8);
    let [of_prompt, of_answer] = reads(&file, &mut session);
    assert!(0 < of_prompt && of_prompt < of_answer, "{of_prompt} of {of_answer}");
    let asked = Options { max_tokens: 8, ignore_eos: true, ..Options::default() };
    // While the prompt is read, and while tokens are drawn.
    for (left, has_tokens) in [(of_prompt / 2, false), ((of_prompt + of_answer) / 2, true)] {
        session.forget();
        file.left.set(Some(left));
        let control = Control::default();
        let mut on = |_| ();
        let mut answer = Box::pin(session.generate(prompt(), &asked, &control, &mut on));
        file.poll_until_it_hangs(&mut answer);
        control.cancel.cancel();
        let outcome = block_on(answer.as_mut()).expect("stopping is no failure");
        assert_eq!(outcome.finish, Finish::Cancelled);
        assert_eq!(outcome.ids, want[..outcome.ids.len()]);
        assert_eq!(!outcome.ids.is_empty(), has_tokens);
        drop(answer);
        file.left.set(None);
        assert_eq!(drawn(&mut session, 8), want);
    }
}

#[test]
fn an_expert_that_cannot_be_read_ends_the_answer_with_its_name() {
    let (file, mut session) = faulty(&common::gpu(), true);
    let want = drawn(&mut session, 8);
    let [of_prompt, of_answer] = reads(&file, &mut session);
    for left in [of_prompt / 2, (of_prompt + of_answer) / 2] {
        session.forget();
        file.left.set(Some(left));
        let asked = Options { max_tokens: 8, ignore_eos: true, ..Options::default() };
        let failed = block_on(session.generate(prompt(), &asked, &Control::default(), &mut |_| ()));
        let error = failed.expect_err("it fails").to_string();
        assert!(error.starts_with("expert ") && error.contains(" of layer "), "{error}");
        file.left.set(None);
        assert_eq!(drawn(&mut session, 8), want);
    }
}

#[test]
fn memory_decides_how_many_slots_there_are() {
    let header = header();
    let usual = DeviceMemory::assumed(&common::gpu());
    let options = with_slots(0);
    let with = |budget, available| {
        let memory = DeviceMemory { available, ..usual };
        ModelSpec::with_expert_budget(&header, &options, budget, memory).map(|options| options.expert_slots)
    };
    let bytes = |slots| {
        let spec = ModelSpec::with_options(&header, &with_slots(slots)).expect("a model");
        spec.fit(512, usual).expect("it fits").bytes
    };
    assert_eq!(with(None, bytes(0)).expect("it fits"), 0);
    assert_eq!(with(None, bytes(0) - 1).expect("it fits"), 7);
    assert_eq!(with(None, bytes(5)).expect("it fits"), 5);
    assert_eq!(with(None, bytes(2)).expect("it fits"), 2);
    let refused = with(None, bytes(2) - 1).expect_err("it does not fit");
    assert!(matches!(refused, EngineError::TooLarge { needed, .. } if needed == bytes(2)), "{refused}");

    // A budget is for the experts alone.
    let refused = with(Some(1000), u64::MAX).expect_err("two experts take more");
    let EngineError::ExpertBudget { budget: 1000, needed } = refused else { panic!("{refused}") };
    assert_eq!(with(Some(needed), u64::MAX).expect("two"), 2);
    let spec = ModelSpec::with_options(&header, &with_slots(5)).expect("a model");
    let memory = spec.expert_memory().expect("a layout").expect("a mixture");
    assert_eq!((memory.least(), memory.all(), memory.held()), (needed, needed * 4, needed / 2 * 5));
    // Two of eight are used, and three of eight have no place.
    assert_eq!(memory.read_per_token(), memory.file_bytes * 2 * 3 / 8);
    assert_eq!(with(Some(needed * 2 + needed / 4), u64::MAX).expect("four"), 4);
    assert!(with(Some(u64::MAX), u64::MAX).expect("all") >= 8);
    // Slots for all are no cache, and a token needs all experts that it uses.
    for (asked, slots) in [(8, None), (1, Some(2))] {
        let spec = ModelSpec::with_options(&header, &with_slots(asked)).expect("a model");
        assert_eq!(spec.expert_slots, slots);
    }
}
