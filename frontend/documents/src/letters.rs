//! Letters as they are compared.

/// Returns whether this changes a letter's sound, not the word: accents, the vowels of Arabic and Hebrew, the Arabic line that
/// lengthens, and what is invisible.
#[must_use]
pub fn is_mark(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}'
            | '\u{300}'..='\u{36f}'
            | '\u{591}'..='\u{5c7}'
            | '\u{610}'..='\u{61a}'
            | '\u{640}'
            | '\u{64b}'..='\u{65f}'
            | '\u{670}'
            | '\u{6d6}'..='\u{6dc}'
            | '\u{6df}'..='\u{6e8}'
            | '\u{6ea}'..='\u{6ed}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{200c}'..='\u{200f}'
            | '\u{20d0}'..='\u{20ff}'
            | '\u{fe20}'..='\u{fe2f}'
    )
}
