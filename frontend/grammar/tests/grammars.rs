//! Grammars over a vocabulary of bytes and control tokens.

use std::rc::Rc;

use grammar::{Answer, Format, Grammar, GrammarError, Markers, Mask, Prefix, Tool, Vocabulary, Whitespace};
use serde_json::{Value, json};

const EOS: u32 = 256;
const TURN: u32 = 257;
const CALL: u32 = 258;
const CALL_END: u32 = 259;
const RESPONSE: u32 = 260;
const QUOTE: u32 = 261;
const THOUGHT: u32 = 262;
const THOUGHT_END: u32 = 263;
const OTHER: u32 = 264;

fn vocabulary() -> Vocabulary {
    let bytes = (0..=255).map(|byte| Some(vec![byte]));
    // The last two are texts; one has the bytes of another token.
    let rest = (EOS..=OTHER).map(|_| None).chain([Some(b"a".to_vec()), Some(b"true".to_vec())]);
    let markers = Markers {
        ends: vec![EOS, TURN],
        call_open: Some(CALL),
        call_close: Some(CALL_END),
        response_open: Some(RESPONSE),
        quote: Some(QUOTE),
        channel_open: Some(THOUGHT),
        channel_close: Some(THOUGHT_END),
    };
    Vocabulary::new(bytes.chain(rest), markers).expect("a vocabulary")
}

/// The ids of a text in which `‹` opens a call, `›` closes it, and `§` is around strings.
fn ids(text: &str) -> Vec<u32> {
    let id = |c: char| match c {
        '‹' => vec![CALL],
        '›' => vec![CALL_END],
        '§' => vec![QUOTE],
        c => c.to_string().bytes().map(u32::from).collect(),
    };
    text.chars().flat_map(id).collect()
}

/// Whether a text is whole, or where it stops being the beginning of one; each token is also looked up in the mask.
fn walk(vocabulary: &Vocabulary, grammar: &Grammar, text: &str) -> Result<bool, usize> {
    let mut prefix = Prefix::new(grammar, vocabulary).unwrap_or_else(|error| panic!("{error}"));
    let mut mask = Mask::none(vocabulary.size());
    for (at, id) in ids(text).into_iter().enumerate() {
        prefix.allowed(vocabulary, &mut mask).unwrap_or_else(|error| panic!("{text:?} at {at}: {error}"));
        assert_eq!(mask.allows(97), mask.allows(OTHER + 1), "tokens of the same bytes");
        let pushed = prefix.push(id);
        assert_eq!(mask.allows(id), pushed.is_ok(), "{text:?} at {at}");
        pushed.map_err(|_| at)?;
    }
    let whole = prefix.is_whole().expect("an answer");
    prefix.allowed(vocabulary, &mut mask).expect("something is allowed");
    assert_eq!([mask.allows(EOS), mask.allows(TURN)], [whole; 2]);
    Ok(whole)
}

fn holds(vocabulary: &Vocabulary, schema: &Value, text: &str) -> bool {
    let grammar = Grammar::json(schema, Whitespace::None).unwrap_or_else(|error| panic!("{schema}: {error}"));
    walk(vocabulary, &grammar, text) == Ok(true)
}

#[test]
fn a_schema_takes_its_instances_alone() {
    let vocabulary = vocabulary();
    let open = json!({"$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"});
    let cases: [(Value, &[&str], &[&str]); 26] = [
        (
            json!(true),
            &["1", "null", r#"{"a":[{},"x"]}"#, r#""é\n""#],
            &["01", "tru", r#""\u0041""#, "[1,]", " 1"],
        ),
        (
            json!({"type": "integer", "exclusiveMinimum": -2, "maximum": 2.5}),
            &["-1", "0", "2"],
            &["-2", "3", "-0", "1.0", "00"],
        ),
        (json!({"type": "integer", "minimum": 98}), &["98", "100", "12345"], &["97", "9", "-98"]),
        (
            json!({"type": ["string", "null"], "maxLength": 2}),
            &["null", r#""""#, r#""日本""#, r#""\\\"""#],
            &[r#""abc""#, "1"],
        ),
        (
            json!({"enum": ["a", 1.5, [1, {"b": null}], "ab"]}),
            &[r#""a""#, "1.5", r#"[1,{"b":null}]"#],
            &["1", r#""abc""#],
        ),
        (json!({"const": "a/\"é", "type": "integer"}), &[r#""a/\"é""#], &["1", r#""a/""#]),
        (json!({"type": "string", "pattern": "b+"}), &[r#""b""#, r#""a\nbbc""#], &[r#""a""#]),
        (
            json!({"type": "string", "pattern": "^(a|b)\\d$", "title": "t"}),
            &[r#""a1""#],
            &[r#""ab1""#, r#""a١""#],
        ),
        (
            json!({"type": "string", "format": "uuid"}),
            &[r#""01234567-89ab-cdef-ABCD-0123456789ab""#],
            &[r#""0""#],
        ),
        (
            json!({"type": "string", "format": "date-time"}),
            &[r#""2026-11-29T23:59:59.5Z""#],
            &[r#""2026-13-29T23:59:59Z""#],
        ),
        (
            json!({"properties": {"b": true, "a": {"type": "null"}}, "required": ["a"]}),
            &[r#"{"a":null}"#, r#"{"b":1,"a":null}"#],
            &["{}", r#"{"a":null,"b":1}"#, r#"{"b":1}"#],
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
            &["{}", r#"{"x":true,"":false}"#],
            &[r#"{"x":1}"#],
        ),
        (json!({"type": "object", "additionalProperties": false}), &["{}"], &[r#"{"x":1}"#]),
        (
            json!({"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "null"}}),
            &["[null]", "[null,null]"],
            &["[]", "[null,null,null]"],
        ),
        (json!({"allOf": [{"oneOf": [{"type": "null"}, {"type": "boolean"}]}]}), &["null", "true"], &["1"]),
        (open, &["{}", r#"{"n":{"n":{}}}"#], &[r#"{"n":1}"#]),
        (
            json!({"minimum": -1.5, "exclusiveMaximum": 12}),
            &["-1.5", "-0.25", "0", "9.75", "11.999"],
            &["-1.51", "-2", "12", "12.0", "1e1", "7."],
        ),
        (
            json!({"type": "number", "exclusiveMinimum": 0, "minimum": -3}),
            &["0.001", "1", "100.5"],
            &["0", "0.0", "-0", "-1"],
        ),
        (
            json!({"type": ["number", "null"], "maximum": -2, "exclusiveMaximum": -1}),
            &["-2", "-2.5", "-100", "null"],
            &["-1.5", "0", "2"],
        ),
        (
            json!({"format": "email"}),
            &[r#""a.b+c@mail-1.example.org""#],
            &[r#"".a@b.c""#, r#""a..b@c""#, r#""a@-b""#, r#""a""#],
        ),
        (json!({"format": "hostname"}), &[r#""a""#, r#""a-b.c""#], &[r#""a-""#, r#""a..b""#, r#""xn--a""#]),
        (
            json!({"format": "uri"}),
            &[r#""https://user@example.org:80/a%20b/?q=1#f""#, r#""mailto:a@b""#, r#""file:///a""#],
            &[r#""a""#, r#""1://a""#, r#""https://a b""#, r#""a:%2""#],
        ),
        (
            json!({"format": "ipv6"}),
            &[r#""::""#, r#""::1""#, r#""fe80::1:2""#, r#""1:2:3:4:5:6:7:8""#],
            &[r#"":1""#, r#""1:2:3:4:5:6:7:8:9""#, r#""1::2::3""#, r#""12345::""#],
        ),
        (
            json!({"format": "duration"}),
            &[r#""P1Y2M3D""#, r#""PT1H""#, r#""P2DT3M""#, r#""P4W""#],
            &[r#""P""#, r#""PT""#, r#""P1YT""#, r#""P1Y3D""#, r#""P1W1D""#],
        ),
        (json!({"const": -2.0}), &["-2"], &["2", "-2.5"]),
        (
            json!({"$defs": {"50% \"": {"type": "null"}}, "items": {"$ref": "#/$defs/50%25%20%22"}}),
            &["[null]"],
            &["[1]"],
        ),
    ];
    for (schema, valid, invalid) in cases {
        for text in valid {
            assert!(holds(&vocabulary, &schema, text), "{schema} has {text}");
        }
        for text in invalid {
            assert!(!holds(&vocabulary, &schema, text), "{schema} has no {text}");
        }
    }
    let grammar = Grammar::json(&json!({"type": "array"}), Whitespace::Limited).expect("a grammar");
    for text in ["[ 1 , 2 ]", "[\n                    1\n]", "[]", "[ ]"] {
        assert_eq!(walk(&vocabulary, &grammar, text), Ok(true), "{text:?}");
    }
    for text in [" []", "[] ", "[  ]", "[\n\n1]", "[\n                     1]", "[\t1]"] {
        assert_ne!(walk(&vocabulary, &grammar, text), Ok(true), "{text:?}");
    }
}

#[test]
fn what_cannot_be_enforced_is_refused_by_its_path() {
    let endless = json!({"$defs": {"n": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/n"}}}, "properties": {"x/y": {"$ref": "#/$defs/n"}}});
    for (schema, path, word) in [
        (json!(false), "/", "no schema"),
        (
            json!({"properties": {"a": {"type": "array", "uniqueItems": true}}}),
            "/properties/a",
            "uniqueItems",
        ),
        (json!({"items": {"type": "number", "multipleOf": 2}}), "/items", "multipleOf"),
        (json!({"type": "number", "exclusiveMinimum": 1, "maximum": 1}), "/", "maximum"),
        (json!({"exclusiveMinimum": 0, "maximum": 0.5}), "/", "exclusiveMinimum"),
        (json!({"minimum": -0.5, "exclusiveMaximum": 0}), "/", "exclusiveMaximum"),
        (json!({"minimum": 1e-30}), "/", "minimum"),
        (json!({"const": {"a": [9_007_199_254_740_993_u64]}}), "/", "const"),
        (json!({"anyOf": [true, {"not": {}}]}), "/anyOf/1", "not"),
        (json!({"anyOf": [true], "type": "null"}), "/", "type"),
        (json!({"allOf": [true, true]}), "/", "allOf"),
        (json!({"$ref": "https://example.org/s"}), "/", "https://example.org/s"),
        (json!({"$ref": "#/$defs/none"}), "/", "#/$defs/none"),
        (json!({"type": "object", "required": ["b"], "properties": {"a": true}}), "/", "\"b\""),
        (json!({"properties": {}, "additionalProperties": {}}), "/", "additionalProperties"),
        (json!({"type": "object", "patternProperties": {}}), "/", "patternProperties"),
        (json!({"type": "string", "format": "colour"}), "/", "format"),
        (json!({"type": "string", "format": "date", "pattern": "1"}), "/", "pattern and format"),
        (json!({"type": "string", "pattern": "(?=a)b"}), "/", "look around"),
        (json!({"type": "string", "pattern": "(a)\\1"}), "/", "back-references"),
        (json!({"type": "string", "pattern": "^a|b$"}), "/", "anchor"),
        (json!({"type": "string", "pattern": "a["}), "/", "pattern"),
        (json!({"type": "string", "nullable": true}), "/", "nullable"),
        (json!({"type": "String"}), "/", "type"),
        (json!({"type": "integer", "minimum": 2, "maximum": 1}), "/", "maximum"),
        (json!({"type": "integer", "minimum": 1e300}), "/", "minimum"),
        (json!({"type": "array", "minItems": -1}), "/", "minItems"),
        (json!({"enum": ["\u{1}"]}), "/", "enum"),
        (json!({"enum": []}), "/", "enum"),
        (json!({"$ref": "#"}), "/", "ends"),
        (
            json!({"$defs": {"a": {"items": false}}, "anyOf": [{"$ref": "#/$defs/a"}]}),
            "/$defs/a/items",
            "no schema",
        ),
        (
            json!({"$defs": {"a": true, "b": {"$id": "b", "items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/b"}),
            "/$defs/b/items",
            "#/$defs/a",
        ),
        (json!({"$id": "a", "items": {"$id": "b", "items": {"$ref": "#"}}}), "/items/items", "#"),
        (json!({"$ref": "#/%zz"}), "/", "%zz"),
        (endless, "/properties/x~1y", "ends"),
    ] {
        let error = Grammar::json(&schema, Whitespace::None).err().unwrap_or_else(|| panic!("{schema}"));
        let said = error.to_string();
        let refused = matches!(&error, GrammarError::Refused { path: at, .. } if at == path);
        assert!(refused && said.contains(word), "{schema}: {said}");
    }
}

fn tool(name: &str, parameters: Value) -> Tool {
    Tool { name: name.to_owned(), parameters }
}

#[test]
fn calls_are_of_declared_tools_with_their_arguments() {
    let vocabulary = vocabulary();
    let parameters = json!({
        "type": "OBJECT",
        "properties": {
            "text": {"type": "STRING", "nullable": true},
            "my key": {"type": "string", "enum": ["", "x y"]},
            "code": {"type": "string", "pattern": "^a*$", "maxLength": 2},
            "size": {"type": "object", "properties": {"max": {"type": "integer", "minimum": 5}}, "required": ["max"]},
            "any": {},
            "list": {"type": "array", "items": {"$ref": "#/properties/size"}, "minItems": 1, "maxItems": 2},
            "const": {"const": {"a": [1, "b"]}},
            "share": {"type": "NUMBER", "minimum": 0, "exclusiveMaximum": 1},
        },
        "required": ["text"],
    });
    let tools = [tool("f", parameters), tool("no-args", Value::Null), tool("Basic LLM Chain", json!({}))];
    let grammar = Grammar::calls(&tools, true).expect("a grammar");
    for text in [
        "‹call:no-args{}›",
        "‹call:Basic LLM Chain{}›",
        "‹call:f{text:null}›",
        "‹call:f{text:§§}›‹call:no-args{}›",
        "‹call:f{size:{max:10},text:§{\"\n}§}›",
        "‹call:f{§my key§:§§,text:null}›",
        "‹call:f{text:null,§my key§:§x y§}›",
        "‹call:f{code:§§,text:null}›",
        "‹call:f{code:§aa§,text:null}›",
        "‹call:f{any:[1.5e3,{k_1:§x§},null,[]],text:null}›",
        "‹call:f{list:[{max:5},{max:60}],text:null}›",
        "‹call:f{const:{a:[1,§b§]},text:null}›",
        "‹call:f{share:0.25,text:null}›",
    ] {
        assert_eq!(walk(&vocabulary, &grammar, text), Ok(true), "{text}");
    }
    for text in [
        "‹call:g",
        "‹call:f{}",
        "‹call:f{text:null,t",
        "‹call:f{ ",
        "‹call:f{text:\"",
        "‹call:f{size:{}",
        "‹call:f{size:{max:4}",
        "‹call:f{code:§aaa",
        "‹call:f{list:[]",
        "‹call:f{share:1",
        "‹call:f{o",
        "c",
        "‹call:f{text:null}› ",
    ] {
        let length = ids(text).len();
        assert_eq!(walk(&vocabulary, &grammar, text), Err(length - 1), "{text}");
    }
    let one = Grammar::calls(&tools, false).expect("a grammar");
    assert_eq!(walk(&vocabulary, &one, "‹call:no-args{}›‹"), Err(16));

    let many: serde_json::Map<_, _> = (0..65).map(|n| (format!("k{n}"), json!(true))).collect();
    for (tools, word) in [
        (vec![], "no tool"),
        (vec![tool("a{b", Value::Null)], "no name"),
        (vec![tool("f", Value::Null), tool("f", Value::Null)], "no name"),
        (vec![tool("f", json!({"type": "string"}))], "type"),
        (vec![tool("f", json!({"properties": {"a": {"multipleOf": 2}}}))], "f/properties/a"),
    ] {
        let said = Grammar::calls(&tools, true).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(said.contains(word), "{said}");
    }
    let bytes = (0..=255).map(|byte| Some(vec![byte]));
    let without =
        Vocabulary::new(bytes, Markers { ends: vec![0], ..Markers::default() }).expect("a vocabulary");
    assert_eq!(Prefix::new(&one, &without).err(), Some(GrammarError::NoCalls));
    let wide = Grammar::calls(&[tool("f", json!({"properties": many}))], true).expect("declarations");
    let said = Prefix::new(&wide, &vocabulary).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(said.contains("64 properties"), "{said}");
}

#[test]
fn an_answer_has_thoughts_text_or_json_and_calls() {
    let vocabulary = Rc::new(vocabulary());
    let format = |json: bool, calls: bool, must_call, thinking| Format {
        text: json.then(|| Grammar::json(&json!({"type": "boolean"}), Whitespace::None).expect("a grammar")),
        calls: calls.then(|| Grammar::calls(&[tool("f", Value::Null)], true).expect("a grammar")),
        must_call,
        thinking,
    };
    let taken = |format: Format, in_thought, given: &[u32]| {
        let mut answer = Answer::new(Rc::clone(&vocabulary), format, in_thought).expect("an answer");
        for (at, &id) in given.iter().enumerate() {
            let allowed = answer.allowed().is_ok_and(|mask| mask.allows(id));
            assert_eq!(answer.push(id).is_ok(), allowed, "token {id} at {at}");
            if !allowed {
                return at;
            }
        }
        given.len()
    };
    let call = ids("‹call:f{}›");
    let with = |parts: &[&[u32]]| parts.concat();
    let text = ids("Hi.");
    let truth = ids("true");
    // Thoughts are free, but for control tokens.
    let thought = with(&[&[THOUGHT], &ids("thought\n{x"), &[THOUGHT_END]]);
    assert_eq!(
        taken(format(true, false, false, true), false, &with(&[&thought, &truth, &[EOS]])),
        thought.len() + 5
    );
    assert_eq!(taken(format(true, false, false, true), false, &with(&[&truth, &[THOUGHT]])), 4);
    assert_eq!(taken(format(true, false, false, false), false, &thought), 0);
    assert_eq!(taken(format(true, false, false, true), true, &with(&[&text, &[THOUGHT_END], &text])), 4);
    assert_eq!(taken(format(false, false, false, true), true, &with(&[&text, &[EOS]])), 3);
    assert_eq!(taken(format(true, false, false, false), false, &[OTHER + 2, TURN]), 2);
    // Free text, and calls behind it.
    let calls = with(&[&text, &call, &call, &[RESPONSE]]);
    assert_eq!(taken(format(false, true, false, false), false, &calls), calls.len());
    assert_eq!(taken(format(false, true, false, false), false, &with(&[&call, &text])), call.len());
    assert_eq!(taken(format(false, true, false, false), false, &with(&[&text, &[TURN, EOS]])), 4);
    assert_eq!(taken(format(false, true, false, false), false, &[RESPONSE]), 0);
    assert_eq!(taken(format(false, false, false, false), false, &with(&[&text, &[CALL]])), 3);
    assert_eq!(taken(format(false, false, false, false), false, &with(&[&text, &[OTHER]])), 3);
    // What must come next.
    let mut answer =
        Answer::new(Rc::clone(&vocabulary), format(false, true, true, false), false).expect("an answer");
    let mut forced = |id| {
        answer.push(id).expect("it is allowed");
        answer.forced().expect("text")
    };
    assert_eq!([CALL, 99, 97].map(&mut forced), ["call:f{}", "all:f{}", "ll:f{}"]);
    for id in ids("ll:f{") {
        forced(id);
    }
    assert_eq!(
        [125, CALL_END, RESPONSE].map(&mut |id| if id == RESPONSE { String::new() } else { forced(id) }),
        [""; 3]
    );
    // JSON or calls.
    assert_eq!(taken(format(true, true, false, false), false, &with(&[&call, &[TURN]])), call.len() + 1);
    assert_eq!(taken(format(true, true, false, false), false, &with(&[&truth, &[CALL]])), 4);
    // A call is wanted.
    assert_eq!(taken(format(false, true, true, true), false, &with(&[&thought, &text])), thought.len());
    assert_eq!(taken(format(false, true, true, false), false, &with(&[&call, &[EOS]])), call.len() + 1);
}
