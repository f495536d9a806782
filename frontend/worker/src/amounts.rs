//! Amounts in sentences. Units are decimal (1 GB = 10⁹ bytes), as in the page.

/// Bytes: `512 B`, `13.7 MB`, `4 GB`.
pub fn bytes(count: u64) -> String {
    with_digits(count, 1)
}

/// Two amounts that are compared: with as many digits as tell them apart.
pub fn compared(a: u64, b: u64) -> (String, String) {
    let mut pair = (bytes(a), bytes(b));
    for digits in 2..=6 {
        if a == b || pair.0 != pair.1 {
            break;
        }
        pair = (with_digits(a, digits), with_digits(b, digits));
    }
    pair
}

fn with_digits(count: u64, digits: usize) -> String {
    const UNITS: [&str; 3] = ["kB", "MB", "GB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1000.0;
    let mut unit = 0;
    // 999.95 would print as 1000.0.
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = if value >= 99.95 && digits == 1 { 0 } else { digits };
    let number = format!("{value:.digits$}");
    let number = match number.split_once('.') {
        Some(_) => number.trim_end_matches('0').trim_end_matches('.'),
        None => &number,
    };
    format!("{number} {}", UNITS[unit])
}

/// A count with narrow spaces between groups of three digits: `8 192`.
pub fn count(value: u32) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + 9);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_short() {
        for (count, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1 kB"),
            (13_661_216, "13.7 MB"),
            (999_960_000, "1 GB"),
            (4_000_000_000, "4 GB"),
            (6_130_000_000, "6.1 GB"),
            (120_400_000_000, "120 GB"),
            (2_000_000_000_000, "2000 GB"),
        ] {
            assert_eq!(bytes(count), text);
        }
        assert_eq!(count(512), "512");
        assert_eq!(count(131_072), "131\u{202f}072");
    }

    #[test]
    fn amounts_that_are_compared_differ() {
        assert_eq!(compared(6_130_000_000, 4_000_000_000), ("6.1 GB".into(), "4 GB".into()));
        assert_eq!(compared(4_030_000_000, 4_000_000_000), ("4.03 GB".into(), "4 GB".into()));
        assert_eq!(compared(7, 7), ("7 B".into(), "7 B".into()));
    }
}
