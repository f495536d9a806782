//! Files as data sets and programs have them.

use engine::template::{Content as Said, Part, Variant};
use engine::train::examples::{
    Columns, Content, FieldFault, NotUnicode, Parsed, Reason, decode, encode, read,
};
use serde_json::{Value, json};

use crate::models::tokenizer;

/// The rows as the model sees them.
fn seen(parsed: &Parsed) -> Vec<String> {
    let text = |content| {
        let example = encode(content, &[], tokenizer(), Variant::Small, 2048).expect("an example");
        tokenizer().decode_with_specials(example.ids())
    };
    parsed.rows.iter().map(|row| text(&row.content)).collect()
}

fn turns(turns: &[(&str, &str)]) -> String {
    let turn = |(role, text): &(&str, &str)| format!("<|turn>{role}\n{text}<turn|>\n");
    format!("<bos>{}", turns.iter().map(turn).collect::<String>())
}

fn row(row: &Value) -> String {
    let parsed = read(&row.to_string(), None);
    assert_eq!(parsed.problems, [], "{row}");
    seen(&parsed).remove(0)
}

fn refused(row: &Value) -> Reason {
    let mut parsed = read(&row.to_string(), None);
    assert_eq!((parsed.rows.len(), parsed.problems.len()), (0, 1), "{row}");
    parsed.problems.remove(0).reason
}

#[test]
fn questions_and_answers_have_many_names() {
    let plain = turns(&[("user", "q"), ("model", "a")]);
    for (ask, answer) in [
        ("prompt", "completion"),
        ("prompt", "response"),
        ("instruction", "response"),
        ("instruction", "output"),
        ("question", "answer"),
        ("question", "response"),
        ("query", "response"),
        ("query", "answer"),
        ("problem", "solution"),
        ("input", "output"),
        ("inputs", "targets"),
        ("human", "assistant"),
        ("Instruction", "Output"),
    ] {
        assert_eq!(row(&json!({ask: "q", answer: "a"})), plain, "{ask}, {answer}");
    }
    assert_eq!(row(&json!({"problem": "q", "solution": "a", "answer": "4"})), plain);
    let about = turns(&[("user", "q\n\nc"), ("model", "a")]);
    assert_eq!(row(&json!({"instruction": "q", "context": "c", "response": "a", "category": "x"})), about);
    assert_eq!(row(&json!({"question": "q", "context": "c", "answer": "a"})), about);
    assert_eq!(row(&json!({"instruction": "q", "input": "c", "output": "a"})), about);
    assert_eq!(row(&json!({"instruction": "q", "context": "", "response": "a"})), plain);
    assert_eq!(row(&json!({"instruction": "", "input": "q", "output": "a"})), plain);
    let system = turns(&[("system", "s"), ("user", "q"), ("model", "a")]);
    assert_eq!(row(&json!({"system_prompt": "s", "question": "q", "response": "a"})), system);
    let history = json!({"instruction": "q", "output": "a", "history": [["h", "i"]]});
    assert_eq!(row(&history), turns(&[("user", "h"), ("model", "i"), ("user", "q"), ("model", "a")]));
    let list = json!({"question": "q", "context": ["c"], "answer": "a"});
    assert_eq!(refused(&list), Reason::Field { field: "context".into(), what: FieldFault::NotText });
}

#[test]
fn chats_have_many_names() {
    let plain = turns(&[("user", "q"), ("model", "a")]);
    let messages = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]);
    for name in ["messages", "conversations", "conversation", "dialogue", "dialog", "chat", "turns", "items"]
    {
        assert_eq!(row(&json!({name: messages})), plain, "{name}");
        assert_eq!(row(&json!({name: messages.to_string()})), plain, "{name} in a text");
    }
    for chat in [
        json!({"conversation": [{"human": "q", "assistant": "a"}]}),
        json!({"conversation": [{"system": "", "input": "q", "output": "a"}]}),
        json!({"messages": [{"role": "prompter", "text": "q"}, {"role": "assistant", "text": "a"}]}),
        json!({"contents": [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": [{"text": "a"}]}]}),
        json!({"messages": [{"role": "user", "content": [{"text": "q"}]}, {"role": "assistant", "content": "a", "reasoning_content": null, "thinking": null}]}),
    ] {
        assert_eq!(row(&chat), plain, "{chat}");
    }
    let system = turns(&[("system", "s"), ("user", "q"), ("model", "a")]);
    assert_eq!(row(&json!({"system": "s", "messages": messages})), system);
    assert_eq!(row(&json!({"systemInstruction": {"parts": [{"text": "s"}]}, "contents": messages})), system);
    let tools = json!([{"type": "function", "function": {"name": "w", "description": "d"}}]);
    let with_tools = row(&json!({"messages": messages, "tools": tools}));
    assert!(with_tools.contains("<|tool>declaration:w"), "{with_tools}");
    assert_eq!(row(&json!({"conversations": messages, "tools": tools.to_string()})), with_tools);
    let former = json!({"messages": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": null, "function_call": {"name": "w", "arguments": "{}"}},
        {"role": "function", "name": "w", "content": "sunny"},
        {"role": "assistant", "content": "a"},
    ], "functions": [{"name": "w", "description": "d"}]});
    let former = row(&former);
    assert!(former.contains("<|tool_call>call:w{}<tool_call|><|tool_response>response:w"), "{former}");
}

const CALLED: &str = "<bos><|turn>user\nq<turn|>\n<|turn>model\n<|tool_call>call:w{city:<|\"|>Rome<|\"|>}<tool_call|>\
    <|tool_response>response:w{value:<|\"|>sunny<|\"|>}<tool_response|>a<turn|>\n";

#[test]
fn tools_are_called_in_turns_of_their_own() {
    let call = json!({"name": "w", "arguments": {"city": "Rome"}});
    let chat = |called: Value, responded: Value| json!([{"from": "human", "value": "q"}, called, responded, {"from": "gpt", "value": "a"}]);
    let observed = json!({"from": "observation", "value": "sunny"});
    // By its author.
    for author in ["function_call", "function-call", "Function_Call", "tool_call", "tool_calls"] {
        for value in [call.to_string().into(), json!([call]).to_string().into(), call.clone(), json!([call])]
        {
            let called = json!({"from": author, "value": value});
            assert_eq!(
                row(&json!({"conversations": chat(called, observed.clone())})),
                CALLED,
                "{author} {value}"
            );
        }
    }
    // By the names of its fields.
    for called in [
        json!({"role": "function_call", "content": call.to_string()}),
        json!({"from": "function_call", "value": r#"{"name": "w", "parameters": {"city": "Rome"}}"#}),
        json!({"from": "function_call", "value": r#"{"name": "w", "arguments": "{\"city\": \"Rome\"}"}"#}),
        json!({"from": "function_call", "value": json!({"type": "function", "function": call})}),
        json!({"from": "gpt", "tool_calls": json!([call]).to_string()}),
        json!({"function_call": call}),
        json!({"from": "gpt", "value": format!("<tool_call>\n{call}\n</tool_call>")}),
    ] {
        assert_eq!(row(&json!({"messages": chat(called.clone(), observed.clone())})), CALLED, "{called}");
    }
    let called = json!({"from": "function_call", "value": call});
    for author in ["observation", "Observation", "tool", "function", "tool_response", "function_response"] {
        let responded = json!({"from": author, "value": "sunny"});
        assert_eq!(row(&chat(called.clone(), responded)), CALLED, "{author}");
    }
    for responded in [
        json!({"from": "tool", "value": "<tool_response>\nsunny\n</tool_response>"}),
        json!({"from": "tool", "value": r#"<tool_response>{"name": "w", "content": "sunny"}</tool_response>"#}),
        json!({"observation": "sunny"}),
    ] {
        assert_eq!(row(&chat(called.clone(), responded.clone())), CALLED, "{responded}");
    }
    let values = [
        (json!({"sky": 1}), "{sky:1}"),
        (json!([1, 2]), "{value:<|\"|>[1,2]<|\"|>}"),
        (json!(7), "{value:<|\"|>7<|\"|>}"),
    ];
    for (value, response) in values {
        let seen = row(&chat(called.clone(), json!({"from": "observation", "value": value})));
        assert!(seen.contains(&format!("<|tool_response>response:w{response}<tool_response|>a")), "{seen}");
    }
    // What is said before a call stays before it.
    let first = json!([
        {"from": "human", "value": "q"}, {"from": "gpt", "value": "Let me see."}, called, observed,
        {"from": "gpt", "value": "a"},
    ]);
    let seen = row(&first);
    assert!(seen.contains("model\nLet me see.<|tool_call>call:w{"), "{seen}");
    assert!(seen.ends_with("<tool_response|>a<turn|>\n"), "{seen}");
}

#[test]
fn several_calls_have_their_responses_in_order() {
    let call = |name: &str| json!({"name": name, "arguments": {}});
    let expected = "<|tool_call>call:v{}<tool_call|><|tool_call>call:w{}<tool_call|>\
        <|tool_response>response:v{value:<|\"|>1<|\"|>}<tool_response|>\
        <|tool_response>response:w{value:<|\"|>2<|\"|>}<tool_response|>a<turn|>\n";
    let question = json!({"from": "human", "value": "q"});
    let answer = json!({"from": "gpt", "value": "a"});
    let observed = |value: &str| json!({"from": "observation", "value": value});
    let called = |value: Value| json!({"from": "function_call", "value": value.to_string()});
    let marked = "<tool_call>{\"name\": \"v\"}</tool_call>\n<tool_call>{\"name\": \"w\"}</tool_call>";
    let together = "<tool_response>1</tool_response><tool_response>2</tool_response>";
    for turns in [
        json!([question, called(json!([call("v"), call("w")])), observed("1"), observed("2"), answer]),
        json!([question, called(call("v")), called(call("w")), observed("1"), observed("2"), answer]),
        json!([question, {"from": "gpt", "value": marked}, {"from": "tool", "value": together}, answer]),
    ] {
        let seen = row(&turns);
        assert!(seen.ends_with(expected), "{seen}");
    }
    // One counts and the other does not, but they are one turn.
    let mut other = called(call("w"));
    other["weight"] = json!(0);
    let mixed = json!([question, called(call("v")), other, observed("1"), answer]);
    assert_eq!(refused(&mixed), Reason::Joined);
}

#[test]
fn what_no_prompt_can_have_is_refused() {
    let field = |field: &str| Reason::Field { field: field.into(), what: FieldFault::Malformed };
    let chat = |turn: Value| json!([{"from": "human", "value": "q"}, turn, {"from": "gpt", "value": "a"}]);
    for value in ["look it up", "[1]", "{\"arguments\": {}}", "[[{\"name\": \"w\"}]]", "\"w\""] {
        let called = chat(json!({"from": "function_call", "value": value}));
        assert_eq!(refused(&called), field("function_call"), "{value}");
    }
    // A response to nothing would be left out without a word.
    for author in ["observation", "tool"] {
        assert_eq!(refused(&chat(json!({"from": author, "value": "sunny"}))), field("tool"));
    }
    assert_eq!(
        refused(&chat(json!({"from": "narrator", "value": "x"}))),
        Reason::Role { role: "narrator".into() }
    );
    // Marks that are no calls are text.
    let text = "Write <tool_call> and </tool_call>.";
    assert_eq!(row(&chat(json!({"from": "gpt", "value": text}))).matches(text).count(), 1);
}

#[test]
fn texts_alone_are_a_dialogue() {
    let two = turns(&[("user", "hi"), ("model", "hello")]);
    let four = turns(&[("user", "hi"), ("model", "hello"), ("user", "q"), ("model", "a")]);
    let texts = json!(["hi", "hello", "q", "a"]);
    assert_eq!(row(&json!(["hi", "hello"])), two);
    for name in ["messages", "conversations", "conversation", "dialogue", "dialog", "chat", "turns"] {
        assert_eq!(row(&json!({name: texts})), four, "{name}");
        assert_eq!(row(&json!({name: texts.to_string()})), four, "{name} in a text");
    }
    for chat in [
        json!(["User: hi", "Assistant: hello", "User: q", "Assistant: a"]),
        json!([{"speaker": "user", "utterance": "hi"}, {"speaker": "bot", "message": "hello"}, {"user": "q"}, {"assistant": "a"}]),
    ] {
        assert_eq!(row(&json!({"messages": chat})), four, "{chat}");
    }
    let system = turns(&[("system", "s"), ("user", "hi"), ("model", "hello")]);
    assert_eq!(row(&json!({"system": "s", "dialog": ["hi", "hello"]})), system);
    // An open end is context of what comes before.
    let open = row(&json!(["hi", "hello", "more?"]));
    assert_eq!(open, turns(&[("user", "hi"), ("model", "hello"), ("user", "more?")]));
    for file in
        [json!([["hi", "hello"], ["hi", "hello"]]), json!({"dialogue": [["hi", "hello"], ["hi", "hello"]]})]
    {
        assert_eq!(seen(&read(&file.to_string(), None)), [two.clone(), two.clone()], "{file}");
    }
    let lines = read("[\"hi\", \"hello\"]\n[\"hi\", \"hello\"]\n", None);
    assert_eq!(seen(&lines), [two.clone(), two]);
    let pairs = json!({"dialog": [["hi", "hello"], ["q", "a"]]});
    let lines = read(&format!("{pairs}\n{pairs}\n"), None);
    assert_eq!(seen(&lines), [four.clone(), four]);

    let field = |what| Reason::Field { field: "messages".into(), what };
    assert_eq!(refused(&json!(["hi"])), field(FieldFault::Malformed));
    assert_eq!(refused(&json!(["hi", " "])), field(FieldFault::Empty));
    assert_eq!(refused(&json!(["hi", {"role": "assistant", "content": "a"}])), field(FieldFault::Malformed));
    assert_eq!(refused(&json!(["hi", 7])), field(FieldFault::Malformed));
}

#[test]
fn what_is_no_example_says_what_it_is() {
    let messages = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]);
    assert_eq!(refused(&json!({"prompt": "q", "chosen": "a", "rejected": "b"})), Reason::Preference);
    assert_eq!(
        refused(&json!({"query": "q", "response": "a", "rejected_response": "b"})),
        Reason::Preference
    );
    assert_eq!(refused(&json!({"chosen": messages, "rejected": messages})), Reason::Preference);
    assert_eq!(
        refused(&json!({"prompt": "q", "response": "a", "response_rejected": "b"})),
        Reason::Preference
    );
    assert_eq!(refused(&json!({"message_id": "1", "role": "prompter", "text": "q"})), Reason::SingleMessage);
    assert_eq!(refused(&json!({"text": "### Human: q### Assistant: a"})), Reason::TextAlone);
    let half = |found, missing| Reason::Half { found, missing };
    assert_eq!(refused(&json!({"query": "q"})), half("query", "response"));
    assert_eq!(refused(&json!({"response": "a"})), half("response", "query"));
    let odd = json!({"prompt": "a\u{fffd}", "completion": "b"});
    assert_eq!(refused(&odd), Reason::Replaced);
    let mut escaped = read(r#"{"prompt": "a\ufffd", "completion": "b"}"#, None);
    assert_eq!(escaped.problems.remove(0).reason, Reason::Replaced);
}

#[test]
fn lists_of_chats_are_rows_in_any_layout() {
    let chat = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]);
    let object = json!({"messages": chat});
    let pair = json!({"prompt": "q", "completion": "a"});
    let plain = turns(&[("user", "q"), ("model", "a")]);
    for (file, rows) in [
        (json!([chat, chat]), 2),
        (json!([chat]), 1),
        (chat.clone(), 1),
        (json!([object, object]), 2),
        (json!([chat, object, pair]), 3),
        (json!({"data": [pair, pair]}), 2),
        (json!({"train": [object], "version": 1}), 1),
        (json!({"type": "text2text", "instances": [{"input": "q", "output": "a"}]}), 1),
        (json!({"conversations": [chat, chat]}), 2),
        (json!({"conversations": [object, object]}), 2),
        (object.clone(), 1),
    ] {
        for text in [file.to_string(), format!("{file:#}"), format!("\u{feff}\r\n{file:#}\r\n")] {
            let parsed = read(&text, None);
            assert_eq!(parsed.problems, [], "{text}");
            assert_eq!(seen(&parsed), vec![plain.clone(); rows], "{text}");
        }
    }
    let several = read(&format!("{object:#}\n{chat:#}\n\n{pair:#}"), None);
    assert_eq!(seen(&several).len(), 3, "{:?}", several.problems);
    assert_eq!(several.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 13, 24]);
    let beside = read(&json!({"train": [pair], "test": [pair]}).to_string(), None);
    assert_eq!((beside.rows.len(), beside.ignored), (1, vec!["test".to_owned()]));
}

#[test]
fn a_fault_in_values_of_several_lines_is_told_once() {
    let text = "[\n  {\n    \"prompt\": \"a\",\n    \"completion\" \"b\"\n  }\n]";
    let parsed = read(text, None);
    let places: Vec<_> = parsed.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(places, [4]);
}

/// The columns that are found, and the rows.
fn table(text: &str, columns: Option<&Columns>) -> (Vec<String>, Vec<String>) {
    let parsed = read(text, columns);
    assert_eq!(parsed.problems, [], "{text}");
    (parsed.columns.clone(), seen(&parsed))
}

#[test]
fn a_table_may_begin_with_its_separator_or_a_title() {
    let names = ["prompt", "completion"].map(str::to_owned).to_vec();
    let plain = vec![turns(&[("user", "a"), ("model", "b")])];
    for text in [
        "sep=;\nprompt;completion\na;b\n",
        "sep=;\r\nprompt;completion\r\na;b\r\n",
        "\u{feff}SEP=,\nprompt,completion\na,b\n",
        "\"sep=;\"\nprompt;completion\na;b\n",
        "sep=\t\nprompt\tcompletion\na\tb\n",
        "sep=|\nprompt|completion\na|b\n",
        "sep=^\nprompt^completion\na^b\n",
        "My examples\nprompt,completion\na,b\n",
        "My examples;\n;\nprompt;completion\na;b\n",
        "\n\nprompt,completion\na,b\n",
        "prompt|completion\na|b\n",
        "prompt\tcompletion\r\na\tb\r\n",
        "prompt, completion\na, b\n",
        "prompt,completion\ra,b\r",
        "prompt;completion\na;b",
    ] {
        assert_eq!(table(text, None), (names.clone(), plain.clone()), "{text:?}");
    }
    let markdown = "| prompt | completion |\n|---|:--|\n| a | b |\n";
    assert_eq!(table(markdown, None).1, plain);
    let commas = "Frage;Antwort\nWas, wo, wie?;Da, dort, so\n";
    assert_eq!(table(commas, None).1, [turns(&[("user", "Was, wo, wie?"), ("model", "Da, dort, so")])]);
    for text in [
        "sep=;\n\nprompt;completion\na;b\n",
        "sep=;\r\n\r\nprompt;completion\r\na;b\r\n",
        "sep=;\r\rprompt;completion\ra;b",
        "\n\nprompt,completion\na,b",
        "\r\nprompt,completion\r\n\r\na,b\r\n",
    ] {
        let parsed = read(text, None);
        assert_eq!(parsed.rows[0].line, 4, "{text:?}");
        let heads: Vec<_> = parsed.heads.iter().map(|head| head.line).collect();
        let header = parsed.chosen.expect("columns").header.expect("a line");
        assert_eq!(heads, [header, 4], "{text:?}");
    }
}

#[test]
fn the_line_with_the_names_can_be_changed() {
    let text = "What is 1+1?,2\nWhat is 2+2?,4\n";
    let rows = |answers: &[(&str, &str)]| -> Vec<String> {
        answers.iter().map(|(ask, answer)| turns(&[("user", ask), ("model", answer)])).collect()
    };
    let all = rows(&[("What is 1+1?", "2"), ("What is 2+2?", "4")]);
    let numbers = vec!["1".to_owned(), "2".to_owned()];
    assert_eq!(table(text, None), (numbers.clone(), all.clone()), "numbers are no names");
    let at = |line| Columns { header: Some(line), ..Columns::default() };
    assert_eq!(table(text, Some(&at(0))), (numbers, all.clone()));
    assert_eq!(table(text, Some(&at(1))).1, all[1..]);
    let greetings = "hello,world\nhi,there\n";
    assert_eq!(table(greetings, None).1, rows(&[("hi", "there")]));
    assert_eq!(table(greetings, Some(&at(0))).1, rows(&[("hello", "world"), ("hi", "there")]));
    let parsed = read("About this file\nask,say\nhi,there\n", None);
    assert_eq!(parsed.chosen.expect("columns").header, Some(2));
    let heads: Vec<_> = parsed.heads.iter().map(|head| (head.line, head.cells.as_str())).collect();
    assert_eq!(heads, [(1, "About this file"), (2, "ask, say"), (3, "hi, there")]);
    let sentences = "Say it in full sentences, please.,Gladly.\n";
    assert_eq!(read(sentences, None).problems[0].reason, Reason::Prose);
    assert_eq!(read(sentences, Some(&at(0))).rows.len(), 1, "it may be chosen");
}

#[test]
fn columns_of_data_sets_are_found_in_tables() {
    let text = "instruction,context,response,category\nq,c,a,x\n";
    assert_eq!(table(text, None).1, [turns(&[("user", "q\n\nc"), ("model", "a")])]);
    let text = "system,Query,Response\ns,q,a\n";
    assert_eq!(table(text, None).1, [turns(&[("system", "s"), ("user", "q"), ("model", "a")])]);
    let text = "id,messages\n7,\"[{\"\"role\"\":\"\"user\"\",\"\"content\"\":\"\"q\"\"},{\"\"role\"\":\"\"assistant\"\",\"\"content\"\":\"\"a\"\"}]\"\n";
    assert_eq!(seen(&read(text, None)), [turns(&[("user", "q"), ("model", "a")])]);
    let damaged = read("prompt,completion\nGr\u{fffd}\u{fffd}e,a\n", None);
    assert_eq!(damaged.problems[0].reason, Reason::Replaced);
}

#[test]
fn bytes_are_unicode_or_refused() {
    let text = "prompt,completion\nGröße,中文👩\n";
    assert_eq!(decode(text.as_bytes()).as_deref(), Ok(text));
    let units =
        |unit: fn(u16) -> [u8; 2], text: &str| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    for unit in [u16::to_le_bytes, u16::to_be_bytes] {
        assert_eq!(decode(&units(unit, text)).as_deref(), Ok(text));
        let marked = decode(&units(unit, &format!("\u{feff}{text}")));
        assert_eq!(marked.as_deref(), Ok(text));
    }
    for chinese in ["问题,回答\n一加一,二\n一,一\n", "一,一一一一一一\n"] {
        assert_eq!(decode(&units(u16::to_le_bytes, chinese)).as_deref(), Ok(chinese));
        assert_eq!(decode(&units(u16::to_be_bytes, chinese)).as_deref(), Ok(chinese));
    }
    let stray = "prompt,completion\nGr\0öße,b\n";
    assert_eq!(decode(stray.as_bytes()).as_deref(), Ok(stray));
    assert_eq!(decode(b"\xFF\xFE\0\0p\0\0\0"), Err(NotUnicode { line: 1 }));
    assert_eq!(decode(b"p\0\0\0,\0\0\0q\0\0\0"), Err(NotUnicode { line: 1 }));
    assert_eq!(decode(b"a,b\n\x1b$B<ALd\x1b(B,c\n"), Err(NotUnicode { line: 2 }));
    let windows_1252 = b"prompt,completion\na,b\nGr\xF6\xDFe,c\n";
    assert_eq!(decode(windows_1252), Err(NotUnicode { line: 3 }));
    assert_eq!(decode(&[0xFF, 0xFE, b'a', 0, b'\n', 0, 0, 0xD8]), Err(NotUnicode { line: 2 }));
    assert_eq!(decode(b"").as_deref(), Ok(""));
}

#[test]
fn nothing_that_is_said_is_lost() {
    let field = |field: &str, what| Reason::Field { field: field.into(), what };
    let answer = json!({"role": "assistant", "content": "a"});
    let plain = turns(&[("user", "q"), ("model", "a")]);
    for content in [
        json!([{"type": "input_text", "text": "q"}]),
        json!([{"type": "text", "text": "q", "cache_control": {"type": "ephemeral"}}]),
        json!({"type": "text", "text": "q"}),
        json!({"text": "q"}),
    ] {
        assert_eq!(row(&json!([{"role": "user", "content": content}, answer])), plain, "{content}");
    }
    let output = json!([{"type": "output_text", "text": "a"}]);
    assert_eq!(
        row(&json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": output}])),
        plain
    );
    for content in [
        json!([{"type": "file", "file": {"file_id": "x"}}]),
        json!([{"type": "text", "text": "q"}, {"type": "tool_use", "name": "w", "input": {}}]),
        json!([{"type": "text"}]),
        json!([{"type": "text", "text": null}]),
        json!([{"text": "hm", "thought": true}, {"text": "q"}]),
        json!([{"functionCall": {"name": "w"}}]),
        json!(["q"]),
        json!({"question": "q"}),
    ] {
        let refusal = refused(&json!([{"role": "user", "content": content}, answer]));
        assert_eq!(refusal, field("content", FieldFault::Malformed), "{content}");
    }
    // A message with nothing in it would be learned as such.
    for nothing in [
        json!({"role": "assistant", "content": ""}),
        json!({"role": "assistant", "content": null}),
        json!({"role": "assistant", "answer": "a"}),
        json!({"role": "assistant", "Content": "a"}),
        json!({"from": "gpt", "value": " "}),
        json!({"role": "user", "content": []}),
    ] {
        let chat = json!([{"role": "user", "content": "q"}, answer, nothing]);
        assert_eq!(refused(&chat), field("content", FieldFault::Empty), "{nothing}");
    }
    let about = turns(&[("user", "q\n\nc"), ("model", "a")]);
    assert_eq!(row(&json!({"instruction": "q", "input": "", "context": "c", "response": "a"})), about);
    assert_eq!(row(&json!({"conversation": [{"instruction": "q", "input": "c", "output": "a"}]})), about);
    assert_eq!(row(&json!({"question": "q", "passage": "c", "answer": "a"})), about);
    assert_eq!(row(&json!({"instruction": "q", "question": "c", "answer": "a"})), about);
    let both = row(&json!({"instruction": "q", "input": "c", "context": "d", "output": "a"}));
    assert_eq!(both, turns(&[("user", "q\n\nc\n\nd"), ("model", "a")]));
    let call = json!({"id": "1", "function": {"name": "w", "arguments": {}}});
    let other = json!([{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "2", "content": "r"}, answer]);
    assert_eq!(refused(&other), field("tool_call_id", FieldFault::Malformed));
    let beside = json!({"prompt": [{"role": "user", "content": "q"}], "input": "c", "completion": "a"});
    let parsed = read(&beside.to_string(), None);
    assert_eq!((seen(&parsed), parsed.ignored), (vec![plain], vec!["input".to_owned()]));
}

#[test]
fn authors_may_be_the_first_of_two_texts() {
    let chat = json!([["system", "s"], ["user", "q"], ["assistant", "a"]]);
    let expected = turns(&[("system", "s"), ("user", "q"), ("model", "a")]);
    for file in [chat.clone(), json!({"messages": chat}), json!({"dialog": chat.to_string()}), json!([chat])]
    {
        assert_eq!(seen(&read(&file.to_string(), None)), std::slice::from_ref(&expected), "{file}");
    }
    let human = json!({"conversations": [["human", "q"], ["gpt", "a"]]});
    assert_eq!(row(&human), turns(&[("user", "q"), ("model", "a")]));
}

#[test]
fn lists_may_be_a_table() {
    let two = vec![turns(&[("user", "q"), ("model", "a")]); 2];
    for file in [
        json!([["prompt", "completion"], ["q", "a"], ["q", "a"]]),
        json!([["id", "Answer", "Question"], [1, "a", "q"], [2, "a", "q"]]),
        json!([["user", "assistant"], ["q", "a"], ["q", "a"]]),
        json!({"data": [["question", "answer"], ["q", "a"], ["q", "a"]]}),
        json!({"columns": ["completion", "prompt"], "data": [["a", "q"], ["a", "q"]], "index": [0, 1]}),
    ] {
        let parsed = read(&file.to_string(), None);
        assert_eq!((seen(&parsed), parsed.problems), (two.clone(), vec![]), "{file}");
    }
    let lines = read("[\"prompt\", \"completion\"]\n[\"q\", \"a\"]\n[\"q\", \"a\"]\n[\"q\"]\n", None);
    assert_eq!(seen(&lines), two);
    assert_eq!(lines.problems[0].line, 4);
    assert_eq!(lines.problems[0].reason, Reason::Cells { cells: 1, columns: 2 });
}

#[test]
fn well_known_data_sets_are_read_or_refused() {
    let plain = turns(&[("user", "q"), ("model", "a")]);
    let four = turns(&[("user", "q"), ("model", "a"), ("user", "r"), ("model", "b")]);
    // UltraChat, one row and several.
    let ultra = json!({"id": "0", "data": ["q", "a", "r", "b"]});
    assert_eq!(row(&ultra), four);
    assert_eq!(seen(&read(&format!("{ultra}\n{ultra}\n"), None)), [four.clone(), four]);
    // SQuAD: the first answer; a question without one is refused.
    let squad = json!({"id": "1", "title": "t", "context": "c", "question": "q", "answers": {"text": ["a", "b"], "answer_start": [0, 3]}});
    assert_eq!(row(&squad), turns(&[("user", "q\n\nc"), ("model", "a")]));
    let unanswerable = json!({"question": "q", "context": "c", "answers": {"text": [], "answer_start": []}});
    assert_eq!(refused(&unanswerable), Reason::Half { found: "question", missing: "answer" });
    // GSM8K, OpenOrca, MetaMath, Aya, Firefly, Alpaca with its prompt.
    for set in [
        json!({"question": "q", "answer": "a"}),
        json!({"id": "x", "system_prompt": "", "question": "q", "response": "a"}),
        json!({"type": "x", "query": "q", "original_question": "o", "response": "a"}),
        json!({"inputs": "q", "targets": "a", "language": "deu"}),
        json!({"kind": "x", "input": "q", "target": "a"}),
        json!({"instruction": "q", "input": "", "output": "a", "text": "Below is an instruction"}),
        json!({"prompt": "q", "prompt_id": "x", "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}),
        json!({"conversation": [{"system": "", "input": "q", "output": "a", "output_with_loss": true}]}),
    ] {
        assert_eq!(row(&set), plain, "{set}");
    }
    // Without its choices, an answer says nothing.
    for set in [
        json!({"question": "q", "choices": ["x", "y"], "answer": 1, "subject": "s"}),
        json!({"question": "q", "options": {"A": "x", "B": "y"}, "answer": "B"}),
        json!({"question": "q", "A": "x", "B": "y", "answer": "B"}),
        json!({"question": "q", "option_a": "x", "option_b": "y", "answer": 0}),
    ] {
        let refusal = refused(&set);
        assert!(matches!(refusal, Reason::Field { what: FieldFault::Malformed, .. }), "{refusal:?}");
    }
    let columns = json!({"columns": ["frage", "antwort"], "data": [["q", "a"]]});
    assert_eq!(refused(&columns), Reason::Unknown);
    // One example with others in it is not a list of them.
    let nested = json!({"instruction": "q", "output": "a", "examples": [{"input": "x", "output": "y"}]});
    assert_eq!(row(&nested), plain);
    // Messages in a text, as JSON and as Python writes them.
    let messages = json!([{"role": "user", "content": "q"}]).to_string();
    assert_eq!(row(&json!({"prompt": messages, "completion": "a"})), plain);
    let python = json!({"prompt": "[{'role': 'user', 'content': 'q'}]", "completion": "a"});
    assert_eq!(refused(&python), Reason::Field { field: "prompt".into(), what: FieldFault::NotAList });
    assert_eq!(
        row(&json!({"prompt": "[1, 2]", "completion": "a"})),
        turns(&[("user", "[1, 2]"), ("model", "a")])
    );
}

#[test]
fn media_may_stand_beside_a_text() {
    let chat = json!([
        {"role": "user", "content": "what?", "images": ["a.png"]}, {"role": "assistant", "content": "a"},
        {"role": "user", "content": "and?", "audio": "b.wav", "image": null}, {"role": "assistant", "content": "b"},
    ]);
    let parsed = read(&chat.to_string(), None);
    assert_eq!((parsed.problems.len(), parsed.ignored.len()), (0, 0));
    let Content::Chat { media, conversation, .. } = &parsed.rows[0].content else { panic!("a chat") };
    assert_eq!(media.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["a.png", "b.wav"]);
    assert!(matches!(&conversation.messages[2].content, Said::Parts(parts) if parts[0] == Part::Audio));
}
