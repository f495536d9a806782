//! Searching conversations: all words, in any order, wherever they are; case and accents do not count.
//! A conversation is read for the first search, and again after it has changed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use super::Conversation;
use super::title::shorten;

/// Most characters of an excerpt.
const LENGTH: usize = 96;

/// Most characters of a line that stay before the first of the words.
const LEAD: usize = 12;

/// Words that are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    words: Vec<String>,
}

impl Query {
    /// The words of a text; `None` if it has none.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let mut words: Vec<_> = text.split_whitespace().map(fold).filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        words.dedup();
        (!words.is_empty()).then_some(Self { words })
    }

    /// A line that begins shortly before the first of the words, so that a narrow place shows it.
    #[must_use]
    pub fn excerpt(&self, line: &str) -> String {
        let before = match self.mark(line).as_slice() {
            [(before, false), (_, true), ..] => *before,
            _ => return line.to_owned(),
        };
        let Some((lead, _)) = before.char_indices().rev().nth(LEAD) else { return line.to_owned() };
        let start = before[lead..].find(' ').map_or(before.len(), |space| lead + space + 1);
        format!("…{}", &line[start..])
    }

    /// A text in pieces, each with whether it is one of the words.
    #[must_use]
    pub fn mark<'a>(&self, text: &'a str) -> Vec<(&'a str, bool)> {
        let (mut pieces, mut end) = (Vec::new(), 0);
        for range in self.ranges(text) {
            if range.start > end {
                pieces.push((&text[end..range.start], false));
            }
            end = range.end;
            pieces.push((&text[range], true));
        }
        if end < text.len() {
            pieces.push((&text[end..], false));
        }
        pieces
    }

    /// Where the words stand in a text, first to last. None of the places overlap.
    #[must_use]
    pub fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        // Where each byte of the folded text comes from.
        let (mut folded, mut places) = (String::new(), Vec::new());
        for (at, letter) in text.char_indices() {
            fold_letter(letter, &mut folded);
            places.resize(folded.len(), at..at + letter.len_utf8());
        }
        let mut found: Vec<_> = self
            .words
            .iter()
            .flat_map(|word| folded.match_indices(word.as_str()).map(|(at, word)| at..at + word.len()))
            .map(|range| places[range.start].start..places[range.end - 1].end)
            .collect();
        found.sort_unstable_by_key(|range| range.start);
        let mut end = 0;
        found.retain_mut(|range| {
            range.start = range.start.max(end);
            end = end.max(range.end);
            range.start < range.end
        });
        found
    }
}

/// The text of a conversation as the search goes through it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchText {
    /// All messages in all branches, as they were written.
    text: String,
    /// The same, folded.
    folded: String,
    /// The title, folded.
    title: String,
}

impl SearchText {
    /// The text of a conversation.
    #[must_use]
    pub fn of(conversation: &Conversation) -> Self {
        let mut text = String::new();
        for (_, node) in conversation.nodes() {
            text.push_str(&node.message.text);
            text.push('\n');
            for attachment in &node.message.attachments {
                text.push_str(&attachment.name);
                text.push('\n');
            }
        }
        Self { folded: fold(&text), text, title: fold(&conversation.title) }
    }

    /// Whether all words are in it, and if so the text around one of them; `None` if all are in the title.
    #[must_use]
    pub fn find(&self, query: &Query) -> Option<Option<String>> {
        let mut first = None;
        for word in &query.words {
            let at = self.folded.find(word.as_str());
            let titled = self.title.contains(word.as_str());
            if at.is_none() && !titled {
                return None;
            }
            if let (Some(at), false) = (at, titled) {
                first = Some(first.map_or(at, |before: usize| before.min(at)));
            }
        }
        Some(first.map(|at| self.around(at)))
    }

    /// The text around a place of the folded text.
    fn around(&self, folded_at: usize) -> String {
        let mut folded = String::new();
        let at = self.text.char_indices().find_map(|(at, letter)| {
            let before = folded.len();
            fold_letter(letter, &mut folded);
            (folded.len() > folded_at && before <= folded_at).then_some(at)
        });
        let at = at.unwrap_or_default();
        let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = self.text[line..at].char_indices().rev().nth(LENGTH / 3).map(|(start, _)| line + start);
        let start = before
            .map_or(line, |before| before + self.text[before..at].find(' ').map_or(0, |space| space + 1));
        let excerpt: Vec<_> = self.text[start..].split_whitespace().take(LENGTH).collect();
        let lead = if start == line { "" } else { "…" };
        format!("{lead}{}", shorten(&excerpt.join(" "), LENGTH))
    }
}

/// A text as it is compared.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in text.chars() {
        fold_letter(letter, &mut folded);
    }
    folded
}

thread_local! {
    /// What letters beyond ASCII become.
    static FOLDED: RefCell<HashMap<char, Box<str>>> = RefCell::new(HashMap::new());
}

/// Appends a letter as it is compared: in lower case, without its accents, one of several forms of the same.
fn fold_letter(letter: char, folded: &mut String) {
    if letter.is_ascii() {
        folded.push(letter.to_ascii_lowercase());
        return;
    }
    FOLDED.with_borrow_mut(|known| {
        let form = known.entry(letter).or_insert_with(|| {
            // Through upper case, as ß and ς are then as SS and Σ are.
            let plain: String = letter.to_uppercase().flat_map(char::to_lowercase).collect();
            decompose(&plain).chars().filter(|&letter| !documents::is_mark(letter)).map(usual).collect()
        });
        folded.push_str(form);
    });
}

/// Arabic letters that are written one for the other at the end of a word.
fn usual(letter: char) -> char {
    match letter {
        'ى' => 'ي',
        'ة' => 'ه',
        _ => letter,
    }
}

/// Letters and their accents apart.
#[cfg(target_arch = "wasm32")]
fn decompose(text: &str) -> String {
    js_sys::JsString::from(text).normalize("NFKD").into()
}

/// Letters and their accents apart.
#[cfg(not(target_arch = "wasm32"))]
fn decompose(text: &str) -> String {
    icu_normalizer::DecomposingNormalizerBorrowed::new_nfkd().normalize(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{ConversationId, Options};

    fn text(title: &str, messages: &[&str]) -> SearchText {
        let mut conversation = Conversation::new(ConversationId(1), Options::default(), 1);
        for message in messages {
            conversation.add_user(*message, Vec::new(), 2).expect("added");
        }
        conversation.title = title.to_owned();
        SearchText::of(&conversation)
    }

    fn found(text: &SearchText, query: &str) -> Option<Option<String>> {
        text.find(&Query::new(query).expect("words"))
    }

    #[test]
    fn words_are_found_in_any_order_and_any_message() {
        let text = text("Trees", &["A graph without a circle", "And a café in the Straße"]);
        assert_eq!(
            found(&text, "circle graph"),
            Some(Some("A graph without a circle And a café in the Straße".into()))
        );
        assert!(found(&text, "CAFE  graph").is_some(), "in two messages");
        assert!(found(&text, "strasse café").is_some());
        assert!(found(&text, "cafe\u{301}").is_some(), "an accent of its own");
        let arabic = self::text("", &["السَّلامُ عليكم يا أحمد، هذه مدرســة كبرى"]);
        for words in ["السلام عليكم", "احمد", "مدرسه", "كُبري"] {
            assert!(found(&arabic, words).is_some(), "{words}");
        }
        assert_eq!(found(&text, "tree"), Some(None), "in the title");
        assert_eq!(found(&text, "tree square"), None);
        assert_eq!(Query::new("  "), None);
    }

    #[test]
    fn an_excerpt_is_cut_to_what_was_found() {
        let text = text("", &[&format!("{}Łódź{}", "word ".repeat(40), " word".repeat(40))]);
        let excerpt = found(&text, "łodz").flatten().expect("found");
        assert!(
            excerpt.starts_with("…word") && excerpt.contains("Łódź") && excerpt.ends_with('…'),
            "{excerpt}"
        );
    }

    #[test]
    fn a_line_begins_close_to_what_was_found() {
        let query = Query::new("norway travel").expect("words");
        assert_eq!(
            query.excerpt("Conversation number 5 about travel in Norway"),
            "…5 about travel in Norway"
        );
        for whole in ["A travel to Norway", "Norway", "Nothing like it, in many words", ""] {
            assert_eq!(query.excerpt(whole), whole);
        }
        let query = Query::new("straße").expect("words");
        assert_eq!(query.excerpt("Übergrößenträgerüber Straße"), "…Straße", "no letter is cut in two");
        assert_eq!(query.excerpt("OhneLeerzeichenDavorStraße"), "…Straße");
    }

    #[test]
    fn what_was_found_is_marked() {
        let query = Query::new("cafe strasse af").expect("words");
        assert_eq!(
            query.mark("Ein Café, Straße"),
            [("Ein ", false), ("Café", true), (", ", false), ("Straße", true)]
        );
        assert_eq!(query.mark("nothing"), [("nothing", false)]);
        assert_eq!(query.mark(""), []);
    }
}
