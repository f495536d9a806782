//! Numbers as the user reads them. Units are decimal (1 GB = 10⁹ bytes), as file managers and shops count.

use crate::language::{Language, intl, t};

/// Returns a number with exactly so many digits behind the decimal mark, as the language writes it.
#[must_use]
pub fn number(value: f64, digits: usize) -> String {
    intl::number(Language::now(), value, digits)
}

/// Stands where a text is cut. A model reads it.
pub const CUT: &str = " … [cut]";

/// Returns at most so many characters of a text, and [`CUT`] if there are more.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}{CUT}", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns bytes: `512 B`, `13.7 MB`, `7.2 GB`.
#[must_use]
pub fn bytes(count: u64) -> String {
    let unit = byte_unit(count);
    in_unit(unit, &number(count as f64 / scale(unit), digits(count, unit)))
}

/// Returns bytes in whole units, one unit smaller than [`bytes`] takes: `4,030 MB`. For amounts that differ by little.
#[must_use]
pub fn bytes_exactly(amount: u64) -> String {
    match amount {
        0..1_000_000 => in_unit(0, &count(amount)),
        1_000_000..1_000_000_000 => in_unit(1, &count(amount / 1_000)),
        _ => in_unit(2, &count(amount / 1_000_000)),
    }
}

/// Returns two amounts of one thing, in the unit of the larger: `1.2 of 3.3 GB`.
#[must_use]
pub fn bytes_of(done: u64, total: u64) -> String {
    let unit = byte_unit(total);
    let part = number(done as f64 / scale(unit), digits(total, unit));
    t().amount_of(&part, &bytes(total))
}

/// The power of a thousand in which so many bytes have at most three digits.
fn byte_unit(count: u64) -> usize {
    if count < 1000 {
        return 0;
    }
    // 999.95 would print as "1000.0".
    (1..4).find(|unit| count as f64 / scale(*unit) < 999.95).unwrap_or(4)
}

fn scale(unit: usize) -> f64 {
    [1.0, 1e3, 1e6, 1e9, 1e12][unit]
}

fn digits(count: u64, unit: usize) -> usize {
    usize::from(unit > 0 && count as f64 / scale(unit) < 99.95)
}

fn in_unit(unit: usize, number: &str) -> String {
    match unit {
        0 => t().unit_b(number),
        1 => t().unit_kb(number),
        2 => t().unit_mb(number),
        3 => t().unit_gb(number),
        _ => t().unit_tb(number),
    }
}

/// Returns a count: `8,192`.
#[must_use]
pub fn count(value: u64) -> String {
    number(value as f64, 0)
}

/// Returns a number of parameters as a list of models has it (`12.6M`), as the language writes it. What is none stays as it is.
#[must_use]
pub fn parameters(text: &str) -> String {
    let known = text.char_indices().last().and_then(|(at, unit)| {
        let (number, unit) = (&text[..at], unit.to_ascii_uppercase());
        let digits = number.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let value: f64 = number.parse().ok().filter(|value: &f64| value.is_finite())?;
        let number = self::number(value, digits.min(3));
        Some(match unit {
            'K' => t().count_thousand(&number),
            'M' => t().count_million(&number),
            'B' => t().count_billion(&number),
            _ => return None,
        })
    });
    known.unwrap_or_else(|| text.to_owned())
}

/// Returns a length of time: `0.4 s`, `12 s`, `3 min 5 s`, `1 h 2 min`.
#[must_use]
pub fn seconds(value: f64) -> String {
    if !value.is_finite() || value < 0.0 {
        return "?".into();
    }
    if value < 9.95 {
        return t().unit_s(&number(value, 1));
    }
    let whole = value.round() as u64;
    match whole {
        0..60 => t().unit_s(&count(whole)),
        60..3600 => match whole % 60 {
            0 => t().unit_min(&count(whole / 60)),
            rest => t().time_min_s(&count(whole / 60), &count(rest)),
        },
        _ => t().time_h_min(&count(whole / 3600), &count(whole % 3600 / 60)),
    }
}

/// Returns a time in a sound or a video: `0:07`, `12:40`, `1:02:03`.
#[must_use]
pub fn clock(millis: u64) -> String {
    let seconds = millis / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// Returns a length of time in whole units, for sentences: `1 s` at least.
#[must_use]
pub fn whole_seconds(value: f64) -> String {
    let whole = value.max(1.0).round();
    if whole < 10.0 { t().unit_s(&number(whole, 0)) } else { seconds(whole) }
}

/// Parts of a whole in percent, never above 100; `None` if the whole is not known.
#[must_use]
pub fn percent(done: u64, total: u64) -> Option<u32> {
    (total > 0).then(|| (done.min(total) as f64 * 100.0 / total as f64).floor() as u32)
}

/// Seconds that the rest takes at this rate; `None` if the rate is not known.
#[must_use]
pub fn time_left(done: u64, total: u64, rate: f64) -> Option<f64> {
    (rate > 0.0 && total > 0).then(|| total.saturating_sub(done) as f64 / rate)
}

/// Returns a part of a whole: `14%`.
#[must_use]
pub fn percent_of(done: u64, total: u64) -> Option<String> {
    percent(done, total).map(|value| t().unit_percent(&count(value.into())))
}

/// Tokens a second: `1,038 tok/s`, `38 tok/s`, `2.4 tok/s`.
#[must_use]
pub fn rate(tokens_per_second: f64) -> String {
    t().unit_rate(&number(tokens_per_second, usize::from(tokens_per_second < 9.95)))
}

/// Returns the first characters of a digest, without its algorithm.
#[must_use]
pub fn short_digest(digest: &str) -> &str {
    let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
    hex.get(..12).unwrap_or(hex)
}

/// Returns a number with the digits that it has, of which floating-point arithmetic has most: `1,234.5`, `0.3`, `1e-7`.
#[must_use]
pub fn amount(value: f64) -> String {
    // Sixteen digits would show how 0.1 + 0.2 is stored.
    let rounded = format!("{value:.11e}").parse().unwrap_or(value);
    match rounded {
        0.0 => setting(0.0),
        rounded if (1e-4..1e15).contains(&rounded.abs()) => setting(rounded),
        rounded => format!("{rounded:e}"),
    }
}

/// Returns a setting's number without needless zeros: `1`, `0.95`.
#[must_use]
pub fn decimal(value: f32) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" { "0".into() } else { text.into() }
}

/// Returns a number that the user set, with as many digits as it has: `262,144`, `0.05`.
#[must_use]
pub fn setting(value: f64) -> String {
    let digits = value.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len());
    // Older browsers write no more.
    number(value, digits.min(20))
}

/// Returns the same for a number that is text already; what is none stays as it is.
#[must_use]
pub fn setting_of(text: &str) -> String {
    text.parse().map_or_else(|_| text.to_owned(), setting)
}

#[cfg(test)]
mod tests {
    use leptos::prelude::*;

    use super::*;

    #[test]
    fn bytes_change_unit_before_four_digits() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_000), "1.0 kB");
        assert_eq!(bytes(13_661_216), "13.7 MB");
        assert_eq!(bytes(999_960_000), "1.0 GB");
        assert_eq!(bytes(7_162_394_016), "7.2 GB");
        assert_eq!(bytes(640_000_000), "640 MB");
    }

    #[test]
    fn parts_share_the_unit_of_the_whole() {
        assert_eq!(bytes_of(1_200_000_000, 3_300_000_000), "1.2 of 3.3 GB");
        assert_eq!(bytes_of(40_000_000, 640_000_000), "40 of 640 MB");
        assert_eq!(bytes_of(3, 12), "3 of 12 B");
    }

    #[test]
    fn amounts_have_the_digits_that_matter() {
        let amounts = [0.1 + 0.2, 1234.5, 0.0, -0.0, 1e-7, 1e100, -2.0].map(amount);
        assert_eq!(amounts, ["0.3", "1,234.5", "0", "0", "1e-7", "1e100", "-2"]);
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!(count(192), "192");
        assert_eq!(count(8192), "8,192");
        assert_eq!(count(262_144), "262,144");
        assert_eq!(count(1_000_000), "1,000,000");
    }

    #[test]
    fn times_round_where_a_person_would() {
        assert_eq!(seconds(0.42), "0.4 s");
        assert_eq!(seconds(9.96), "10 s");
        assert_eq!(seconds(59.7), "1 min");
        assert_eq!(seconds(185.0), "3 min 5 s");
        assert_eq!(seconds(3725.0), "1 h 2 min");
        assert_eq!(seconds(f64::INFINITY), "?");
        assert_eq!(whole_seconds(0.2), "1 s");
        assert_eq!(whole_seconds(3.4), "3 s");
        assert_eq!(whole_seconds(64.0), "1 min 4 s");
    }

    #[test]
    fn parameters_are_written_as_the_language_does() {
        let all = ["12.6M", "5.1B", "40.0K", "7B", "E2B", "8x7B", "", "M", "12", "é"];
        let english = ["12.6M", "5.1B", "40.0K", "7B", "E2B", "8x7B", "", "M", "12", "é"];
        assert_eq!(all.map(parameters), english);
        let german = ["12,6 Mio.", "5,1 Mrd.", "40,0 Tsd.", "7 Mrd.", "E2B", "8x7B", "", "M", "12", "é"];
        Owner::new().with(|| {
            provide_context(Language::of_tag("de").expect("there is German"));
            assert_eq!(all.map(parameters), german);
        });
    }

    #[test]
    fn percent_needs_a_whole_and_stays_within_it() {
        assert_eq!(percent(1, 0), None);
        assert_eq!(percent(1, 3), Some(33));
        assert_eq!(percent(5, 3), Some(100));
        assert_eq!(time_left(1_000, 3_000, 500.0), Some(4.0));
        assert_eq!(time_left(1_000, 3_000, 0.0), None);
    }

    #[test]
    fn settings_lose_needless_zeros() {
        assert_eq!(decimal(1.0), "1");
        assert_eq!(decimal(0.95), "0.95");
        assert_eq!(decimal(0.0), "0");
        assert_eq!(decimal(64.0), "64");
    }

    #[test]
    fn digests_are_cut_but_never_panic() {
        assert_eq!(short_digest("sha256:03c6df96837eb22c"), "03c6df96837e");
        assert_eq!(short_digest(""), "");
    }
}
