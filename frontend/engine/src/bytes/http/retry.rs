//! The retry policy.

use std::time::Duration;

/// Attempts without a received byte before a read fails: about eight seconds in total.
const ATTEMPTS: u32 = 6;
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// Returns the pause after `failed` consecutive failures (at least one); `None` to give up.
pub(super) fn pause(failed: u32) -> Option<Duration> {
    (failed < ATTEMPTS).then(|| FIRST_PAUSE * 2_u32.pow(failed.saturating_sub(1)))
}

/// Returns whether a status is temporary, so that a retry may succeed.
pub(super) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_end() {
        let pauses: Vec<_> = (1..).map_while(pause).map(|pause| pause.as_millis()).collect();
        assert_eq!(pauses, [250, 500, 1000, 2000, 4000]);
    }
}
