//! Formulas on lines of their own. Markdown knows nothing of them: it takes `+ 1` at the start of a line for a list.

use std::ops::Range;

/// A formula on lines of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Display {
    /// The lines it takes, the line break after the last one included.
    pub lines: Range<usize>,
    /// The LaTeX; `None` if its end is missing.
    pub formula: Option<String>,
}

/// Environments that stand without other delimiters.
const ENVIRONMENTS: [&str; 32] = [
    "equation",
    "equation*",
    "align",
    "align*",
    "aligned",
    "alignat",
    "alignat*",
    "alignedat",
    "array",
    "bmatrix",
    "Bmatrix",
    "cases",
    "CD",
    "dcases",
    "eqnarray",
    "eqnarray*",
    "flalign",
    "flalign*",
    "gather",
    "gather*",
    "gathered",
    "matrix",
    "multline",
    "multline*",
    "pmatrix",
    "rcases",
    "smallmatrix",
    "split",
    "subequations",
    "vmatrix",
    "Vmatrix",
    "displaymath",
];

/// Returns the first formula that begins a line of `text` between the offsets `from` and `to`, and ends a line, there or after
/// them. A blank line ends it in any case.
pub(super) fn find_display(text: &str, from: usize, to: usize) -> Option<Display> {
    let mut start = from;
    let mut limit = from;
    while start < to {
        let end = line_end(text, start);
        let line = &text[start..end];
        let open = start + (line.len() - line.trim_start().len());
        if let Some((opener, closer, keep)) = delimiters_of(text[open..end].trim_end()) {
            if limit <= start {
                limit = blank_line(text, start);
            }
            let inner = open + opener;
            let found = text.get(inner..limit).and_then(|rest| rest.find(closer.as_str()));
            match found.map(|found| inner + found) {
                None => return Some(Display { lines: start..limit, formula: None }),
                Some(close) => {
                    let close_end = close + closer.len();
                    let last = line_end(text, close_end);
                    let formula = if keep { &text[open..close_end] } else { &text[inner..close] }.trim();
                    // A comma or full stop behind the closing delimiter belongs to the sentence.
                    let behind = &text[close_end..last];
                    let (mark, behind) =
                        behind.split_at(behind.len() - behind.trim_start_matches(['.', ',', ';', ':']).len());
                    let alone = behind.trim().is_empty();
                    if alone || close >= end {
                        let end = if alone { last } else { close_end + mark.len() };
                        let formula = (!formula.is_empty()).then(|| format!("{formula}{mark}"));
                        return Some(Display { lines: start..end, formula });
                    }
                    // It stands within a line: the parser knows such.
                }
            }
        }
        start = end;
    }
    None
}

/// For a line that begins a formula: how long the opening delimiter is, the closing one, and whether both belong to
/// the LaTeX.
fn delimiters_of(line: &str) -> Option<(usize, String, bool)> {
    if line.starts_with("$$") {
        return Some((2, "$$".to_owned(), false));
    }
    if line.starts_with("\\[") {
        return Some((2, "\\]".to_owned(), false));
    }
    let name = line.strip_prefix("\\begin{")?.split_once('}')?.0;
    let opener = "\\begin{}".len() + name.len();
    ENVIRONMENTS.contains(&name).then(|| (opener, format!("\\end{{{name}}}"), true))
}

/// Returns where the line ends that holds the offset: behind its line break.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// Where the first blank line at or after the offset begins, or the text ends.
fn blank_line(text: &str, at: usize) -> usize {
    let mut start = at;
    while start < text.len() {
        let end = line_end(text, start);
        if text[start..end].trim().is_empty() {
            return start;
        }
        start = end;
    }
    text.len()
}
