//! Answers that may only be what a grammar allows: whatever the model prefers, they parse and validate.

use std::rc::Rc;

use engine::bytes::CancelToken;
use engine::session::{
    Constraint, ConstraintError, Control, Event, Finish, LoadOptions, Options, Outcome, Session, TablePlace,
};
use engine::template::{Conversation, Piece};
use grammar::{Answer, Format, Grammar, Vocabulary, Whitespace};
use probe::constraint::{Constrained, declared, vocabulary};
use serde_json::{Value, json};
use shaders::sampling::{NOTHING, Settings};

use crate::common;

const E2B: &str = "frontend/engine/tests/golden/models/tiny-e2b.q4_k_m.gguf";
const MOE: &str = "frontend/engine/tests/golden/models/tiny-moe.q4_k_m.gguf";

fn open(model: &str, options: LoadOptions) -> (Session, Rc<Vocabulary>) {
    let options = LoadOptions { context: 512, ..options };
    let session = common::load(&common::gpu(), &common::repository(model), &options);
    let vocabulary = Rc::new(vocabulary(session.tokenizer()).expect("a vocabulary"));
    (session, vocabulary)
}

fn answer(
    session: &mut Session,
    constraint: &mut dyn Constraint,
    options: &Options,
) -> (Outcome, Vec<Piece>) {
    let (mut pieces, control) = (Vec::new(), Control::default());
    let mut on = |event| {
        if let Event::Piece(piece, _) = event {
            pieces.push(piece);
        }
    };
    let prompt: Vec<u32> = (0..20).map(|i| 200 + i * 31).collect();
    let answered = session.generate_constrained(prompt, options, &control, constraint, &mut on);
    let outcome = pollster::block_on(answered).expect("an answer");
    (outcome, pieces)
}

fn text(pieces: &[Piece]) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Answer(text) => text.clone(),
        other => panic!("no text: {other:?}"),
    };
    pieces.iter().map(text).collect()
}

fn options(seed: u64, top_k: u32, temperature: f32, max_tokens: u32) -> Options {
    let settings = Settings { temperature, top_k, top_p: 1.0, ..Settings::default() };
    Options { settings, seed, max_tokens, ..Options::default() }
}

/// Whether a value has the form of the schema of the test below.
fn fits(value: &Value) -> bool {
    let Some(object) = value.as_object() else { return false };
    let keys: Vec<&str> = object.keys().map(String::as_str).collect();
    let known = [["state", "size"].as_slice(), &["state", "size", "tags"]].contains(&keys.as_slice());
    let is_tag = |tag: &Value| tag.as_str().is_some_and(|tag| (1..=4).contains(&tag.chars().count()));
    known
        && ["on", "off"].map(Value::from).contains(&value["state"])
        && value["size"].as_i64().is_some_and(|size| (-5..=120).contains(&size))
        && value["tags"].as_array().is_none_or(|tags| tags.len() <= 2 && tags.iter().all(is_tag))
}

fn json_format() -> Format {
    let schema = json!({"type": "object", "required": ["state", "size"], "properties": {
        "state": {"enum": ["on", "off"]},
        "size": {"type": "integer", "minimum": -5, "maximum": 120},
        "tags": {"type": "array", "maxItems": 2, "items": {"type": "string", "minLength": 1, "maxLength": 4}},
    }});
    let grammar = Grammar::json(&schema, Whitespace::None).expect("a grammar");
    Format { text: Some(grammar), ..Format::default() }
}

fn begin(vocabulary: &Rc<Vocabulary>, format: Format) -> Constrained {
    Constrained(Answer::new(Rc::clone(vocabulary), format, false).expect("an answer"))
}

#[test]
fn every_answer_in_json_is_an_instance_of_its_schema() {
    let (mut session, vocabulary) = open(E2B, LoadOptions::default());
    let seeds = if common::is_thorough() { 200 } else { 24 };
    let mut texts = std::collections::BTreeSet::new();
    for seed in 0..seeds {
        // All ways of drawing: 64 candidates, 256, all, the best.
        let (top_k, temperature) = [(64, 1.5), (200, 1.5), (0, 1.5), (1, 0.0)][seed as usize % 4];
        let mut constraint = begin(&vocabulary, json_format());
        let (outcome, pieces) = answer(&mut session, &mut constraint, &options(seed, top_k, temperature, 0));
        let text = text(&pieces);
        let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert!(fits(&value) && outcome.finish == Finish::EndOfTurn, "seed {seed}: {text}");
        assert_eq!(outcome.timings.speculation, None);
        texts.insert(text);
    }
    assert!(texts.len() > seeds as usize / 2, "{texts:?}");

    // A thought that is ended from outside, at its first token.
    let format = Format { thinking: true, ..json_format() };
    let mut constraint =
        Constrained(Answer::new(Rc::clone(&vocabulary), format.clone(), true).expect("an answer"));
    let control = Control::default();
    control.answer_now.set(true);
    let mut pieces = Vec::new();
    let mut on = |event| {
        if let Event::Piece(Piece::Answer(text), _) = event {
            pieces.push(Piece::Answer(text));
        }
    };
    let thinking = Options { in_thought: true, ..options(5, 64, 1.5, 0) };
    let prompt: Vec<u32> = (0..20).map(|i| 200 + i * 31).collect();
    let answered = session.generate_constrained(prompt, &thinking, &control, &mut constraint, &mut on);
    let outcome = pollster::block_on(answered).expect("an answer");
    assert_eq!(Some(outcome.ids[1]), session.tokenizer().special().channel_close);
    assert!(serde_json::from_str(&text(&pieces)).is_ok_and(|value| fits(&value)), "{pieces:?}");

    // A thought that becomes too long, and is closed behind a sentence.
    let mut constraint = Constrained(Answer::new(Rc::clone(&vocabulary), format, true).expect("an answer"));
    let brief = Options { max_thought: 3, ..thinking };
    let mut thought = String::new();
    let mut on = |event| {
        if let Event::Piece(Piece::Thought(text), _) = event {
            thought.push_str(&text);
        }
    };
    let prompt: Vec<u32> = (0..20).map(|i| 200 + i * 31).collect();
    let control = Control::default();
    let answered = session.generate_constrained(prompt, &brief, &control, &mut constraint, &mut on);
    let outcome = pollster::block_on(answered).expect("an answer");
    let close = session.tokenizer().special().channel_close;
    let end = outcome.ids.iter().position(|&id| Some(id) == close).expect("the end of the thought");
    assert!(thought.ends_with("answer now.") && end > 4, "{thought:?}");
    assert!(outcome.ids.len() > end + 1, "no answer follows");

    // The same again, from a cache that has been written over, and without it.
    let again = |session: &mut Session, seed| {
        answer(session, &mut begin(&vocabulary, json_format()), &options(seed, 64, 1.5, 0)).0.ids
    };
    let ids = again(&mut session, 3);
    assert_eq!(again(&mut session, 3), ids);
    session.forget();
    assert_eq!(again(&mut session, 3), ids);
}

#[test]
fn calls_are_of_what_is_declared_and_a_cut_one_says_so() {
    let tools = json!([{"name": "set", "parameters": {"type": "object", "required": ["to"], "properties": {
        "to": {"type": "boolean"}, "by": {"type": "integer", "minimum": 1, "maximum": 9}}}}, {"name": "get"}]);
    let conversation: Conversation =
        serde_json::from_value(json!({"messages": [], "tools": tools})).expect("tools");
    let calls = Grammar::calls(&declared(&conversation.tools), true).expect("a grammar");
    let format = || Format { calls: Some(calls.clone()), must_call: true, ..Format::default() };
    // The host has a part in every step of the first two.
    let host = LoadOptions { table: TablePlace::Host, ..LoadOptions::default() };
    let slots = LoadOptions { expert_slots: 4, ..LoadOptions::default() };
    for (model, load) in [(E2B, host), (MOE, slots), (E2B, LoadOptions::default())] {
        let (mut session, vocabulary) = open(model, load);
        let mut cut = 0;
        for seed in 0..if common::is_thorough() { 50 } else { 6 } {
            let mut constraint = begin(&vocabulary, format());
            let limit = if seed % 3 == 2 { 9 } else { 150 };
            let (outcome, pieces) = answer(&mut session, &mut constraint, &options(seed, 64, 1.5, limit));
            for piece in &pieces {
                match piece {
                    Piece::Call(call) => {
                        let arguments = Value::Object(call.arguments.clone());
                        let set = arguments["to"].is_boolean()
                            && arguments["by"].as_i64().is_none_or(|by| (1..=9).contains(&by));
                        let empty = call.arguments.is_empty();
                        let fits = if call.name == "set" { set } else { call.name == "get" && empty };
                        assert!(fits, "{call:?}");
                    }
                    Piece::BrokenCall { .. } => assert_eq!(outcome.finish, Finish::CutCall),
                    other => panic!("{other:?}"),
                }
            }
            match outcome.finish {
                Finish::CutCall => cut += 1,
                finish => assert!([Finish::ToolCall, Finish::MaxTokens].contains(&finish), "{finish:?}"),
            }
        }
        assert!(cut > 0);
    }
}

/// Allows one token, until it is told otherwise.
struct Only {
    words: Vec<u32>,
    /// What must come behind the second token.
    forced: &'static str,
    pushed: Vec<u32>,
    cancel: Option<(usize, CancelToken)>,
}

impl Only {
    fn new(id: u32, cancel: Option<(usize, CancelToken)>) -> Self {
        let mut words = vec![0; 32];
        words[id as usize / 32] = 1 << (id % 32);
        Self { words, forced: "", pushed: Vec::new(), cancel }
    }
}

impl Constraint for Only {
    fn push(&mut self, id: u32) -> Result<(), ConstraintError> {
        self.pushed.push(id);
        if let Some((at, cancel)) = &self.cancel
            && self.pushed.len() == *at
        {
            cancel.cancel();
        }
        if self.pushed.len() == 12 { Err(ConstraintError("enough".to_owned())) } else { Ok(()) }
    }

    fn allowed(&mut self) -> Result<&[u32], ConstraintError> {
        Ok(&self.words)
    }

    fn forced(&mut self) -> String {
        if self.pushed.len() == 2 { self.forced.to_owned() } else { String::new() }
    }
}

#[test]
fn a_constrained_answer_is_stopped_at_any_token_and_goes_on_where_it_was() {
    let (mut session, _) = open(E2B, LoadOptions::default());
    let prompt: Vec<u32> = (0..20).map(|i| 200 + i * 31).collect();
    let mut run = |options: &Options, control: &Control, only: &mut Only| {
        pollster::block_on(session.generate_constrained(prompt.clone(), options, control, only, &mut |_| ()))
    };
    let limit = Options { max_tokens: 5, ..Options::default() };
    let whole = run(&limit, &Control::default(), &mut Only::new(777, None)).expect("an answer");
    assert_eq!((whole.ids, whole.finish), (vec![777; 5], Finish::MaxTokens));

    for at in [1, 3] {
        let control = Control::default();
        let mut only = Only::new(777, Some((at, control.cancel.clone())));
        let stopped = run(&limit, &control, &mut only).expect("an answer");
        assert_eq!(stopped.finish, Finish::Cancelled);
        assert!((at..=at + 1).contains(&stopped.ids.len()), "{:?}", stopped.ids);
    }

    // Text that must come is not drawn.
    let text = "one two three four five six";
    let mut only = Only { forced: text, ..Only::new(777, None) };
    let more = Options { max_tokens: 11, ..Options::default() };
    let forced = run(&more, &Control::default(), &mut only).expect("an answer");
    let ids = forced.ids.clone();
    assert_eq!((&ids[..2], ids.len(), &ids[..10]), (&[777; 2][..], 11, &only.pushed[..10]));
    let middle = ids[2..].iter().take_while(|&&id| id != 777).count();
    assert!(middle >= 4, "{ids:?}");
    let few = Options { max_tokens: 4, ..Options::default() };
    let cut = run(&few, &Control::default(), &mut Only { forced: text, ..Only::new(777, None) })
        .expect("an answer");
    assert_eq!((cut.ids, cut.finish), (vec![777; 4], Finish::MaxTokens));
    let some = Options { max_tokens: 7, ..Options::default() };
    let cut = run(&some, &Control::default(), &mut Only { forced: text, ..Only::new(777, None) })
        .expect("an answer");
    assert_eq!((cut.ids.as_slice(), cut.finish), (&ids[..7], Finish::MaxTokens));

    // What was drawn before a loss is told first.
    let mut only = Only::new(777, None);
    let resumed = Options { drawn: vec![776, 775], ..limit.clone() };
    let resumed = run(&resumed, &Control::default(), &mut only).expect("an answer");
    assert_eq!(resumed.ids, [776, 775, 777, 777, 777]);
    assert_eq!(only.pushed[..4], [776, 775, 777, 777]);

    let failed = run(&Options::default(), &Control::default(), &mut Only::new(777, None));
    assert!(failed.is_err_and(|error| error.to_string().contains("enough")));
    let mut none = Only::new(777, None);
    none.words.fill(0);
    let nothing = run(&limit, &Control::default(), &mut none);
    assert!(nothing.is_err(), "{nothing:?} without a token that is allowed, not {NOTHING}");
}
