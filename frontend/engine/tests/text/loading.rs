//! Vocabularies that cannot be used, and how the error says so.

use engine::gguf::{Metadata, StringArray, Value};
use engine::tokenizer::{Specials, Tokenizer, TokenizerError, has_foreign_template};

use crate::models::golden_metadata;

const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";
const MERGES: &str = "tokenizer.ggml.merges";

/// The error for the golden metadata with one change.
fn error(change: impl FnOnce(&mut Metadata)) -> TokenizerError {
    let mut metadata = golden_metadata();
    change(&mut metadata);
    Tokenizer::from_metadata(&metadata).expect_err("it is broken")
}

fn set(metadata: &mut Metadata, key: &str, value: Value) {
    metadata.0.insert(key.to_owned(), value);
}

/// The golden tokens without those that `keep` refuses, and types to match.
fn keep_tokens(metadata: &mut Metadata, keep: impl Fn(&str) -> bool) {
    let tokens = metadata.strings(TOKENS).expect("tokens");
    let kept: StringArray = tokens.iter().map(|token| if keep(token) { token } else { "gone" }).collect();
    set(metadata, TOKENS, Value::Strings(kept));
}

#[test]
fn missing_keys_are_named() {
    for key in [TOKENS, TYPES, MERGES] {
        let found = error(|metadata| drop(metadata.0.remove(key)));
        assert_eq!(found, TokenizerError::Missing { key });
        assert!(found.to_string().contains(key));
    }
}

#[test]
fn keys_of_another_type_are_named() {
    for key in [TOKENS, TYPES, MERGES, "tokenizer.ggml.eos_token_ids"] {
        let found = error(|metadata| set(metadata, key, Value::Bool(true)));
        assert!(matches!(found, TokenizerError::Type { key: named, .. } if named == key), "{found}");
    }
    let found = error(|metadata| set(metadata, "tokenizer.ggml.eos_token_id", Value::String("1".into())));
    assert!(matches!(found, TokenizerError::Type { key: "tokenizer.ggml.eos_token_id", .. }), "{found}");
}

#[test]
fn ends_are_one_token_or_several_under_any_key() {
    let mut metadata = golden_metadata();
    for key in ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eos_token_ids"]
    {
        for (value, ids) in
            [(Value::Signed(700), vec![700]), (Value::Integers(vec![700, 701]), vec![700, 701])]
        {
            set(&mut metadata, key, value);
            let tokenizer = Tokenizer::from_metadata(&metadata).expect("usable");
            assert!(ids.iter().all(|id| tokenizer.stop_ids().contains(id)), "{key}: {ids:?}");
        }
        metadata.0.remove(key);
    }
}

#[test]
fn keys_that_contradict_each_other_are_named() {
    let found = error(|metadata| set(metadata, TYPES, Value::Integers(vec![1; 7])));
    assert_eq!(found, TokenizerError::Length { key: TYPES, found: 7, expected: 1024 });
    let found = error(|metadata| set(metadata, TOKENS, Value::Strings(StringArray::default())));
    assert_eq!(found, TokenizerError::Length { key: TYPES, found: 1024, expected: 0 });
    let found = error(|metadata| set(metadata, "tokenizer.ggml.eos_token_id", Value::Unsigned(1024)));
    assert_eq!(found, TokenizerError::Id { key: "tokenizer.ggml.eos_token_id", id: 1024, count: 1024 });
    let found = error(|metadata| set(metadata, "tokenizer.ggml.eos_token_ids", Value::Integers(vec![1, -1])));
    assert_eq!(found, TokenizerError::Id { key: "tokenizer.ggml.eos_token_ids", id: -1, count: 1024 });
}

#[test]
fn templates_that_are_not_gemmas_are_told() {
    let chatml = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}";
    let gemma4 = "{{ bos_token }}{% for m in messages %}{{ '<|turn>' + m.role }}{% endfor %}";
    let gemma3 = "{{ bos_token }}{% for m in messages %}<start_of_turn>{{ m.role }}{% endfor %}";
    let is_foreign = |architecture: &str, template: Option<Value>| {
        let mut metadata = golden_metadata();
        set(&mut metadata, "general.architecture", Value::String(architecture.into()));
        metadata.0.remove("tokenizer.chat_template");
        metadata.0.extend(template.map(|template| ("tokenizer.chat_template".to_owned(), template)));
        has_foreign_template(&metadata)
    };
    let text = |text: &str| Some(Value::String(text.into()));
    for (architecture, template, told) in [
        ("gemma4", None, false),
        ("gemma4", text(gemma4), false),
        ("gemma4", text(gemma3), true),
        ("gemma4", text(chatml), true),
        ("gemma4", text(""), true),
        ("gemma4", Some(Value::Unsigned(1)), true),
        ("diffusion-gemma", text(gemma4), false),
        ("gemma3", text(gemma3), false),
        ("gemma3", text(gemma4), true),
    ] {
        assert_eq!(is_foreign(architecture, template.clone()), told, "{architecture}: {template:?}");
    }
}

#[test]
fn faulty_merges_are_shown() {
    let merge = |text: &str| {
        let merges: StringArray = ["t h", text].into_iter().collect();
        error(|metadata| set(metadata, MERGES, Value::Strings(merges)))
    };
    for (text, problem) in [
        ("nospace", "has no space between its pieces"),
        (" ", "has no space between its pieces"),
        ("", "has no space between its pieces"),
        ("t nosuchpiece", "names a piece that is no token"),
        ("t ", "names a piece that is no token"),
        ("z q", "makes a piece that is no token"),
    ] {
        assert_eq!(merge(text), TokenizerError::Merge { index: 1, merge: text.to_owned(), problem });
    }
    let long = merge(&"é".repeat(1000)).to_string();
    assert!(long.len() < 200, "a long entry is shortened: {long}");
}

#[test]
fn needed_tokens_are_named() {
    let found = error(|metadata| keep_tokens(metadata, |token| token != "<0x0A>" && token != "<unk>"));
    assert_eq!(found, TokenizerError::Byte { piece: "<0x0A>".to_owned() });
    let found = error(|metadata| {
        keep_tokens(metadata, |token| token != "<bos>");
        metadata.0.remove("tokenizer.ggml.bos_token_id");
    });
    assert_eq!(found, TokenizerError::Special { token: "<bos>" });
}

#[test]
fn control_tokens_of_thousands_of_lengths_are_refused() {
    // Each length would be looked for at each place of a text.
    let found = error(|metadata| {
        let tokens = metadata.strings(TOKENS).expect("tokens");
        let long = |(id, token): (usize, &str)| if id < 500 { token.to_owned() } else { "<".repeat(id) };
        let tokens: Vec<String> = tokens.iter().enumerate().map(long).collect();
        let tokens: StringArray = tokens.iter().map(String::as_str).collect();
        set(metadata, TYPES, Value::Integers((0..1024).map(|id| if id < 500 { 1 } else { 3 }).collect()));
        set(metadata, MERGES, Value::Strings(StringArray::default()));
        set(metadata, TOKENS, Value::Strings(tokens));
    });
    assert_eq!(found, TokenizerError::LongMatch { id: 500, bytes: 500, most: 256 });
}

#[test]
fn what_files_disagree_about_changes_nothing() {
    let expected =
        Tokenizer::from_metadata(&golden_metadata()).expect("usable").encode_prompt("Hi there\n\tyou");
    let changes: [fn(&mut Metadata); 6] = [
        |metadata| set(metadata, "tokenizer.ggml.model", Value::String("llama".into())),
        |metadata| set(metadata, "tokenizer.ggml.model", Value::String("gemma4".into())),
        |metadata| drop(metadata.0.remove("tokenizer.ggml.model")),
        |metadata| drop(metadata.0.remove("tokenizer.ggml.scores")),
        |metadata| set(metadata, "tokenizer.ggml.scores", Value::Floats(vec![-1000.0; 1024])),
        |metadata| set(metadata, "tokenizer.ggml.add_bos_token", Value::Bool(false)),
    ];
    for change in changes {
        let mut metadata = golden_metadata();
        change(&mut metadata);
        let tokenizer = Tokenizer::from_metadata(&metadata).expect("usable");
        assert_eq!(tokenizer.encode_prompt("Hi there\n\tyou"), expected);
    }
}

#[test]
fn control_tokens_without_their_type_and_stop_ids_of_the_file() {
    let mut metadata = golden_metadata();
    set(&mut metadata, TYPES, Value::Integers(vec![1; 1024]));
    metadata.0.remove("tokenizer.ggml.eos_token_ids");
    set(&mut metadata, "tokenizer.ggml.eos_token_id", Value::Unsigned(106));
    set(&mut metadata, "tokenizer.ggml.eot_token_id", Value::Unsigned(7));
    let tokenizer = Tokenizer::from_metadata(&metadata).expect("usable");
    assert_eq!(tokenizer.encode("<turn|>", Specials::Parse), [106]);
    assert_eq!(tokenizer.stop_ids(), [1, 7, 50, 106]);
}

/// A vocabulary of the published size: 262 144 pieces, half a million merges.
#[test]
fn a_vocabulary_of_the_real_size_is_read() {
    let alphabet: Vec<String> =
        (0..1000).filter_map(|n| char::from_u32(0x4E00 + n)).map(String::from).collect();
    let mut tokens: Vec<String> = ["<pad>", "<eos>", "<bos>", "<unk>"].map(String::from).to_vec();
    tokens.extend((0..256).map(|byte| format!("<0x{byte:02X}>")));
    tokens.extend(alphabet.iter().cloned());
    let mut merges = Vec::new();
    'pairs: for left in &alphabet {
        for right in &alphabet {
            tokens.push(format!("{left}{right}"));
            merges.push(format!("{left} {right}"));
            // Longer pieces have several ways to come about, as the published ones do.
            tokens.push(format!("{left}{right}{left}"));
            merges.push(format!("{left}{right} {left}"));
            merges.push(format!("{right}{left} {left}"));
            merges.push(format!("{left} {right}{left}"));
            if tokens.len() >= 262_144 {
                break 'pairs;
            }
        }
    }
    let known: std::collections::HashSet<&str> = tokens.iter().map(String::as_str).collect();
    merges.retain(|merge| {
        merge.split_once(' ').is_some_and(|(a, b)| {
            known.contains(a) && known.contains(b) && known.contains([a, b].concat().as_str())
        })
    });
    let mut metadata = Metadata::default();
    set(&mut metadata, TYPES, Value::Integers(vec![1; tokens.len()]));
    set(&mut metadata, TOKENS, Value::Strings(tokens.iter().map(String::as_str).collect()));
    set(&mut metadata, MERGES, Value::Strings(merges.iter().map(String::as_str).collect()));
    let tokenizer = Tokenizer::from_metadata(&metadata).expect("usable");
    assert_eq!(tokenizer.vocabulary_size(), tokens.len());
    let text = "一丁一七丁";
    assert_eq!(tokenizer.decode(&tokenizer.encode(text, Specials::Ignore)), text);
}
