//! Times as other programs write them, in milliseconds since 1970.

use serde_json::Value;

use crate::calendar;

/// The last time that is believed: the end of the year 2100.
const LATEST: u64 = 4_133_980_799_999;

/// A number of seconds; 0 if it is none.
pub(super) fn of_seconds(value: &Value) -> u64 {
    bounded(value.as_f64().unwrap_or_default() * 1000.0)
}

/// A number of milliseconds; 0 if it is none.
pub(super) fn of_millis(value: &Value) -> u64 {
    bounded(value.as_f64().unwrap_or_default())
}

/// A date such as `2024-01-31T12:00:00.123456Z` or `…+02:00`; 0 if it is none.
pub(super) fn of_text(value: &Value) -> u64 {
    value.as_str().and_then(parse).map_or(0, |millis| bounded(millis as f64))
}

fn bounded(millis: f64) -> u64 {
    // What is no number becomes 0.
    (millis.round() as u64).min(LATEST)
}

fn parse(text: &str) -> Option<i64> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let rest = text.get(19..)?;
    let digits = rest.strip_prefix('.').map_or("", |rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        &rest[..end]
    });
    let millis = format!("{digits:0<3}").get(..3)?.parse::<i64>().ok()?;
    let zone = rest.trim_start_matches('.').trim_start_matches(|c: char| c.is_ascii_digit());
    let offset = match zone.get(..1) {
        None | Some("Z") => 0,
        Some(sign @ ("+" | "-")) => {
            let minutes = zone.get(1..3)?.parse::<i64>().ok()? * 60 + zone.get(4..6)?.parse::<i64>().ok()?;
            if sign == "-" { -minutes } else { minutes }
        }
        Some(_) => return None,
    };
    let seconds = calendar::days(year, month, day) * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
    Some(seconds * 1000 + millis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn dates_are_read() {
        assert_eq!(of_text(&json!("1970-01-01T00:00:00Z")), 0);
        assert_eq!(of_text(&json!("2024-02-29T12:30:15.5Z")), 1_709_209_815_500);
        assert_eq!(of_text(&json!("2024-02-29T12:30:15.123456+02:00")), 1_709_202_615_123);
        assert_eq!(of_text(&json!("2000-03-01T00:00:00-00:30")), 951_870_600_000);
        for none in
            [json!(null), json!(""), json!("2024"), json!("2024-02-29T12:30:15x"), json!(7), json!("ä")]
        {
            assert_eq!(of_text(&none), 0, "{none}");
        }
    }

    #[test]
    fn numbers_are_bounded() {
        assert_eq!(of_seconds(&json!(1_700_000_000.25)), 1_700_000_000_250);
        assert_eq!(of_seconds(&json!(-1)), 0);
        assert_eq!(of_seconds(&json!("1")), 0);
        assert_eq!(of_millis(&json!(1e300)), LATEST);
    }
}
