//! What rows say about which answers count, in the words of the programs in use.

use engine::template::Variant;
use engine::train::MASKED;
use engine::train::examples::{FieldFault, Parsed, Reason, encode, read};
use serde_json::{Value, json};

use crate::models::tokenizer;

/// What is learned of the only row, as text, with `|` where other tokens stand between.
fn learned(parsed: &Parsed) -> Result<String, Reason> {
    if let Some(problem) = parsed.problems.first() {
        return Err(problem.reason.clone());
    }
    let example = encode(&parsed.rows[0].content, &[], tokenizer(), Variant::Small, 2048)?;
    let runs = example.labels.split(|label| *label == MASKED).filter(|run| !run.is_empty());
    let text =
        |run: &[i32]| tokenizer().decode_with_specials(&run.iter().map(|id| *id as u32).collect::<Vec<_>>());
    Ok(runs.map(text).collect::<Vec<_>>().join("|"))
}

fn learned_of(row: &Value) -> Result<String, Reason> {
    learned(&read(&row.to_string(), None))
}

fn fault(field: &str, what: FieldFault) -> Result<String, Reason> {
    Err(Reason::Field { field: field.to_owned(), what })
}

/// A chat with a wrong answer and a right one, and fields of both.
fn chat(wrong: Value, right: Value) -> Value {
    let with = |mut message: Value, fields: Value| {
        message.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        message
    };
    json!([
        {"role": "user", "content": "Ask"},
        with(json!({"role": "assistant", "content": "wrong"}), wrong),
        {"role": "user", "content": "Again"},
        with(json!({"role": "assistant", "content": "right"}), right),
    ])
}

#[test]
fn an_answer_that_does_not_count_is_context() {
    let only_right = Ok("right<turn|>".to_owned());
    for no in [
        json!({"weight": 0}),
        json!({"weight": 0.0}),
        json!({"weight": false}),
        json!({"weight": "0"}),
        json!({"train": false}),
        json!({"training": false}),
        json!({"trainable": false}),
        json!({"loss": false}),
        json!({"loss_scale": 0}),
        json!({"loss_mask": 0}),
        json!({"lossMask": 0}),
        json!({"masked": true}),
        json!({"train_on_turn": false}),
        json!({"weight": 1, "train": false}),
        json!({"label": false}),
        json!({"label": "False"}),
        json!({"weight": "0.00"}),
        json!({"Weight": -0.0}),
        json!({"train": "No"}),
        json!({"isTrainable": "off"}),
        json!({"not_trainable": 1}),
        json!({"is_correct": false}),
        json!({"kto_tag": 0}),
        json!({"preferred": false}),
        json!({"is_context": true}),
        json!({"skip": 1}),
        json!({"include": false}),
        json!({"output_with_loss": false}),
    ] {
        let messages = chat(no.clone(), json!({}));
        assert_eq!(learned_of(&messages), only_right, "{no}");
        assert_eq!(learned_of(&json!({"messages": messages})), only_right, "{no}");
        let turn = |message: &Value| {
            let mut turn = message.as_object().expect("an object").clone();
            let from = if turn.remove("role") == Some("user".into()) { "human" } else { "gpt" };
            let value = turn.remove("content").expect("a content");
            turn.extend([("from".to_owned(), from.into()), ("value".to_owned(), value)]);
            Value::Object(turn)
        };
        let turns: Vec<_> = messages.as_array().expect("a list").iter().map(turn).collect();
        assert_eq!(learned_of(&json!({"conversations": turns, "system": "Be brief."})), only_right, "{no}");
    }
    let both = Ok("wrong<turn|>|right<turn|>".to_owned());
    for yes in [
        json!({}),
        json!({"weight": 1}),
        json!({"weight": null}),
        json!({"train": true}),
        json!({"masked": false}),
        json!({"train_detail": []}),
        json!({"loss": null}),
        json!({"weight": "1.0"}),
        json!({"label": 0}),
        json!({"metadata": {"weight": 1, "source": "x"}}),
    ] {
        assert_eq!(learned_of(&chat(yes.clone(), json!({"weight": 1}))), both, "{yes}");
    }
    assert_eq!(learned_of(&chat(json!({"weight": 0}), json!({"train": false}))), Err(Reason::AllMasked));
}

#[test]
fn fields_of_a_row_count_too() {
    let chat = chat(json!({}), json!({}));
    let with = |name: &str, value: Value| learned_of(&json!({"messages": chat, name: value}));
    let only_right = Ok("right<turn|>".to_owned());
    assert_eq!(with("loss_mask", json!([0, 0, 0, 1])), only_right);
    assert_eq!(with("weights", json!([0, 1])), only_right);
    assert_eq!(with("masked", json!([true, true, true, false])), only_right);
    assert_eq!(with("mask_history", json!(true)), only_right);
    assert_eq!(with("train_on_last", json!(true)), only_right);
    let system = json!({"messages": chat, "system": "Be brief.", "loss_mask": [0, 0, 0, 1]});
    assert_eq!(learned_of(&system), only_right);
    let both = Ok("wrong<turn|>|right<turn|>".to_owned());
    for (name, value) in [
        ("weight", json!(1)),
        ("train", json!(true)),
        ("train_on_inputs", json!(false)),
        ("mask_prompt", json!(true)),
        ("label", json!("cats")),
        ("train", json!(null)),
    ] {
        assert_eq!(with(name, value.clone()), both, "{name}: {value}");
    }
    for name in ["weight", "train", "loss"] {
        assert_eq!(with(name, json!(0)), fault(name, FieldFault::LeftOut));
        let pair = json!({"prompt": "a", "completion": "b", name: 0});
        assert_eq!(learned_of(&pair), fault(name, FieldFault::LeftOut));
    }
    assert_eq!(with("weights", json!([0, 1, 1])), fault("weights", FieldFault::Malformed));
    assert_eq!(with("loss_mask", json!([1, 1, 1, 1])), fault("loss_mask", FieldFault::NotOfModel));
    // Preferences without a pair.
    assert_eq!(with("label", json!(false)), fault("label", FieldFault::LeftOut));
    assert_eq!(with("kto_tag", json!(false)), fault("kto_tag", FieldFault::LeftOut));
}

#[test]
fn what_cannot_be_obeyed_is_refused_by_name() {
    for (field, value, what) in [
        ("weight", json!(0.5), FieldFault::NoFlag),
        ("weight", json!(2), FieldFault::NoFlag),
        ("weight", json!(-1), FieldFault::NoFlag),
        ("weight", json!([0]), FieldFault::NoFlag),
        ("weight", json!({"value": 0}), FieldFault::NoFlag),
        ("loss_mask", json!("01"), FieldFault::NoFlag),
        ("train", json!("often"), FieldFault::NoFlag),
        ("labelmask", json!(0), FieldFault::UnknownRule),
        ("exclude_from_loss", json!(true), FieldFault::UnknownRule),
        (
            "train_detail",
            json!([{"begin_offset": 0, "end_offset": 2, "train": false}]),
            FieldFault::UnknownRule,
        ),
        ("token_weights", json!([0, 1]), FieldFault::UnknownRule),
        ("lossRule", json!(3), FieldFault::UnknownRule),
        ("mask", json!(1), FieldFault::UnknownRule),
        ("train_on_inputs", json!(true), FieldFault::UnknownRule),
    ] {
        assert_eq!(learned_of(&chat(json!({field: value}), json!({}))), fault(field, what), "{field}");
    }
    // Below another name.
    for (name, beside) in [
        ("weight", json!({"weight": 0})),
        ("mask_loss", json!({"x": [{"mask_loss": true}]})),
        ("loss_mask", json!({"loss_mask": [1, 0]})),
        ("train_on_inputs", json!({"train_on_inputs": true})),
    ] {
        let in_message = learned_of(&chat(json!({"metadata": beside}), json!({})));
        assert_eq!(in_message, fault(name, FieldFault::UnknownRule));
        let in_row = learned_of(&json!({"prompt": "a", "completion": "b", "metadata": beside}));
        assert_eq!(in_row, fault(name, FieldFault::UnknownRule));
    }
    let asked =
        json!([{"role": "user", "content": "a", "train": true}, {"role": "assistant", "content": "b"}]);
    assert_eq!(learned_of(&asked), fault("train", FieldFault::NotOfModel));
    let inputs = json!({"prompt": "a", "completion": "b", "train_on_inputs": true});
    assert_eq!(learned_of(&inputs), fault("train_on_inputs", FieldFault::NotOfModel));
    let part = json!([{"role": "user", "content": "a"},
        {"role": "assistant", "content": [{"type": "text", "text": "b", "train": false}, {"type": "text", "text": "c"}]}]);
    assert_eq!(learned_of(&part), fault("train", FieldFault::UnknownRule));
}

#[test]
fn calls_and_answers_of_one_turn_count_apart() {
    let row = |call: u32, answer: u32| {
        json!({"messages": [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "weight": call, "tool_calls": [{"name": "w", "arguments": {}}]},
            {"role": "tool", "name": "w", "content": "sunny"},
            {"role": "assistant", "weight": answer, "content": "Sunny."},
        ]})
    };
    let call = "<|tool_call>call:w{}<tool_call|><|tool_response>";
    assert_eq!(learned_of(&row(0, 1)).as_deref(), Ok("Sunny.<turn|>"));
    assert_eq!(learned_of(&row(1, 0)).as_deref(), Ok(call));
    assert_eq!(learned_of(&row(1, 1)), Ok(format!("{call}|Sunny.<turn|>")));
}

#[test]
fn answers_that_are_one_text_count_together_or_not_at_all() {
    let row = |first: u32, second: Value| {
        json!([
            {"role": "user", "content": "Ask"},
            {"role": "assistant", "content": "wrong", "weight": first},
            second,
        ])
    };
    let text = json!({"role": "assistant", "content": "right"});
    assert_eq!(learned_of(&row(0, text.clone())), Err(Reason::Joined));
    assert_eq!(learned_of(&row(1, text)).as_deref(), Ok("wrongright<turn|>"));
    let call = json!({"role": "assistant", "tool_calls": [{"name": "w", "arguments": {}}]});
    assert_eq!(learned_of(&row(0, call)).as_deref(), Ok("<|tool_call>call:w{}<tool_call|><|tool_response>"));
}

#[test]
fn masks_of_ids_are_labels() {
    let labels = |row: Value| {
        let parsed = read(&row.to_string(), None);
        assert_eq!(parsed.problems, []);
        encode(&parsed.rows[0].content, &[], tokenizer(), Variant::Small, 2048).expect("an example").labels
    };
    assert_eq!(labels(json!({"input_ids": [2, 5, 6], "loss_mask": [0, 0, 1]})), [MASKED, MASKED, 6]);
    assert_eq!(labels(json!({"ids": [2, 5, 6], "assistant_masks": [0, 1, 1]})), [MASKED, 5, 6]);
    let both = json!({"input_ids": [2, 5, 6], "labels": [-100, 5, 6], "completion_mask": [0, 0, 1], "attention_mask": [1, 1, 1]});
    assert_eq!(labels(both), [MASKED, MASKED, 6]);
    let short = json!({"input_ids": [2, 5, 6], "loss_mask": [0, 1]});
    assert_eq!(learned_of(&short), fault("loss_mask", FieldFault::Malformed));
}

#[test]
fn columns_of_a_table_count_too() {
    let parsed = read("prompt,completion,weight\na,wrong,0\nb,right,1\nc,fine,\n", None);
    let lines: Vec<_> = parsed.rows.iter().map(|row| row.line).collect();
    assert_eq!(lines, [3, 4]);
    let left_out = Reason::Field { field: "weight".into(), what: FieldFault::LeftOut };
    assert_eq!((parsed.problems[0].line, &parsed.problems[0].reason), (2, &left_out));
}

#[test]
fn fields_that_are_not_used_are_named_once() {
    let row =
        json!({"prompt": "a", "completion": "b", "id": 7, "source": "here", "nothing": null, "empty": ""});
    let message = json!({"messages": [{"role": "user", "content": "a", "mood": "good"}, {"role": "assistant", "content": "b"}], "id": 8});
    let parsed = read(&format!("{row}\n{row}\n{message}"), None);
    assert_eq!((parsed.rows.len(), parsed.problems.len()), (3, 0));
    assert_eq!(parsed.ignored, ["id", "source", "mood"]);
    let many: serde_json::Map<_, _> = (0..1000).map(|n| (format!("f{n}"), json!(n))).collect();
    let mut many = Value::Object(many);
    many["prompt"] = "a".into();
    many["completion"] = "b".into();
    assert_eq!(read(&many.to_string(), None).ignored.len(), 20);
}
