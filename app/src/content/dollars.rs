//! Which dollar signs delimit formulas, and which are money, shell variables or plain text.

use std::ops::Range;

use super::flanking::is_cjk;

/// Where code stands, in order.
#[derive(Debug, Default)]
pub(super) struct Code(pub Vec<Range<usize>>);

impl Code {
    /// Returns the code around an offset, or the next after it.
    pub(super) fn at_or_after(&self, at: usize) -> Option<&Range<usize>> {
        self.0.get(self.0.partition_point(|range| range.end <= at))
    }

    /// Returns where the code ends that an offset is in; `None` if it is in none.
    pub(super) fn end_around(&self, at: usize) -> Option<usize> {
        self.at_or_after(at).filter(|range| range.contains(&at)).map(|range| range.end)
    }
}

/// Returns how many dollar signs stand at an offset.
pub(super) fn run(text: &str, at: usize) -> usize {
    text.as_bytes()[at..].iter().take_while(|byte| **byte == b'$').count()
}

/// Returns what stands in the formula that the dollar signs at an offset begin; `None` if they begin none.
pub(super) fn formula(text: &str, at: usize, code: &Code) -> Option<Range<usize>> {
    let length = run(text, at);
    let begin = at + length;
    if length > 2 || (length == 1 && text[begin..].starts_with(char::is_whitespace)) {
        return None;
    }
    let end = next_dollar(text, begin, code)?;
    let closing = run(text, end);
    if closing > 2 || closing < length || code.at_or_after(begin).is_some_and(|range| range.start < end) {
        // GitHub's way to write a formula.
        let range = code.at_or_after(begin)?;
        let quoted = length == 1 && closing == 1 && *range == (begin..end);
        return quoted.then_some(begin..end);
    }
    let inner = &text[begin..end];
    let before = text[..at].chars().next_back();
    let after = &text[end + length..];
    let spaced = length == 1 && inner.ends_with(char::is_whitespace);
    (!spaced && is_formula(before, inner, after)).then_some(begin..end)
}

/// The next dollar sign that is neither escaped nor in code.
fn next_dollar(text: &str, from: usize, code: &Code) -> Option<usize> {
    let mut at = from;
    loop {
        let found = at + text.get(at..)?.find(['$', '\\'])?;
        if let Some(end) = code.end_around(found) {
            at = end;
        } else if text[found..].starts_with('$') {
            return Some(found);
        } else {
            at = found + 1 + text[found + 1..].chars().next().map_or(0, char::len_utf8);
        }
    }
}

/// Whether what stands between dollar signs is a formula, and not text between two of them.
fn is_formula(before: Option<char>, inner: &str, after: &str) -> bool {
    let digit_after = after.strip_prefix('.').unwrap_or(after).starts_with(|c: char| c.is_ascii_digit());
    // `US$5 or US$6`, `$5-$10`.
    if before.is_some_and(|c| c.is_ascii_alphanumeric()) || digit_after {
        return false;
    }
    // `$MIN-$MAX`, `?a=$x&b=$y`
    if after.starts_with(|c: char| c.is_ascii_alphabetic())
        && inner.ends_with(['-', '–', '—', '~', '/', '=', ':', ','])
    {
        return false;
    }
    if inner.trim().is_empty() || inner.trim() == "|" || begins_anew(inner) || ends_with_opener(inner) {
        return false;
    }
    !is_amount_and_words(inner)
}

/// Whether a line of it is blank or begins a block of its own.
fn begins_anew(inner: &str) -> bool {
    // The closing delimiter may have a line of its own.
    let inner = inner.trim_end_matches(|c: char| c.is_whitespace() || c == '>');
    inner.lines().skip(1).any(|line| {
        let line = line.trim_start_matches([' ', '\t', '>']);
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = digits.len() < line.len() && digits.starts_with([')', '.']);
        let marked = ["- ", "* ", "+ ", "# ", "## ", "### ", "```", "~~~", "| "];
        line.is_empty() || numbered || marked.iter().any(|mark| line.starts_with(mark))
    })
}

/// Whether it ends with what opens something behind it: `a** and **`, `a" or "`, `a (`.
fn ends_with_opener(inner: &str) -> bool {
    let before = inner.trim_end_matches(['*', '_', '~', '"', '\'', '“', '‘', '„', '(', '[']);
    before.len() < inner.len() && before.ends_with(char::is_whitespace)
}

/// `5 and 10`, `1,000 a month`, `5**/**`: a number, and words. A formula such as `2 x` or `3 \cdot 4` has none.
fn is_amount_and_words(inner: &str) -> bool {
    let rest = inner.trim_start_matches(|c: char| c.is_ascii_digit() || ".,".contains(c));
    if rest.len() == inner.len() || !inner.contains(|c: char| c.is_ascii_digit()) || inner.contains('\\') {
        return false;
    }
    let is_word = |word: &str| {
        let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
        word.chars().count() >= 2 && word.chars().all(char::is_alphabetic) && !FUNCTIONS.contains(&word)
    };
    let glued = rest.split_whitespace().next().is_some_and(|word| rest.starts_with(word));
    let mut words = rest.split_whitespace().skip(usize::from(glued));
    let closes = rest.starts_with(['*', '_', '~', ')', ']']) && rest.ends_with(['*', '_', '~', '(', '[']);
    words.any(is_word) || rest.chars().any(is_cjk) || (closes && rest.len() > 1)
}

/// Words that formulas have.
const FUNCTIONS: [&str; 10] = ["mod", "sin", "cos", "tan", "log", "ln", "exp", "max", "min", "gcd"];

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with the formulas found in it in brackets.
    fn found(text: &str) -> String {
        let (mut shown, mut at) = (String::new(), 0);
        while let Some(dollar) = text[at..].find('$').map(|dollar| dollar + at) {
            shown.push_str(&text[at..dollar]);
            let length = run(text, dollar);
            match formula(text, dollar, &Code::default()) {
                Some(range) => {
                    shown.push_str(&format!("[{}]", &text[range.clone()]));
                    at = range.end + length;
                }
                None => {
                    shown.push_str(&text[dollar..dollar + length]);
                    at = dollar + length;
                }
            }
        }
        shown + &text[at..]
    }

    #[test]
    fn money_and_variables_are_no_formulas() {
        for text in [
            "pay **$1.50** for a bundle, and **$2.00** later",
            "**$1,000** – **$2,000**",
            "*$5*/*$x*",
            "$5/month, or $50/year; US$5, A$6, R$ 10",
            "$1k to $2k, $1M–$2M, $.50-$.75",
            "[$5](https://a.b) or [$x](https://a.b)",
            "between 5$ and 6$",
            "$5、又は6$",
            "$100元，而不是200$",
            "($foo) and ($bar), \"$a\" and \"$b\"",
            "**$foo** and **$bar**",
            "$HOME/$USER:$PATH",
            "https://a.b/?a=$x&b=$y",
            "$, $$, $$$ and $$$$",
            "| $ | $$ | $$ |",
            "$5 each\n- and 6$",
            "$$5 and $$6",
            "$5",
        ] {
            assert_eq!(found(text), text);
        }
    }

    #[test]
    fn formulas_are_found_beside_them() {
        for (text, expected) in [
            ("It costs $5 and the slope is $m=2$ here", "It costs $5 and the slope is [m=2] here"),
            ("$5$ and $6$, $5$-$10$", "[5] and [6], [5]-[10]"),
            ("设$x$为实数，则$x^2$。", "设[x]为实数，则[x^2]。"),
            ("the $n$th, $x$$y$", "the [n]th, [x][y]"),
            ("($x$) \"$y$\" **$z$**", "([x]) \"[y]\" **[z]**"),
            ("$2ab$, $2 x$, $7 mod 3$, $2\\text{ kg each}$", "[2ab], [2 x], [7 mod 3], [2\\text{ kg each}]"),
            ("$$ x $$ and $$y$$", "[ x ] and [y]"),
            ("$\\text{Price} = \\$5$ then", "[\\text{Price} = \\$5] then"),
        ] {
            assert_eq!(found(text), expected);
        }
    }
}
