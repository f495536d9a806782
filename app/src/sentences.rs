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

/// Words before a full stop that ends no sentence.
const SHORT: [&str; 20] = [
    "abb", "approx", "bspw", "bzw", "ca", "dr", "evtl", "fig", "ggf", "hr", "mr", "mrs", "ms", "no", "nr",
    "prof", "st", "str", "vgl", "vs",
];

/// Cuts text into its whole sentences and what is left: a sentence that may go on.
pub fn sentences(text: &str) -> (Vec<&str>, &str) {
    let (mut whole, mut rest) = (Vec::new(), text);
    while let Some(end) = sentence_end(rest) {
        let (sentence, after) = rest.split_at(end);
        whole.push(sentence.trim());
        rest = after;
    }
    (whole, rest.trim())
}

/// Where the first sentence or line ends, as a byte offset behind it.
fn sentence_end(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().peekable();
    while let Some((index, character)) = chars.next() {
        if character == '\n' {
            return Some(index + 1);
        }
        match character {
            '。' | '！' | '？' => return Some(index + character.len_utf8()),
            '.' | '!' | '?' | '…' | '؟' | '۔' | '।' => {}
            _ => continue,
        }
        // What closes a quotation or a bracket belongs to the sentence.
        while chars.next_if(|&(_, next)| matches!(next, '"' | '”' | '’' | '“' | '»' | ')' | ']')).is_some()
        {
        }
        let &(end, next) = chars.peek()?;
        if next.is_whitespace() && !(character == '.' && goes_on(&text[..index], &text[end..])) {
            return Some(end);
        }
    }
    None
}

/// Whether a sentence goes on behind a full stop: after a number (“1. First”, „am 3. Mai“), an initial, an abbreviation, and
/// before a small letter.
fn goes_on(before: &str, after: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_number = word.len() < 3 && word.chars().all(|c| c.is_ascii_digit());
    let are_initials = word.split('.').all(|part| {
        let mut letters = part.chars();
        letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
    });
    is_number
        || are_initials
        || SHORT.contains(&word.to_lowercase().as_str())
        || after.trim_start().chars().next().is_some_and(char::is_lowercase)
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
    fn abbreviations_and_quotations_do_not_cut_a_sentence() {
        for (text, whole, rest) in [
            ("Dr. Roe came at 5. June said: “Stay.” He did. And", 2, "And"),
            ("Das ist z. B. am 3. Mai so. Gut! Ja", 2, "Ja"),
            ("That is, e.g. this one. (Or not.) J. Roe", 2, "J. Roe"),
            ("真的。是的！", 2, ""),
            ("کیا؟ ہاں۔ ", 2, ""),
            ("Wait", 0, "Wait"),
            ("", 0, ""),
        ] {
            let (found, left) = sentences(text);
            assert_eq!((found.len(), left), (whole, rest), "{found:?}");
        }
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
