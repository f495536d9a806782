//! Passages: parts of a document that are short enough to give a few of them to the model.

mod pick;
mod rank;
mod words;

pub use self::pick::{Choice, pick};
pub use self::rank::rank;

use crate::{Document, Place, Section};

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Its number in the document, from 1. It depends on the document and the length of passages alone.
    pub number: u32,
    /// The headings above it, from the outermost. For a table, the names of its columns.
    pub headings: Vec<String>,
    /// Where it is.
    pub place: Place,
    /// Its text.
    pub text: String,
    /// Its tokens, by the count that was given to [`split`].
    pub tokens: usize,
}

/// Cuts a document into passages of at most `tokens` tokens each, as `count` counts them: between paragraphs if possible,
/// otherwise between lines, sentences, words. A passage has one section and one place; short sections are not put together.
pub fn split(document: &Document, tokens: usize, count: &mut dyn FnMut(&str) -> usize) -> Vec<Passage> {
    let mut splitter = Splitter { limit: tokens.max(1), count, passages: Vec::new() };
    for section in &document.sections {
        splitter.section(section);
    }
    splitter.passages
}

struct Splitter<'a> {
    limit: usize,
    count: &'a mut dyn FnMut(&str) -> usize,
    passages: Vec<Passage>,
}

/// A line of a section, or a part of one.
struct Piece<'a> {
    text: &'a str,
    line: usize,
    tokens: usize,
}

impl Splitter<'_> {
    fn section(&mut self, section: &Section) {
        let mut pieces = Vec::new();
        for (line, text) in section.text.split('\n').enumerate() {
            self.pieces(text, line, &mut pieces);
        }
        let mut start = 0;
        while start < pieces.len() {
            let mut end = self.fitting(&pieces[start..]) + start;
            if end < pieces.len() {
                end = start + best_end(&pieces[start..end]);
            }
            // What tokens have in common across lines is not known before they are put together.
            let mut passage = self.passage(section, &pieces[start..end]);
            while passage.tokens > self.limit && end > start + 1 {
                end -= 1;
                passage = self.passage(section, &pieces[start..end]);
            }
            if !passage.text.is_empty() {
                self.passages.push(passage);
            }
            start = end;
        }
    }

    /// How many pieces fit a passage, at least one.
    fn fitting(&self, pieces: &[Piece<'_>]) -> usize {
        let mut sum = 0;
        let fits = pieces.iter().take_while(|piece| {
            // A line end is a token of its own.
            sum += piece.tokens + 1;
            sum <= self.limit + 1
        });
        fits.count().max(1)
    }

    fn passage(&mut self, section: &Section, pieces: &[Piece<'_>]) -> Passage {
        let mut text = String::new();
        let mut line = None;
        for piece in pieces {
            if line.is_some_and(|line| line != piece.line) {
                text.push('\n');
            }
            text.push_str(piece.text);
            line = Some(piece.line);
        }
        // Empty lines at the ends belong to no passage.
        let is_empty = |piece: &&Piece<'_>| piece.text.trim().is_empty();
        let first = pieces.iter().find(|piece| !is_empty(piece)).map_or(0, |piece| piece.line);
        let last = pieces.iter().rev().find(|piece| !is_empty(piece)).map_or(0, |piece| piece.line);
        let text = text.trim_end().trim_start_matches('\n').to_owned();
        let number = u32::try_from(self.passages.len() + 1).unwrap_or(u32::MAX);
        let tokens = (self.count)(&text);
        Passage {
            number,
            headings: section.headings.clone(),
            place: section.place.of_lines(first, last),
            text,
            tokens,
        }
    }

    /// Cuts a line into pieces that fit.
    fn pieces<'t>(&mut self, text: &'t str, line: usize, pieces: &mut Vec<Piece<'t>>) {
        let tokens = if text.is_empty() { 0 } else { (self.count)(text) };
        let cut = if tokens > self.limit { middle(text) } else { None };
        match cut {
            Some(cut) => {
                self.pieces(&text[..cut], line, pieces);
                self.pieces(&text[cut..], line, pieces);
            }
            None => pieces.push(Piece { text, line, tokens }),
        }
    }
}

/// How many of the pieces a passage takes: up to an empty line or the end of a sentence in its second half, if there is one.
fn best_end(pieces: &[Piece<'_>]) -> usize {
    let total: usize = pieces.iter().map(|piece| piece.tokens + 1).sum();
    let mut sum = 0;
    let (mut paragraph, mut sentence) = (None, None);
    for (index, piece) in pieces.iter().enumerate() {
        sum += piece.tokens + 1;
        if sum * 2 > total {
            let text = piece.text.trim_end();
            if text.is_empty() {
                paragraph = Some(index + 1);
            } else if text.ends_with(is_sentence_end) {
                sentence = Some(index + 1);
            }
        }
    }
    paragraph.or(sentence).unwrap_or(pieces.len())
}

fn is_sentence_end(letter: char) -> bool {
    matches!(letter, '.' | '!' | '?' | '。' | '！' | '？' | '؟' | '۔' | '।' | ';' | '}')
}

/// Where to cut a line that is too long: the end of a sentence close to its middle, or of a word, or any letter.
/// `None` if it has one letter.
fn middle(text: &str) -> Option<usize> {
    let half = text.len() / 2;
    let distance = |at: &usize| at.abs_diff(half);
    let mut before = None;
    // Whether the last letter that isn't a space ends a sentence.
    let mut ends = false;
    let (mut sentence, mut word, mut letter) = (None, None, None);
    for (at, next) in text.char_indices() {
        if let Some(before) = before {
            if !char::is_whitespace(before) {
                ends = is_sentence_end(before);
            }
            let nearer = |best: &mut Option<usize>| {
                if best.as_ref().is_none_or(|best| distance(&at) <= distance(best)) {
                    *best = Some(at);
                }
            };
            nearer(&mut letter);
            // The space stays with what is before it.
            if char::is_whitespace(before) && !next.is_whitespace() {
                nearer(&mut word);
            }
            if ends && (char::is_whitespace(before) && !next.is_whitespace() || is_wide(before)) {
                nearer(&mut sentence);
            }
        }
        before = Some(next);
    }
    // A sentence that leaves almost all on one side helps little.
    let quarter = text.len() / 4;
    sentence.filter(|at| distance(at) <= quarter).or(word.filter(|at| distance(at) <= quarter)).or(letter)
}

/// Whether a mark ends a sentence without a space after it.
fn is_wide(letter: char) -> bool {
    matches!(letter, '。' | '！' | '？')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Span};

    fn document(text: &str) -> Document {
        let last = text.matches('\n').count() as u32 + 1;
        let place = Place::Lines(Span { first: 1, last });
        let section = Section { headings: vec!["H".into()], place, text: text.into() };
        Document { format: Format::Text, title: None, sections: vec![section], pages: vec![], encoding: None }
    }

    fn words(text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn parts(text: &str, tokens: usize) -> Vec<(Place, String)> {
        let passages = split(&document(text), tokens, &mut words);
        passages.into_iter().map(|passage| (passage.place, passage.text)).collect()
    }

    fn lines(first: u32, last: u32) -> Place {
        Place::Lines(Span { first, last })
    }

    #[test]
    fn a_short_document_is_one_passage() {
        let passages = split(&document("one\n\ntwo"), 10, &mut words);
        assert_eq!(passages.len(), 1);
        assert_eq!((passages[0].number, passages[0].tokens), (1, 2));
        assert_eq!(passages[0].headings, ["H"]);
        assert_eq!((passages[0].place, passages[0].text.as_str()), (lines(1, 3), "one\n\ntwo"));
    }

    #[test]
    fn passages_end_with_paragraphs() {
        let text = "a b c\nd e f\n\ng h i\nj k l";
        assert_eq!(
            parts(text, 11),
            [(lines(1, 2), "a b c\nd e f".into()), (lines(4, 5), "g h i\nj k l".into())]
        );
    }

    #[test]
    fn a_long_line_is_cut_at_sentences_then_words_then_letters() {
        let sentences = "One two three. Four five six.";
        assert_eq!(
            parts(sentences, 3),
            [(lines(1, 1), "One two three.".into()), (lines(1, 1), "Four five six.".into())]
        );
        assert_eq!(parts("a b c d", 2), [(lines(1, 1), "a b".into()), (lines(1, 1), "c d".into())]);
        let mut letters = |text: &str| text.chars().count();
        let passages = split(&document("漢字漢字"), 2, &mut letters);
        assert_eq!(passages.len(), 2);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]

        #[test]
        fn nothing_is_lost_and_no_passage_is_too_long(text in "[a-c é漢.\n]{0,400}", limit in 1_usize..40) {
            let mut count = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).count();
            let passages = split(&document(&text), limit, &mut count);
            let solid = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
            let all: String = passages.iter().map(|passage| solid(&passage.text)).collect();
            proptest::prop_assert_eq!(all, solid(&text));
            for passage in passages {
                proptest::prop_assert!(passage.tokens <= limit);
                let Place::Lines(span) = passage.place else { panic!("{:?}", passage.place) };
                let source: Vec<_> = text.split('\n').collect();
                let source = source[span.first as usize - 1..span.last as usize].join("\n");
                proptest::prop_assert!(solid(&source).contains(&solid(&passage.text)));
            }
        }
    }
}
