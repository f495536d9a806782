//! The geometry of a chart: pure arithmetic.

use crate::format;

/// Numbers as large as this take too much room beside a chart.
const LONG: f64 = 1e10;

/// An axis from `low` to `high` in equal steps that are easy to read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The distance of two ticks.
    pub step: f64,
}

impl Axis {
    /// An axis on which all `values` are, with 2 to 5 intervals of 1, 2 or 5 times a power of ten. Values that are not
    /// finite count for nothing.
    #[must_use]
    pub fn around(values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if high - low <= high.abs().max(low.abs()) * 1e-6 {
            // A flat curve lies in the middle.
            let room = if high == 0.0 { 1.0 } else { high.abs() * 0.5 };
            (low, high) = (low - room, high + room);
        }
        let power = 10_f64.powf(((high - low) / 4.0).log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|times| times * power)
            .find(|step| (high / step).ceil() - (low / step).floor() <= 5.0)
            .unwrap_or(10.0 * power);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// Returns the ticks from the lower end to the upper.
    #[must_use]
    pub fn ticks(&self) -> Vec<f64> {
        let count = ((self.high - self.low) / self.step).round() as u32;
        (0..=count).map(|tick| self.low + f64::from(tick) * self.step).collect()
    }

    /// Returns where a value lies: 0 at the lower end, 1 at the upper.
    #[must_use]
    pub fn place(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// Returns a tick in words, with no more digits than its step needs.
    #[must_use]
    pub fn label(&self, tick: f64) -> String {
        let digits = (-self.step.log10().floor()).clamp(0.0, 9.0) as usize;
        if tick.abs() < self.step / 2.0 {
            // It may come out as minus zero.
            "0".to_owned()
        } else if digits > 4 || self.low.abs().max(self.high.abs()) >= LONG {
            let text = format!("{tick:.1e}");
            // There is always an exponent.
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            format!("{}e{exponent}", format::setting_of(mantissa.trim_end_matches(".0")))
        } else {
            format::number(tick, digits)
        }
    }
}

/// Returns where a step lies between the first and the last: 0 to 1.
#[must_use]
pub fn across(step: u32, first: u32, last: u32) -> f64 {
    f64::from(step.saturating_sub(first)) / f64::from(last.saturating_sub(first).max(1))
}

/// Returns the points of a curve as an SVG path on a field of `width` by `height`. A point that is not finite breaks it.
#[must_use]
pub fn path(points: impl Iterator<Item = (f64, f64)>, width: f64, height: f64) -> String {
    let mut path = String::new();
    let mut pen = false;
    for (x, y) in points {
        if !y.is_finite() {
            pen = false;
            continue;
        }
        let letter = if pen { 'L' } else { 'M' };
        pen = true;
        path.push_str(&format!("{letter}{:.1} {:.1}", x * width, (1.0 - y) * height));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_round_ticks_around_all_values() {
        let axis = Axis::around([0.13, 2.9, f64::NAN].into_iter());
        assert_eq!((axis.low, axis.high, axis.step), (0.0, 3.0, 1.0));
        assert_eq!(axis.ticks(), [0.0, 1.0, 2.0, 3.0]);
        let axis = Axis::around([1.02, 1.07].into_iter());
        assert_eq!(axis.label(axis.low), "1.02");
        let axis = Axis::around([0.0, 2e-4].into_iter());
        assert_eq!([axis.label(0.0), axis.label(1e-4), axis.label(1.5e-4)], ["0", "1e-4", "1.5e-4"]);
        let axis = Axis::around([-1e100, 1e100].into_iter());
        assert_eq!([axis.label(axis.low), axis.label(axis.high)], ["-1e100", "1e100"]);
    }

    #[test]
    fn an_axis_of_nothing_or_of_one_value_is_an_axis() {
        for values in [vec![], vec![0.0], vec![2.0, 2.0], vec![f64::INFINITY], vec![-3.0]] {
            let axis = Axis::around(values.iter().copied());
            assert!(axis.high > axis.low && axis.step > 0.0, "{values:?}: {axis:?}");
            assert!((2..=6).contains(&axis.ticks().len()), "{values:?}: {axis:?}");
            for value in values.into_iter().filter(|value| value.is_finite()) {
                assert!((0.0..=1.0).contains(&axis.place(value)));
            }
        }
    }

    #[test]
    fn a_path_breaks_where_there_is_no_value() {
        let points = [(0.0, 0.0), (0.5, f64::NAN), (0.75, 0.5), (1.0, 1.0)];
        assert_eq!(path(points.into_iter(), 100.0, 10.0), "M0.0 10.0M75.0 5.0L100.0 0.0");
        assert_eq!(across(1, 1, 1), 0.0);
        assert_eq!(across(6, 1, 11), 0.5);
    }
}
