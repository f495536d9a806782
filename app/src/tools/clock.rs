//! The date and the time, as a model reads them.

use crate::calendar;

/// Weekdays from the first day of 1970 on.
const WEEKDAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// Returns a time, in milliseconds since 1970, as ISO 8601 with its weekday. The local time is `ahead` minutes ahead of UTC.
pub fn written(millis: u64, ahead: i64, zone: &str) -> String {
    let local = i64::try_from(millis / 1_000).unwrap_or(i64::MAX / 2) + ahead * 60;
    let (day, seconds) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    let (year, month, date) = calendar::date(day);
    let weekday = WEEKDAYS[day.rem_euclid(7) as usize];
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    let sign = if ahead < 0 { '-' } else { '+' };
    let (off_hours, off_minutes) = (ahead.abs() / 60, ahead.abs() % 60);
    format!(
        "{year:04}-{month:02}-{date:02}T{hours:02}:{minutes:02}:{:02}{sign}{off_hours:02}:{off_minutes:02}, {weekday}, {zone}",
        seconds % 60
    )
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn days_and_zones_are_right() {
        for (seconds, ahead, zone, expected) in [
            (0, 0, "UTC", "1970-01-01T00:00:00+00:00, Thursday, UTC"),
            (951_782_399, 60, "Europe/Oslo", "2000-02-29T00:59:59+01:00, Tuesday, Europe/Oslo"),
            (951_868_800, -210, "America/St_Johns", "2000-02-29T20:30:00-03:30, Tuesday, America/St_Johns"),
            (1_796_040_000, 330, "Asia/Kolkata", "2026-11-30T17:30:00+05:30, Monday, Asia/Kolkata"),
        ] {
            assert_eq!(written(seconds * 1_000, ahead, zone), expected);
        }
    }
}
