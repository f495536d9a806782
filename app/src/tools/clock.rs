//! The date and the time, as a model reads them.

/// Weekdays from the first day of 1970 on.
const WEEKDAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// Returns a time, in milliseconds since 1970, as ISO 8601 with its weekday. The local time is `ahead` minutes ahead of UTC.
pub fn written(millis: u64, ahead: i64, zone: &str) -> String {
    let local = i64::try_from(millis / 1_000).unwrap_or(i64::MAX / 2) + ahead * 60;
    let (day, seconds) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    let (year, month, date) = civil(day);
    let weekday = WEEKDAYS[day.rem_euclid(7) as usize];
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    let sign = if ahead < 0 { '-' } else { '+' };
    let (off_hours, off_minutes) = (ahead.abs() / 60, ahead.abs() % 60);
    format!(
        "{year:04}-{month:02}-{date:02}T{hours:02}:{minutes:02}:{:02}{sign}{off_hours:02}:{off_minutes:02}, {weekday}, {zone}",
        seconds % 60
    )
}

/// Year, month and day of a number of days since the first of 1970. Years begin in March here, so that a leap day is the last of
/// its year.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, date)
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
