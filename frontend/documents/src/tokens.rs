//! About how many tokens a text takes, without a model.

/// Returns about the tokens that a text takes, rather too many than too few: exact counts differ by model, and passages must be
/// the same for all of them.
#[must_use]
pub fn estimate(text: &str) -> usize {
    let (mut tokens, mut run, mut before) = (0, 0_usize, Kind::Space);
    for letter in text.chars() {
        let kind = Kind::of(letter);
        run = if kind == before { run + 1 } else { 0 };
        before = kind;
        tokens += usize::from(match kind {
            // A space belongs to the word behind it; several are a token.
            Kind::Space => run == 1,
            Kind::Latin => run.is_multiple_of(6),
            Kind::Letter => run.is_multiple_of(3),
            Kind::Line => run == 0,
            Kind::Other => true,
        });
    }
    tokens
}

/// Characters by how they are put together into tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Space,
    Line,
    Latin,
    Letter,
    /// Digits, punctuation and ideographs: one by one.
    Other,
}

impl Kind {
    fn of(letter: char) -> Self {
        match letter {
            '\n' | '\r' => Self::Line,
            letter if letter.is_whitespace() => Self::Space,
            letter if letter.is_ascii_alphabetic() => Self::Latin,
            letter if letter.is_alphabetic() && letter < '\u{1100}' => Self::Letter,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::estimate;

    #[test]
    fn tokens_are_estimated_by_script() {
        for (text, tokens) in [
            ("", 0),
            ("a word", 2),
            ("administration", 3),
            ("2026", 4),
            ("漢字", 2),
            ("слово", 2),
            ("a\n\nb", 3),
            ("a    b", 3),
        ] {
            assert_eq!(estimate(text), tokens, "{text}");
        }
    }
}
