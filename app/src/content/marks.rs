//! Letters with marks upon marks. A browser shapes a letter with all its marks as one, in a time that grows with the square
//! of their number: some thousands of them stop the page.

use std::borrow::Cow;

/// Marks of one letter that are drawn. No script needs as many.
const MAX_MARKS: usize = 30;

/// Returns the text as it is drawn: of marks that follow one letter only the first ones.
#[must_use]
pub fn few_marks(text: &str) -> Cow<'_, str> {
    let mut run = 0_usize;
    let mut copy: Option<String> = None;
    for (at, letter) in text.char_indices() {
        run = if is_mark(letter) { run + 1 } else { 0 };
        match &mut copy {
            None if run > MAX_MARKS => copy = Some(text[..at].to_owned()),
            Some(copy) if run <= MAX_MARKS => copy.push(letter),
            _ => {}
        }
    }
    copy.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Whether it combines with the letter before: the blocks of combining marks, and the marks of scripts that pile them.
fn is_mark(letter: char) -> bool {
    matches!(letter,
        '\u{300}'..='\u{36f}'
        | '\u{483}'..='\u{489}'
        | '\u{591}'..='\u{5bd}'
        | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}'
        | '\u{6d6}'..='\u{6ed}'
        | '\u{e34}'..='\u{e3a}'
        | '\u{e47}'..='\u{e4e}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{200b}'..='\u{200f}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}'
        | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_any_script_stay_as_they_are() {
        for text in ["", "Grüße, Tiếng Việt", "e\u{301}e\u{302}\u{323}", "שָׁלוֹם", "السَّلَامُ", "ที่นี่", "👩🏽‍🚀❤️"]
        {
            assert!(matches!(few_marks(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn a_tower_of_marks_is_cut() {
        let tower = format!("a{}b{}c", "\u{301}".repeat(200_000), "\u{302}".repeat(40));
        let expected = format!("a{}b{}c", "\u{301}".repeat(MAX_MARKS), "\u{302}".repeat(MAX_MARKS));
        assert_eq!(few_marks(&tower), expected);
    }
}
