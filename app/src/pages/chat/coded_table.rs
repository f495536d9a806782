//! Comma-separated values as a table.

use leptos::prelude::*;

use crate::language::t;

/// Most rows that are shown: a browser takes long to lay out many more.
const MOST_ROWS: usize = 500;

/// The table.
#[component]
pub fn Table(text: Signal<String>) -> impl IntoView {
    let rows = Memo::new(move |_| text.with(|text| rows(text)));
    let cells =
        |row: &Vec<String>| row.iter().map(|cell| view! { <td>{cell.clone()}</td> }).collect::<Vec<_>>();
    move || {
        rows.with(|rows| {
            let (head, body) = rows.split_first()?;
            let head: Vec<_> =
                head.iter().map(|cell| view! { <th scope="col">{cell.clone()}</th> }).collect();
            let shown = body.len().min(MOST_ROWS);
            let lines: Vec<_> = body[..shown].iter().map(|row| view! { <tr>{cells(row)}</tr> }).collect();
            let (shown, all) = (shown as u64, body.len() as u64);
            Some(view! {
                // Focusable, so that the keyboard can scroll it.
                <div class="table-scroll" tabindex="0" role="group" aria-label=t().code_table() dir="auto">
                    <table>
                        <thead>
                            <tr>{head}</tr>
                        </thead>
                        <tbody>{lines}</tbody>
                    </table>
                </div>
                {(shown < all).then(|| view! { <p class="coded-note muted numbers">{t().coded_rows(shown, all)}</p> })}
            })
        })
    }
}

/// Returns the cells of each line that isn't empty (RFC 4180). What separates them is the one of comma, semicolon and tab of which
/// the first line has most.
fn rows(text: &str) -> Vec<Vec<String>> {
    let first = text.lines().next().unwrap_or_default();
    let count = |mark: char| first.matches(mark).count();
    let separator =
        [';', '\t'].into_iter().fold(',', |most, mark| if count(mark) > count(most) { mark } else { most });
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if cell.is_empty() => quoted = true,
            letter if quoted => cell.push(letter),
            '\r' => {}
            '\n' => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            letter if letter == separator => row.push(std::mem::take(&mut cell)),
            letter => cell.push(letter),
        }
    }
    row.push(cell);
    rows.push(row);
    rows.retain(|row| row.iter().any(|cell| !cell.trim().is_empty()));
    rows
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn cells_are_separated_and_may_be_quoted() {
        for (text, expected) in [
            ("a,b\n1,2", vec![vec!["a", "b"], vec!["1", "2"]]),
            ("a;b;c\r\n1,5;2;\"x;\ny\"\r\n\r\n", vec![vec!["a", "b", "c"], vec!["1,5", "2", "x;\ny"]]),
            ("a\tb\n\"say \"\"hi\"\"\"\t", vec![vec!["a", "b"], vec!["say \"hi\"", ""]]),
            ("5\" pipe,2", vec![vec!["5\" pipe", "2"]]),
            ("\"open", vec![vec!["open"]]),
            ("", vec![]),
        ] {
            assert_eq!(rows(text), expected, "{text:?}");
        }
    }
}
