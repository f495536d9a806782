//! Numbers as a person reads them. Units are decimal (1 GB = 10⁹ bytes), as file managers and shops count.

/// Bytes: `512 B`, `13.7 MB`, `7.2 GB`.
#[must_use]
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1000.0;
    let mut unit = 0;
    // 999.95 would print as "1000.0".
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if value >= 99.95 { format!("{value:.0} {}", UNITS[unit]) } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// Bytes in whole units, one unit smaller than [`bytes`] takes: `4,030 MB`. For amounts that differ by little.
#[must_use]
pub fn bytes_exactly(amount: u64) -> String {
    match amount {
        0..1_000_000 => format!("{} B", count(amount)),
        1_000_000..1_000_000_000 => format!("{} kB", count(amount / 1_000)),
        _ => format!("{} MB", count(amount / 1_000_000)),
    }
}

/// Two amounts of one thing, in the unit of the larger: `1.2 of 3.3 GB`.
#[must_use]
pub fn bytes_of(done: u64, total: u64) -> String {
    let whole = bytes(total);
    let Some((_, unit)) = whole.split_once(' ') else { return format!("{} of {whole}", bytes(done)) };
    let scale = match unit {
        "kB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        _ => 1.0,
    };
    let digits = usize::from(unit != "B" && total as f64 / scale < 99.95);
    format!("{:.digits$} of {whole}", done as f64 / scale)
}

/// A count with thin spaces between groups of three digits: `8 192`.
#[must_use]
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 * 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A count of something with its noun: `1 file`, `2 files`.
#[must_use]
pub fn counted(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

/// A length of time: `0.4 s`, `12 s`, `3 min 5 s`, `1 h 2 min`.
#[must_use]
pub fn seconds(value: f64) -> String {
    if !value.is_finite() || value < 0.0 {
        return "?".into();
    }
    if value < 9.95 {
        return format!("{value:.1} s");
    }
    let whole = value.round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => match whole % 60 {
            0 => format!("{} min", whole / 60),
            rest => format!("{} min {rest} s", whole / 60),
        },
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A time in a sound or a video: `0:07`, `12:40`, `1:02:03`.
#[must_use]
pub fn clock(millis: u64) -> String {
    let seconds = millis / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// A length of time in whole units, for sentences: `1 s` at least.
#[must_use]
pub fn whole_seconds(value: f64) -> String {
    let whole = value.max(1.0).round();
    if whole < 10.0 { format!("{whole} s") } else { seconds(whole) }
}

/// Parts of a whole in percent, never above 100; none when the whole is not known.
#[must_use]
pub fn percent(done: u64, total: u64) -> Option<u32> {
    (total > 0).then(|| (done.min(total) as f64 * 100.0 / total as f64).floor() as u32)
}

/// Seconds that the rest takes at this rate; none when the rate is not known.
#[must_use]
pub fn time_left(done: u64, total: u64, rate: f64) -> Option<f64> {
    (rate > 0.0 && total > 0).then(|| total.saturating_sub(done) as f64 / rate)
}

/// Tokens a second: `1 038 tok/s`, `38 tok/s`, `2.4 tok/s`.
#[must_use]
pub fn rate(tokens_per_second: f64) -> String {
    if tokens_per_second >= 9.95 {
        format!("{} tok/s", count(tokens_per_second.round() as u64))
    } else {
        format!("{tokens_per_second:.1} tok/s")
    }
}

/// The first characters of a digest, without its algorithm.
#[must_use]
pub fn short_digest(digest: &str) -> &str {
    let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
    hex.get(..12).unwrap_or(hex)
}

/// A setting's number without needless zeros: `1`, `0.95`.
#[must_use]
pub fn decimal(value: f32) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" { "0".into() } else { text.into() }
}

/// The same words with a capital letter first.
#[must_use]
pub fn sentence_case(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}", letters.as_str())
}

#[cfg(test)]
mod tests {
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
    fn counts_are_grouped() {
        assert_eq!(count(192), "192");
        assert_eq!(count(8192), "8\u{202f}192");
        assert_eq!(count(262_144), "262\u{202f}144");
        assert_eq!(count(1_000_000), "1\u{202f}000\u{202f}000");
        assert_eq!(counted(1, "message", "messages"), "1 message");
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
