//! Tokens that a fine-tune added: text that is one token wherever it stands.

use engine::gguf::{Metadata, StringArray, Value};
use engine::template::{AnswerParser, Message, Piece, RenderOptions, Role, StopStrings, Variant, render};
use engine::tokenizer::{Specials, StreamDecoder, Tokenizer};

use crate::models::golden_metadata;

const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";

/// Ordinary tokens that no merge uses.
const PLACES: std::ops::Range<usize> = 5..12;

/// The golden vocabulary with these tokens in places of others, and their types.
fn with_tokens(added: &[(&str, i64)]) -> Metadata {
    let mut metadata = golden_metadata();
    let mut tokens: Vec<String> =
        metadata.strings(TOKENS).expect("tokens").iter().map(str::to_owned).collect();
    let mut types = metadata.integers(TYPES).expect("types").to_vec();
    for (place, (text, kind)) in PLACES.zip(added) {
        (tokens[place], types[place]) = ((*text).to_owned(), *kind);
    }
    let tokens: StringArray = tokens.iter().map(String::as_str).collect();
    metadata.0.insert(TOKENS.to_owned(), Value::Strings(tokens));
    metadata.0.insert(TYPES.to_owned(), Value::Integers(types));
    metadata
}

fn tokenizer(added: &[(&str, i64)]) -> Tokenizer {
    Tokenizer::from_metadata(&with_tokens(added)).expect("usable")
}

#[test]
fn added_tokens_are_found_in_any_text() {
    let added = tokenizer(&[("[TICKET]", 4), ("§ 12a", 4), ("<custom_tag>", 4), ("[TICKET]s", 4)]);
    let plain = tokenizer(&[]);
    let text = |text| plain.encode(text, Specials::Ignore);
    for (given, parts) in [
        ("see [TICKET] now", vec![text("see "), vec![5], text(" now")]),
        ("[TICKET]s", vec![vec![8]]),
        ("a<custom_tag>b", vec![text("a"), vec![7], text("b")]),
        ("x § 12a y", vec![text("x "), vec![6], text(" y")]),
        ("[TICKET][TICKET", vec![vec![5], text("[TICKET")]),
        ("é[TICKET]", vec![text("é"), vec![5]]),
    ] {
        let ids = added.encode(given, Specials::Ignore);
        assert_eq!(ids, parts.concat(), "{given}");
        assert_eq!(added.encode(given, Specials::Parse), ids, "{given}");
        assert_eq!(added.decode(&ids), given);
        let message = Message::new(Role::User, given);
        let prompt =
            render(&[message], &[], &RenderOptions::new(Variant::Small)).encode(&added).expect("ids");
        assert!(prompt.windows(ids.len()).any(|part| part == ids), "a chat has them, too: {given}");
    }
}

#[test]
fn a_space_of_an_added_token_is_spelled_in_two_ways() {
    for piece in ["§ 12a", "§▁12a"] {
        let added = tokenizer(&[(piece, 4)]);
        let ids = added.encode("x§ 12a", Specials::Ignore);
        assert_eq!((ids.last(), added.decode(&ids).as_str()), (Some(&5), "x§ 12a"), "{piece}");
    }
}

#[test]
fn added_tokens_are_shown_in_answers() {
    let added = tokenizer(&[("[TICKET]", 4), ("▁word", 4)]);
    let ids = [6, 5, 6];
    assert_eq!(added.decode(&ids), " word[TICKET] word");
    let mut stream = StreamDecoder::default();
    let text: String = ids.iter().filter_map(|&id| stream.push(&added, id)).collect();
    assert_eq!(text, " word[TICKET] word");
    let mut parser = AnswerParser::new(added.special(), false, StopStrings::default());
    let pieces: Vec<_> = ids.iter().flat_map(|&id| parser.push(&added, id)).collect();
    let shown = [" word", "[TICKET]", " word"].map(|text| Piece::Answer(text.to_owned()));
    assert_eq!(pieces, shown);
}

#[test]
fn control_tokens_are_told_by_name_by_type_and_by_their_role() {
    let mut metadata = with_tokens(&[("<end>", 4), ("<|custom|>", 3), ("<|end", 4)]);
    metadata.0.insert("tokenizer.ggml.eot_token_id".to_owned(), Value::Unsigned(5));
    // Some writers mark tokens of the chat format as user-defined.
    let types: Vec<_> =
        metadata.integers(TYPES).expect("types").iter().map(|&t| if t == 3 { 4 } else { t }).collect();
    let tokens = metadata.strings(TOKENS).expect("tokens");
    let custom = tokens.iter().position(|token| token == "<|custom|>").expect("a token");
    let mut types = types;
    types[custom] = 3;
    metadata.0.insert(TYPES.to_owned(), Value::Integers(types));
    let tokenizer = Tokenizer::from_metadata(&metadata).expect("usable");
    for control in ["<turn|>", "<|tool_call>", "<|\"|>", "<channel|>", "<|custom|>", "<end>"] {
        let id = tokenizer.id(control).expect("a token");
        assert!(tokenizer.is_special(id), "{control}");
        assert_eq!(tokenizer.encode(control, Specials::Parse), [id]);
        let typed = tokenizer.encode(control, Specials::Ignore);
        assert!(!typed.contains(&id), "{control}");
        assert_eq!(tokenizer.decode(&typed), control);
        assert_eq!(tokenizer.decode(&[id]), "");
    }
    assert_eq!(
        tokenizer.encode("<|end<turn|>", Specials::Parse),
        [7, tokenizer.special().turn_close.expect("a token")]
    );
}

#[test]
fn a_control_token_of_one_character_is_not_spelled_by_a_text() {
    let tokenizer = tokenizer(&[("§", 3)]);
    assert_eq!(tokenizer.encode("§", Specials::Parse), [5]);
    let typed = tokenizer.encode("§", Specials::Ignore);
    assert!(!typed.contains(&5));
    assert_eq!(tokenizer.decode(&typed), "§");
}
