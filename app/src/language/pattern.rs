//! Fills in the arguments of a message. The build script writes the patterns that are read here.

use super::{Language, intl};

/// What a message is filled with.
#[derive(Clone, Copy)]
pub enum Argument<'a> {
    /// Text as it is.
    Text(&'a str),
    /// A count, which is written as the language does, and has a plural category.
    Number(u64),
}

const CHOICE: char = '\u{e}';
const KEY: char = '\u{f}';
const VARIANT: char = '\u{10}';
const END: char = '\u{11}';

/// Returns the pattern with its arguments in place.
pub fn fill(language: Language, pattern: &str, arguments: &[Argument<'_>]) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    fill_into(&mut out, language, pattern, arguments);
    out
}

fn fill_into(out: &mut String, language: Language, mut pattern: &str, arguments: &[Argument<'_>]) {
    while let Some(at) = pattern.find(|it: char| it <= CHOICE && it != '\n') {
        let (text, rest) = pattern.split_at(at);
        out.push_str(text);
        if let Some(choice) = rest.strip_prefix(CHOICE) {
            let (choice, after) = choice.split_once(END).unwrap_or((choice, ""));
            let (argument, variants) = choice.split_at(1);
            fill_into(out, language, chosen(language, argument_of(argument, arguments), variants), arguments);
            pattern = after;
        } else {
            match argument_of(rest, arguments) {
                Some(Argument::Text(text)) => out.push_str(text),
                Some(Argument::Number(number)) => out.push_str(&intl::number(language, number as f64, 0)),
                None => {}
            }
            pattern = &rest[1..];
        }
    }
    out.push_str(pattern);
}

/// The argument that the first character names, counted from 1.
fn argument_of<'a>(pattern: &str, arguments: &[Argument<'a>]) -> Option<Argument<'a>> {
    arguments.get(usize::from(pattern.bytes().next()?).checked_sub(1)?).copied()
}

/// The text of the variant that fits: a number itself before its plural category before the default.
fn chosen<'a>(language: Language, argument: Option<Argument<'_>>, variants: &'a str) -> &'a str {
    let parts = || variants.split_terminator(VARIANT).filter_map(|variant| variant.split_once(KEY));
    let of =
        |wanted: &str| parts().find(|(key, _)| key.trim_start_matches('*') == wanted).map(|(_, text)| text);
    let fitting = match argument {
        Some(Argument::Number(number)) => {
            of(&number.to_string()).or_else(|| of(&intl::plural(language, number)))
        }
        Some(Argument::Text(text)) => of(text),
        None => None,
    };
    let default = || parts().find(|(key, _)| key.starts_with('*')).map(|(_, text)| text);
    fitting.or_else(default).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_variants_are_filled_in() {
        let pattern = "\u{e}\u{1}0\u{f}Nothing in \u{2}.\u{10}one\u{f}One in \u{2}.\u{10}*other\u{f}\u{1} in \u{2}.\u{10}\u{11} Ok?";
        let filled =
            |count| fill(Language::default(), pattern, &[Argument::Number(count), Argument::Text("a box")]);
        assert_eq!(filled(0), "Nothing in a box. Ok?");
        assert_eq!(filled(1), "One in a box. Ok?");
        assert_eq!(filled(2048), "2,048 in a box. Ok?");
    }

    #[test]
    fn variants_are_chosen_by_words() {
        let pattern = "\u{e}\u{1}sound\u{f}Play\u{10}*picture\u{f}Show\u{10}\u{11}";
        assert_eq!(fill(Language::default(), pattern, &[Argument::Text("sound")]), "Play");
        assert_eq!(fill(Language::default(), pattern, &[Argument::Text("new")]), "Show");
    }
}
