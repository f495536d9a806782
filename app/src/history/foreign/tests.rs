//! Files of other programs, right and wrong.

use protocol::Finish;
use serde_json::{Value, json};

use super::super::{Conversation, Filing, TitleSource};
use super::{Foreign, Skipped, read};

const NOW: u64 = 1_800_000_000_000;

fn of(value: &Value) -> Foreign {
    read(&value.to_string(), NOW).expect("a known program")
}

fn one(value: &Value) -> Conversation {
    let Foreign { mut conversations, .. } = of(value);
    assert_eq!(conversations.len(), 1);
    let conversation = conversations.remove(0);
    assert_eq!(conversation.check(), Ok(()));
    conversation
}

/// The texts on screen.
fn texts(conversation: &Conversation) -> Vec<&str> {
    let path = conversation.active_path();
    path.into_iter().filter_map(|node| Some(conversation.message(node)?.text.as_str())).collect()
}

fn chatgpt(mapping: Value) -> Value {
    json!([{"title": "Tea", "create_time": 1_700_000_000.5, "update_time": 1_700_000_100.0, "id": "x",
        "mapping": mapping, "current_node": "b", "is_starred": true}])
}

fn gpt(id: &str, parent: Option<&str>, role: &str, parts: Value) -> (String, Value) {
    let message = json!({"id": id, "author": {"role": role}, "create_time": 1_700_000_001.0,
        "content": {"content_type": "text", "parts": parts}, "metadata": {"model_slug": "gpt-4o"}});
    (id.to_owned(), json!({"id": id, "message": message, "parent": parent, "children": []}))
}

fn mapping(nodes: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(nodes.into_iter().collect())
}

#[test]
fn a_tree_of_chatgpt_stays_a_tree() {
    let it = one(&chatgpt(mapping([
        ("r".into(), json!({"id": "r", "message": null, "parent": null})),
        gpt("s", Some("r"), "system", json!([""])),
        gpt("a", Some("s"), "user", json!(["How long does tea steep?"])),
        gpt("b", Some("a"), "assistant", json!(["Three minutes."])),
        gpt("c", Some("a"), "assistant", json!(["Five."])),
        gpt("d", Some("c"), "user", json!(["So long?"])),
    ])));
    assert_eq!(texts(&it), ["How long does tea steep?", "Three minutes."], "what was on screen is");
    assert_eq!((it.len(), it.variant(it.leaf().expect("a leaf")).1), (4, 2));
    assert_eq!((it.title.as_str(), it.title_source), ("Tea", TitleSource::User));
    assert_eq!((it.created, it.updated), (1_700_000_000_500, 1_700_000_100_000));
    assert_eq!(it.filing, Filing { pinned: true, ..Filing::default() });
    let answer = it.message(it.leaf().expect("a leaf")).expect("there");
    assert_eq!((answer.model.as_str(), answer.finish), ("gpt-4o", Some(Finish::EndOfTurn)));
}

#[test]
fn variants_of_one_time_are_in_the_order_of_the_file() {
    for order in [["b", "c", "d", "e"], ["e", "b", "d", "c"]] {
        let mut question = gpt("a", None, "user", json!(["How long?"]));
        question.1["children"] = json!(order);
        let answers = order.map(|id| gpt(id, Some("a"), "assistant", json!([id])));
        let it = one(&chatgpt(mapping([question].into_iter().chain(answers).collect::<Vec<_>>())));
        let answers = it.siblings(it.leaf().expect("a leaf"));
        let texts: Vec<_> =
            answers.iter().map(|&answer| it.message(answer).expect("there").text.as_str()).collect();
        assert_eq!(texts, order);
        assert!(answers.is_sorted(), "in which merging puts them, too");
    }
}

#[test]
fn what_chatgpt_has_beside_text_is_counted() {
    let mut tool = gpt("t", Some("b"), "tool", json!(["42"]));
    tool.1["message"]["author"]["name"] = json!("python");
    let mut call = gpt("b", Some("h"), "assistant", json!(["print(42)"]));
    call.1["message"]["recipient"] = json!("python");
    let mut thought = gpt("h", Some("a"), "assistant", json!([]));
    thought.1["message"]["content"] = json!({"content_type": "thoughts", "thoughts": [{"content": "Hm."}]});
    let picture = json!({"content_type": "image_asset_pointer", "asset_pointer": "file://1"});
    let Foreign { conversations, skipped } = of(&chatgpt(mapping([
        gpt("s", None, "system", json!(["You are kind."])),
        gpt("a", Some("s"), "user", json!([picture, "What is it?"])),
        thought,
        call,
        tool,
        gpt("e", Some("t"), "assistant", json!(["A number."])),
        gpt("f", Some("e"), "assistant", json!([" "])),
    ])));
    assert_eq!(texts(&conversations[0]), ["What is it?", "A number."]);
    let answer = conversations[0].leaf().and_then(|leaf| conversations[0].message(leaf)).expect("an answer");
    assert_eq!(answer.thought, "Hm.", "parts of one answer are one message");
    let counted: Vec<_> = skipped.into_iter().collect();
    let expected = [(Skipped::Attachment, 1), (Skipped::Tool, 2), (Skipped::Hidden, 1), (Skipped::Empty, 1)];
    assert_eq!(counted, expected);
}

#[test]
fn circles_and_lost_parents_do_no_harm() {
    let Foreign { conversations, skipped } = of(&chatgpt(mapping([
        gpt("a", Some("nobody"), "user", json!(["Hello"])),
        gpt("x", Some("y"), "user", json!(["One"])),
        gpt("y", Some("x"), "assistant", json!(["Two"])),
        gpt("z", Some("z"), "assistant", json!(["Three"])),
        ("w".into(), json!({"id": "w", "message": {"author": {"role": 7}}, "parent": "a"})),
    ])));
    assert_eq!((conversations[0].check(), texts(&conversations[0])), (Ok(()), vec!["Hello"]));
    assert_eq!(skipped.get(&Skipped::Broken), Some(&4), "{skipped:?}");
}

#[test]
fn a_long_chain_is_read() {
    let nodes: Vec<_> = (0..20_000)
        .map(|at| {
            let parent = (at > 0).then(|| format!("{}", at - 1));
            gpt(
                &at.to_string(),
                parent.as_deref(),
                if at % 2 == 0 { "user" } else { "assistant" },
                json!(["a"]),
            )
        })
        .collect();
    assert_eq!(one(&chatgpt(Value::Object(nodes.into_iter().collect()))).len(), 20_000);
}

#[test]
fn claude_is_read_as_a_list_and_as_a_tree() {
    let list = json!([{"uuid": "x", "name": "Tea", "created_at": "2024-01-01T00:00:00Z",
        "chat_messages": [{"sender": "human", "text": "q"}, {"sender": "assistant", "text": "a"}]}]);
    let it = one(&list);
    assert_eq!((texts(&it), it.created), (vec!["q", "a"], 1_704_067_200_000));
    let message = |id: &str, parent: &str, sender: &str, content: Value| {
        json!({"uuid": id, "parent_message_uuid": parent, "sender": sender, "text": "old",
            "created_at": "2024-01-01T00:00:01Z", "content": content, "files": [{"file_name": "a.pdf"}]})
    };
    let say = |text: &str| json!([{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": text}]);
    let tree = json!([{"uuid": "x", "name": "", "chat_messages": [
        message("1", "00000000-0000-4000-8000-000000000000", "human", json!([{"type": "text", "text": "q"}])),
        message("2", "1", "assistant", say("first")),
        message("3", "1", "assistant", json!([{"type": "tool_use"}, {"type": "text", "text": "second"}])),
        message("4", "9", "robot", json!([])),
    ]}]);
    let Foreign { conversations, skipped } = of(&tree);
    let it = &conversations[0];
    assert_eq!((it.check(), it.len(), it.title.as_str()), (Ok(()), 3, "q"));
    assert_eq!(it.title_source, TitleSource::FirstMessage, "it had no title");
    assert_eq!(skipped.get(&Skipped::Attachment), Some(&3));
    assert_eq!((skipped.get(&Skipped::Tool), skipped.get(&Skipped::Broken)), (Some(&1), Some(&1)));
}

#[test]
fn a_chat_of_open_webui_has_its_thought_apart() {
    let content = "<details type=\"reasoning\" done=\"true\">\n<summary>Thought</summary>\n> One.\n> Two.\n</details>\nThree minutes.";
    let chat = json!([{"id": "1", "title": "Tea", "created_at": 1_700_000_000, "archived": true, "chat": {
    "params": {"system": "Be brief."},
    "history": {"currentId": "b", "messages": {
        "a": {"id": "a", "parentId": null, "role": "user", "content": "How long?", "timestamp": 1_700_000_000,
            "files": [{}]},
        "b": {"id": "b", "parentId": "a", "role": "assistant", "content": content, "model": "gemma4:e2b"},
        "c": {"id": "c", "parentId": "a", "role": "assistant", "content": "<details type=\"x\"", "model": 7},
    }}}}]);
    let it = one(&chat);
    assert_eq!(texts(&it), ["How long?", "Three minutes."]);
    let answer = it.message(it.leaf().expect("a leaf")).expect("there");
    assert_eq!((answer.thought.as_str(), answer.model.as_str()), ("One.\nTwo.", "gemma4:e2b"));
    assert_eq!((it.system.as_str(), it.filing.archived, it.len()), ("Be brief.", true, 3));
    let early = json!({"chat": {"title": "Old", "messages": [{"role": "user", "content": "q"}]}});
    assert_eq!(texts(&one(&early)), ["q"]);
}

#[test]
fn versions_of_lm_studio_are_variants() {
    let say = |text: &str| json!([{"type": "text", "text": text}]);
    let user =
        |text: &str| json!({"versions": [{"type": "singleStep", "role": "user", "content": say(text)}]});
    let step = |text: &str, style: &str| json!({"type": "contentBlock", "content": say(text), "style": {"type": style}});
    let chat = json!({"name": "Tea", "pinned": true, "createdAt": 1_700_000_000_000_u64, "systemPrompt": "Brief.",
        "messages": [user("q"),
            {"currentlySelected": 1, "versions": [
                {"type": "multiStep", "role": "assistant", "steps": [step("a", "")]},
                {"type": "multiStep", "role": "assistant", "senderInfo": {"senderName": "gemma"},
                 "steps": [step("Hm.", "thinking"), step("b", ""), {"type": "debugInfoBlock"}]}]},
            user("more"), {"versions": [], "currentlySelected": 99}]});
    let it = one(&chat);
    assert_eq!(texts(&it), ["q", "b", "more"]);
    let answer = it.active_path()[1];
    assert_eq!(it.variant(answer), (2, 2));
    assert_eq!(it.message(answer).expect("there").thought, "Hm.");
    assert_eq!((it.filing.pinned, it.system.as_str()), (true, "Brief."));
}

#[test]
fn the_same_file_gives_the_same_names() {
    let file = chatgpt(mapping([
        gpt("a", None, "user", json!(["q"])),
        gpt("b", Some("a"), "assistant", json!(["a"])),
    ]));
    let (first, second) = (one(&file), one(&file));
    assert_eq!(first, second);
    let more = one(&chatgpt(mapping([
        gpt("a", None, "user", json!(["q"])),
        gpt("b", Some("a"), "assistant", json!(["a"])),
        gpt("c", Some("b"), "user", json!(["and?"])),
    ])));
    assert_eq!(first.id, more.id);
    assert!(first.nodes().all(|(id, _)| more.node(id).is_some()), "what was there has the same names");
}

#[test]
fn no_other_file_is_taken() {
    let files = [
        r#"{"messages": [{"role": "user", "content": "q"}]}"#,
        r#"{"conv": {"id": "c"}, "messages": [{"id": "a"}]}"#,
        r#"[1, "two", null, {"mapping": []}]"#,
        r#"{"mapping": {}"#,
        "\"mapping\"",
        "PK\u{3}\u{4}rest",
        "## User\nq",
        "[]",
        "",
    ];
    for file in files {
        assert!(read(file, NOW).is_none(), "{file}");
    }
    let deep = format!("[{{\"mapping\":{}{}}}]", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read(&deep, NOW).is_none(), "too deep");
}

#[test]
fn wild_values_are_bounded() {
    let wild = json!([{"mapping": {"a": {"message": {"author": {"role": "user"}, "create_time": -1e300,
        "content": {"parts": ["Hi"]}, "metadata": {"model_slug": ["x"]}}, "parent": 7}},
        "title": format!("a\u{202e}b\n{}", "x".repeat(5000)), "create_time": "soon", "update_time": 1e300}]);
    let it = one(&wild);
    assert!(it.title.chars().count() <= 201 && it.title.starts_with("ab "), "{}", it.title);
    assert_eq!((it.created, it.nodes().next().map(|(id, _)| id.0 >> 53)), (NOW, Some(0)));
}
