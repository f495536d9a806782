//! The encoding of a file of examples. Programs such as Excel still save tables in the encoding of the system's language,
//! and bytes do not say which it is.

use std::str;

/// Encodings to choose from, by the names that `TextDecoder` knows.
pub const ENCODINGS: [&str; 19] = [
    "utf-8",
    "utf-16le",
    "utf-16be",
    "windows-1252",
    "windows-1250",
    "windows-1251",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "windows-874",
    "macintosh",
    "shift_jis",
    "euc-jp",
    "gb18030",
    "big5",
    "euc-kr",
];

/// The encoding of Western Europe, which has a character for every byte.
const WESTERN: &str = "windows-1252";
/// How many bytes are counted.
const COUNTED: usize = 1 << 20;

/// What the bytes of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// Unicode, in this encoding.
    Unicode(&'static str),
    /// Another encoding, most likely this one, or UTF-8 with damaged bytes.
    Other(&'static str),
    /// No text.
    Binary,
}

/// Returns what the bytes of a file are, for the user with these languages, the preferred one first.
#[must_use]
pub fn guess(bytes: &[u8], languages: &[String]) -> Guess {
    match bytes {
        [0xFF, 0xFE, ..] => return Guess::Unicode("utf-16le"),
        [0xFE, 0xFF, ..] => return Guess::Unicode("utf-16be"),
        _ => {}
    }
    // A text has no NUL, but in UTF-16 half of each ASCII character is zero.
    let zeros = |at: usize| bytes.iter().skip(at).step_by(2).filter(|byte| **byte == 0).count();
    match (zeros(0), zeros(1)) {
        (0, 0) => {}
        (0, _) => return Guess::Unicode("utf-16le"),
        (_, 0) => return Guess::Unicode("utf-16be"),
        _ => return Guess::Binary,
    }
    if str::from_utf8(bytes).is_ok() {
        return Guess::Unicode("utf-8");
    }
    if is_damaged_utf8(bytes) {
        return Guess::Other("utf-8");
    }
    let of_language = languages.iter().find_map(|tag| usual(tag)).unwrap_or(WESTERN);
    Guess::Other(if of_language == WESTERN && is_of_mac(bytes) { "macintosh" } else { of_language })
}

/// Whether most of what is no ASCII is UTF-8: then it is that, and some bytes are damaged.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let chunks = || bytes[..bytes.len().min(COUNTED)].utf8_chunks();
    let valid: usize = chunks().map(|chunk| chunk.valid().chars().filter(|it| !it.is_ascii()).count()).sum();
    let invalid = chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
    valid > invalid
}

/// Whether the letters are where a Mac has them: below 0xA0, where Windows has few.
fn is_of_mac(bytes: &[u8]) -> bool {
    let counted = &bytes[..bytes.len().min(COUNTED)];
    let is_letter =
        |byte: &&u8| matches!(byte, 0x81 | 0x83 | 0x86..=0x8A | 0x8C..=0x90 | 0x98 | 0x9A | 0x9C..=0x9F);
    let of_mac = counted.iter().filter(is_letter).count();
    of_mac > counted.iter().filter(|byte| **byte >= 0xC0).count()
}

/// The encoding that is usual where a language is spoken, as browsers assume it for pages that don't say theirs.
fn usual(tag: &str) -> Option<&'static str> {
    let tag = tag.to_ascii_lowercase();
    let is_traditional = ["hant", "tw", "hk", "mo"].iter().any(|part| tag.split('-').any(|it| it == *part));
    Some(match tag.split('-').next().unwrap_or_default() {
        "ja" => "shift_jis",
        "zh" if is_traditional => "big5",
        "zh" => "gb18030",
        "ko" => "euc-kr",
        "ru" | "uk" | "be" | "bg" | "mk" | "sr" | "ky" | "tg" => "windows-1251",
        "cs" | "hr" | "hu" | "pl" | "ro" | "sk" | "sl" | "bs" | "sq" => "windows-1250",
        "el" => "windows-1253",
        "tr" | "az" | "ku" => "windows-1254",
        "he" | "iw" | "yi" => "windows-1255",
        "ar" | "fa" | "ur" => "windows-1256",
        "et" | "lt" | "lv" => "windows-1257",
        "vi" => "windows-1258",
        "th" => "windows-874",
        // English speakers read files of other languages.
        "en" => return None,
        _ => WESTERN,
    })
}

/// Decodes bytes. With `fatal`, none where they are invalid in this encoding; otherwise U+FFFD stands for those.
#[must_use]
pub fn decode(bytes: &[u8], encoding: &str, fatal: bool) -> Option<String> {
    let options = web_sys::TextDecoderOptions::new();
    options.set_fatal(fatal);
    let decoder = web_sys::TextDecoder::new_with_label_and_options(encoding, &options).ok()?;
    decoder.decode_with_u8_array(bytes).ok()
}

/// Returns the text of a file and, unless it is whole Unicode, as what it was read; `None` if it is no text.
#[must_use]
pub fn read(bytes: &[u8], languages: &[String]) -> Option<(String, &'static str)> {
    match guess(bytes, languages) {
        Guess::Unicode(encoding) => Some((decode(bytes, encoding, false)?, "")),
        Guess::Other(encoding) => {
            let likely = decode(bytes, encoding, encoding != "utf-8").map(|text| (text, encoding));
            likely.or_else(|| Some((decode(bytes, WESTERN, false)?, WESTERN)))
        }
        Guess::Binary => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(bytes: &[u8], languages: &[&str]) -> Guess {
        guess(bytes, &languages.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn unicode_is_told_by_its_bytes() {
        let text = "prompt,completion\nGröße,中文\n";
        assert_eq!(guessed(text.as_bytes(), &["ja"]), Guess::Unicode("utf-8"));
        assert_eq!(guessed(format!("\u{feff}{text}").as_bytes(), &[]), Guess::Unicode("utf-8"));
        assert_eq!(guessed(b"", &[]), Guess::Unicode("utf-8"));
        let units =
            |unit: fn(u16) -> [u8; 2], text: &str| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        for mark in ["", "\u{feff}"] {
            let text = format!("{mark}{text}");
            assert_eq!(guessed(&units(u16::to_le_bytes, &text), &[]), Guess::Unicode("utf-16le"));
            assert_eq!(guessed(&units(u16::to_be_bytes, &text), &[]), Guess::Unicode("utf-16be"));
        }
        let cut = [text.repeat(3).as_bytes(), b"\xE4"].concat();
        assert_eq!(guessed(&cut, &["de"]), Guess::Other("utf-8"), "one byte is damaged");
        assert_eq!(guessed(b"PK\x03\x04\x14\0\x06\0\x08\0\0\0", &[]), Guess::Binary);
    }

    #[test]
    fn other_encodings_are_those_of_the_language() {
        let german = b"Was ist Gr\xF6\xDFe?;Stra\xDFe\n";
        for languages in [&["de-AT", "en"][..], &["en-US"], &["fr"], &[]] {
            assert_eq!(guessed(german, languages), Guess::Other("windows-1252"), "{languages:?}");
        }
        for (languages, encoding) in [
            (&["en", "pl-PL"][..], "windows-1250"),
            (&["ru"], "windows-1251"),
            (&["ja-JP", "en"], "shift_jis"),
            (&["zh-CN"], "gb18030"),
            (&["zh-Hant-HK"], "big5"),
            (&["ko"], "euc-kr"),
        ] {
            assert_eq!(guessed(b"\xE8\xF1;\xF8", languages), Guess::Other(encoding), "{languages:?}");
        }
        assert_eq!(guessed(b"Gr\x9A\xA7e;S\x9F\xA7e;b\x9Ase", &["de"]), Guess::Other("macintosh"));
        assert_eq!(guessed(b"\x93caf\xE9\x94 \x96 5 \x80", &["fr"]), Guess::Other("windows-1252"));
    }
}
