//! A minimal vocabulary for the tokenizer: control tokens, bytes, letters, a few words.

use engine::gguf::{StringArray, WriteValue};

const NORMAL: i32 = 1;
const CONTROL: i32 = 3;
const BYTE: i32 = 6;

/// Control tokens with their published ids. In a smaller vocabulary they move to free ids.
const CONTROL_TOKENS: [(u32, &str); 25] = [
    (0, "<pad>"),
    (1, "<eos>"),
    (2, "<bos>"),
    (3, "<unk>"),
    (4, "<mask>"),
    (5, "[multimodal]"),
    (46, "<|tool>"),
    (47, "<tool|>"),
    (48, "<|tool_call>"),
    (49, "<tool_call|>"),
    (50, "<|tool_response>"),
    (51, "<tool_response|>"),
    (52, "<|\"|>"),
    (98, "<|think|>"),
    (100, "<|channel>"),
    (101, "<channel|>"),
    (105, "<|turn>"),
    (106, "<turn|>"),
    (255_999, "<|image>"),
    (256_000, "<|audio>"),
    (258_880, "<|image|>"),
    (258_881, "<|audio|>"),
    (258_882, "<image|>"),
    (258_883, "<audio|>"),
    (258_884, "<|video|>"),
];

/// The first byte token in published vocabularies.
const FIRST_BYTE: u32 = 238;
/// The first id of letters and words.
const FIRST_PIECE: u32 = FIRST_BYTE + 256;

/// Merges, highest priority first. Each joins two existing tokens.
const MERGES: [(&str, &str); 24] = [
    ("\n", "\n"),
    ("\u{2581}", "\u{2581}"),
    ("t", "h"),
    ("th", "e"),
    ("i", "n"),
    ("e", "r"),
    ("a", "n"),
    ("an", "d"),
    ("o", "n"),
    ("r", "e"),
    ("o", "u"),
    ("y", "ou"),
    ("i", "s"),
    ("in", "g"),
    ("o", "r"),
    ("f", "or"),
    ("\u{2581}", "the"),
    ("\u{2581}", "and"),
    ("\u{2581}", "is"),
    ("\u{2581}", "a"),
    ("\u{2581}", "in"),
    ("\u{2581}", "on"),
    ("\u{2581}", "you"),
    ("\u{2581}", "for"),
];

/// Tokens and their types, by id.
fn pieces(size: u32) -> (Vec<String>, Vec<i32>) {
    let mut slots: Vec<Option<(String, i32)>> = vec![None; size as usize];
    let mut homeless = Vec::new();
    for (id, text) in CONTROL_TOKENS {
        match slots.get_mut(id as usize) {
            Some(slot) => *slot = Some((text.to_owned(), CONTROL)),
            None => homeless.push((text.to_owned(), CONTROL)),
        }
    }
    for byte in 0..=255_u8 {
        slots[(FIRST_BYTE + u32::from(byte)) as usize] = Some((format!("<0x{byte:02X}>"), BYTE));
    }
    let letters = std::iter::once('\n').chain(' '..='~').filter(|letter| *letter != ' ').chain(['\u{2581}']);
    homeless.extend(letters.map(|letter| (letter.to_string(), NORMAL)));
    homeless.extend(MERGES.iter().map(|(left, right)| (format!("{left}{right}"), NORMAL)));

    let mut homeless = homeless.into_iter();
    for slot in &mut slots[FIRST_PIECE as usize..] {
        if slot.is_none() {
            *slot = homeless.next();
        }
    }
    let named = |(id, slot): (usize, Option<(String, i32)>)| {
        slot.unwrap_or_else(|| (format!("<unused{id}>"), NORMAL))
    };
    slots.into_iter().enumerate().map(named).unzip()
}

/// The metadata keys of the tokenizer. Gemma 3 joins by scores, of which all are equal here, but text is never asked of these
/// models.
pub(super) fn metadata(size: u32, is_gemma3: bool) -> Vec<(String, WriteValue)> {
    let (pieces, types) = pieces(size);
    let id = |text: &str| {
        // Every requested text is a control token.
        pieces.iter().position(|piece| piece == text).unwrap_or_default() as u32
    };
    let tokens: StringArray = pieces.iter().map(String::as_str).collect();
    let mut merges = StringArray::default();
    for (left, right) in MERGES {
        merges.push(&format!("{left} {right}"));
    }
    let stop = ["<eos>", "<turn|>", "<|tool_response>"].map(|text| id(text).cast_signed()).to_vec();
    let pairs = [
        ("model", WriteValue::String(if is_gemma3 { "llama" } else { "gemma4" }.to_owned())),
        ("tokens", WriteValue::Strings(tokens)),
        ("token_type", WriteValue::I32s(types)),
        ("scores", WriteValue::F32s(vec![-1000.0; pieces.len()])),
        ("merges", WriteValue::Strings(merges)),
        ("bos_token_id", WriteValue::U32(id("<bos>"))),
        ("eos_token_id", WriteValue::U32(id("<eos>"))),
        ("eos_token_ids", WriteValue::I32s(stop)),
        ("unknown_token_id", WriteValue::U32(id("<unk>"))),
        ("padding_token_id", WriteValue::U32(id("<pad>"))),
        ("mask_token_id", WriteValue::U32(id("<mask>"))),
        ("add_bos_token", WriteValue::Bool(true)),
        ("add_space_prefix", WriteValue::Bool(false)),
    ];
    pairs.into_iter().map(|(key, value)| (format!("tokenizer.ggml.{key}"), value)).collect()
}
