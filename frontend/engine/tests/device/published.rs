//! Google's Gemma 3 270M in Q4_K_M against reference outputs: those of its dequantized weights in f32. Its terms keep it out of the
//! repository. `cargo xtask test --only real` downloads it and names it in GEMTAB_PUBLISHED.

use std::path::PathBuf;

use engine::session::Session;
use engine::tokenizer::Specials;
use serde_json::Value;

use crate::common;
use crate::golden::{greedy, ids};

/// How far logits may be apart: what sums in f32 in another order differ by.
const TOLERANCE: f32 = 2e-3;
/// How far perplexities may be apart, as a share.
const PERPLEXITY: f64 = 1e-3;
const TEXTS: [&str; 6] = ["arabic", "chinese", "code", "english", "german", "numbers"];

fn golden(name: &str) -> Value {
    let path = common::repository(&format!("frontend/engine/tests/golden/gemma3-270m/{name}.json"));
    serde_json::from_slice(&std::fs::read(path).expect("golden JSON")).expect("golden JSON parses")
}

fn session() -> Session {
    let model = std::env::var_os("GEMTAB_PUBLISHED").expect("GEMTAB_PUBLISHED names the model");
    common::load(&common::gpu(), &PathBuf::from(model), &common::exact_options())
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
