//! The tokens that a grammar allows, against two other programs that agree: one tries all tokens on the grammar byte by byte.

use std::collections::BTreeSet;

use engine::template::Conversation;
use engine::tokenizer::Specials;
use grammar::{Grammar, Mask, Prefix, Vocabulary, Whitespace};
use probe::constraint::{declared, vocabulary};
use serde_json::{Value, json};

use crate::models::{cases, golden_file, tokenizer};

/// What is allowed behind a text, as `bytes` or the id of a control token.
fn allowed(vocabulary: &Vocabulary, grammar: &Grammar, text: &str) -> BTreeSet<u32> {
    let mut prefix = Prefix::new(grammar, vocabulary).expect("a grammar");
    for id in tokenizer().encode(text, Specials::Parse) {
        prefix.push(id).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    }
    let mut mask = Mask::none(vocabulary.size());
    prefix.allowed(vocabulary, &mut mask).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    mask.ids().collect()
}

#[test]
fn every_golden_mask() {
    let golden = golden_file("masks_tools.json");
    let vocabulary = vocabulary(tokenizer()).expect("a vocabulary");
    let ids = |value: &Value| serde_json::from_value::<Vec<u32>>(value.clone()).expect("ids");
    for case in cases("masks_tools") {
        let name = case["name"].as_str().expect("a name");
        let (grammar, ends) = match golden["schemas"].get(name) {
            Some(schema) => {
                let limited = case["whitespace"] == "limited";
                let whitespace = if limited { Whitespace::Limited } else { Whitespace::None };
                (Grammar::json(schema, whitespace), ids(&golden["end_ids"]["schema"]))
            }
            None => {
                let json = json!({"messages": [], "tools": golden["tools"][name]});
                let conversation: Conversation = serde_json::from_value(json).expect("tools");
                (Grammar::calls(&declared(&conversation.tools), true), ids(&golden["end_ids"]["tools"]))
            }
        };
        let grammar = grammar.unwrap_or_else(|error| panic!("{name}: {error}"));
        let runs: Vec<[u32; 2]> = serde_json::from_value(case["allowed"].clone()).expect("runs");
        let mut expected: BTreeSet<u32> = runs.into_iter().flat_map(|[from, to]| from..=to).collect();
        if case["end"] == true {
            expected.extend(ends);
        }
        let prefix = case["prefix"].as_str().expect("a prefix");
        let found = allowed(&vocabulary, &grammar, prefix);
        let piece = |id: &u32| tokenizer().piece(*id).unwrap_or_default().to_owned();
        let missing: Vec<_> = expected.difference(&found).map(piece).collect();
        let wrong: Vec<_> = found.difference(&expected).map(piece).collect();
        assert!(
            missing.is_empty() && wrong.is_empty(),
            "{name} {prefix:?}: missing {missing:?}, wrong {wrong:?}"
        );
    }
}
