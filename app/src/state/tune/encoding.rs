//! The encoding of a file of examples. Programs such as Excel still save tables in the encoding of the system's language,
//! and bytes do not say which it is.

use std::str;

/// Encodings to choose from, by the names that `TextDecoder` knows.
pub const ENCODINGS: [&str; 20] = [
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
    "iso-2022-jp",
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
        // UTF-32, which no browser reads.
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => return Guess::Binary,
        [0xFF, 0xFE, ..] => return Guess::Unicode("utf-16le"),
        [0xFE, 0xFF, ..] => return Guess::Unicode("utf-16be"),
        _ => {}
    }
    // A text has few NULs, but in UTF-16 half of each ASCII character is zero.
    let zeros = bytes.iter().filter(|byte| **byte == 0).count();
    let is_utf8 = str::from_utf8(bytes).is_ok();
    if zeros > 0 && (!is_utf8 || zeros > bytes.len() / 4) {
        return utf16(bytes).map_or(Guess::Binary, Guess::Unicode);
    }
    // Its shifts between alphabets are ASCII.
    if [b"\x1b$B", b"\x1b$@", b"\x1b(J"].iter().any(|shift| bytes.windows(3).any(|at| at == *shift)) {
        return Guess::Other("iso-2022-jp");
    }
    if is_utf8 {
        return Guess::Unicode("utf-8");
    }
    if is_damaged_utf8(bytes) {
        return Guess::Other("utf-8");
    }
    if let Some(encoding) = of_pairs(bytes) {
        return Guess::Other(encoding);
    }
    let of_language = languages.iter().find_map(|tag| usual(tag)).unwrap_or(WESTERN);
    Guess::Other(if of_language == WESTERN && is_of_mac(bytes) { "macintosh" } else { of_language })
}

/// The order of bytes in which they are UTF-16 with spaces, commas and line breaks; `None` if they are not.
fn utf16(bytes: &[u8]) -> Option<&'static str> {
    let counted = &bytes[..bytes.len().min(COUNTED)];
    let usual = |unit: fn([u8; 2]) -> u16| {
        let units = || counted.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        let is_wrong = |unit: &Result<char, _>| {
            unit.as_ref().map_or(true, |it| it.is_control() && !matches!(it, '\t' | '\r' | '\n'))
        };
        let wrong = char::decode_utf16(units()).filter(is_wrong).count();
        let usual = units().filter(|unit| [0x0A, 0x0D, 0x20, 0x2C, 0x22, 0x3B].contains(unit)).count();
        (usual > 0 && wrong * 100 <= counted.len() / 2).then_some(usual)
    };
    match (usual(u16::from_le_bytes), usual(u16::from_be_bytes)) {
        (None, None) => None,
        (little, big) if little >= big => Some("utf-16le"),
        _ => Some("utf-16be"),
    }
}

/// As many characters tell an encoding.
const MIN_PAIRS: usize = 8;

/// An encoding of two bytes a character.
struct Pairs {
    /// Whether a byte is a character of its own.
    is_single: fn(u8) -> bool,
    /// Whether two bytes are a character.
    is_pair: fn(u8, u8) -> bool,
    /// Whether the character is one of those that texts mostly have.
    is_usual: fn(u8, u8) -> bool,
}

/// Shift JIS, EUC-JP, EUC-KR, GB 18030 and Big5.
const PAIRS: [Pairs; 5] = [
    Pairs {
        is_single: |byte| matches!(byte, 0xA1..=0xDF),
        is_pair: |lead, trail| {
            matches!(lead, 0x81..=0x9F | 0xE0..=0xFC) && matches!(trail, 0x40..=0x7E | 0x80..=0xFC)
        },
        // Kana and their punctuation.
        is_usual: |lead, trail| matches!((lead, trail), (0x82, 0x9F..=0xF1) | (0x83, 0x40..=0x96) | (0x81, 0x41..=0x5B | 0x75..=0x78)),
    },
    Pairs {
        is_single: |_| false,
        is_pair: |lead, trail| matches!(lead, 0x8E | 0xA1..=0xFE) && matches!(trail, 0xA1..=0xFE),
        is_usual: |lead, _| matches!(lead, 0xA4 | 0xA5),
    },
    Pairs {
        is_single: |_| false,
        is_pair: |lead, trail| {
            matches!(lead, 0x81..=0xFE) && matches!(trail, 0x41..=0x5A | 0x61..=0x7A | 0x81..=0xFE)
        },
        // Hangul.
        is_usual: |lead, trail| matches!(lead, 0xB0..=0xC8) && trail >= 0xA1,
    },
    Pairs {
        is_single: |_| false,
        is_pair: |lead, trail| matches!(lead, 0x81..=0xFE) && matches!(trail, 0x40..=0x7E | 0x80..=0xFE),
        // The more frequent ideographs, by their sound, and punctuation.
        is_usual: |lead, trail| matches!(lead, 0xA1 | 0xA3 | 0xB0..=0xD7) && trail >= 0xA1,
    },
    Pairs {
        is_single: |_| false,
        is_pair: |lead, trail| matches!(lead, 0x81..=0xFE) && matches!(trail, 0x40..=0x7E | 0xA1..=0xFE),
        // The more frequent ideographs, by their strokes, and punctuation; but not Western signs before a letter.
        is_usual: |lead, trail| matches!(lead, 0xA1 | 0xA4..=0xC6) && trail >= 0xA1,
    },
];

impl Pairs {
    /// The share of usual characters among those beyond ASCII, from 0 to 1; `None` if some bytes are no character, or
    /// they are too few to tell.
    fn usual(&self, bytes: &[u8]) -> Option<f32> {
        let (mut usual, mut all, mut at) = (0, 0, 0);
        while let Some(&lead) = bytes.get(at) {
            at += 1;
            if lead.is_ascii() || (self.is_single)(lead) {
                all += usize::from(!lead.is_ascii());
                continue;
            }
            // The last one may be cut.
            let Some(&trail) = bytes.get(at) else { break };
            at += 1;
            if !(self.is_pair)(lead, trail) {
                return None;
            }
            all += 1;
            usual += usize::from((self.is_usual)(lead, trail));
        }
        (all >= MIN_PAIRS).then(|| usual as f32 / all as f32)
    }
}

/// The encoding of two bytes a character that bytes most likely are in; `None` if they are not like any.
fn of_pairs(bytes: &[u8]) -> Option<&'static str> {
    let counted = &bytes[..bytes.len().min(COUNTED)];
    let [shift_jis, euc_jp, euc_kr, gb18030, big5] = PAIRS.map(|pairs| pairs.usual(counted).unwrap_or(0.0));
    // Kana are in all Japanese texts; Hangul stand where the first half of the Chinese ideographs are.
    match () {
        () if shift_jis > 0.15 => Some("shift_jis"),
        () if euc_kr > 0.85 => Some("euc-kr"),
        () if euc_jp > 0.1 => Some("euc-jp"),
        () if gb18030 > 0.6 => Some("gb18030"),
        () if big5 > 0.3 => Some("big5"),
        () => None,
    }
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
    fn utf16_without_a_mark_and_stray_nulls_are_told_apart() {
        let units =
            |unit: fn(u16) -> [u8; 2], text: &str| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        // Half of U+4E00 is zero, too.
        for text in ["问题,回答\n一加一,二\n一,一\n", "一,一一一一一一一一一一\n"] {
            assert_eq!(guessed(&units(u16::to_le_bytes, text), &["zh"]), Guess::Unicode("utf-16le"));
            assert_eq!(guessed(&units(u16::to_be_bytes, text), &["zh"]), Guess::Unicode("utf-16be"));
        }
        let cut = units(u16::to_le_bytes, "prompt,completion\na,b");
        assert_eq!(guessed(&cut[..cut.len() - 1], &[]), Guess::Unicode("utf-16le"));
        assert_eq!(guessed("prompt,completion\nGr\0öße,b\n".as_bytes(), &[]), Guess::Unicode("utf-8"));
        assert_eq!(guessed(b"\xFF\xFE\0\0p\0\0\0", &[]), Guess::Binary);
        assert_eq!(guessed(b"p\0\0\0,\0\0\0q\0\0\0", &[]), Guess::Binary);
    }

    /// Texts in encodings of two bytes, as those that write them have them.
    #[test]
    fn encodings_of_two_bytes_are_told_by_their_usual_characters() {
        let japanese: &[u8] = b"\x8e\xbf\x96\xe2,\x93\x9a\n\x93\xfa\x96{\x82\xcc\x8e\xf1\x93s\x82\xcd\x81H,\x93\x8c\x8b\x9e\x82\xc5\x82\xb7\x81B\n";
        let japanese_unix: &[u8] = b"\xbc\xc1\xcc\xe4,\xc5\xfa\n\xc6\xfc\xcb\xdc\xa4\xce\xbc\xf3\xc5\xd4\xa4\xcf\xa1\xa9,\xc5\xec\xb5\xfe\xa4\xc7\xa4\xb9\xa1\xa3\n";
        let chinese: &[u8] = b"\xce\xca\xcc\xe2,\xbb\xd8\xb4\xf0\n\xd6\xd0\xb9\xfa\xb5\xc4\xca\xd7\xb6\xbc\xca\xc7\xc4\xc4\xc0\xef\xa3\xbf,\xb1\xb1\xbe\xa9\xa1\xa3\n";
        let traditional: &[u8] = b"\xb0\xdd\xc3D,\xa6^\xb5\xaa\n\xbbO\xc6W\xb3\xcc\xb0\xaa\xaa\xba\xa4s\xacO\xad\xfe\xa4@\xaey\xa1H,\xa5\xc9\xa4s\xa1C\n";
        let korean: &[u8] = b"\xc1\xfa\xb9\xae,\xb4\xe4\xba\xaf\n\xc7\xd1\xb1\xb9\xc0\xc7 \xbc\xf6\xb5\xb5\xb4\xc2?,\xbc\xad\xbf\xef\xc0\xd4\xb4\xcf\xb4\xd9.\n";
        for (text, encoding) in [
            (japanese, "shift_jis"),
            (japanese_unix, "euc-jp"),
            (chinese, "gb18030"),
            (traditional, "big5"),
            (korean, "euc-kr"),
            (b"\x1b$B<ALd\x1b(B,a\n", "iso-2022-jp"),
        ] {
            for languages in [&["en-US"][..], &["de"], &["ja"], &["zh-CN"]] {
                assert_eq!(guessed(text, languages), Guess::Other(encoding), "{languages:?}");
            }
        }
        let spanish = b"\xBFHola?;\xA1Bien!\n\xBFOtra vez?;\xA1Claro!\n".repeat(9);
        let german = b"\xC4pfel;\xC4rger;\xDCbel;gr\xFC\xDFe\n".repeat(9);
        for western in [&spanish[..], &german] {
            assert_eq!(guessed(western, &["en"]), Guess::Other("windows-1252"));
        }
        let russian =
            b"\xe2\xee\xef\xf0\xee\xf1,\xee\xf2\xe2\xe5\xf2\n\xd1\xea\xee\xeb\xfc\xea\xee?,\xc4\xe2\xe0.\n";
        assert_eq!(guessed(russian, &["ru"]), Guess::Other("windows-1251"));
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
