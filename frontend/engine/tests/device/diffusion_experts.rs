//! The expert cache of a model that decodes by diffusion: with slots for some of its experts it denoises the same canvases.

use std::rc::Rc;

use engine::bytes::{CancelToken, MemorySource};
use engine::gguf::Header;
use engine::gpu::Gpu;
use engine::model::Denoising;
use engine::session::{
    Control, DenoisingStep, DeviceMemory, DiffusionEvent, DiffusionOptions, DiffusionOutcome,
    DiffusionSession, EngineError, Finish, LoadOptions, MIN_CONTEXT, ModelFile, ModelSpec,
};
use pollster::block_on;

use crate::common::{self, Server};
use crate::diffusion::{Golden, generate, options};
use crate::faulty_source::FaultySource;

const LAYERS: u64 = 3;
/// Experts of a layer.
const EXPERTS: u32 = 8;
/// Experts of a row: the fewest slots.
const USED: u32 = 2;

fn file() -> Vec<u8> {
    std::fs::read(Golden::carried().model).expect("the golden model")
}

fn header() -> Header {
    block_on(Header::read(&MemorySource::new(file()))).expect("a header")
}

fn with_slots(expert_slots: u32) -> LoadOptions {
    LoadOptions { expert_slots, ..common::exact_options() }
}

fn load(gpu: &Rc<Gpu>, file: ModelFile, slots: u32) -> Result<DiffusionSession, EngineError> {
    let (options, cancel) = (with_slots(slots), CancelToken::new());
    block_on(DiffusionSession::load(Rc::clone(gpu), file, &options, &cancel, &mut |_| ()))
}

fn here(gpu: &Rc<Gpu>, slots: u32) -> DiffusionSession {
    load(gpu, ModelFile::local(Rc::new(MemorySource::new(file()))), slots).expect("it loads")
}

/// So many blocks of three steps.
fn blocks(blocks: u32) -> DiffusionOptions {
    let denoising = Denoising { steps: 3, ..Golden::carried().denoising() };
    DiffusionOptions { blocks, logits: true, ..options(denoising, 5) }
}

fn answer(session: &mut DiffusionSession) -> (DiffusionOutcome, Vec<DenoisingStep>) {
    generate(session, &Golden::carried().prompt(), &blocks(2))
}

#[test]
fn with_slots_for_some_experts_the_canvases_are_the_same() {
    let gpu = common::gpu();
    let mut whole = here(&gpu, 0);
    assert_eq!(whole.diffuser().expert_use(), None);
    let (want, steps) = answer(&mut whole);
    assert_eq!((want.ids.len(), steps.len()), (64, 6));
    drop(whole);
    for slots in [USED, 5] {
        let mut some = here(&gpu, slots);
        let before = some.diffuser().expert_use().expect("a cache");
        assert_eq!(before, (slots, Default::default()));
        let (outcome, same) = answer(&mut some);
        // Every expert is multiplied as before, wherever it lies.
        assert_eq!(outcome.ids, want.ids, "with {slots} slots");
        assert!(same == steps, "with {slots} slots");
        let (_, used) = some.diffuser().expert_use().expect("a cache");
        let of_steps = steps.len() as u64 * LAYERS;
        assert!(used.uses <= of_steps * u64::from(EXPERTS) && used.uses > of_steps * 4, "{used:?}");
        // A step begins with the experts that are there, so it reads those alone that have no slot.
        assert!(used.misses > 0 && used.misses <= of_steps * u64::from(EXPERTS - slots), "{used:?}");
        assert!(used.for_prompts > 0 && !used.loading.is_zero(), "{used:?}");
        assert!(used.missed_bytes > 0 && used.missed_bytes < used.bytes, "{used:?}");
    }
}

#[test]
fn experts_are_read_on_this_machine_alone() {
    let gpu = common::gpu();
    let server = Server::new(file());
    let refused = load(&gpu, ModelFile::remote(Rc::<Server>::clone(&server)), USED).err();
    let spec = ModelSpec::read(&header()).expect("a model");
    let all: u64 = spec.experts().map(|matrix| matrix.range.end - matrix.range.start).sum();
    assert!(matches!(refused, Some(EngineError::NoExperts { bytes }) if bytes == all), "{refused:?}");
    assert_eq!(gpu.bytes_in_use(), 0);
}

fn faulty(gpu: &Rc<Gpu>, fails: bool) -> (Rc<FaultySource>, DiffusionSession) {
    let file = FaultySource::new(file(), fails);
    let session = load(gpu, ModelFile::local(Rc::<FaultySource>::clone(&file)), USED).expect("it loads");
    (file, session)
}

/// How many reads the prompt takes, and how many have passed when each step of an answer ends. Afterwards the answer is
/// given once more, from an empty cache of keys and values.
fn reads(file: &FaultySource, session: &mut DiffusionSession) -> Vec<u32> {
    session.forget();
    file.left.set(Some(u32::MAX));
    let passed = || u32::MAX - file.left.get().expect("it counts");
    let mut all = Vec::new();
    let mut on = |event| match event {
        DiffusionEvent::Prefilling { done, total } if done == total => all.push(passed()),
        DiffusionEvent::Step(_) => all.push(passed()),
        _ => {}
    };
    let prompt = Golden::carried().prompt();
    block_on(session.generate(&prompt, &blocks(2), &Control::default(), &mut on)).expect("an answer");
    file.left.set(None);
    all
}

#[test]
fn a_step_that_waits_for_an_expert_can_be_stopped() {
    let (file, mut session) = faulty(&common::gpu(), false);
    let (want, steps) = answer(&mut session);
    let reads = reads(&file, &mut session);
    assert_eq!(reads.len(), 1 + steps.len());
    assert!(reads.is_sorted_by(|a, b| a < b), "{reads:?}");
    let prompt = Golden::carried().prompt();
    // While the prompt is read, in the first block, and in the second step of the second one. How many reads came
    // before depends a little on the experts that the last answer left in the slots.
    for (left, least) in [(reads[0] / 2, 0), ((reads[1] + reads[2]) / 2, 0), ((reads[4] + reads[5]) / 2, 32)]
    {
        session.forget();
        file.left.set(Some(left));
        let control = Control::default();
        let mut firm = Vec::new();
        let mut on = |event| {
            if let DiffusionEvent::Step(step) = event {
                let accepted = step.predicted.likeliest.iter().zip(&step.accepted);
                firm = accepted.map_while(|(&id, &accepted)| accepted.then_some(id)).collect();
            }
        };
        let two = blocks(2);
        let mut answer = Box::pin(session.generate(&prompt, &two, &control, &mut on));
        file.poll_until_it_hangs(&mut answer);
        control.cancel.cancel();
        let outcome = block_on(answer.as_mut()).expect("stopping is no failure");
        drop(answer);
        assert_eq!(outcome.finish, Finish::Cancelled);
        assert!(outcome.ids.len() >= least, "{} of {least}", outcome.ids.len());
        // What was finished is kept, and what the last step had accepted.
        let finished = outcome.steps.len() * 32;
        assert_eq!(outcome.ids[..finished], want.ids[..finished]);
        if outcome.ids.len() > finished {
            assert_eq!(outcome.ids[finished..], firm);
        }
        file.left.set(None);
        session.forget();
        let (again, same) = self::answer(&mut session);
        assert_eq!(again.ids, want.ids);
        assert!(same == steps);
    }
}

#[test]
fn an_expert_that_cannot_be_read_ends_the_answer_with_its_name() {
    let (file, mut session) = faulty(&common::gpu(), true);
    let (want, _) = answer(&mut session);
    let reads = reads(&file, &mut session);
    let prompt = Golden::carried().prompt();
    for left in [reads[0] / 2, (reads[1] + reads[2]) / 2] {
        session.forget();
        file.left.set(Some(left));
        let failed = block_on(session.generate(&prompt, &blocks(2), &Control::default(), &mut |_| ()));
        let error = failed.expect_err("it fails").to_string();
        assert!(error.starts_with("expert ") && error.contains(" of layer "), "{error}");
        file.left.set(None);
        assert_eq!(answer(&mut session).0.ids, want.ids);
    }
}

#[test]
fn memory_decides_how_many_slots_there_are() {
    let header = header();
    let usual = DeviceMemory::assumed(&common::gpu());
    // No shorter context is useful.
    let with_slots = |slots| LoadOptions { context: MIN_CONTEXT, ..with_slots(slots) };
    let options = with_slots(0);
    let with = |budget, available| {
        let memory = DeviceMemory { available, ..usual };
        ModelSpec::with_expert_budget(&header, &options, budget, memory).map(|options| options.expert_slots)
    };
    let bytes = |slots| {
        let spec = ModelSpec::with_options(&header, &with_slots(slots)).expect("a model");
        spec.fit(MIN_CONTEXT, usual).expect("it fits").bytes
    };
    assert_eq!(with(None, bytes(0)).expect("it fits"), 0);
    assert_eq!(with(None, bytes(0) - 1).expect("it fits"), EXPERTS - 1);
    assert_eq!(with(None, bytes(USED)).expect("it fits"), USED);
    let refused = with(Some(1000), u64::MAX).expect_err("two experts take more");
    let EngineError::ExpertBudget { budget: 1000, needed } = refused else { panic!("{refused}") };
    assert_eq!(with(Some(needed), u64::MAX).expect("two"), USED);
    assert!(with(Some(needed - 1), u64::MAX).is_err());

    let spec = ModelSpec::with_options(&header, &with_slots(5)).expect("a model");
    let memory = spec.expert_memory().expect("a layout").expect("a mixture");
    assert_eq!((memory.least(), memory.all(), memory.held()), (needed, needed * 4, needed / 2 * 5));
    // All are used, and three of eight have no place.
    assert_eq!(memory.read_per_canvas(), memory.file_bytes * 3);
}
