//! The curves of a chart.

use protocol::tune::TunePoint;

use crate::axis::Axis;
use crate::language::Text;

/// One curve.
#[derive(Clone, Copy)]
pub struct Series {
    /// What it is, for people.
    pub name: fn(Text) -> &'static str,
    /// Its class, which gives it colour and dashes.
    pub class: &'static str,
    /// Its value at a point; `None` if it has none.
    pub read: fn(&TunePoint) -> Option<f64>,
}

/// Loss while training, and on the examples kept back.
pub const LOSSES: [Series; 2] = [
    Series { name: Text::chart_training, class: "series-loss", read: |point| Some(point.loss.into()) },
    Series {
        name: Text::chart_evaluation,
        class: "series-eval",
        read: |point| point.eval_loss.map(f64::from),
    },
];
/// The learning rate.
pub const RATES: [Series; 1] =
    [Series { name: Text::chart_rate, class: "series-rate", read: |point| Some(point.learning_rate.into()) }];

/// Returns the axis on which all these curves are.
pub fn axis_of(points: &[TunePoint], series: &[Series]) -> Axis {
    // A rate of 0 is a part of its schedule, and a loss of 0 is what is aimed at.
    let zero = std::iter::once(0.0).filter(|_| !points.is_empty());
    let values = series.iter().flat_map(|curve| points.iter().filter_map(curve.read));
    Axis::around(zero.chain(values))
}
