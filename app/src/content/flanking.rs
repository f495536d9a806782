//! Emphasis beside Chinese, Japanese and Korean text, as the CJK-friendly amendment of CommonMark has it.
//!
//! CommonMark tells opening from closing delimiters by the spaces and the punctuation beside them. These scripts put no
//! spaces between words, so that `含**「重点」**内容` would be no emphasis.

use std::borrow::Cow;

use super::shield::{JOINT, SPACE};

/// The text with a letter's stand-in on both sides of the runs of `*` and `~~` that CJK text stands beside: they can open
/// and close.
pub(super) fn join(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(['*', '~']) {
        return Cow::Borrowed(text);
    }
    let mut joined = String::with_capacity(text.len());
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find(['*', '~', '\\']).map(|found| found + at) {
        let mark = text.as_bytes()[found];
        if mark == b'\\' {
            at = found + 1 + text[found + 1..].chars().next().map_or(0, char::len_utf8);
            continue;
        }
        let length = text.as_bytes()[found..].iter().take_while(|byte| **byte == mark).count();
        at = found + length;
        // A single tilde is text.
        if (mark == b'*' || length == 2) && is_joined(&text[..found], &text[at..]) {
            joined.push_str(&text[copied..found]);
            // Beside a letter, an underscore is one.
            joined.extend(text[..found].ends_with('_').then_some(SPACE));
            joined.push(JOINT);
            joined.push_str(&text[found..at]);
            joined.push(JOINT);
            joined.extend(text[at..].starts_with('_').then_some(SPACE));
            copied = at;
        }
    }
    joined.push_str(&text[copied..]);
    Cow::Owned(joined)
}

/// Whether there is CJK text on one side and no space on either.
fn is_joined(before: &str, after: &str) -> bool {
    // The border of a cell is as good as a space.
    let is_space = |c: char| c.is_whitespace() || c == '|';
    let mut backwards = before.chars().rev();
    let (Some(mut last), Some(next)) = (backwards.next(), after.chars().next()) else { return false };
    if is_space(last) || is_space(next) {
        return false;
    }
    let quote_form = last == '\u{fe01}';
    if matches!(last, '\u{fe00}'..='\u{fe0e}')
        && let Some(selected) = backwards.next()
    {
        last = selected;
    }
    let full_width_quote = quote_form && matches!(last, '‘' | '’' | '“' | '”');
    let ideographic = matches!(last, '\u{e0100}'..='\u{e01ef}');
    is_cjk(last) || is_cjk(next) || full_width_quote || ideographic
}

/// Whether it is a CJK character in the sense of the amendment: wide but no emoji, or Hangul.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x1100..=0x11ff
        | 0x20a9
        | 0x2329..=0x232a
        | 0x2630..=0x2637
        | 0x268a..=0x268f
        | 0x2e80..=0x303e
        | 0x3041..=0x3247
        | 0x3250..=0xa4cf
        | 0xa960..=0xa97f
        | 0xac00..=0xd7ff
        | 0xf900..=0xfaff
        | 0xfe10..=0xfe19
        | 0xfe30..=0xfe6f
        | 0xff01..=0xffee
        | 0x16fe0..=0x18df2
        | 0x1aff0..=0x1b2fb
        | 0x1d300..=0x1d376
        | 0x1f200
        | 0x1f202
        | 0x1f210..=0x1f219
        | 0x1f21b..=0x1f22e
        | 0x1f230..=0x1f231
        | 0x1f237
        | 0x1f23b
        | 0x1f240..=0x1f248
        | 0x1f260..=0x1f265
        | 0x20000..=0x3fffd)
}
