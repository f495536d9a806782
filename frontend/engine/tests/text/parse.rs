//! An answer's tokens to text, thoughts and calls.

use engine::template::{AnswerParser, CallError, Piece, StopStrings, ToolCallText};
use engine::tokenizer::Specials;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::models::{cases, ids, pebble, tokenizer};
use crate::tokenizer::any_id;

/// Answer, thought and calls of a token sequence; adjacent texts joined.
fn parse_ids(ids: &[u32], in_thought: bool, stops: &[&str]) -> Vec<Piece> {
    let stops = StopStrings::new(stops.iter().map(ToString::to_string));
    let mut parser = AnswerParser::new(tokenizer().special(), in_thought, stops);
    let mut pieces: Vec<Piece> = ids.iter().flat_map(|&id| parser.push(tokenizer(), id)).collect();
    parser.finish(&mut pieces);
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (joined.last_mut(), piece) {
            (Some(Piece::Answer(last)), Piece::Answer(text)) => last.push_str(&text),
            (Some(Piece::Thought(last)), Piece::Thought(text)) => last.push_str(&text),
            (_, piece) => joined.push(piece),
        }
    }
    joined
}

fn parse(text: &str) -> Vec<Piece> {
    parse_ids(&tokenizer().encode(text, Specials::Parse), false, &[])
}

fn answer(text: &str) -> Piece {
    Piece::Answer(text.to_owned())
}

fn thought(text: &str) -> Piece {
    Piece::Thought(text.to_owned())
}

fn call(piece: &Piece) -> (&str, Value) {
    match piece {
        Piece::Call(call) => (&call.name, Value::Object(call.arguments.clone())),
        other => panic!("no call: {other:?}"),
    }
}

#[test]
fn text_alone_is_answer() {
    assert_eq!(parse("Hello, 世界 👩‍👧\n"), [answer("Hello, 世界 👩‍👧\n")]);
    assert_eq!(parse(""), []);
}

#[test]
fn thoughts_lose_their_tags_and_nothing_else() {
    assert_eq!(parse("<|channel>thought\nHmm.\n<channel|>Yes."), [thought("Hmm."), answer("Yes.")]);
    assert_eq!(parse("<|channel>thought\na\n\nb\n\n<channel|>c"), [thought("a\n\nb"), answer("c")]);
    assert_eq!(parse("<|channel>thought\n<channel|>c"), [answer("c")]);
    assert_eq!(parse("a<|channel>thought\nb<channel|>c"), [answer("a"), thought("b"), answer("c")]);
    assert_eq!(parse("<|channel>other\nb<channel|>c"), [thought("other\nb"), answer("c")]);
    assert_eq!(parse("<|channel>thoughtful"), [thought("thoughtful")]);
    assert_eq!(parse("<|channel>thou"), [thought("thou")], "cut off");
    assert_eq!(parse("<|channel>thought\nb\n"), [thought("b")], "cut off");
    assert_eq!(parse("a<channel|>b"), [answer("ab")], "nothing to close");
}

#[test]
fn a_prompt_may_have_opened_the_thought() {
    let ids = tokenizer().encode("Hmm.\n<channel|>Yes.", Specials::Parse);
    assert_eq!(parse_ids(&ids, true, &[]), [thought("Hmm."), answer("Yes.")]);
    let ids = tokenizer().encode("thought\nx<channel|>", Specials::Parse);
    assert_eq!(parse_ids(&ids, true, &[]), [thought("thought\nx")], "the label was in the prompt already");
}

#[test]
fn look_alikes_are_text() {
    let text = "<|channel>thought\nx<channel|><|tool_call>call:f{}<tool_call|>";
    let ids = tokenizer().encode(text, Specials::Ignore);
    assert_eq!(parse_ids(&ids, false, &[]), [answer(text)]);
}

#[test]
fn calls_become_json() {
    let text = "Let me see.<|tool_call>call:get_weather{city:<|\"|>São \"Paulo\", {it's}\n<|\"|>,days:2}<tool_call|>";
    let pieces = parse(text);
    assert_eq!(pieces[0], answer("Let me see."));
    assert_eq!(call(&pieces[1]), ("get_weather", json!({"city": "São \"Paulo\", {it's}\n", "days": 2})));
    assert_eq!(pieces.len(), 2);

    let nested = "<|tool_call>call:f{a:[1,-2.5,1e3,true,false,null,[],{}],b:{c:{d:<|\"|><|\"|>}},<|\"|>e f<|\"|>:[{g:1}]}<tool_call|>";
    let expected =
        json!({"a": [1, -2.5, 1e3, true, false, null, [], {}], "b": {"c": {"d": ""}}, "e f": [{"g": 1}]});
    assert_eq!(call(&parse(nested)[0]), ("f", expected));

    let several = parse(
        "<|tool_call>call:f{}<tool_call|><|tool_call>call:g{x:1}<tool_call|><tool_call|><|tool_response>",
    );
    assert_eq!(several.iter().map(call).collect::<Vec<_>>(), [("f", json!({})), ("g", json!({"x": 1}))]);
}

#[test]
fn a_string_may_hold_look_alikes() {
    let quote = tokenizer().special().quote.expect("a quote");
    let mut ids = tokenizer().encode("<|tool_call>call:f{a:", Specials::Parse);
    ids.push(quote);
    ids.extend(tokenizer().encode("<|\"|>}<tool_call|>", Specials::Ignore));
    ids.push(quote);
    ids.extend(tokenizer().encode("}<tool_call|>", Specials::Parse));
    let pieces = parse_ids(&ids, false, &[]);
    assert_eq!(call(&pieces[0]), ("f", json!({"a": "<|\"|>}<tool_call|>"})));
}

#[test]
fn json_notation_is_understood_too() {
    let text = "<|tool_call>call:f{ \"a\": \"x\\n\\u00e9\n\", \"b\" : [ 1 , \"y\" ] }\n<tool_call|>";
    assert_eq!(call(&parse(text)[0]), ("f", json!({"a": "x\né\n", "b": [1, "y"]})));
}

#[test]
fn calls_that_end_without_their_tag() {
    assert_eq!(call(&parse("<|tool_call>call:f{a:1}")[0]), ("f", json!({"a": 1})));
    assert_eq!(call(&parse("<|tool_call>call:f{a:1}<|tool_response>")[0]), ("f", json!({"a": 1})));
    let pieces = parse("<|tool_call>call:f{}<|tool_call>call:g{}<|channel>thought\nx");
    assert_eq!(pieces[..2].iter().map(call).collect::<Vec<_>>(), [("f", json!({})), ("g", json!({}))]);
    assert_eq!(pieces[2], thought("x"));
}

#[test]
fn the_end_of_a_closed_call_is_repaired() {
    for (body, arguments) in [
        ("call:f{", json!({})),
        ("call:f{a:1", json!({"a": 1})),
        ("call:f{a:[1,{b:2", json!({"a": [1, {"b": 2}]})),
        ("call:f{a:<|\"|>x} ", json!({"a": "x"})),
        ("call:f{a:[<|\"|>x]}", json!({"a": ["x"]})),
        ("call:f{a:<|\"|>{<|\"|>,b:\"[\\\"\"", json!({"a": "{", "b": "[\""})),
    ] {
        assert_eq!(call(&parse(&format!("<|tool_call>{body}<tool_call|>"))[0]), ("f", arguments), "{body}");
        for end in ["", "<|tool_response>", "<turn|>"] {
            let pieces = parse(&format!("<|tool_call>{body}{end}"));
            assert!(matches!(pieces[..], [Piece::BrokenCall { .. }]), "{body}{end}: {pieces:?}");
        }
    }
}

/// `parse_tools.json` comes from two parsers of other construction.
#[test]
fn every_golden_answer() {
    for case in cases("parse_tools") {
        let in_thought = case["prompt_thinks"].as_bool().unwrap_or(false);
        let mut found = json!({"thinking": "", "content": "", "calls": [], "invalid": []});
        for piece in parse_ids(&ids(&case["ids"]), in_thought, &[]) {
            let mut add = |key: &str, value| match &mut found[key] {
                Value::Array(list) => list.push(value),
                text => {
                    *text = json!(format!("{}{}", text.as_str().unwrap_or(""), value.as_str().unwrap_or("")))
                }
            };
            match piece {
                Piece::Answer(text) => add("content", json!(text)),
                Piece::Thought(text) => add("thinking", json!(text)),
                Piece::Call(call) => add("calls", json!({"name": call.name, "arguments": call.arguments})),
                Piece::BrokenCall { raw, .. } => add("invalid", json!(raw)),
            }
        }
        for key in ["thinking", "content", "calls", "invalid"] {
            assert_eq!(found[key], case[key], "{key} of {}", case["text"]);
        }
    }
}

#[test]
fn broken_calls_keep_their_text() {
    let broken = |body: &str| match parse(&format!("a<|tool_call>{body}<tool_call|>b")).as_slice() {
        [first, Piece::BrokenCall { raw, error }, last] => {
            assert_eq!((first, last), (&answer("a"), &answer("b")));
            assert_eq!(raw, body);
            error.clone()
        }
        other => panic!("no broken call: {other:?}"),
    };
    for head in ["", "call", "call:", "call:{}", "f{}", "call:f", "call:f<|\"|>{}"] {
        assert_eq!(broken(head), CallError::Head, "{head:?}");
    }
    assert_eq!(broken("call:f{a"), CallError::Expected { expected: "a colon", at: 8 });
    assert_eq!(broken("call:f{a:"), CallError::Value { text: String::new() });
    assert_eq!(broken("call:f{a:\"x"), CallError::Unfinished);
    assert_eq!(broken("call:f{a b:1}"), CallError::Expected { expected: "a colon", at: 9 });
    for word in ["nope", "'x'", "01", "", "True"] {
        assert_eq!(broken(&format!("call:f{{a:{word}}}")), CallError::Value { text: word.to_owned() });
    }
    assert_eq!(broken("call:f{a 1}"), CallError::Expected { expected: "a colon", at: 9 });
    assert_eq!(broken("call:f{}x"), CallError::Expected { expected: "the end", at: 8 });
    assert_eq!(broken("call:f{,}"), CallError::Expected { expected: "a key", at: 7 });
    assert_eq!(
        broken("call:f{a:<|\"|>x<|\"|>1}"),
        CallError::Expected { expected: "a comma or a closing brace", at: 12 }
    );
    assert_eq!(broken(&format!("call:f{{a:{}", "[".repeat(100_000))), CallError::Nested);
}

#[test]
fn control_tokens_out_of_place_give_nothing() {
    assert_eq!(parse("a<|\"|>b<eos>c<turn|><|think|>d<tool_response|>e"), [answer("abcde")]);
}

#[test]
fn stop_strings_across_token_borders() {
    let ids = tokenizer().encode("Say STOP now", Specials::Ignore);
    assert_eq!(parse_ids(&ids, false, &["STOP"]), [answer("Say ")]);
    assert_eq!(parse_ids(&ids, false, &["STOPS", "nown"]), [answer("Say STOP now")], "held back, then given");
    // White space that may belong to the format is looked at, too.
    let mut parser = AnswerParser::new(tokenizer().special(), false, StopStrings::new(["\n\n".to_owned()]));
    let ends = tokenizer()
        .encode("a \n", Specials::Ignore)
        .into_iter()
        .chain(tokenizer().encode("\n", Specials::Ignore));
    let pieces: Vec<Piece> = ends.flat_map(|id| parser.push(tokenizer(), id)).collect();
    assert_eq!((parser.stopped(), pieces), (Some("\n\n"), vec![answer("a"), answer(" ")]));
    let ids = tokenizer().encode("<|channel>thought\nSTOP<channel|>a STOP<turn|>", Specials::Parse);
    assert_eq!(parse_ids(&ids, false, &["STOP"]), [thought("STOP"), answer("a ")]);
    let ids = tokenizer().encode("ST<|channel>thought\nx<channel|>OP", Specials::Parse);
    assert_eq!(parse_ids(&ids, false, &["STOP"]), [answer("ST"), thought("x"), answer("OP")]);
}

#[test]
fn a_stopped_answer_stays_stopped() {
    let mut parser = AnswerParser::new(tokenizer().special(), false, StopStrings::new(["b".to_owned()]));
    let mut pieces = Vec::new();
    for id in tokenizer().encode("a b c<|channel>d", Specials::Parse) {
        pieces.extend(parser.push(tokenizer(), id));
    }
    parser.finish(&mut pieces);
    assert_eq!(parser.stopped(), Some("b"));
    let text: String = pieces.iter().map(|piece| format!("{piece:?}")).collect();
    assert!(!text.contains('b') && !text.contains('c') && !text.contains('d'), "{text}");
}

#[test]
fn the_state_is_told() {
    let mut parser = AnswerParser::new(pebble().special(), false, StopStrings::default());
    assert!(!parser.in_thought());
    parser.push(pebble(), pebble().special().channel_open.expect("a channel"));
    assert!(parser.in_thought());
    parser.push(pebble(), pebble().special().channel_close.expect("a channel"));
    assert!(!parser.in_thought());
}

#[derive(PartialEq)]
enum End {
    Closed,
    Opened,
    Cut,
}

/// What the parser should give for ids, worked out from the whole: cut at control tokens, decode, strip the frame.
fn parsed_as_a_whole(ids: &[u32]) -> Vec<(char, String)> {
    let special = tokenizer().special();
    let mut stretches: Vec<(char, String)> = Vec::new();
    let mut mode = 'a';
    let mut stretch = String::new();
    let mut after_close = false;
    let mut end = |mode: char, stretch: &mut String, how: End| {
        let mut text = std::mem::take(stretch);
        if mode == 't' {
            text = text.strip_prefix("thought\n").map_or(text.clone(), str::to_owned);
        }
        if std::mem::take(&mut after_close) {
            text = text.trim_start().to_owned();
        }
        if mode == 't' || (mode == 'a' && how != End::Cut) {
            text = text.trim_end().to_owned();
        }
        after_close = how == End::Closed;
        match stretches.last_mut() {
            Some((last, joined)) if *last == mode && mode != 'c' => joined.push_str(&text),
            _ if text.is_empty() && mode != 'c' => {}
            _ => stretches.push((mode, text)),
        }
    };
    for part in ids.chunk_by(|&a, &b| !tokenizer().is_special(a) && !tokenizer().is_special(b)) {
        let id = Some(part[0]);
        if !tokenizer().is_special(part[0]) {
            stretch.push_str(&tokenizer().decode(part));
        } else if id == special.channel_open || id == special.tool_call_open {
            if mode == 't' {
                continue;
            }
            end(mode, &mut stretch, End::Opened);
            mode = if id == special.channel_open { 't' } else { 'c' };
        } else if (mode == 't' && id == special.channel_close)
            || (mode == 'c' && (id == special.tool_call_close || id == special.tool_response_open))
        {
            end(mode, &mut stretch, if id == special.tool_response_open { End::Cut } else { End::Closed });
            mode = 'a';
        } else if mode == 'c' && id == special.quote {
            stretch.push_str("<|\"|>");
        }
    }
    end(mode, &mut stretch, End::Cut);
    stretches
}

proptest! {
    #[test]
    fn any_sequence_parses_as_its_whole(ids in prop::collection::vec(any_id(), 0..80)) {
        let whole = parsed_as_a_whole(&ids);
        let pieces: Vec<(char, Option<String>)> = parse_ids(&ids, false, &[])
            .into_iter()
            .map(|piece| match piece {
                Piece::Answer(text) => ('a', Some(text)),
                Piece::Thought(text) => ('t', Some(text)),
                Piece::BrokenCall { raw, .. } => ('c', Some(raw)),
                Piece::Call(_) => ('c', None),
            })
            .collect();
        prop_assert_eq!(pieces.len(), whole.len());
        for ((kind, text), (expected_kind, expected)) in pieces.into_iter().zip(whole) {
            prop_assert_eq!(kind, expected_kind);
            prop_assert_eq!(text.unwrap_or_else(|| expected.clone()), expected);
        }
    }

    #[test]
    fn a_rendered_call_is_read_back(arguments in any_arguments()) {
        let mut text = ToolCallText::default();
        text.push_text("call:f");
        write(&mut text, &arguments);
        let call = text.parse(true).expect("a call");
        prop_assert_eq!(Value::Object(call.arguments), arguments);
    }

    #[test]
    fn any_call_text_is_read_or_refused(units in prop::collection::vec("[a-c{}\\[\\]:,\"\\\\ 0-9.'-]?", 0..30)) {
        let mut text = ToolCallText::default();
        text.push_text("call:f{");
        let mut raw = String::from("call:f{");
        for unit in &units {
            if unit.is_empty() {
                text.push_quote();
                raw.push_str("<|\"|>");
            } else {
                text.push_text(unit);
                raw.push_str(unit);
            }
        }
        prop_assert_eq!(text.raw(), raw);
        if let Ok(call) = text.parse(true) {
            prop_assert_eq!(call.name, "f");
        }
    }

    #[test]
    fn stopping_does_not_depend_on_the_cuts(
        text in "[abé]{0,20}",
        stops in prop::collection::vec("[abé]{0,4}", 0..4),
        cuts in prop::collection::vec(any::<bool>(), 21),
    ) {
        let mut whole = StopStrings::new(stops.clone());
        let expected = whole.push(&text) + &whole.flush();
        let mut watched = StopStrings::new(stops.clone());
        let mut found = String::new();
        let mut part = String::new();
        for (character, &cut) in text.chars().zip(&cuts) {
            part.push(character);
            if cut {
                found += &watched.push(&std::mem::take(&mut part));
            }
        }
        found += &watched.push(&part);
        found += &watched.flush();
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!(watched.found(), whole.found());
        // By the definition: the shortest beginning of the text that ends in a stop string.
        let text = text.as_str();
        let ends = |end: usize| stops.iter().filter(move |stop| !stop.is_empty() && text[..end].ends_with(stop.as_str()));
        let boundaries = text.char_indices().map(|(at, c)| at + c.len_utf8());
        let first = boundaries.filter_map(|end| ends(end).max_by_key(|s| s.len()).map(|s| end - s.len())).next();
        prop_assert_eq!(found, &text[..first.unwrap_or(text.len())]);
    }
}

fn any_arguments() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1000..1000_i32).prop_map(|n| Value::from(f64::from(n) / 8.0)),
        ".*".prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(4, 30, 5, |inner| {
        prop_oneof![prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from), object(inner),]
    });
    object(value)
}

fn object(values: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[a-zA-Z_é][a-z _.-]{0,5}[a-z]", values, 0..5)
        .prop_map(|map| Value::Object(map.into_iter().collect()))
}

/// Gemma's notation, written down once more.
fn write(text: &mut ToolCallText, value: &Value) {
    let list = |text: &mut ToolCallText, open: &str, close: &str, items: Vec<(Option<&String>, &Value)>| {
        text.push_text(open);
        for (index, (key, item)) in items.into_iter().enumerate() {
            text.push_text(if index > 0 { "," } else { "" });
            match key {
                // As the grammar of calls has it: a bare key has no space.
                Some(key) if key.contains(' ') => {
                    text.push_quote();
                    text.push_text(key);
                    text.push_quote();
                    text.push_text(":");
                }
                Some(key) => text.push_text(&format!("{key}:")),
                None => {}
            }
            write(text, item);
        }
        text.push_text(close);
    };
    match value {
        Value::String(string) => {
            text.push_quote();
            text.push_text(string);
            text.push_quote();
        }
        Value::Array(items) => list(text, "[", "]", items.iter().map(|item| (None, item)).collect()),
        Value::Object(members) => list(text, "{", "}", members.iter().map(|(k, v)| (Some(k), v)).collect()),
        other => text.push_text(&other.to_string()),
    }
}
