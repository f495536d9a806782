//! What [`Intl`] does in a browser, for what the server renders and for tests. How a language separates digits is in its file.
//!
//! [`Intl`]: https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Intl

use super::{Language, Text};

/// Returns a number with exactly so many digits behind the decimal mark.
pub fn number(language: Language, value: f64, digits: usize) -> String {
    let text = Text(language);
    let plain = format!("{:.digits$}", value.abs());
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let mut out = String::with_capacity(plain.len() * 2);
    if value < 0.0 && plain.contains(|digit| matches!(digit, '1'..='9')) {
        out.push('-');
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push_str(text.number_group());
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push_str(text.number_decimal());
        out.push_str(fraction);
    }
    out
}

/// Returns the plural category: the server renders no counts for which a language has more than two.
pub fn plural(_language: Language, value: u64) -> String {
    if value == 1 { "one".into() } else { "other".into() }
}

/// Nobody's calendar is known here.
pub fn date_time(_language: Language, _milliseconds: f64) -> String {
    String::new()
}
