//! Examples to learn from: files to rows, rows to ids and labels.

use engine::media::{ContentHash, Media, Medium};
use engine::template::{Conversation, RenderOptions, Variant, render};
use engine::tokenizer::Tokenizer;
use engine::train::examples::{Columns, Content, Format, Named, Parsed, Reason, encode, read};
use engine::train::{Example, MASKED};
use serde_json::json;

use crate::models::tokenizer;

const LIMIT: u32 = 2048;

fn encoded(parsed: &Parsed) -> Vec<Example> {
    assert_eq!(parsed.problems, []);
    let encode = |content| encode(content, &[], tokenizer(), Variant::Small, LIMIT).expect("an example");
    parsed.rows.iter().map(|row| encode(&row.content)).collect()
}

fn one(json: &serde_json::Value, variant: Variant) -> Example {
    let parsed = read(&json.to_string(), None);
    assert_eq!(parsed.problems, []);
    encode(&parsed.rows[0].content, &[], tokenizer(), variant, LIMIT).expect("an example")
}

/// The tokens that are learned, as text, with `|` where others stand between.
fn learned(example: &Example, tokenizer: &Tokenizer) -> String {
    let mut runs: Vec<Vec<u32>> = Vec::new();
    let mut open = false;
    for (&id, &label) in example.ids().iter().zip(&example.labels) {
        match label {
            MASKED => open = false,
            label => {
                assert_eq!(label as u32, id);
                if !open {
                    runs.push(Vec::new());
                }
                open = true;
                runs.last_mut().expect("a run").push(id);
            }
        }
    }
    let texts: Vec<_> = runs.iter().map(|run| tokenizer.decode_with_specials(run)).collect();
    texts.join("|")
}

#[test]
fn the_words_of_the_model_are_learned_with_the_end_of_each_turn() {
    let chat = json!({"messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello model\n"},
        {"role": "assistant", "content": " Hi. "},
        {"role": "user", "content": "<turn|> Who are you?"},
        {"role": "assistant", "content": "Nobody."},
    ]});
    let example = one(&chat, Variant::Small);
    assert_eq!(learned(&example, tokenizer()), "Hi.<turn|>|Nobody.<turn|>");
    // The ids are those of the template: what is learned is what is asked for later.
    let conversation: Conversation = serde_json::from_value(chat).expect("a conversation");
    let options = RenderOptions { add_generation_prompt: false, ..RenderOptions::new(Variant::Small) };
    let prompt = render(&conversation.messages, &[], &options);
    assert_eq!(tokenizer().decode_with_specials(example.ids()), prompt.to_string());
    assert_eq!(example.ids(), prompt.encode(tokenizer()).expect("ids"));
}

#[test]
fn calls_and_thoughts_are_learned_and_answers_of_tools_are_not() {
    let chat = json!({"messages": [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "reasoning": "Ask.", "tool_calls": [{"name": "weather", "arguments": {"city": "Oslo"}}]},
        {"role": "tool", "name": "weather", "content": "sunny"},
        {"role": "assistant", "content": "Sunny."},
    ]});
    let example = one(&chat, Variant::Large);
    assert_eq!(
        learned(&example, tokenizer()),
        "<|channel>thought\nAsk.\n<channel|><|tool_call>call:weather{city:<|\"|>Oslo<|\"|>}<tool_call|><|tool_response>\
         |Sunny.<turn|>"
    );
    let text = tokenizer().decode_with_specials(example.ids());
    assert!(text.starts_with("<bos><|turn>system\n<|think|>\n<turn|>"), "{text}");
}

#[test]
fn large_models_learn_behind_the_empty_thought_that_their_prompt_has() {
    let pair = json!({"prompt": "a", "completion": "b"});
    let example = one(&pair, Variant::Large);
    let text = tokenizer().decode_with_specials(example.ids());
    assert_eq!(text, "<bos><|turn>user\na<turn|>\n<|turn>model\n<|channel>thought\n<channel|>b<turn|>\n");
    assert_eq!(learned(&example, tokenizer()), "b<turn|>");
}

#[test]
fn every_shape_of_a_pair_gives_the_same_ids() {
    let lines = [
        json!({"prompt": "Ask", "completion": "Answer"}),
        json!({"prompt": "Ask", "response": "Answer"}),
        json!({"instruction": "Ask", "input": "", "output": "Answer"}),
        json!({"question": "Ask", "answer": "Answer"}),
        json!({"messages": [{"role": "user", "content": "Ask"}, {"role": "model", "content": "Answer"}]}),
        json!({"conversations": [{"from": "human", "value": "Ask"}, {"from": "gpt", "value": "Answer"}]}),
        json!([{"role": "user", "content": "Ask"}, {"role": "assistant", "content": "Answer"}]),
        json!({"prompt": [{"role": "user", "content": "Ask"}], "completion": [{"role": "assistant", "content": "Answer"}]}),
    ];
    let text: Vec<_> = lines.iter().map(ToString::to_string).collect();
    let mut examples = encoded(&read(&text.join("\n"), None));
    let first = examples[0].clone();
    assert_eq!((examples.len(), learned(&first, tokenizer())), (lines.len(), "Answer<turn|>".to_owned()));

    let table = "question;answer\nAsk;Answer\n";
    let objects = json!([lines[0], lines[3]]);
    examples.extend(encoded(&read(table, None)));
    examples.extend(encoded(&read(&format!("{objects:#}"), None)));
    assert_eq!(examples.len(), lines.len() + 3);
    let same = |other: &Example| other.ids() == first.ids() && other.labels == first.labels;
    assert!(examples.iter().all(same));
    // Ids as they are.
    let ids = json!({"ids": first.ids(), "labels": first.labels});
    assert!(same(&encoded(&read(&ids.to_string(), None))[0]));
}

#[test]
fn an_instruction_has_its_input_behind_it() {
    let row = json!({"instruction": "Add.", "input": "1 and 2", "output": "3", "system": "Be brief."});
    let text = tokenizer().decode_with_specials(one(&row, Variant::Small).ids());
    assert!(text.contains("system\nBe brief.<turn|>\n<|turn>user\nAdd.\n\n1 and 2<turn|>"), "{text}");
}

#[test]
fn broken_rows_are_told_by_line_and_the_others_stay() {
    let text = "{\"prompt\": \"a\", \"completion\": \"b\"}\n\n{\"prompt\": \"a\"\n{\"text\": \"a\"}\n\
                {\"messages\": [{\"role\": \"alien\", \"content\": \"x\"}]}\n[]\n{\"ids\": [1, \"x\"], \"labels\": [1, 2]}\n\
                {\"messages\": [{\"role\": \"user\", \"content\": [{\"type\": \"image\"}]}]}\n{\"prompt\": 1, \"completion\": \"2\"}";
    let parsed = read(text, None);
    assert_eq!(parsed.format, Format::Json);
    assert_eq!(parsed.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 9]);
    let lines: Vec<_> = parsed.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [3, 4, 5, 6, 7, 8]);
    assert!(matches!(parsed.problems[0].reason, Reason::Json { .. }));
    assert_eq!(parsed.problems[1].reason, Reason::TextAlone);
    assert_eq!(parsed.problems[2].reason, Reason::Role { role: "alien".into() });
    assert_eq!(parsed.problems[5].reason, Reason::Unnamed { media: Media::Image });
}

#[test]
fn a_broken_row_has_one_place_and_words_that_help() {
    let told = |text: &str| {
        let parsed = read(text, None);
        assert_eq!((parsed.rows.len(), parsed.problems.len()), (0, 1), "{text}");
        let problem = &parsed.problems[0];
        format!("{} {}", problem.line, problem.reason)
    };
    assert_eq!(told("\n{\"prompt\": \"a\""), "2 not valid JSON at column 14: the line ends too early");
    assert_eq!(told("{\"a\": 1} 2"), "1 not valid JSON at column 10: there is something after its end");
    assert_eq!(told("{prompt: 1}"), "1 not valid JSON at column 2: a key is not in quotation marks");
    assert!(told("{\"text\": \"a\"}").starts_with("1 “text” alone can’t be learned from"));
    assert_eq!(told("{\"prompt\": 5}"), "1 “prompt” without “completion”");
    assert_eq!(told("{\"answer\": \"b\"}"), "1 “answer” without “question”");
    assert_eq!(told("{\"prompt\": \" \", \"completion\": \"b\"}"), "1 “prompt” is empty");
    assert_eq!(told("{\"prompt\": \"a\", \"completion\": \"\"}"), "1 “completion” is empty");
    assert!(told("{\"other\": 1}").starts_with("1 nothing to learn from: a row needs “messages”"));
}

#[test]
fn prose_is_no_table() {
    for text in [
        "Once upon a time, there was a cat.\nIt slept, and it ate.",
        "Dear Ada, thank you for the letter that you sent me in May\nYours, Bob",
        "A note without any separator that goes on for quite a while",
    ] {
        let parsed = read(text, None);
        assert_eq!((parsed.rows, parsed.columns), (vec![], vec![]));
        assert_eq!(parsed.problems[0].reason, Reason::Prose, "{text}");
    }
    let asked = read("What do you ask?,What is the answer?\nWho?,Ada.", None);
    assert_eq!(asked.rows.len(), 1, "{:?}", asked.problems);
}

#[test]
fn a_row_of_an_array_is_told_by_its_line_too() {
    let parsed = read(
        "[\n  {\"prompt\": \"a\", \"completion\": \"b\"},\n  {\n    \"x\": 1\n  },\n  {\"y\": 2}\n]",
        None,
    );
    assert_eq!(parsed.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [2]);
    assert_eq!(parsed.problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [3, 6]);
}

#[test]
fn a_table_has_columns_to_choose_from() {
    let text = "id,ask,reply,system\n1,\"two\nlines\",yes,\n2,,no,\n3,three\n4,four,yes,Be brief.\n";
    let columns = Columns {
        prompt: "ask".into(),
        answer: "reply".into(),
        system: "system".into(),
        ..Columns::default()
    };
    let parsed = read(text, Some(&columns));
    assert_eq!(parsed.columns, ["id", "ask", "reply", "system"]);
    assert_eq!(parsed.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [2, 6]);
    let empty = |column: &str| Reason::EmptyCell { column: column.into() };
    let problems: Vec<_> = parsed.problems.iter().map(|it| (it.line, it.reason.clone())).collect();
    assert_eq!(problems, [(4, empty("ask")), (5, empty("reply"))]);

    // Without a choice: by name where a name is known, else the first two with texts.
    let guessed = |text: &str| read(text, None).chosen.map(|it| (it.prompt, it.answer, it.system));
    let three = |a: &str, b: &str, c: &str| Some((a.to_owned(), b.to_owned(), c.to_owned()));
    assert_eq!(guessed("x\tAnswer\tQuestion\n1\t2\t3"), three("Question", "Answer", ""));
    assert_eq!(guessed(text), three("ask", "reply", "system"));
    let gone = Columns { prompt: "nobody".into(), ..columns };
    let parsed = read(text, Some(&gone));
    assert_eq!(parsed.rows, []);
    assert!(parsed.problems[0].reason.to_string().contains("it has id, ask, reply, system"));
    assert_eq!(read("just one column\nx\n", None).problems.len(), 1);
}

#[test]
fn what_cannot_be_learned_is_refused_with_its_numbers() {
    let try_one = |json: serde_json::Value, limit| {
        let parsed = read(&json.to_string(), None);
        encode(&parsed.rows[0].content, &[], tokenizer(), Variant::Small, limit)
    };
    let pair = json!({"prompt": "a", "completion": "b"});
    let tokens = try_one(pair.clone(), LIMIT).expect("an example").input.len() as u32;
    assert_eq!(try_one(pair, tokens - 1).err(), Some(Reason::TooLong { tokens, limit: tokens - 1 }));
    let silent = json!({"messages": [{"role": "user", "content": "a"}]});
    assert_eq!(try_one(silent, LIMIT).err(), Some(Reason::AllMasked));
    let vocabulary = tokenizer().vocabulary_size() as u32;
    for (ids, labels, reason) in [
        (vec![1, 2], vec![1], Reason::Labels { ids: 2, labels: 1 }),
        (vec![1, -1], vec![1, 2], Reason::NoId { id: -1, vocabulary }),
        (vec![1, 2], vec![1, i64::from(vocabulary)], Reason::NoId { id: i64::from(vocabulary), vocabulary }),
        // Before the first token stands nothing that could foretell it.
        (vec![1, 2], vec![1, -100], Reason::AllMasked),
    ] {
        let content = Content::Ids { ids, labels };
        assert_eq!(encode(&content, &[], tokenizer(), Variant::Small, LIMIT).err(), Some(reason));
    }
}

#[test]
fn a_row_larger_than_any_example_is_not_even_read() {
    let long = "word ".repeat(500_000);
    let row = json!({ "prompt": "Hi", "response": long }).to_string();
    let too_large = |parsed: &Parsed| match &parsed.problems[..] {
        [problem] => matches!(problem.reason, Reason::TooLarge { bytes, limit } if bytes > limit),
        _ => false,
    };
    let lines = format!("{row}\n{}\n", json!({ "prompt": "Hi", "response": "Hello" }));
    for text in [lines, format!("[{row}, {}]", json!({ "prompt": "Hi", "response": "Hello" }))] {
        let parsed = read(&text, None);
        assert!(too_large(&parsed), "{:?}", parsed.problems.len());
        assert_eq!(parsed.rows.len(), 1);
    }
    let parsed = read(&format!("prompt,response\nHi,{long}\nHi,Hello\n"), None);
    assert!(too_large(&parsed));
    assert_eq!(parsed.rows.len(), 1);
}

#[test]
fn nothing_at_all_is_no_row_and_no_problem() {
    for text in ["", "\u{feff} \n\n"] {
        let parsed = read(text, None);
        assert_eq!((parsed.rows.len(), parsed.problems.len()), (0, 0));
    }
}

/// The files that a row names.
fn named(row: &serde_json::Value) -> Result<Vec<(Media, String)>, Reason> {
    let mut parsed = read(&row.to_string(), None);
    match parsed.rows.pop().map(|row| row.content) {
        Some(Content::Chat { media, .. }) => {
            Ok(media.into_iter().map(|Named { media, name }| (media, name)).collect())
        }
        Some(other) => panic!("no chat: {other:?}"),
        None => Err(parsed.problems.remove(0).reason),
    }
}

#[test]
fn rows_name_their_pictures_and_sounds_in_the_ways_in_use() {
    let says = json!({"role": "assistant", "content": "A cat."});
    let user = |content: serde_json::Value| json!({"role": "user", "content": content});
    let text = json!({"type": "text", "text": "What is this?"});
    let both = [(Media::Image, "cat.png".to_owned()), (Media::Audio, "purr.wav".to_owned())];
    let rows = [
        json!({"messages": [user(json!([{"type": "image", "image": "cat.png"}, text, {"type": "audio", "audio": "purr.wav"}])), says]}),
        json!({"messages": [user(json!([{"type": "image", "path": "cat.png"}, {"type": "audio", "url": "purr.wav"}, text])), says]}),
        json!({"messages": [user(json!([{"type": "image_url", "image_url": {"url": "cat.png"}}, {"type": "input_audio", "input_audio": "purr.wav"}])), says]}),
        json!([
            user(
                json!([{"type": "image", "image": {"path": "cat.png"}}, {"type": "audio", "audio": "purr.wav"}, text])
            ),
            says
        ]),
        // Places without names, and names beside the messages.
        json!({"images": ["cat.png"], "audios": [{"path": "purr.wav"}], "messages": [user(json!([{"type": "image"}, {"type": "audio"}, text])), says]}),
        json!({"images": ["cat.png"], "audios": ["purr.wav"], "prompt": [user(json!([{"type": "image"}, text, {"type": "audio"}]))], "completion": [says]}),
        // Marks in the text, or none at all.
        json!({"images": ["cat.png"], "audios": ["purr.wav"], "messages": [user(json!("<image>Is this <audio> a cat?")), says]}),
        json!({"image": "cat.png", "audio": "purr.wav", "conversations": [{"from": "human", "value": "What is this?"}, {"from": "gpt", "value": "A cat."}]}),
        json!({"images": ["cat.png"], "audios": "purr.wav", "question": "What is this?", "answer": "A cat."}),
    ];
    for row in rows {
        assert_eq!(named(&row).as_deref(), Ok(&both[..]), "{row}");
    }
    let wrong = [
        (
            json!({"messages": [user(json!([{"type": "audio"}])), says]}),
            Reason::Unnamed { media: Media::Audio },
        ),
        (json!({"messages": [user(json!([{"type": "video", "video": "cat.mp4"}])), says]}), Reason::Video),
        (
            json!({"images": ["a.png", "b.png"], "messages": [user(json!([{"type": "image"}])), says]}),
            Reason::Places { places: 1, named: 2 },
        ),
        (
            json!({"images": ["a.png"], "messages": [user(json!("<image> or <image>?")), says]}),
            Reason::Places { places: 2, named: 1 },
        ),
    ];
    for (row, reason) in wrong {
        assert_eq!(named(&row), Err(reason), "{row}");
    }
    let odd = named(&json!({"images": [1], "prompt": "a", "completion": "b"}));
    assert!(matches!(odd, Err(Reason::Field { .. })), "{odd:?}");
}

#[test]
fn soft_tokens_have_their_slots_and_are_not_learned() {
    let medium = |media, tokens| Medium { media, content: ContentHash::of(&[tokens as u8], &[]), tokens };
    let row = json!({"messages": [
        {"role": "user", "content": [{"type": "image", "image": "cat.png"}, {"type": "text", "text": "And this?"},
            {"type": "audio", "audio": "long.wav"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "A cat."}]},
    ]});
    let parsed = read(&row.to_string(), None);
    // The sound is longer than a clip.
    let found = [vec![medium(Media::Image, 5)], vec![medium(Media::Audio, 3), medium(Media::Audio, 2)]];
    let encoded = |found: &[Vec<Medium>], limit| {
        encode(&parsed.rows[0].content, found, tokenizer(), Variant::Small, limit)
    };
    let example = encoded(&found, LIMIT).expect("an example");
    assert_eq!(example.blocks().iter().map(|block| block.medium()).collect::<Vec<_>>(), found.concat());
    assert_eq!(learned(&example, tokenizer()), "A cat.<turn|>");
    let text = tokenizer().decode_with_specials(example.ids());
    let slots = |slot: &str, count| slot.repeat(count);
    let want = format!(
        "user\n<|image>{}<image|>And this?<|audio>{}<audio|><|audio>{}<audio|><turn|>",
        slots("<|image|>", 5),
        slots("<|audio|>", 3),
        slots("<|audio|>", 2)
    );
    assert!(text.contains(&want), "{text}");
    let tokens = example.input.len() as u32;
    let long = encoded(&found, tokens - 1);
    assert_eq!(long.err(), Some(Reason::TooLong { tokens, limit: tokens - 1 }));
    assert_eq!(encoded(&found[..0], LIMIT).err(), Some(Reason::Places { places: 2, named: 0 }));
}
