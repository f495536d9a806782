//! Cuts a streaming answer into whole sentences for the live region: a screen reader that is fed tokens stutters.

use crate::language::t;

/// Collects text and gives it back sentence by sentence, without Markdown's marks.
#[derive(Clone, Debug, Default)]
pub struct SentenceSplitter {
    rest: String,
    in_code: bool,
}

impl SentenceSplitter {
    /// Takes the next piece of text and returns the sentences that it completed.
    pub fn push(&mut self, piece: &str) -> Vec<String> {
        self.rest.push_str(piece);
        let mut sentences = Vec::new();
        while let Some(end) = sentence_end(&self.rest) {
            let sentence: String = self.rest.drain(..end).collect();
            self.accept(&sentence, &mut sentences);
        }
        sentences
    }

    /// Returns what is left when the text has ended.
    pub fn finish(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.rest);
        let mut sentences = Vec::new();
        self.accept(&rest, &mut sentences);
        self.in_code = false;
        sentences.pop()
    }

    /// Keeps a sentence if it is prose. Of a block of code only its beginning is announced.
    fn accept(&mut self, raw: &str, out: &mut Vec<String>) {
        let line = raw.trim();
        if line.starts_with("```") {
            self.in_code = !self.in_code;
            if self.in_code {
                out.push(t().code_block().into());
            }
            return;
        }
        if self.in_code {
            return;
        }
        let spoken = spoken(line);
        if spoken.chars().any(char::is_alphanumeric) {
            out.push(spoken);
        }
    }
}

/// Where the first sentence or line ends, as a byte offset behind it.
fn sentence_end(text: &str) -> Option<usize> {
    let mut previous = None;
    let mut chars = text.char_indices().peekable();
    while let Some((index, character)) = chars.next() {
        if character == '\n' {
            return Some(index + 1);
        }
        let ends = match character {
            '。' | '！' | '？' => true,
            // A full stop ends a sentence before a space, unless it follows a number ("1. First") or an initial.
            '.' | '!' | '?' | '…' => {
                chars.peek().is_some_and(|(_, next)| next.is_whitespace())
                    && !(character == '.' && previous.is_some_and(|c: char| c.is_ascii_digit() && index < 4))
            }
            _ => false,
        };
        if ends {
            return Some(index + character.len_utf8());
        }
        previous = Some(character);
    }
    None
}

/// A line without the marks that Markdown puts around words.
fn spoken(line: &str) -> String {
    let line = line.trim_start_matches(['#', '>', '-', '*', '+', ' ']);
    // An underline within a word is part of a name, as in `read_json`.
    let in_word = |next: Option<char>| next.is_some_and(char::is_alphanumeric);
    let is_mark = |at: usize, c: char| match c {
        '*' | '`' | '|' => true,
        '_' => {
            let before = line[..at].trim_end_matches('_').chars().next_back();
            let after = line[at..].trim_start_matches('_').chars().next();
            !in_word(before) || !in_word(after)
        }
        _ => false,
    };
    let spoken: String = line.char_indices().filter(|&(at, c)| !is_mark(at, c)).map(|(_, c)| c).collect();
    spoken.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pieces: &[&str]) -> Vec<String> {
        let mut splitter = SentenceSplitter::default();
        let mut out: Vec<String> = pieces.iter().flat_map(|piece| splitter.push(piece)).collect();
        out.extend(splitter.finish());
        out
    }

    #[test]
    fn tokens_become_sentences() {
        assert_eq!(
            all(&["A red", " circle", ". It is", " round.", " Yes"]),
            ["A red circle.", "It is round.", "Yes"]
        );
    }

    #[test]
    fn decimals_and_list_numbers_do_not_end_a_sentence() {
        assert_eq!(all(&["Pi is 3.14 or so. ", "Good."]), ["Pi is 3.14 or so.", "Good."]);
        assert_eq!(all(&["1. First\n2. Second\n"]), ["1. First", "2. Second"]);
    }

    #[test]
    fn marks_are_not_read_out() {
        assert_eq!(all(&["## Title\n**Bold** and `code`. "]), ["Title", "Bold and code."]);
    }

    #[test]
    fn names_with_underlines_are_read_whole() {
        assert_eq!(all(&["Use `read_json` or __very__ _well_. "]), ["Use read_json or very well."]);
        assert_eq!(all(&["größe_in_m is a name, _x_ too. "]), ["größe_in_m is a name, x too."]);
    }

    #[test]
    fn code_is_announced_once_and_not_read() {
        assert_eq!(all(&["Look:\n```rust\nfn main() {}\n```\nDone."]), ["Look:", "Code block.", "Done."]);
    }

    #[test]
    fn empty_lines_and_rules_say_nothing() {
        assert_eq!(all(&["\n\n---\n\n"]), Vec::<String>::new());
    }
}
