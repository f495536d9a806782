//! How fast the loaded model reads and answers.

use leptos::prelude::*;
use protocol::{Benchmark, Spread};

use super::measure::StartButton;
use super::{Pairs, pairs_view};
use crate::{
    format,
    language::t,
    state::measuring::{Kind, Measurements},
};

/// The benchmark.
#[component]
pub fn Speed(measured: Measurements) -> impl IntoView {
    view! {
        <section class="part">
            <h2>{t().speed()}</h2>
            <p class="muted">
                {t().speed_hint()}
            </p>
            <StartButton measured kind=Kind::Benchmark label=t().speed_start() of_model=true />
            <div role="status">
                {move || {
                    measured.benchmark.with(|benchmark| benchmark.as_ref().map(|benchmark| {
                        view! { <dl class="pairs">{pairs_view(pairs(benchmark))}</dl> }
                    }))
                }}
            </div>
        </section>
    }
}

/// Returns what was found, for people.
pub fn pairs(benchmark: &Benchmark) -> Pairs {
    let tokens = |count: u32| t().tokens(count.into());
    let rate = |number: &str| t().unit_rate(number);
    let ms = |number: &str| t().unit_ms(number);
    vec![
        (
            t().figure_reading(),
            t().with_amount(&spread(benchmark.prefill(), rate), &tokens(benchmark.prompt)),
        ),
        (t().figure_writing(), t().with_amount(&spread(benchmark.decode(), rate), &tokens(benchmark.answer))),
        (t().figure_first(), spread(benchmark.first_token_ms(), ms)),
        (t().speed_dispatches(), format::count(benchmark.dispatches_per_token.into())),
        (t().speed_submits(), format::number(benchmark.submits_per_token, 2)),
        (t().speed_buffers(), format::count(benchmark.buffers_created)),
    ]
}

/// Median and range, as exact as they are worth: `38.2 tok/s (37.0 to 39.1)`.
fn spread(spread: Spread, unit: impl Fn(&str) -> String) -> String {
    let Spread { min, median, max } = spread;
    let digits = match median {
        ..1.0 => 3,
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    let figure = |value: f64| match digits {
        0 => format::count(value.round() as u64),
        _ => format::number(value, digits),
    };
    t().speed_spread(&unit(&figure(median)), &figure(min), &figure(max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_as_exact_as_it_is_large() {
        let ms = |number: &str| t().unit_ms(number);
        assert_eq!(spread(Spread { min: 37.04, median: 38.21, max: 39.1 }, ms), "38.2 ms (37.0 to 39.1)");
        assert_eq!(spread(Spread { min: 800.2, median: 812.6, max: 820.0 }, ms), "813 ms (800 to 820)");
        let many = Spread { min: 9_660.2, median: 10_666.7, max: 20_480.0 };
        let rate = |number: &str| t().unit_rate(number);
        assert_eq!(spread(many, rate), "10,667 tok/s (9,660 to 20,480)");
        assert_eq!(spread(Spread { min: 0.1, median: 0.1234, max: 0.2 }, ms), "0.123 ms (0.100 to 0.200)");
    }
}
