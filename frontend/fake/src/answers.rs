//! What the fake engine says: Markdown of every kind that the page draws.

use super::words::counted;

/// The thought before an answer.
pub const THOUGHT: &str = "The person asks about this. I should keep it short.\n\n\
    - First say what it is.\n- Then give one example.\n\nA list and an example are enough.";

const LIST: &str = "Here is the short version.\n\n\
    1. **Read** the header of the file.\n2. **Copy** the weights to the graphics device.\n\
    3. **Answer**, one token after another.\n\n\
    Nothing leaves this tab.";

const CODE: &str = "A small function does it:\n\n```rust\n/// Sum of the squares of the first `n` numbers.\n\
    fn sum_of_squares(n: u64) -> u64 {\n    (1..=n).map(|k| k * k).sum()\n}\n```\n\n\
    Call `sum_of_squares(3)` and you get 14.";

const TABLE: &str = "The planets nearest to the sun:\n\n\
    | Planet | Distance (AU) | Year (days) |\n| :-- | --: | --: |\n\
    | Mercury | 0.39 | 88 |\n| Venus | 0.72 | 225 |\n| Earth | 1.00 | 365 |\n\n\
    A year grows faster than the distance.";

const MATHS: &str = "By Kepler's third law $T^2 \\propto a^3$. With the mass $M$ of the sun:\n\n\
    $$T = 2\\pi\\sqrt{\\frac{a^3}{G M}}$$\n\nSo four times the distance takes eight times as long.";

/// A page with a number in it.
const PAGE: &str = "A page with a button:\n\n```html\n<!doctype html>\n<title>Counter</title>\n<h1>Counter {number}</h1>\n\
    <button onclick=\"this.textContent = 1 + Number(this.textContent)\">0</button>\n```\n\nPress it.";

const OPENINGS: [&str; 3] =
    ["Gladly.", "There is more than one way to say it. This is another.", "Once more, in other words."];

/// The answer to a question. Words in it choose what it shows: `code`, `table`, `maths`, `list`, `long`, `all`, `web page`. Of the documents
/// before it, the first passage is cited. The count of answers so far varies the opening, so that a regenerated answer is a different one.
#[must_use]
pub fn answer(question: &str, so_far: usize) -> String {
    let (documents, question) = question.rsplit_once("</document>").unwrap_or(("", question));
    let question = question.to_lowercase();
    let opening = OPENINGS[so_far % OPENINGS.len()];
    let asks = |words: &[&str]| words.iter().any(|word| question.contains(word));
    let mut parts = vec![opening.to_owned()];
    if asks(&["long"]) {
        for number in 1..=12 {
            parts.push(format!("## Part {number}"));
            parts.push([LIST, CODE, TABLE, MATHS][number % 4].to_owned());
        }
        return parts.join("\n\n");
    }
    let all = asks(&["all", "everything"]);
    for (words, part) in [
        (["list", "steps"], LIST),
        (["code", "function"], CODE),
        (["table", "planets"], TABLE),
        (["maths", "formula"], MATHS),
    ] {
        if all || asks(&words) {
            parts.push(part.to_owned());
        }
    }
    if asks(&["web page"]) {
        parts.push(PAGE.replace("{number}", &(so_far + 1).to_string()));
    }
    if let Some(mark) = first_mark(documents) {
        parts.push(format!("The document says so [{mark}]."));
    }
    if parts.len() == 1 {
        parts.push(
            "A red circle is to the left of a small blue square. The circle is about twice as wide.".into(),
        );
    }
    parts.join("\n\n")
}

/// What the fake engine says of the messages that it was given, where a question asks for a summary of them, in a language of the
/// page, or what it reads.
#[must_use]
pub fn of_messages(question: &str, texts: &[String]) -> Option<String> {
    let before = texts.len().saturating_sub(1);
    if ["Write a summary", "Fasse diese"].iter().any(|words| question.starts_with(words)) {
        return Some(format!("A summary of {}.", counted(before, "message")));
    }
    let first = |text: &String| text.chars().take(60).collect::<String>();
    // What would be an element stays in sight.
    let read =
        || texts[..before].iter().map(first).collect::<Vec<_>>().join(" | ").replace(['\n', '<', '>'], " ");
    question.starts_with("What do you read?").then(|| format!("I read: {}", read()))
}

/// Whether a question asks for what is said in a recording, in a language of the page.
#[must_use]
pub fn wants_transcript(question: &str) -> bool {
    ["word for word", "wörtlich"].iter().any(|words| question.contains(words))
}

/// What the fake engine hears in the recording of this number.
#[must_use]
pub fn transcript(number: usize) -> String {
    format!("This is sentence {} of the recording.", number + 1)
}

/// The numbers at the beginning of the first passage.
fn first_mark(documents: &str) -> Option<&str> {
    let mark = |line: &'_ str| line.starts_with('[') && line.contains("] ");
    let line = documents.lines().find(|line| mark(line))?;
    line[1..].split_once(']').map(|(mark, _)| mark)
}

/// Cuts a text into pieces as a tokenizer would: a word with the space before it, at most some letters long.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut length = 0;
        let end = rest.char_indices().find_map(|(index, character)| {
            length += 1;
            (index > 0 && (character == ' ' || character == '\n' || length > 7)).then_some(index)
        });
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_add_up_to_the_text() {
        for text in [answer("everything please", 0), THOUGHT.to_owned(), "é—ü\n\n".to_owned(), String::new()]
        {
            assert_eq!(tokens(&text).collect::<String>(), text);
        }
        assert!(tokens(&answer("long", 0)).count() > 300);
    }

    #[test]
    fn it_says_what_it_was_given() {
        let texts = ["Be\nbrief.", "Hello", "What do you read?"].map(str::to_owned);
        assert_eq!(of_messages(&texts[2], &texts).as_deref(), Some("I read: Be brief. | Hello"));
        assert_eq!(of_messages("Write a summary.", &texts).as_deref(), Some("A summary of 2 messages."));
        assert_eq!(of_messages("Hello", &texts), None);
    }

    #[test]
    fn recordings_are_written_down_one_after_another() {
        assert!(wants_transcript("Schreibe wörtlich auf, was gesagt wird.") && !wants_transcript("Hello"));
        assert_ne!(transcript(0), transcript(1));
    }

    #[test]
    fn words_choose_what_is_shown() {
        assert!(answer("Show me code", 0).contains("```rust"));
        assert!(answer("A table of planets", 0).contains("| Venus |"));
        assert!(answer("the formula?", 0).contains("$$"));
        assert_ne!(answer("Hello", 0), answer("Hello", 1));
        let given = "<document number=\"1\" name=\"a\">\n[1:2] page 2\nAll.\n</document>\n\nWhy?";
        assert!(answer(given, 0).ends_with("The document says so [1:2]."), "{}", answer(given, 0));
    }
}
