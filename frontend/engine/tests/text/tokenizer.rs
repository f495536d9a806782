//! Text to ids and back.

use engine::tokenizer::{Specials, StreamDecoder, Tokenizer, special};
use proptest::prelude::*;

use crate::models::{cases, golden, ids, pebble, tokenizer};

fn plain(text: &str) -> Vec<u32> {
    tokenizer().encode(text, Specials::Ignore)
}

#[test]
fn every_golden_case_on_every_golden_model() {
    for case in cases("tokenizer") {
        let text = case["text"].as_str().expect("text");
        let expected = ids(&case["ids"]);
        for (name, tokenizer) in golden() {
            let found = tokenizer.encode(text, Specials::Parse);
            assert_eq!(found, expected, "{text:?} with {name}");
            let pieces: Vec<_> = found.iter().map(|&id| tokenizer.piece(id).expect("a piece")).collect();
            assert_eq!(serde_json::json!(pieces), case["pieces"], "{text:?} with {name}");
            let decoded = tokenizer.decode_with_specials(&found);
            assert_eq!(decoded, case["decoded"].as_str().expect("text"), "{text:?} with {name}");
        }
    }
}

#[test]
fn a_prompt_has_exactly_one_bos() {
    for (_, tokenizer) in golden() {
        let bos = tokenizer.special().bos;
        for prompt in ["", "Hi", "<bos>", "<bos>Hi", "<bos><bos>Hi"] {
            let ids = tokenizer.encode_prompt(prompt);
            assert_eq!(ids.iter().filter(|&&id| id == bos).count(), 1, "{prompt:?}");
            assert_eq!(ids[0], bos, "{prompt:?}");
        }
    }
}

#[test]
fn control_tokens_are_parsed_only_where_asked() {
    for tokenizer in [tokenizer(), pebble()] {
        let turn = tokenizer.special().turn_close.expect("a turn token");
        assert_eq!(tokenizer.encode("<turn|>", Specials::Parse), [turn]);
        let typed = tokenizer.encode("a<turn|><bos><|image|>", Specials::Ignore);
        assert!(typed.iter().all(|&id| !tokenizer.is_special(id)));
        assert_eq!(tokenizer.decode(&typed), "a<turn|><bos><|image|>");
    }
}

#[test]
fn the_longest_control_token_wins_and_an_unfinished_one_is_text() {
    let special = tokenizer().special();
    let parse = |text| tokenizer().encode(text, Specials::Parse);
    assert_eq!(parse("<|tool_call><|tool>"), [special.tool_call_open, special.tool_open].map(Option::unwrap));
    assert_eq!(parse("<|image|><|image>"), [special.image_slot, special.image_begin].map(Option::unwrap));
    assert_eq!(parse("<|turn"), plain("<|turn"));
    let turn = special.turn_open.expect("a turn token");
    assert_eq!(parse("<<|turn>é<|turn>").iter().filter(|&&id| id == turn).count(), 2);
}

#[test]
fn control_tokens_are_found_by_text() {
    for tokenizer in [tokenizer(), pebble()] {
        let special = tokenizer.special();
        assert_eq!(tokenizer.piece(special.bos), Some(special::BOS));
        for (id, text) in [
            (special.eos, special::EOS),
            (special.pad, special::PAD),
            (special.turn_open, special::TURN_OPEN),
            (special.turn_close, special::TURN_CLOSE),
            (special.channel_open, special::CHANNEL_OPEN),
            (special.channel_close, special::CHANNEL_CLOSE),
            (special.think, special::THINK),
            (special.tool_open, special::TOOL_OPEN),
            (special.tool_close, special::TOOL_CLOSE),
            (special.tool_call_open, special::TOOL_CALL_OPEN),
            (special.tool_call_close, special::TOOL_CALL_CLOSE),
            (special.tool_response_open, special::TOOL_RESPONSE_OPEN),
            (special.tool_response_close, special::TOOL_RESPONSE_CLOSE),
            (special.quote, special::QUOTE),
            (special.image_begin, special::IMAGE_BEGIN),
            (special.image_slot, special::IMAGE_SLOT),
            (special.image_end, special::IMAGE_END),
            (special.audio_begin, special::AUDIO_BEGIN),
            (special.audio_slot, special::AUDIO_SLOT),
            (special.audio_end, special::AUDIO_END),
            (special.video_slot, special::VIDEO_SLOT),
        ] {
            let id = id.expect(text);
            assert_eq!(tokenizer.piece(id), Some(text));
            assert!(tokenizer.is_special(id), "{text} is a control token whatever type the file gives it");
        }
    }
    let slots = [tokenizer(), pebble()].map(|tokenizer| tokenizer.special().image_slot);
    assert_ne!(slots[0], slots[1], "the two vocabularies number their tokens differently");
}

#[test]
fn stop_and_suppressed_ids() {
    for tokenizer in golden().iter().map(|(_, tokenizer)| tokenizer).chain([pebble()]) {
        let texts = |ids: &[u32]| -> Vec<String> {
            ids.iter().map(|&id| tokenizer.piece(id).expect("a piece").to_owned()).collect()
        };
        assert_eq!(texts(tokenizer.stop_ids()), ["<eos>", "<|tool_response>", "<turn|>"]);
        let suppressed = texts(&tokenizer.suppressed_ids());
        assert_eq!(
            suppressed,
            ["<|image>", "<|audio>", "<|image|>", "<|audio|>", "<image|>", "<audio|>", "<|video|>"]
        );
    }
}

#[test]
fn no_prefix_space_and_spaces_are_kept() {
    let space = tokenizer().id("▁").expect("a space");
    assert_ne!(plain("Hello")[0], space, "nothing is put before the text");
    assert_eq!(plain(" Hello")[1..], plain("Hello"));
    assert_eq!(plain("a b"), plain("a▁b"), "a space and the character that spells it are one");
    assert!(plain("").is_empty());
    for digit in '0'..='9' {
        assert_eq!(plain(&digit.to_string()).len(), 1);
    }
}

#[test]
fn byte_pieces_spell_what_has_no_piece() {
    let bytes = plain("\u{10FFFF}");
    let pieces: Vec<_> = bytes.iter().map(|&id| tokenizer().piece(id).expect("a piece")).collect();
    assert_eq!(pieces, ["<0xF4>", "<0x8F>", "<0xBF>", "<0xBF>"]);
    // The spelling of a byte piece in a text is text.
    assert!(plain("<0xF4>").len() > 1);
    assert_eq!(tokenizer().decode(&plain("<0xF4>")), "<0xF4>");
}

#[test]
fn broken_utf8_becomes_replacement_characters() {
    let byte = |byte: u8| tokenizer().id(&format!("<0x{byte:02X}>")).expect("a byte piece");
    let turn = tokenizer().special().turn_close.expect("a turn token");
    let a = tokenizer().id("a").expect("a letter");
    assert_eq!(tokenizer().decode(&[byte(0xE2), byte(0x82), a]), "\u{FFFD}a");
    assert_eq!(tokenizer().decode(&[byte(0xFF), byte(0xE2), byte(0x82), byte(0xAC)]), "\u{FFFD}€");
    assert_eq!(tokenizer().decode(&[byte(0xE2), turn, byte(0x82), byte(0xAC)]), "\u{FFFD}\u{FFFD}\u{FFFD}");
    assert_eq!(tokenizer().decode(&[a, u32::MAX]), "a\u{FFFD}");
}

#[test]
fn a_stream_gives_whole_characters() {
    let mut decoder = StreamDecoder::default();
    let pushed: Vec<_> = plain("x👩").iter().map(|&id| decoder.push(tokenizer(), id)).collect();
    let given = |text: &str| Some(text.to_owned());
    assert_eq!(pushed, [given("x"), None, None, None, given("👩")]);
    assert_eq!(decoder.flush(), None);
    assert_eq!(decoder.push(tokenizer(), plain("👩")[0]), None);
    assert_eq!(decoder.flush(), given("\u{FFFD}"));
    assert_eq!(decoder.flush(), None);
}

/// Merges have to be worth n log n: text without line ends is one fragment, and n² are 10¹² steps.
#[test]
fn a_long_fragment_is_encoded_whole() {
    let words = [
        "The quick brown fox ",
        "你好，世界。",
        "aaaaaaaa",
        "          ",
        "\n\n\n\n",
        "naïve ",
        "👩‍👧",
        "0123 ",
    ];
    let mut text = String::new();
    for index in (0..words.len()).cycle().scan(1_usize, |state, _| {
        *state = (*state * 75 + 74) % 65537;
        Some(*state)
    }) {
        text.push_str(words[index % words.len()]);
        if text.len() > 1 << 20 {
            break;
        }
    }
    for text in [text, "a".repeat(1 << 20), " ".repeat(1 << 20), "\n".repeat(1 << 20)] {
        assert_eq!(tokenizer().decode(&plain(&text)), text);
    }
}

/// Merging by the definition: over and over, the pair of lowest rank, leftmost first.
fn merged_by_definition(tokenizer: &Tokenizer, merges: &[(String, String)], text: &str) -> Vec<u32> {
    let mut parts: Vec<String> = text.replace(' ', "▁").chars().map(String::from).collect();
    while let Some((at, _)) = parts
        .windows(2)
        .enumerate()
        .filter_map(|(at, pair)| {
            let rank = merges.iter().position(|(left, right)| *left == pair[0] && *right == pair[1])?;
            Some((at, rank))
        })
        .min_by_key(|&(at, rank)| (rank, at))
    {
        let right = parts.remove(at + 1);
        parts[at].push_str(&right);
    }
    let spell = |part: &String| match tokenizer.id(part) {
        Some(id) => vec![id],
        None => part.bytes().map(|b| tokenizer.id(&format!("<0x{b:02X}>")).expect("a byte piece")).collect(),
    };
    parts.iter().flat_map(spell).collect()
}

fn merges() -> Vec<(String, String)> {
    let metadata = crate::models::golden_metadata();
    let merges = metadata.strings("tokenizer.ggml.merges").expect("merges");
    let split = |merge: &str| merge.split_once(' ').map(|(left, right)| (left.to_owned(), right.to_owned()));
    merges.iter().map(|merge| split(merge).expect("two pieces")).collect()
}

proptest! {
    #[test]
    fn text_survives_a_round_trip(text in "\\PC*|[ \\n\\t\\r▁]*|(.|[👩\u{200d}👧\u{301}\u{0}])*") {
        for tokenizer in [tokenizer(), pebble()] {
            let ids = tokenizer.encode(&text, Specials::Ignore);
            prop_assert_eq!(tokenizer.decode(&ids), text.replace('▁', " "));
        }
    }

    #[test]
    fn merging_agrees_with_its_definition(text in "[a-e thnri▁\\n.é한]{0,60}") {
        static MERGES: std::sync::OnceLock<Vec<(String, String)>> = std::sync::OnceLock::new();
        let merges = MERGES.get_or_init(merges);
        prop_assert_eq!(plain(&text), merged_by_definition(tokenizer(), merges, &text));
    }

    #[test]
    fn a_stream_decodes_as_the_whole(ids in prop::collection::vec(any_id(), 0..60)) {
        let mut decoder = StreamDecoder::default();
        let mut text: String = ids.iter().filter_map(|&id| decoder.push(tokenizer(), id)).collect();
        text.extend(decoder.flush());
        prop_assert_eq!(text, tokenizer().decode(&ids));
    }

    #[test]
    fn splicing_control_tokens_into_text(parts in prop::collection::vec("[a-z <|>\\n]{0,8}", 1..5)) {
        let turn = tokenizer().special().turn_close.expect("a turn token");
        let mut expected = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                expected.push(turn);
            }
            expected.extend(plain(part));
        }
        prop_assert_eq!(tokenizer().encode(&parts.join("<turn|>"), Specials::Parse), expected);
    }
}

/// Any token, byte pieces and control tokens often, ids that are no token now and then.
pub fn any_id() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => 0..tokenizer().vocabulary_size() as u32,
        3 => (0..256_u32).prop_map(|byte| tokenizer().id(&format!("<0x{byte:02X}>")).expect("a byte piece")),
        2 => prop::sample::select(vec![46, 48, 49, 50, 52, 98, 100, 101, 105, 106, 107]),
        1 => any::<u32>(),
    ]
}
