//! Numbers in what the fake engine says.

/// A count of something with its noun.
pub fn counted(value: usize, noun: &str) -> String {
    format!("{value} {noun}{}", if value == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_follow_their_count() {
        assert_eq!(
            (counted(1, "picture"), counted(0, "sound")),
            ("1 picture".to_owned(), "0 sounds".to_owned())
        );
    }
}
