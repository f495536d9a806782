//! Sessions on a device: what is drawn does not depend on what the cache spared, on how the prompt was cut, on where the
//! per-layer table is; cancelling, limits and budgets hold.

use std::cell::Cell;
use std::collections::BTreeSet;

use engine::bytes::{CancelToken, MemorySource};
use engine::gguf::Header;
use engine::gpu::Gpu;
use engine::model::{Attention, KvType, Tuning};
use engine::plan::{Limits, Tested};
use engine::session::{
    Control, EngineError, Event, Finish, LoadOptions, ModelFile, Options, Outcome, Session, TablePlace,
};
use engine::template::Piece;
use engine::weights::Weights;
use shaders::sampling::{Candidates, Sample, Settings};

use crate::common;

const E2B: &str = "frontend/engine/tests/golden/models/tiny-e2b.q4_k_m.gguf";
const DENSE: &str = "frontend/engine/tests/golden/models/tiny-31b.q4_k_m.lcpp.gguf";
const MOE: &str = "frontend/engine/tests/golden/models/tiny-moe.q4_k_m.gguf";
const PEBBLE: &str = "server/models/pebble.gguf";

fn open(path: &str, options: LoadOptions) -> (std::rc::Rc<Gpu>, Session) {
    let gpu = common::gpu();
    let session = common::load(&gpu, &common::repository(path), &options);
    (gpu, session)
}

fn exact(context: u32) -> LoadOptions {
    LoadOptions { context, ..common::exact_options() }
}

fn prompt(len: u32, salt: u32) -> Vec<u32> {
    (0..len).map(|i| 200 + (i * 7919 + salt * 131) % 700).collect()
}

fn run(session: &mut Session, ids: &[u32], options: &Options) -> Result<Outcome, EngineError> {
    pollster::block_on(session.generate(ids, options, &Control::default(), &mut |_| ()))
}

fn greedy(count: u32) -> Options {
    Options { max_tokens: count, ignore_eos: true, ..Options::default() }
}

fn argmax(row: &[f32]) -> u32 {
    (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a))).expect("a row") as u32
}

/// Every drawn token is the likeliest one when prompt and answer are read as one prompt: decode and prefill agree.
fn decode_agrees_with_prefill(path: &str, prompt_len: u32) {
    let (_gpu, mut session) = open(path, exact(2048));
    let ids = prompt(prompt_len, 1);
    let drawn = run(&mut session, &ids, &greedy(16)).expect("an answer").ids;
    let mut all = ids.clone();
    all.extend(&drawn);
    let logits = pollster::block_on(session.logits(&all[..all.len() - 1], drawn.len())).expect("logits");
    let vocabulary = session.decoder().vocabulary() as usize;
    for (step, (row, &id)) in logits.chunks(vocabulary).zip(&drawn).enumerate() {
        let best = argmax(row);
        let gap = row[best as usize] - row[id as usize];
        assert!(gap < 1e-3, "step {step}: {id} was drawn, {best} is likelier by {gap}");
    }
}

#[test]
fn decode_agrees_with_prefill_over_chunks_and_turned_rings() {
    // Window 16, ring 576: at 700 tokens the rings have turned, and the prompt took two chunks.
    decode_agrees_with_prefill(E2B, 700);
    if common::is_thorough() {
        decode_agrees_with_prefill(DENSE, 600);
        decode_agrees_with_prefill(MOE, 600);
    }
}

#[test]
fn what_the_cache_spares_changes_nothing() {
    let (_gpu, mut session) = open(E2B, exact(2048));
    let first = prompt(620, 2);
    let answer = run(&mut session, &first, &greedy(12)).expect("an answer");
    assert_eq!(answer.timings.cached_tokens, 0);

    // The same prompt again: the rings have turned since, so they come from a checkpoint.
    let again = run(&mut session, &first, &greedy(12)).expect("an answer");
    assert_eq!(again.ids, answer.ids);
    assert!(again.timings.cached_tokens >= 619, "{:?}", again.timings);

    // A next turn: all that is held is spared.
    let mut second = first.clone();
    second.extend(&answer.ids);
    second.extend(prompt(30, 3));
    let spared = run(&mut session, &second, &greedy(8)).expect("an answer");
    assert!(spared.timings.cached_tokens >= 620 + 11, "{:?}", spared.timings);
    session.forget();
    let fresh = run(&mut session, &second, &greedy(8)).expect("an answer");
    assert_eq!(fresh.timings.cached_tokens, 0);
    assert_eq!(fresh.ids, spared.ids);

    // Another conversation, then the first one: nothing of the other is taken for it.
    run(&mut session, &prompt(50, 9), &greedy(4)).expect("an answer");
    assert_eq!(run(&mut session, &first, &greedy(12)).expect("an answer").ids, answer.ids);
}

#[test]
fn a_checkpoint_knows_which_slots_were_overwritten() {
    let (_gpu, mut session) = open(E2B, exact(2048));
    // Window 16, ring 576: positions 4 to 67 are lost to those from 580 on.
    let first = prompt(644, 2);
    run(&mut session, &first, &greedy(1)).expect("an answer");
    let edited = [&first[..560], &prompt(20, 3)].concat();
    let spared = run(&mut session, &edited, &greedy(1)).expect("an answer").timings.cached_tokens;
    assert_eq!(spared, 560, "the checkpoint of this prompt is saved beside overwritten slots");
    // The next turn overwrites what the prompt before it needs, so that it comes from the checkpoint.
    let next = [&edited[..], &prompt(600, 4)].concat();
    run(&mut session, &next, &greedy(1)).expect("an answer");
    let restored = run(&mut session, &edited, &greedy(1)).expect("an answer").timings.cached_tokens;
    assert_eq!(restored, 579);

    let earlier = [&first[..40], &prompt(20, 5)].concat();
    let answer = run(&mut session, &earlier, &greedy(16)).expect("an answer");
    assert_eq!(answer.timings.cached_tokens, 0);
    session.forget();
    assert_eq!(run(&mut session, &earlier, &greedy(16)).expect("an answer").ids, answer.ids);
}

#[test]
fn an_answer_that_is_resumed_behind_its_end_ends() {
    let (_gpu, mut session) = open(PEBBLE, exact(512));
    let ids = prompt(session.context() - 24, 1);
    let stop = session.tokenizer().stop_ids()[0];
    let resumed = |drawn: Vec<u32>, max_tokens| Options { drawn, max_tokens, ..Options::default() };
    let mut finish = |options: &Options| run(&mut session, &ids, options).map(|it| (it.finish, it.ids));
    let ended = vec![300, stop];
    assert_eq!(finish(&resumed(ended.clone(), 0)).expect("an answer"), (Finish::EndOfTurn, ended));
    let all = vec![300, 301];
    assert_eq!(finish(&resumed(all.clone(), 2)).expect("an answer"), (Finish::MaxTokens, all));
    // Loaded again with a shorter context.
    let many = vec![300; 30];
    assert_eq!(finish(&resumed(many.clone(), 0)).expect("an answer"), (Finish::ContextFull, many));
    let outside = finish(&resumed(vec![u32::MAX], 0));
    assert!(matches!(outside, Err(EngineError::NoToken { id: u32::MAX, .. })), "{outside:?}");
}

#[test]
fn the_per_layer_table_may_stay_in_the_file() {
    let ids = prompt(40, 4);
    let (_gpu, mut device) = open(E2B, exact(512));
    let want = run(&mut device, &ids, &greedy(24)).expect("an answer").ids;
    let (_gpu, mut host) = open(E2B, LoadOptions { table: TablePlace::Host, ..exact(512) });
    assert!(host.decoder().needs_host() && !device.decoder().needs_host());
    assert_eq!(run(&mut host, &ids, &greedy(24)).expect("an answer").ids, want);
}

#[test]
fn a_token_costs_few_dispatches_a_layer_and_no_buffer() {
    let fused = Tuning::FLOATS;
    let unfused = Tuning::unfused(false);
    // A mixture has no fused products.
    for (path, tuning, per_layer) in
        [(E2B, fused, 7), (DENSE, fused, 5), (DENSE, unfused, 9), (MOE, Tuning::FLOATS, 16)]
    {
        let (gpu, mut session) = open(path, LoadOptions { tuning: Some(tuning), ..exact(2048) });
        let layers = &session.decoder().config().layers;
        // Where a product merges the splits of a window, a dispatch merges those of all positions.
        let global = layers.iter().filter(|layer| layer.attention == Attention::Global).count();
        let merges = if tuning == fused && path != MOE { global } else { 0 };
        // Beside the layers: embedding, two for the per-layer inputs, head, and two to draw.
        let most = per_layer * layers.len() + merges + 6;
        run(&mut session, &prompt(20, 5), &greedy(8)).expect("an answer");
        assert!(
            session.decoder().dispatches_per_token() <= most,
            "{}",
            session.decoder().dispatches_per_token()
        );
        session.forget();
        run(&mut session, &prompt(20, 5), &greedy(8)).expect("an answer");
        let before = gpu.buffers_created();
        // The checkpoint of the first prompts is reused; drawing itself never allocates.
        run(&mut session, &prompt(20, 5), &greedy(16)).expect("an answer");
        assert_eq!(gpu.buffers_created(), before);
    }
}

/// Bytes of the matrices that a token is multiplied with, as the device has them.
fn weight_bytes(path: &str) -> u64 {
    let source = engine::bytes::FileSource::open(common::repository(path)).expect("the model file opens");
    let header = pollster::block_on(engine::gguf::Header::read(&source)).expect("a header");
    let plan = engine::session::ModelSpec::read(&header).expect("a plan");
    // Of the tables, rows alone are read; a head that is the embedding is read whole.
    let has_head = plan.tensors.matrix("output").is_some();
    let looked_up = |name: &str| name == "per_layer_token_embd" || (name == "token_embd" && has_head);
    let weights = Weights::describe(&plan.tensors, Limits::default()).expect("a layout");
    let read = weights.matrices.iter().filter(|(name, _)| !looked_up(name));
    read.flat_map(|(_, matrix)| &matrix.parts).map(|part| part.value.bytes()).sum()
}

#[test]
fn a_token_reads_every_weight_once_and_the_keys_it_sees() {
    for (path, kv_type) in [(E2B, KvType::F16), (E2B, KvType::Q8_0), (DENSE, KvType::F16)] {
        let (_gpu, session) = open(path, LoadOptions { context: 2048, kv_type, ..LoadOptions::default() });
        let config = session.decoder().config();
        let keys = |position: u32| -> u64 {
            let of = |layer: usize| {
                let window = match config.layers[layer].attention {
                    engine::model::Attention::Sliding => config.window,
                    engine::model::Attention::Global => u32::MAX,
                };
                let owner = &config.layers[config.layers[layer].kv_layer];
                // Keys and values.
                2 * u64::from(owner.kv_heads)
                    * kv_type.head_bytes(owner.head_dim)
                    * u64::from(window.min(position + 1))
            };
            (0..config.layers.len()).map(of).sum()
        };
        let token = session.decoder().token();
        for position in [0, 7, 500] {
            let read = token.plan().bytes_read(position);
            assert_eq!(read, weight_bytes(path) + keys(position), "{path} {kv_type:?} at {position}");
        }
    }
}

#[test]
fn several_tokens_share_a_submit_and_a_readback() {
    let (gpu, mut session) = open(E2B, exact(1024));
    let drawn = 41;
    run(&mut session, &prompt(20, 5), &greedy(8)).expect("an answer");
    session.forget();
    let mut together = Vec::new();
    let mut begun = 0;
    let mut on = |event| {
        if let Event::Drawn(ids) = event {
            if together.is_empty() {
                begun = gpu.submits();
            }
            together.push(ids.len());
        }
    };
    let (options, control) = (greedy(drawn), Control::default());
    let answer = pollster::block_on(session.generate(prompt(20, 5), &options, &control, &mut on));
    let answer = answer.expect("an answer");
    // The first token comes with the prompt, and each submit is read back once. How many tokens one draws depends on the
    // machine: two, at least, once one took less than a quarter of a second.
    assert_eq!(together.len() as u32, 1 + answer.timings.decode_submits, "{together:?}");
    assert_eq!(together.iter().sum::<usize>(), drawn as usize);
    assert!(together.iter().any(|&count| count > 1), "{together:?}");
    // Behind the prompt, whose submits depend on the machine, there are no others but one for the checkpoint.
    let since = gpu.submits() - begun;
    assert!(since <= u64::from(answer.timings.decode_submits) + 1, "{since} with {together:?}");
}

#[test]
fn what_an_answer_left_unread_does_not_hinder_one_with_other_products() {
    let (_, mut session) = open(E2B, exact(512));
    let control = Control::default();
    let mut on = |event| {
        if matches!(event, Event::Drawn(_)) {
            control.cancel.cancel();
        }
    };
    let answer = pollster::block_on(session.generate(prompt(20, 5), &greedy(40), &control, &mut on));
    assert!(answer.expect("an answer").ids.len() < 40);
    pollster::block_on(session.set_tuning(Tuning::FLOATS)).expect("other tuning");
    let answer = run(&mut session, &prompt(20, 5), &greedy(20)).expect("an answer");
    assert_eq!(answer.ids.len(), 20);
}

#[test]
fn a_model_that_computes_no_numbers_fails_instead_of_answering() {
    let gpu = common::gpu();
    for broken in [f32::NAN, f32::INFINITY] {
        let mut file = std::fs::read(common::repository(DENSE)).expect("a model");
        let source = MemorySource::new(file.clone());
        let header = pollster::block_on(Header::read(&source)).expect("a header");
        // The last norm, through which every logit comes.
        let norm = header.tensor("output_norm.weight").expect("a norm");
        let (at, count) = (norm.offset as usize, norm.shape[0] as usize);
        file[at..at + 4 * count].copy_from_slice(&broken.to_le_bytes().repeat(count));
        let file = ModelFile::local(std::rc::Rc::new(MemorySource::new(file)));
        let mut session = pollster::block_on(async {
            Session::load(gpu.clone(), file, &exact(512), &CancelToken::new(), &mut |_| ()).await
        })
        .expect("a model");
        for settings in [Settings::default(), Settings { temperature: 1.0, ..Settings::default() }] {
            let options = Options { settings, ..greedy(5) };
            let answer = run(&mut session, &prompt(10, 3), &options);
            assert!(matches!(answer, Err(EngineError::NotNumbers)), "{broken}: {answer:?}");
        }
    }
}

#[test]
fn every_kernel_of_a_model_is_verified() {
    for path in [E2B, DENSE, MOE] {
        let (gpu, session) = open(path, LoadOptions { context: 512, ..LoadOptions::default() });
        assert_eq!(session.decoder().untested(), BTreeSet::new(), "{path}");
        let tested = session.decoder().tested();
        // Weights as they come, products, attention, experts, look-ups, norms, activations, and the draw of a token.
        assert!(tested.len() > 20, "{}", tested.len());
        assert!(tested.iter().any(|tested| tested.downcast_ref() == Some(&Sample(Candidates::Many))));
        for kernel in Tested::kernels(&tested) {
            let check = pollster::block_on(engine::check::check(&gpu, &*kernel)).expect("the device answers");
            assert_eq!(check.problem, None, "{check:?}");
        }
    }
}

#[test]
fn a_profile_has_every_dispatch_and_byte_of_a_token() {
    let (_gpu, mut session) = open(E2B, exact(512));
    let mut steps = Vec::new();
    let mut tell = |done, total| steps.push((done, total));
    let cancel = engine::bytes::CancelToken::new();
    let profiled = session.profile(64, 1, &cancel, &mut tell);
    let profile = pollster::block_on(profiled).expect("a profile");
    let dispatches: u32 = profile.kernels.iter().map(|kernel| kernel.dispatches).sum();
    assert_eq!(dispatches as usize, session.decoder().dispatches_per_token());
    assert_eq!(profile.dispatches, dispatches);
    let bytes: u64 = profile.kernels.iter().map(|kernel| kernel.bytes).sum();
    assert_eq!(profile.token_bytes, bytes);
    assert!(profile.copy_bytes_per_s > 0.0 && profile.token_ms > 0.0, "{profile:?}");
    assert!(profile.kernels.is_sorted_by(|a, b| a.ms >= b.ms) && profile.kernels.iter().all(|k| k.ms >= 0.0));
    assert!(steps.is_sorted() && steps.iter().all(|&(done, total)| done < total), "{steps:?}");

    cancel.cancel();
    let stopped = pollster::block_on(session.profile(64, 1, &cancel, &mut |_, _| ()));
    assert!(stopped.is_err_and(|error| error.is_cancelled()));
}

#[test]
fn an_answer_in_words_and_everything_that_ends_one() {
    let (_gpu, mut session) = open(PEBBLE, LoadOptions { context: 512, ..LoadOptions::default() });
    let conversation = |text: &str| {
        serde_json::from_value::<engine::template::Conversation>(
            serde_json::json!({ "messages": [{ "role": "user", "content": text }] }),
        )
        .expect("a conversation")
    };
    let ids = |session: &Session, text: &str| {
        session.render(&conversation(text), false).encode(session.tokenizer()).expect("ids")
    };

    // The model ends its turn by itself, and the pieces are the text.
    let question = ids(&session, "What is 2 + 3?");
    let mut text = String::new();
    let mut on = |event| {
        if let Event::Piece(Piece::Answer(piece), _) = event {
            text.push_str(&piece);
        }
    };
    let (plain, control) = (Options::default(), Control::default());
    let answered = session.generate(&question, &plain, &control, &mut on);
    let outcome = pollster::block_on(answered).expect("an answer");
    assert_eq!((outcome.finish, text.as_str()), (Finish::EndOfTurn, "2 + 3 = 5."));

    // A stop text ends it before the text.
    let mut text = String::new();
    let mut on = |event| {
        if let Event::Piece(Piece::Answer(piece), _) = event {
            text.push_str(&piece);
        }
    };
    let options = Options { stop: vec!["= 5".into()], ..Options::default() };
    let stopped = session.generate(&question, &options, &control, &mut on);
    assert_eq!(pollster::block_on(stopped).expect("an answer").finish, Finish::StopText);
    assert_eq!(text, "2 + 3 ");

    // Tokens run out; the context fills up; a prompt is too long for it.
    let few =
        run(&mut session, &question, &Options { max_tokens: 3, ..Options::default() }).expect("an answer");
    assert_eq!((few.finish, few.ids.len()), (Finish::MaxTokens, 3));
    let full = run(&mut session, &prompt(500, 6), &greedy(0)).expect("an answer");
    assert_eq!((full.finish, full.ids.len()), (Finish::ContextFull, 12));
    let long = run(&mut session, &prompt(512, 6), &greedy(1));
    assert!(matches!(long, Err(EngineError::ContextFull { tokens: 512, context: 512 })), "{long:?}");
    assert!(matches!(run(&mut session, &[], &greedy(1)), Err(EngineError::Empty)));
    let none = run(&mut session, &[1, u32::MAX], &greedy(1));
    assert!(matches!(none, Err(EngineError::NoToken { id: u32::MAX, .. })), "{none:?}");

    // A seed repeats a draw, another one does not.
    let warm = |seed| Options {
        settings: Settings { temperature: 3.0, top_k: 64, top_p: 0.99, ..Settings::default() },
        seed,
        ..greedy(32)
    };
    let (a, b, c) = (warm(7), warm(7), warm(8));
    let a = run(&mut session, &question, &a).expect("an answer").ids;
    assert_eq!(run(&mut session, &question, &b).expect("an answer").ids, a);
    assert_ne!(run(&mut session, &question, &c).expect("an answer").ids, a);
}

#[test]
fn a_cancelled_answer_keeps_what_was_drawn_and_the_next_one_goes_on() {
    let (_gpu, mut session) = open(E2B, exact(1024));
    let ids = prompt(30, 7);
    let whole = run(&mut session, &ids, &greedy(60)).expect("an answer").ids;
    let control = Control::default();
    let pieces = Cell::new(0);
    let cancel = control.cancel.clone();
    let mut on = |event| {
        if let Event::Piece(..) = event {
            pieces.set(pieces.get() + 1);
            if pieces.get() == 3 {
                cancel.cancel();
            }
        }
    };
    let outcome =
        pollster::block_on(session.generate(&ids, &greedy(200), &control, &mut on)).expect("an answer");
    assert_eq!(outcome.finish, Finish::Cancelled);
    assert!(outcome.ids.len() < 60, "{} tokens were drawn", outcome.ids.len());
    assert_eq!(outcome.ids[..], whole[..outcome.ids.len()]);

    // Cancelled before it began.
    let control = Control::default();
    control.cancel.cancel();
    let outcome =
        pollster::block_on(session.generate(&ids, &greedy(5), &control, &mut |_| ())).expect("an answer");
    assert_eq!((outcome.finish, outcome.ids.len()), (Finish::Cancelled, 0));

    assert_eq!(run(&mut session, &ids, &greedy(20)).expect("an answer").ids[..], whole[..20]);
}

#[test]
fn products_are_changed_in_a_loaded_model() {
    let ids = prompt(9, 6);
    let packed = Tuning::packed(0);
    let of = |session: &mut Session| pollster::block_on(session.logits_by_steps(&ids, 9)).expect("logits");
    let (_gpu, mut session) = open(E2B, LoadOptions { tuning: Some(Tuning::FLOATS), ..exact(512) });
    let floats = of(&mut session);
    let (_gpu, mut other) = open(E2B, LoadOptions { tuning: Some(packed), ..exact(512) });
    let want = of(&mut other);
    assert_ne!(want, floats);

    pollster::block_on(session.set_tuning(packed)).expect("the device has them");
    assert_eq!(session.decoder().tuning(), packed);
    assert_eq!(of(&mut session), want);
    run(&mut session, &ids, &greedy(4)).expect("an answer");
    pollster::block_on(session.set_tuning(Tuning::FLOATS)).expect("the device has them");
    assert_eq!((session.decoder().tuning(), session.context_used()), (Tuning::FLOATS, 0));
    assert_eq!(of(&mut session), floats);

    // Also where an adapter corrects them, whose scale stays.
    let path = common::repository("frontend/engine/tests/golden/adapters/flat.safetensors");
    let adapter = pollster::block_on(engine::adapter::open(&path)).expect("an adapter");
    for session in [&mut session, &mut other] {
        pollster::block_on(session.add_adapter("a", adapter.clone(), 1.0)).expect("the adapter fits");
    }
    let (corrected, want) = (of(&mut session), of(&mut other));
    assert!(corrected != floats && want != corrected);
    pollster::block_on(session.set_tuning(packed)).expect("the device has them");
    assert_eq!(of(&mut session), want);
}
