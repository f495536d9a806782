//! The per-layer table: on the device in one piece and in several, and outside of it. Rows are looked up for every token,
//! so none is ever read from anywhere but this machine once an answer can begin.

use std::collections::BTreeSet;
use std::rc::Rc;

use engine::bytes::{CancelToken, LocalSource, MemorySource, RangeCopy};
use engine::gguf::Header;
use engine::gpu::{Gpu, GpuOptions};
use engine::model::KvType;
use engine::session::{
    Control, DeviceMemory, EngineError, Finish, LoadOptions, Loading, ModelFile, ModelSpec, Options, Session,
    Storage, TablePlace,
};
use probe::synth::{self, Quant, Shape};
use shaders::sampling::Settings;

use crate::common::{self, Server};
use crate::faulty_source::FaultySource;

const VOCABULARY: u32 = 3 * 1024;

/// A small model of the E2B kind whose table has room for three parts: 1024 rows are the least.
fn model() -> Vec<u8> {
    let shape: Shape = "e2b-small".parse().expect("a shape");
    let options = synth::Options { vocabulary: VOCABULARY, ..synth::Options::new(shape, Quant::Q4KM) };
    let mut file = Vec::new();
    synth::write(&mut file, &options).expect("a model");
    file
}

fn gpu(options: GpuOptions) -> Rc<Gpu> {
    Rc::new(pollster::block_on(Gpu::open(&options)).expect("a device"))
}

fn plan(file: &[u8]) -> ModelSpec {
    let header = pollster::block_on(Header::read(&MemorySource::new(file.to_vec()))).expect("a header");
    ModelSpec::read(&header).expect("a plan")
}

fn exact() -> LoadOptions {
    LoadOptions { context: 512, ..common::exact_options() }
}

fn load(gpu: &Rc<Gpu>, file: ModelFile, options: &LoadOptions) -> Result<Session, EngineError> {
    pollster::block_on(Session::load(Rc::clone(gpu), file, options, &CancelToken::new(), &mut |_| ()))
}

fn here(file: &[u8]) -> ModelFile {
    ModelFile::local(Rc::new(MemorySource::new(file.to_vec())))
}

/// Ids from all thirds of the vocabulary, its ends included, some of them twice.
fn prompt() -> Vec<u32> {
    let mut ids: Vec<u32> = (0..7).map(|i| (i * 997 + 5) % VOCABULARY).collect();
    ids.extend([0, VOCABULARY - 1, 1023, 1024, 2047, 2048, 5]);
    ids
}

/// Logits of every position, by the steps of a drawn token and by prefill.
fn logits(session: &mut Session) -> [Vec<f32>; 2] {
    let ids = prompt();
    let stepped = pollster::block_on(session.logits_by_steps(&ids, ids.len())).expect("logits");
    let read = pollster::block_on(session.logits(&ids[..], ids.len())).expect("logits");
    [stepped, read]
}

fn drawn_with(session: &mut Session, options: &Options) -> Vec<u32> {
    let control = Control::default();
    pollster::block_on(session.generate(prompt(), options, &control, &mut |_| ())).expect("an answer").ids
}

fn drawn(session: &mut Session) -> Vec<u32> {
    drawn_with(session, &Options { max_tokens: 24, ignore_eos: true, ..Options::default() })
}

#[test]
fn it_is_the_same_table_in_several_buffers_and_outside_of_the_device() {
    let file = model();
    let device = gpu(GpuOptions::default());
    let mut whole = load(&device, here(&file), &exact()).expect("it loads");
    let table = |session: &Session| session.decoder().parts().weights.matrix("per_layer_token_embd").cloned();
    let bytes = {
        let table = table(&whole).expect("a table on the device");
        assert_eq!(table.parts.len(), 1);
        table.whole().layout.bytes()
    };
    assert!(!whole.decoder().needs_host());
    let want = (logits(&mut whole), drawn(&mut whole));
    drop(whole);

    let cut = gpu(GpuOptions { largest_part: Some(bytes * 2 / 5), ..GpuOptions::default() });
    let mut cut = load(&cut, here(&file), &exact()).expect("it loads");
    assert_eq!(table(&cut).expect("a table on the device").parts.len(), 3);
    // Each row is the same, whatever buffer it lies in.
    assert_eq!((logits(&mut cut), drawn(&mut cut)), want);
    drop(cut);

    let options = LoadOptions { table: TablePlace::Host, ..exact() };
    let mut outside = load(&device, here(&file), &options).expect("it loads");
    assert!(outside.decoder().needs_host() && table(&outside).is_none());
    for (got, want) in logits(&mut outside).iter().zip(&want.0) {
        let largest = want.iter().map(|z| z.abs()).fold(0.0, f32::max);
        assert!(largest > 0.1, "logits are at most {largest}");
        let worst = got.iter().zip(want).map(|(got, want)| (got - want).abs()).fold(0.0, f32::max);
        assert!(worst < 1e-4 * largest, "{worst} of {largest}");
    }
    assert_eq!(drawn(&mut outside), want.1);
}

#[test]
fn a_device_without_room_for_it_keeps_the_context() {
    let file = model();
    let plan = plan(&file);
    let usual = DeviceMemory::assumed(&gpu(GpuOptions::default()));
    let memory = Some(plan.needs(usual).expect("its needs").memory(8192, Storage::default()).total() - 1);
    let device = gpu(GpuOptions { memory, ..GpuOptions::default() });
    let session = load(&device, here(&file), &LoadOptions::default()).expect("it loads");
    assert!(session.decoder().needs_host());
    assert_eq!(session.context(), 8192);
}

#[test]
fn what_is_planned_can_be_bound_and_a_little_less_is_not_enough() {
    let file = model();
    let plan = plan(&file);
    // The cache is by far the largest: 1 KiB for each position of a global layer, in Q8_0 544 bytes.
    let context = 32_768;
    let usual = DeviceMemory::assumed(&gpu(GpuOptions::default()));
    let needs = plan.needs(usual).expect("its needs");
    let largest = |kv_type| needs.largest_buffer(context, Storage { kv_type, ..plan.storage }).bytes;
    let [halves, bytes] = [KvType::F16, KvType::Q8_0].map(largest);
    assert_eq!((halves, bytes), (32 << 20, 17 << 20));
    let options = LoadOptions { context, ..LoadOptions::default() };
    for (limit, wanted, kv_type) in [
        (halves, context, KvType::F16),
        (halves - 256, context, KvType::Q8_0),
        (bytes, context, KvType::Q8_0),
        (bytes - 256, context - 512, KvType::Q8_0),
    ] {
        let device = gpu(GpuOptions { largest_binding: Some(limit), ..GpuOptions::default() });
        let mut session = load(&device, here(&file), &options).expect("it loads");
        assert_eq!((session.context(), session.storage().kv_type), (wanted, kv_type));
        // What differs is the cache, not what a full one computes.
        if context != wanted || limit == halves {
            assert_eq!(drawn(&mut session).len(), 24);
        }
    }
}

#[test]
fn a_server_is_asked_for_nothing_once_the_model_is_loaded() {
    let file = model();
    let device = gpu(GpuOptions::default());
    let want = drawn(&mut load(&device, here(&file), &exact()).expect("it loads"));

    let server = Server::new(file.clone());
    let options = LoadOptions { table: TablePlace::Host, ..exact() };
    let remote = || ModelFile::remote(Rc::<Server>::clone(&server));

    // Without a copy of the table here nothing is loaded.
    let mut copied = 0;
    let mut told = |step| {
        if matches!(step, Loading::Weights(..)) {
            copied += 1;
        }
    };
    let cancel = CancelToken::new();
    let refused = Session::load(Rc::clone(&device), remote(), &options, &cancel, &mut told);
    let range = plan(&file).table().expect("a table").range.clone();
    let bytes = range.end - range.start;
    let refused = pollster::block_on(refused).err().expect("it is not loaded");
    assert!(matches!(refused, EngineError::NoTable { bytes: found } if found == bytes), "{refused}");
    assert_eq!(copied, 0);

    let copy = pollster::block_on(RangeCopy::read(&*server, range, &cancel, &mut |_, _| ()));
    let copy: Rc<dyn LocalSource> = Rc::new(copy.expect("memory"));
    let mut session = load(&device, ModelFile { local: Some(copy), ..remote() }, &options).expect("it loads");
    assert!(server.reads.take() > 0);
    assert!(session.decoder().needs_host());
    assert_eq!(drawn(&mut session), want);
    logits(&mut session);
    assert_eq!(server.reads.get(), 0);
}

#[test]
fn an_answer_that_waits_for_a_row_can_be_stopped() {
    let file = model();
    let device = gpu(GpuOptions::default());
    let options = LoadOptions { table: TablePlace::Host, ..exact() };
    // No token comes twice, so each one that is drawn needs a row that was not read before.
    let settings = Settings { presence_penalty: 1e3, ..Settings::default() };
    let asked = Options { settings, max_tokens: 24, ignore_eos: true, ..Options::default() };
    let mut session = load(&device, here(&file), &options).expect("it loads");
    let want = drawn_with(&mut session, &asked);
    let cache = session.decoder().parts().scratch.row_cache.as_ref().expect("a cache of rows");
    let (line, fixed) = (cache.line, cache.fixed);
    // Rows of the prompt, those that follow one another at once, and then one more than the first new one of the answer.
    let mut known: BTreeSet<u32> = prompt().into_iter().map(|id| id / line).collect();
    known.retain(|&line| line >= fixed);
    let of_prompt =
        known.iter().filter(|&&line| line == fixed || !known.contains(&(line - 1))).count() as u32;
    let is_new = |i: &usize| want[*i] / line >= fixed && known.insert(want[*i] / line);
    let new: Vec<usize> = (0..want.len()).filter(is_new).collect();
    let second = new[1];
    // While the prompt is read, and while tokens are drawn.
    for (rows, drawn_before) in [(1, 0), (of_prompt + 1, second + 1)] {
        let stuck = FaultySource::new(file.clone(), false);
        let mut session =
            load(&device, ModelFile::local(Rc::<FaultySource>::clone(&stuck)), &options).expect("it loads");
        stuck.left.set(Some(rows));

        let control = Control::default();
        let mut on = |_| ();
        let mut answer = Box::pin(session.generate(prompt(), &asked, &control, &mut on));
        stuck.poll_until_it_hangs(&mut answer);
        control.cancel.cancel();
        let outcome = pollster::block_on(answer.as_mut()).expect("stopping is no failure");
        assert_eq!(outcome.finish, Finish::Cancelled);
        assert_eq!(outcome.ids, want[..drawn_before]);

        drop(answer);
        // What was read and drawn before is still good.
        stuck.left.set(None);
        assert_eq!(drawn_with(&mut session, &asked), want);
    }
}
