//! Speculative decoding: the answer is the one without drafts, however many are drafted and whether they are right.

use std::rc::Rc;

use engine::adapter;
use engine::bytes::{CancelToken, MemorySource};
use engine::model::{Drafts, KvType, Speculation, Tuning};
use engine::session::{Control, Finish, LoadOptions, ModelFile, Options, Session, TablePlace};
use probe::synth::{self, Quant, Shape};
use shaders::sampling::Settings;

use crate::common;

const MODELS: [&str; 4] =
    ["tiny-e2b.q4_k_m.gguf", "tiny-31b.q4_k_m.lcpp.gguf", "tiny-moe.q4_k_m.gguf", "tiny-gemma3.q4_k_m.gguf"];

fn open(model: &str) -> Session {
    with_tuning(model, None)
}

fn with_tuning(model: &str, tuning: Option<Tuning>) -> Session {
    let path = common::repository(&format!("frontend/engine/tests/golden/models/{model}"));
    let options = LoadOptions { context: 1024, kv_type: KvType::F32, tuning, ..LoadOptions::default() };
    common::load(&common::gpu(), &path, &options)
}

/// The same passage twice, so that its end has been there before.
fn repeating(len: u32) -> Vec<u32> {
    let passage = || (0..len).map(|i| 200 + (i * 7919) % 700);
    passage().chain(passage()).collect()
}

fn drawn(
    session: &mut Session,
    ids: &[u32],
    options: &Options,
    drafts: Drafts,
) -> (Vec<u32>, Option<Speculation>) {
    let options = Options { drafts, ..options.clone() };
    let answer = pollster::block_on(session.generate(ids, &options, &Control::default(), &mut |_| ()))
        .expect("an answer");
    assert_eq!(answer.finish, Finish::MaxTokens);
    (answer.ids, answer.timings.speculation)
}

#[test]
fn an_answer_is_the_same_with_and_without_drafts() {
    let mut accepted = 0;
    for model in MODELS {
        let mut session = open(model);
        let greedy = Options { max_tokens: 16, ignore_eos: true, ..Options::default() };
        let penalised =
            Settings { temperature: 0.7, top_k: 40, top_p: 0.95, repeat_penalty: 1.1, ..Settings::default() };
        let sampled = Options { settings: penalised, seed: 5, ..greedy.clone() };
        // A window of 16, and rings that have turned. Short runs have rounds of 4 and 8 rows, as others here: each number
        // of rows has kernels of its own, which are held to their twins.
        let (one, several): (&[u32], &[u32]) = match common::is_thorough() {
            true => (&[1, 7], &[3, 4]),
            false if model == MODELS[0] => (&[3, 7], &[3]),
            false => (&[3], &[3]),
        };
        for (options, len, counts) in [(&greedy, 20, one), (&sampled, 60, several)] {
            let ids = repeating(len);
            let (want, none) = drawn(&mut session, &ids, options, Drafts::Never);
            assert_eq!(none, None);
            for &count in counts {
                let (got, speculation) = drawn(&mut session, &ids, options, Drafts::Always { count });
                let did = speculation.expect("drafts");
                assert_eq!(got, want, "{model}, {count} drafts, {did:?}");
                assert!(did.rounds > 0 && did.drafted == did.rounds * count, "{did:?}");
                accepted += did.accepted;
            }
        }
    }
    let mut session = open(MODELS[0]);
    let options = Options { max_tokens: 16, ignore_eos: true, ..Options::default() };
    let ids = repeating(20);
    let (want, _) = drawn(&mut session, &ids, &options, Drafts::Never);
    let (got, speculation) = drawn(&mut session, &ids, &options, Drafts::Measured);
    assert_eq!(got, want, "{speculation:?}");
    assert!(accepted > 0, "nothing was drafted rightly");
}

/// With slots for the experts of one row alone, rounds lose rows on their way; with more, they wait for those that are read.
#[test]
fn rounds_wait_for_experts_that_are_not_on_the_device() {
    let path = common::repository("frontend/engine/tests/golden/models/tiny-moe.q4_k_m.gguf");
    let with_slots = |expert_slots| {
        let options = LoadOptions {
            context: 1024,
            kv_type: KvType::F32,
            expert_slots,
            tuning: Some(Tuning::FLOATS),
            ..LoadOptions::default()
        };
        common::load(&common::gpu(), &path, &options)
    };
    let greedy = Options { max_tokens: 24, ignore_eos: true, ..Options::default() };
    let settings = Settings { temperature: 0.5, top_k: 4, ..Settings::default() };
    let sampled = Options { settings, seed: 5, ..greedy.clone() };
    let ids = repeating(20);
    let mut whole = with_slots(0);
    let want = [&greedy, &sampled].map(|options| drawn(&mut whole, &ids, options, Drafts::Never).0);
    drop(whole);
    let numbers: &[u32] = if common::is_thorough() { &[2, 5] } else { &[2] };
    for &slots in numbers {
        let mut some = with_slots(slots);
        let mut accepted = 0;
        for (options, want) in [&greedy, &sampled].into_iter().zip(&want) {
            assert_eq!(&drawn(&mut some, &ids, options, Drafts::Never).0, want, "{slots} slots");
            for drafts in [Drafts::Always { count: 3 }, Drafts::Measured] {
                let (_, before) = some.decoder().expert_use().expect("a cache");
                let (got, did) = drawn(&mut some, &ids, options, drafts);
                assert_eq!(&got, want, "{slots} slots, {drafts:?}, {did:?}");
                let (_, after) = some.decoder().expert_use().expect("a cache");
                let (did, used) = (did.expect("drafts"), after - before);
                assert!(used.misses > 0 && used.misses < used.uses, "{used:?}");
                accepted += did.accepted;
            }
        }
        assert!(accepted > 0, "nothing was drafted rightly with {slots} slots");
    }
}

/// A draft whose per-layer row is missing is rejected, and a token whose row is missing waits for it.
#[test]
fn rounds_wait_for_rows_that_are_not_on_the_device() {
    let vocabulary = 3 * 1024;
    let shape: Shape = "e2b-small".parse().expect("a shape");
    let options = synth::Options { vocabulary, ..synth::Options::new(shape, Quant::Q4KM) };
    let mut file = Vec::new();
    synth::write(&mut file, &options).expect("a model");
    let gpu = common::gpu();
    let load = |table| {
        let options = LoadOptions { context: 2048, table, ..common::exact_options() };
        let file = ModelFile::local(Rc::new(MemorySource::new(file.clone())));
        let cancel = CancelToken::new();
        pollster::block_on(Session::load(Rc::clone(&gpu), file, &options, &cancel, &mut |_| ()))
            .expect("it loads")
    };
    let options = Options { max_tokens: 40, ignore_eos: true, ..Options::default() };
    // Its rows don't have room in the cache together, so that those of the drafts are gone.
    let passage = || (0..700).map(|i| 300 + (i * 7919) % (vocabulary - 300));
    let ids: Vec<u32> = passage().chain(passage().take(20)).collect();
    let mut whole = load(TablePlace::Device);
    let (want, _) = drawn(&mut whole, &ids, &options, Drafts::Never);
    drop(whole);
    let mut outside = load(TablePlace::Host);
    assert!(outside.decoder().needs_host());
    outside.set_times_drafts(true);
    let all = [Drafts::Always { count: 3 }, Drafts::Measured];
    for drafts in all.into_iter().take(if common::is_thorough() { 2 } else { 1 }) {
        let (got, did) = drawn(&mut outside, &ids, &options, drafts);
        assert_eq!(got, want, "{drafts:?}, {did:?}");
        assert!(did.is_some_and(|did| did.accepted > did.rounds), "{drafts:?}, {did:?}");
    }
}

/// Rounds take other steps where products are packed, and where adapters correct them. Not with experts: a last bit
/// decides how an element of packed rows is rounded, and that may change the answer.
#[test]
fn packed_and_corrected_rounds_give_the_same_answer() {
    let options = Options { max_tokens: 8, ignore_eos: true, ..Options::default() };
    let ids = repeating(20);
    let same = |session: &mut Session, what: &str| {
        let (want, _) = drawn(session, &ids, &options, Drafts::Never);
        let (got, speculation) = drawn(session, &ids, &options, Drafts::Always { count: 3 });
        assert_eq!(got, want, "{what}, {speculation:?}");
        want
    };
    // The first adapter corrects all products but the per-layer input, the second that one, too.
    let (all, adapters) = ([Tuning::packed(0), Tuning::FLOATS], ["flat.safetensors", "peft"]);
    let (all, adapters) =
        if common::is_thorough() { (&all[..], &adapters[..]) } else { (&all[..1], &adapters[1..]) };
    for &tuning in all {
        if common::is_thorough() {
            same(&mut with_tuning(MODELS[1], Some(tuning)), MODELS[1]);
        }
        let mut session = with_tuning(MODELS[0], Some(tuning));
        let plain = same(&mut session, MODELS[0]);
        for &name in adapters {
            let path = common::repository("frontend/engine/tests/golden/adapters").join(name);
            let adapter = pollster::block_on(adapter::open(&path)).expect("the adapter opens");
            pollster::block_on(session.add_adapter(name, adapter, 1.0)).expect("the adapter fits");
            assert_ne!(same(&mut session, name), plain, "{name} {tuning:?}");
        }
    }
}

/// What was drafted wrongly is in the cache behind the answer; the next prompt reads over it.
#[test]
fn a_conversation_goes_on_behind_rejected_drafts() {
    let mut session = open(MODELS[0]);
    let options = Options { max_tokens: 24, ignore_eos: true, ..Options::default() };
    let mut ids = repeating(40);
    let (first, _) = drawn(&mut session, &ids, &options, Drafts::Always { count: 7 });
    ids.extend(&first);
    ids.extend(repeating(5));
    let (second, _) = drawn(&mut session, &ids, &options, Drafts::Always { count: 3 });
    session.forget();
    let (again, _) = drawn(&mut session, &ids, &options, Drafts::Never);
    assert_eq!(second, again);
}

/// What drafts need can be there before the first answer.
#[test]
fn drafts_are_prepared_without_an_answer() {
    let mut session = timing(MODELS[0]);
    let options = Options { max_tokens: 16, ignore_eos: true, ..Options::default() };
    let ids = repeating(20);
    pollster::block_on(session.prepare_drafts(Drafts::Measured)).expect("it is prepared");
    let decoder = session.decoder();
    assert!(!decoder.round(4).is_empty() && !decoder.has_untimed_rounds(Drafts::Measured));
    assert!(decoder.draft_costs().token().is_some());
    let (drafted, _) = drawn(&mut session, &ids, &options, Drafts::Measured);
    let (want, _) = drawn(&mut open(MODELS[0]), &ids, &options, Drafts::Never);
    assert_eq!(drafted, want);
}

/// A session that times what drafts cost, also on a software device.
fn timing(model: &str) -> Session {
    let mut session = open(model);
    session.set_times_drafts(true);
    session
}

/// Timing before an answer leaves no trace: at the beginning of a conversation, within one whose rings have turned, where
/// the answer is made again, and where rounds are sampled.
#[test]
fn answers_are_the_same_after_drafts_were_timed() {
    let penalised =
        Settings { temperature: 0.7, top_k: 40, top_p: 0.95, repeat_penalty: 1.1, ..Settings::default() };
    let greedy = Options { max_tokens: 12, ignore_eos: true, ..Options::default() };
    let sampled = Options { settings: penalised, seed: 5, ..greedy.clone() };
    // A ring has 576 slots.
    let answers = [(&greedy, 10), (&sampled, 300)];
    for (options, len) in answers.into_iter().take(if common::is_thorough() { 2 } else { 1 }) {
        let mut plain = open(MODELS[0]);
        let [mut at_first, mut within] = [(); 2].map(|()| timing(MODELS[0]));
        let answers = |session: &mut Session, drafts: [Drafts; 4]| {
            let mut ids = repeating(len);
            let mut all = Vec::new();
            for (turn, drafts) in drafts.into_iter().enumerate() {
                let options = Options { drafts, ..options.clone() };
                let answer =
                    pollster::block_on(session.generate(&ids, &options, &Control::default(), &mut |_| ()))
                        .expect("an answer");
                // The second answer is that of the first prompt again.
                if turn > 0 {
                    ids.extend(&answer.ids);
                    ids.extend(repeating(4));
                }
                all.push((answer.ids, answer.timings.cached_tokens));
            }
            all
        };
        let want = answers(&mut plain, [Drafts::Never; 4]);
        assert_eq!(plain.decoder().draft_costs().token(), None);
        // Drafts that are always made use what timing has overwritten.
        let always = Drafts::Always { count: 3 };
        assert_eq!(
            answers(&mut at_first, [Drafts::Measured, Drafts::Measured, always, Drafts::Measured]),
            want
        );
        assert_eq!(
            answers(&mut within, [Drafts::Never, Drafts::Never, Drafts::Measured, Drafts::Measured]),
            want
        );
        for session in [&at_first, &within] {
            assert!(session.decoder().draft_costs().token().is_some_and(|ms| ms > 0.0));
        }
    }
}

/// Behind a prompt that fills the context there is no room to time in.
#[test]
fn nothing_is_timed_where_there_is_no_room() {
    let mut session = timing(MODELS[0]);
    let options = Options { max_tokens: 1, ignore_eos: true, drafts: Drafts::Measured, ..Options::default() };
    let mut answer = |ids: &[u32]| {
        pollster::block_on(session.generate(ids, &options, &Control::default(), &mut |_| ()))
            .expect("an answer");
        session.decoder().draft_costs().token()
    };
    assert_eq!(answer(&repeating(500)), None);
    assert!(answer(&repeating(10)).is_some(), "with room, before the next answer");
}

/// Timing within a conversation overwrites slots of rings behind its end: a prompt that goes back to what they held is read from
/// the beginning.
#[test]
fn slots_that_timing_has_overwritten_are_not_reused() {
    let (mut plain, mut timed) = (open(MODELS[0]), timing(MODELS[0]));
    // 600 tokens, in rings of 576 slots with a window of 16. Timing behind them overwrites positions 27 to 91.
    let first = repeating(300);
    let back: Vec<u32> = first[..80].iter().chain(&repeating(5)).copied().collect();
    let answers = |session: &mut Session, drafts: Drafts| {
        let mut ids = first.clone();
        let mut answer = |ids: &[u32], drafts: Drafts| {
            let options = Options { max_tokens: 4, ignore_eos: true, drafts, ..Options::default() };
            pollster::block_on(session.generate(ids, &options, &Control::default(), &mut |_| ()))
                .expect("an answer")
        };
        ids.extend(answer(&ids, Drafts::Never).ids);
        ids.extend(repeating(2));
        answer(&ids, drafts);
        let answer = answer(&back, Drafts::Never);
        (answer.ids, answer.timings.cached_tokens)
    };
    let (want, cached) = answers(&mut plain, Drafts::Never);
    assert_eq!(cached, 80);
    assert_eq!(answers(&mut timed, Drafts::Measured), (want, 0));
}
