//! Google's Gemma 3 270M in Q4_K_M against reference outputs: those of its dequantized weights in f32. Its terms keep it out of the
//! repository. `cargo xtask test --only real` downloads it and names it in GEMTAB_PUBLISHED.

use std::path::PathBuf;

use engine::bytes::CancelToken;
use engine::session::{LoadOptions, Session};
use engine::tokenizer::Specials;
use engine::train::{Example, MASKED, Schedule, Settings, Trainer};
use pollster::block_on;
use serde_json::Value;

use crate::golden::{greedy, ids};
use crate::{adversarial, common};

/// How far logits may be apart: what sums in f32 in another order differ by.
const TOLERANCE: f32 = 2e-3;
/// How far perplexities may be apart, as a share.
const PERPLEXITY: f64 = 1e-3;
const TEXTS: [&str; 6] = ["arabic", "chinese", "code", "english", "german", "numbers"];

fn golden(name: &str) -> Value {
    let path = common::repository(&format!("frontend/engine/tests/golden/gemma3-270m/{name}.json"));
    serde_json::from_slice(&std::fs::read(path).expect("golden JSON")).expect("golden JSON parses")
}

fn model() -> PathBuf {
    std::env::var_os("GEMTAB_PUBLISHED").expect("GEMTAB_PUBLISHED names the model").into()
}

fn session() -> Session {
    common::load(&common::gpu(), &model(), &common::exact_options())
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("numbers").iter().map(|number| number.as_f64().expect("a number")).collect()
}

/// The negative logarithm of the probability of an id.
fn surprise(row: &[f32], id: u32) -> f64 {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = row.iter().map(|&logit| f64::from(logit - most).exp()).sum();
    sum.ln() - f64::from(row[id as usize] - most)
}

#[test]
#[ignore = "real: needs the published model"]
fn texts_have_the_logits_the_perplexity_and_the_continuation_of_the_reference() {
    let mut session = session();
    let others = golden("agreement");
    for name in TEXTS {
        let text = golden(name);
        let prompt = ids(&text["ids"]);
        let encoded = session.tokenizer().encode_prompt(text["text"].as_str().expect("a text"));
        assert_eq!(encoded, prompt, "{name}: ids");

        let logits = pollster::block_on(session.logits(&prompt, prompt.len())).expect("logits");
        let rows: Vec<_> = logits.chunks(logits.len() / prompt.len()).collect();
        for (at, &id) in ids(&text["argmax"]).iter().enumerate() {
            let best = rows[at].iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let gap = best - rows[at][id as usize];
            assert!(gap <= 2.0 * TOLERANCE, "{name}, token {at}: another id is likelier by {gap}");
        }
        let last = rows.last().expect("a row");
        let best = ids(&text["top20_ids"]).into_iter().zip(numbers(&text["top20_logits"]));
        let apart = best.map(|(id, want)| (f64::from(last[id as usize]) - want).abs()).fold(0.0, f64::max);
        assert!(apart <= f64::from(TOLERANCE), "{name}: logits are {apart} apart");

        let surprises = rows.iter().zip(&prompt[1..]).map(|(row, &next)| surprise(row, next));
        let perplexity = (surprises.sum::<f64>() / (prompt.len() - 1) as f64).exp();
        let want = text["perplexity"].as_f64().expect("a perplexity");
        let share = (perplexity / want - 1.0).abs();
        assert!(share <= PERPLEXITY, "{name}: perplexity {perplexity} instead of {want}");

        let (want, margins) = (ids(&text["greedy"]), numbers(&text["greedy_margin"]));
        let sure = margins.iter().position(|&margin| margin < 2.0 * f64::from(TOLERANCE));
        let sure = sure.unwrap_or(want.len());
        if sure > 0 {
            assert_eq!(greedy(&mut session, &prompt, sure), want[..sure], "{name}: greedy ids");
        }
        let llama_cpp = &others[name]["llama_cpp_as_stored"]["perplexity"];
        println!(
            "{name}: logits {apart:.1e} apart, perplexity {perplexity:.3} ({share:.1e} off; llama.cpp {llama_cpp}), \
             {sure} greedy ids are equal"
        );
    }
}

#[test]
#[ignore = "real: needs the published model"]
fn strings_have_the_ids_of_the_reference() {
    let session = session();
    let cases = golden("tokenizer");
    for case in cases["cases"].as_array().expect("cases") {
        let text = case["text"].as_str().expect("a text");
        let got = session.tokenizer().encode(text, Specials::Parse);
        let accepted = ["ids", "other_ids", "llama_cpp_ids"].into_iter().filter(|name| !case[name].is_null());
        assert!(accepted.map(|name| ids(&case[name])).any(|want| got == want), "{text:?}: {got:?}");
    }
}

#[test]
#[ignore = "real: needs the published model"]
fn it_keeps_to_a_schema() {
    let mut session = session();
    let prompt = session
        .tokenizer()
        .encode_prompt("I don't like JSON. Here is a poem about rain, without any braces:\n");
    // One takes 18 s on a software adapter.
    adversarial::keeps_to_a_schema(&mut session, &prompt, adversarial::seeds(4));
}

/// Questions, and answers of a word.
const CAPITALS: [(&str, &str); 6] = [
    ("France", "Paris"),
    ("Italy", "Rome"),
    ("Spain", "Madrid"),
    ("Austria", "Vienna"),
    ("Egypt", "Cairo"),
    ("Peru", "Lima"),
];

/// The model isn't trained on chats: it goes on with further questions. Thirty steps teach it to answer in a word and to end there.
#[test]
#[ignore = "real: needs the published model"]
fn thirty_steps_teach_it_to_answer() {
    let (gpu, cancel) = (common::gpu(), CancelToken::new());
    let mut session = common::load(&gpu, &model(), &LoadOptions { context: 512, ..LoadOptions::default() });
    let end = session.tokenizer().special().eos.expect("a token that ends texts");
    let asked = |session: &Session, country: &str| {
        session.tokenizer().encode_prompt(&format!("What is the capital of {country}?\nAnswer:"))
    };
    let example = |(country, capital): (&str, &str)| {
        let mut ids = asked(&session, country);
        let mut labels = vec![MASKED; ids.len()];
        let mut answer = session.tokenizer().encode(&format!(" {capital}"), Specials::Ignore);
        answer.push(end);
        labels.extend(answer.iter().map(|&id| id as i32));
        ids.extend(answer);
        Example::text(ids, labels)
    };
    let examples = CAPITALS.map(example);
    let say = |session: &mut Session| {
        let prompt = asked(session, "Japan");
        let ids = greedy(session, &prompt, 12);
        let ends = ids.iter().position(|&id| id == end);
        (session.tokenizer().decode(&ids[..ends.unwrap_or(ids.len())]), ends.is_some())
    };
    let (before, ended) = say(&mut session);
    assert!(!ended, "it answers already: {before}");

    let settings = Settings { steps: 30, schedule: Schedule::Linear, max_tokens: 32, ..Settings::default() };
    let base = session.training_base();
    let mut trainer = block_on(Trainer::new(gpu, base, settings, None)).expect("a trainer");
    let losses: Vec<_> = (0..30)
        .map(|step| {
            let batch = &examples[step % examples.len()..][..1];
            block_on(trainer.step(batch, &cancel)).expect("a step").loss
        })
        .collect();
    let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
    let (first, last) = (mean(&losses[..6]), mean(&losses[24..]));
    assert!(last < 0.1 * first, "{losses:?}");

    let adapter = block_on(trainer.adapter()).expect("an adapter");
    drop(trainer);
    block_on(session.add_adapter("capitals", adapter, 1.0)).expect("the adapter fits");
    let (after, ended) = say(&mut session);
    println!("loss {first:.2} → {last:.2}; {before:?} → {after:?}");
    assert!(ended && after.trim() == "Tokyo", "{before:?} became {after:?}");
}
