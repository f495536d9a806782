//! Progress of a load: not too often, and with a rate.

use std::collections::VecDeque;

use engine::session::Loading;
use protocol::{LoadPhase, LoadProgress, LoadTimes};

/// Least time between two reports of one phase, in milliseconds.
const PAUSE_MS: f64 = 100.0;
/// The rate is that of the last so many milliseconds.
const WINDOW_MS: f64 = 3_000.0;

/// Decides what to report, and when.
#[derive(Debug, Default)]
pub struct Meter {
    phase: Option<LoadPhase>,
    reported: f64,
    last: Option<LoadProgress>,
    /// How many reads are without a connection.
    lost: u32,
    /// Times and amounts, oldest first.
    samples: VecDeque<(f64, u64)>,
    /// When this phase began.
    since: f64,
    /// Times of the phases before it.
    times: LoadTimes,
}

impl Meter {
    /// Takes a step of a load at the time `now` in milliseconds. Returns a report if one is due: for a new phase, at the
    /// end of one, and otherwise ten times a second.
    pub fn step(&mut self, step: Loading, now: f64) -> Option<LoadProgress> {
        let (phase, done, total) = match step {
            Loading::Header(done) => (LoadPhase::Header, done, 0),
            Loading::Table(done, total) => (LoadPhase::Table, done, total),
            Loading::Weights(done, total) => (LoadPhase::Weights, done, total),
            Loading::Tuning => (LoadPhase::Tuning, 0, 0),
            Loading::Kernels(done, total) => (LoadPhase::Kernels, done, total),
            Loading::Towers(done, total) => (LoadPhase::Towers, done, total),
        };
        let is_new = self.phase != Some(phase);
        if is_new {
            self.times = self.times(now);
            (self.phase, self.since) = (Some(phase), now);
            self.samples.clear();
        }
        self.samples.push_back((now, done));
        // The one before the window's start stays, so that the rate covers the whole window.
        while self.samples.get(1).is_some_and(|&(time, _)| time <= now - WINDOW_MS) {
            self.samples.pop_front();
        }
        let is_last = total > 0 && done >= total;
        if !is_new && !is_last && now - self.reported < PAUSE_MS {
            return None;
        }
        self.reported = now;
        let report = LoadProgress { phase, done, total, rate: self.rate(now, done), lost: self.lost > 0 };
        self.last = Some(report.clone());
        Some(report)
    }

    /// A read has lost its connection, or has one again. Returns a report for the first loss and the last recovery.
    pub fn connection(&mut self, lost: bool) -> Option<LoadProgress> {
        let was_lost = self.lost > 0;
        self.lost = if lost { self.lost + 1 } else { self.lost.saturating_sub(1) };
        let is_lost = self.lost > 0;
        if was_lost == is_lost {
            return None;
        }
        // What was done until then says nothing about what comes.
        self.samples.clear();
        let report = self.last.as_mut()?;
        (report.lost, report.rate) = (is_lost, 0.0);
        Some(report.clone())
    }

    /// Returns how long each part took until now, without the time of everything.
    pub fn times(&self, now: f64) -> LoadTimes {
        let mut times = self.times;
        let part = match self.phase {
            None => return times,
            Some(LoadPhase::Tuning) => &mut times.tuning,
            Some(LoadPhase::Kernels) => &mut times.kernels,
            Some(LoadPhase::Header | LoadPhase::Table | LoadPhase::Weights | LoadPhase::Towers) => {
                &mut times.weights
            }
        };
        *part += now - self.since;
        times
    }

    fn rate(&self, now: f64, done: u64) -> f64 {
        match self.samples.front() {
            Some(&(time, before)) if now > time => done.saturating_sub(before) as f64 * 1000.0 / (now - time),
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(phase: LoadPhase, done: u64, total: u64) -> LoadProgress {
        LoadProgress { phase, done, total, rate: 0.0, lost: false }
    }

    #[test]
    fn a_lost_connection_is_told_once_and_until_all_reads_go_on() {
        let mut meter = Meter::default();
        assert_eq!(meter.connection(true), None, "nothing is under way yet");
        assert_eq!(meter.connection(false), None);
        meter.step(Loading::Weights(0, 100), 0.0);
        let lost = LoadProgress { lost: true, ..progress(LoadPhase::Weights, 0, 100) };
        assert_eq!(meter.connection(true), Some(lost.clone()));
        assert_eq!(meter.connection(true), None, "another read");
        assert_eq!(meter.step(Loading::Weights(50, 100), 200.0).map(|it| it.lost), Some(true));
        assert_eq!(meter.connection(false), None, "one of two");
        assert_eq!(meter.connection(false), Some(progress(LoadPhase::Weights, 50, 100)));
        assert_eq!(meter.connection(false), None);
    }

    #[test]
    fn reports_come_ten_times_a_second_and_at_both_ends() {
        let mut meter = Meter::default();
        let mut reports = Vec::new();
        for step in 0..=1000 {
            reports.extend(meter.step(Loading::Weights(step * 10, 10_000), step as f64));
        }
        assert_eq!(reports.len(), 11);
        assert_eq!(reports[0], progress(LoadPhase::Weights, 0, 10_000));
        assert_eq!(reports[10].done, 10_000);
        assert!((reports[10].rate - 10_000.0).abs() < 1e-6);
    }

    #[test]
    fn the_rate_forgets_what_is_long_past() {
        let mut meter = Meter::default();
        meter.step(Loading::Weights(0, 100_000), 0.0);
        // A slow start, then 1 unit a millisecond.
        let mut last = None;
        for second in 10..20 {
            last = meter.step(Loading::Weights(1000 * (second - 9), 100_000), 1000.0 * second as f64);
        }
        assert!((last.expect("a report").rate - 1000.0).abs() < 1e-6);
    }

    #[test]
    fn a_new_phase_is_said_at_once_and_begins_its_rate_anew() {
        let mut meter = Meter::default();
        assert!(meter.step(Loading::Header(5), 0.0).is_some());
        assert!(meter.step(Loading::Header(6), 1.0).is_none());
        let report = meter.step(Loading::Kernels(1, 2), 2.0).expect("a new phase");
        assert_eq!(report, progress(LoadPhase::Kernels, 1, 2));
        assert!(meter.step(Loading::Kernels(2, 2), 3.0).is_some());
    }

    #[test]
    fn each_part_of_a_load_has_its_time() {
        let mut meter = Meter::default();
        assert_eq!(meter.times(7.0), LoadTimes::default());
        let steps = [
            (Loading::Header(5), 1.0),
            (Loading::Tuning, 3.0),
            (Loading::Weights(0, 9), 6.0),
            (Loading::Weights(9, 9), 9.0),
            (Loading::Kernels(0, 2), 10.0),
            (Loading::Tuning, 20.0),
            (Loading::Kernels(2, 2), 50.0),
            (Loading::Towers(0, 1), 51.0),
        ];
        for (step, now) in steps {
            meter.step(step, now);
        }
        let times = LoadTimes {
            weights: 2.0 + 4.0 + 49.0,
            kernels: 10.0 + 1.0,
            tuning: 3.0 + 30.0,
            ..LoadTimes::default()
        };
        assert_eq!(meter.times(100.0), times);
    }
}
