//! Titles, made from the first message or from what a model wrote.

use serde::{Deserialize, Serialize};

use super::Message;

/// Most characters of a title that is made.
const LENGTH: usize = 48;

/// Most characters of a title that a model writes.
const WRITTEN_LENGTH: usize = 60;

/// Who made a title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TitleSource {
    /// It is the beginning of the first message.
    #[default]
    FirstMessage,
    /// The model wrote it.
    Model,
    /// The user wrote it, or an imported file has it.
    User,
}

/// A title for a conversation that begins with this message: its first line with words, without Markdown's marks,
/// cut between words.
#[must_use]
pub fn title_of(message: &Message) -> String {
    let lines = message.text.lines().map(plain);
    let line = lines.into_iter().find(|line| line.chars().any(char::is_alphanumeric));
    match line {
        Some(line) => shorten(&line, LENGTH),
        None => message
            .attachments
            .first()
            .map_or_else(String::new, |attachment| shorten(&plain(&attachment.name), LENGTH)),
    }
}

/// Returns the title with the first number that makes it differ from those taken: `Norway`, `Norway (2)`, `Norway (3)`.
#[must_use]
pub fn numbered(title: &str, is_taken: impl Fn(&str) -> bool) -> String {
    // Without a title a conversation has the name that all such have.
    if title.is_empty() || !is_taken(title) {
        return title.to_owned();
    }
    let number = title.strip_suffix(')').and_then(|title| title.rsplit_once(" ("));
    let stem = number.filter(|(_, number)| number.parse::<u32>().is_ok()).map_or(title, |(stem, _)| stem);
    let mut numbers = (2..).map(|number: u32| format!("{stem} ({number})"));
    numbers.find(|title| !is_taken(title)).unwrap_or_else(|| title.to_owned())
}

/// The title in what a model wrote: its first line with words, without Markdown's marks, quotes and a full stop.
pub(super) fn written_title(text: &str) -> Option<String> {
    let mut lines = text.lines().map(|line| one_line(&plain(line)));
    let line = lines.find(|line| line.chars().any(char::is_alphanumeric))?;
    let quotes = |c: char| c.is_whitespace() || "\"'“”„‘’«»_.".contains(c);
    let title = shorten(line.trim_matches(quotes), WRITTEN_LENGTH);
    (!title.is_empty()).then_some(title)
}

/// A line without Markdown's marks, its spaces single. What calculates keeps its signs: `-5`, `12 * 7`, `3*x`.
pub(super) fn plain(line: &str) -> String {
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let behind = &rest[first.len_utf8()..];
        let is_bullet = "*-+".contains(first) && behind.chars().next().is_none_or(char::is_whitespace);
        if !is_bullet && !"#>`~".contains(first) {
            break;
        }
        rest = behind.trim_start();
    }
    let chars: Vec<char> = rest.chars().filter(|&c| c != '`').collect();
    let runs: Vec<&[char]> = chars.chunk_by(|&a, &b| (a == '*') == (b == '*')).collect();
    let is_kept = |place: usize| {
        let before = place.checked_sub(1).and_then(|before| runs[before].last());
        let behind = runs.get(place + 1).and_then(|behind| behind.first());
        let both = |is: fn(char) -> bool| before.zip(behind).is_some_and(|(&a, &b)| is(a) && is(b));
        runs[place][0] != '*' || both(char::is_whitespace) || both(char::is_alphanumeric)
    };
    let kept: String =
        (0..runs.len()).filter(|&place| is_kept(place)).flat_map(|place| runs[place]).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A title without line breaks and other controls, and without what turns the direction of the text behind it.
#[must_use]
pub fn one_line(title: &str) -> String {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    title.chars().filter(|c| !turns(*c)).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// At most `length` characters, cut between words where there is a space in the second half.
pub(super) fn shorten(text: &str, length: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(length) else { return text.to_owned() };
    let head = &text[..end];
    let cut = head.rfind(' ').filter(|&cut| cut >= end / 2).unwrap_or(end);
    format!("{}…", head[..cut].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Role;

    fn title(text: &str) -> String {
        title_of(&Message { text: text.to_owned(), ..Message::empty(Role::User, 0) })
    }

    #[test]
    fn a_copy_has_the_next_number() {
        let next = |title: &str, taken: &[&str]| numbered(title, |title| taken.contains(&title));
        assert_eq!(next("Norway", &["Sweden"]), "Norway");
        assert_eq!(next("Norway", &["Norway"]), "Norway (2)");
        assert_eq!(next("Norway (2)", &["Norway", "Norway (2)"]), "Norway (3)");
        assert_eq!(next("May (or June)", &["May (or June)"]), "May (or June) (2)");
        assert_eq!(next("", &[""]), "");
    }

    #[test]
    fn a_short_line_is_the_title() {
        assert_eq!(title("Hello there"), "Hello there");
        assert_eq!(title("\n\n## **Plan**  for `today`\nmore"), "Plan for today");
        assert_eq!(title("> - *Two*, (**three**)"), "Two, (three)");
        for kept in ["What is 12 * 7?", "12*7 ** 2", "-5 + 3", "*"] {
            assert_eq!(title(&format!("- {kept} a")), format!("{kept} a").trim_start_matches("* "));
        }
    }

    #[test]
    fn a_long_line_is_cut_between_words() {
        let text = "Write a letter to my landlord about the heating that has not worked for three weeks";
        assert_eq!(title(text), "Write a letter to my landlord about the heating…");
        assert_eq!(title(&"ü".repeat(60)), format!("{}…", "ü".repeat(48)));
    }

    #[test]
    fn a_model_writes_a_title_and_no_more() {
        let of = |text: &str| written_title(text);
        assert_eq!(of("\n**“Fjords in May”**.\nBecause you asked").as_deref(), Some("Fjords in May"));
        assert_eq!(of("# Größe der Erde").as_deref(), Some("Größe der Erde"));
        assert_eq!(of("a\u{202e}b").as_deref(), Some("ab"));
        assert_eq!(of(" \n***\n\"\""), None);
        assert_eq!(of(&"word ".repeat(40)).map(|it| it.chars().count() <= 61), Some(true));
    }

    #[test]
    fn a_title_turns_nothing_around_it() {
        assert_eq!(one_line("a\u{202e}b\u{2066}c\nd\u{0}"), "abc d ");
        assert_eq!(one_line("שָׁלוֹם \u{200f}!"), "שָׁלוֹם \u{200f}!");
    }

    #[test]
    fn no_words_give_no_title() {
        assert_eq!(title("```\n---\n"), "");
        assert_eq!(title(""), "");
    }
}
