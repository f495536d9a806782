//! The Gregorian calendar. Years begin in March here, so that a leap day is the last of its year.

/// Days from the first of March of the year 0 to the first of 1970.
const TO_1970: i64 = 719_468;

/// Returns the days since the first of 1970. A month is one of 1 to 12, a day counts from 1.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // Five months from March, and from August, have 153 days.
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - TO_1970
}

/// Returns the year, the month and the day of a number of days since the first of 1970: the inverse of [`days`].
pub fn date(days: i64) -> (i64, i64, i64) {
    let days = days + TO_1970;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_date_and_its_days_are_each_others_inverse(of in -2_000_000..2_000_000_i64) {
            let (year, month, day) = date(of);
            prop_assert!((1..=12).contains(&month) && (1..=31).contains(&day));
            prop_assert_eq!(days(year, month, day), of);
            prop_assert!(date(of - 1) < (year, month, day));
        }
    }
}
