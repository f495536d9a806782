//! Conversations by day, as the user's calendar has it.

use crate::language::t;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// How long ago something was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    /// Since midnight.
    Today,
    /// In the day before.
    Yesterday,
    /// In the five days before that.
    Week,
    /// Before.
    Earlier,
}

impl Age {
    /// The heading of the group.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Today => t().age_today(),
            Self::Yesterday => t().age_yesterday(),
            Self::Week => t().age_week(),
            Self::Earlier => t().age_earlier(),
        }
    }
}

/// How long ago `then` was, both in milliseconds since 1970. `offset` is what a browser gives: the minutes that local
/// time is behind universal time.
#[must_use]
pub fn age(then: u64, now: u64, offset: i32) -> Age {
    match day(now, offset) - day(then, offset) {
        i64::MIN..=0 => Age::Today,
        1 => Age::Yesterday,
        2..7 => Age::Week,
        _ => Age::Earlier,
    }
}

/// The number of the day that a time is in. `offset` is as for [`age`].
#[must_use]
pub fn day(time: u64, offset: i32) -> i64 {
    (i64::try_from(time).unwrap_or(i64::MAX) - i64::from(offset) * 60_000).div_euclid(DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000;
    /// 20 November 2026, 01:00 universal time.
    const NOW: u64 = 1_795_136_400_000;

    #[test]
    fn a_day_begins_at_the_persons_midnight() {
        // 23 hours later it is still the same day where it was 01:00, and the next one in Berlin.
        assert_eq!(day(NOW, 0), day(NOW + 23 * HOUR - 1, 0));
        assert_eq!(day(NOW, 0) + 1, day(NOW + 23 * HOUR, 0));
        assert_eq!(day(NOW, -60) + 1, day(NOW + 22 * HOUR, -60));
    }

    #[test]
    fn midnight_is_where_the_person_is() {
        assert_eq!(age(NOW - HOUR / 2, NOW, 0), Age::Today);
        assert_eq!(age(NOW - 2 * HOUR, NOW, 0), Age::Yesterday);
        // In Berlin it is 02:00, and two hours ago was midnight.
        assert_eq!(age(NOW - 2 * HOUR, NOW, -60), Age::Today);
        // In New York it is 20:00 of the day before.
        assert_eq!(age(NOW - 2 * HOUR, NOW, 300), Age::Today);
    }

    #[test]
    fn days_add_up() {
        assert_eq!(age(NOW - 3 * 24 * HOUR, NOW, 0), Age::Week);
        assert_eq!(age(NOW - 30 * 24 * HOUR, NOW, 0), Age::Earlier);
        assert_eq!(age(NOW + HOUR, NOW, 0), Age::Today);
        assert_eq!(age(0, NOW, 0), Age::Earlier);
    }
}
