//! A chart that a program has made, drawn in SVG, with its data as a table.
//!
//! The field is stretched to its place, and text stands beside it: what must not be stretched does not depend on its units.

use std::f64::consts::TAU;

use leptos::prelude::*;

use crate::{
    axis::{Axis, path},
    format,
    history::{Chart, ChartKind},
    language::t,
};

/// The field in its own units.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 300.0;
/// Part of a band that its bars take.
const FILLED: f64 = 0.8;
/// The most labels along a chart, and the most points of a line that have a dot each.
const MOST_LABELS: usize = 8;
const MOST_DOTS: usize = 30;

/// The circle of a pie's sectors, whose line is twice as wide.
const RADIUS: f64 = 25.0;

/// The chart.
#[component]
pub fn CallChart(chart: Chart) -> impl IntoView {
    let title = if chart.title.is_empty() { t().chart_untitled() } else { &chart.title };
    let about = match chart.kind {
        ChartKind::Bar => t().chart_shown_bar(title),
        ChartKind::Line => t().chart_shown_line(title),
        ChartKind::Pie => t().chart_shown_pie(title),
        ChartKind::Scatter => t().chart_shown_scatter(title),
    };
    let drawn = match chart.kind {
        ChartKind::Pie => pie(&chart, about),
        _ => field(&chart, about),
    };
    let heading =
        (!chart.title.is_empty()).then(|| view! { <strong dir="auto">{chart.title.clone()}</strong> });
    let legend = legend(&chart);
    let opened = RwSignal::new(false);
    view! {
        <figure class="chart call-chart">
            <figcaption>{heading}{legend}</figcaption>
            {drawn}
            <details class="chart-data" on:toggle=move |_| opened.set(true)>
                <summary>{t().chart_data()}</summary>
                {move || opened.get().then(|| table(&chart))}
            </details>
        </figure>
    }
}

/// The class that gives a series, or a part of a pie, its color and dashes.
fn hue(index: usize) -> String {
    format!("hue-{}", index + 1)
}

/// What the colors mean; nothing if there is one.
fn legend(chart: &Chart) -> Option<AnyView> {
    let words: Vec<_> = match chart.kind {
        ChartKind::Pie => {
            let values = chart.series.iter().flat_map(|series| &series.values);
            let parts = chart.x.iter().zip(values).zip(shares(chart));
            parts
                .map(|((name, &value), share)| {
                    let percent = t().unit_percent(&format::number(share * 100.0, 1));
                    t().chart_part(name, &format::amount(value), &percent)
                })
                .collect()
        }
        _ if chart.series.len() == 1 => return None,
        _ => chart.series.iter().map(|series| series.name.clone()).collect(),
    };
    let is_line = chart.kind == ChartKind::Line;
    let entry = |(index, words): (usize, String)| {
        let (class, mark) = if is_line { ("series", "M0 4H24") } else { ("bars", "M6 0h12v8h-12z") };
        view! {
            <li>
                <svg class="key" viewBox="0 0 24 8" width="24" height="8" aria-hidden="true">
                    <path class=format!("{class} {}", hue(index)) d=mark />
                </svg>
                <span dir="auto">{words}</span>
            </li>
        }
    };
    let entries: Vec<_> = words.into_iter().enumerate().map(entry).collect();
    Some(view! { <ul class="legend" role="list">{entries}</ul> }.into_any())
}

/// A field with its axes.
fn field(chart: &Chart, about: String) -> AnyView {
    let values = chart.series.iter().flat_map(|series| series.values.iter().copied());
    // The length of a bar is its value.
    let zero = (chart.kind == ChartKind::Bar).then_some(0.0);
    let axis = Axis::around(values.chain(zero));
    let across = (chart.kind == ChartKind::Scatter).then(|| Axis::around(chart.abscissas().into_iter()));
    let grid: String =
        axis.ticks().into_iter().map(|tick| format!("M0 {:.1}H{WIDTH}", y(&axis, tick))).collect();
    let marks: Vec<_> = (0..chart.series.len())
        .flat_map(|index| marks(chart, index, &axis, across.as_ref()))
        .map(|(class, d)| view! { <path class=class d=d /> })
        .collect();
    let ticks = |axis: &Axis| axis.ticks().into_iter().map(|tick| (axis.label(tick), 0)).collect::<Vec<_>>();
    let mut beside = ticks(&axis);
    beside.reverse();
    let every = chart.x.len().div_ceil(MOST_LABELS).max(1);
    let below = match &across {
        Some(across) => texts("plot-x plot-ticks numbers", ticks(across)),
        // Below their bands; where there are many, each stands for those that follow, too.
        None => {
            let labels =
                chart.x.chunks(every).filter_map(|chunk| Some((chunk.first()?.clone(), chunk.len())));
            texts(if every > 1 { "plot-x plot-bands many" } else { "plot-x plot-bands" }, labels.collect())
        }
    };
    view! {
        <div class="plot" dir="ltr">
            {texts("plot-y numbers", beside)}
            <div class="plot-field" role="img" aria-label=about>
                <svg viewBox=format!("0 0 {WIDTH} {HEIGHT}") preserveAspectRatio="none" aria-hidden="true">
                    <path class="grid" d=grid />
                    {marks}
                </svg>
            </div>
            {below}
        </div>
    }
    .into_any()
}

fn y(axis: &Axis, value: f64) -> f64 {
    (1.0 - axis.place(value)) * HEIGHT
}

/// The classes and paths of a series.
fn marks(chart: &Chart, index: usize, axis: &Axis, across: Option<&Axis>) -> Vec<(String, String)> {
    let Some(series) = chart.series.get(index) else { return Vec::new() };
    let count = chart.x.len() as f64;
    let hue = hue(index);
    if chart.kind == ChartKind::Bar {
        let wide = WIDTH / count * FILLED / chart.series.len() as f64;
        let bars = series.values.iter().enumerate().map(|(at, &value)| {
            let left = (at as f64 + (1.0 - FILLED) / 2.0) / count * WIDTH + index as f64 * wide;
            format!("M{left:.2} {:.1}h{wide:.2}V{:.1}h-{wide:.2}z", y(axis, 0.0), y(axis, value))
        });
        return vec![(format!("bars {hue}"), bars.collect())];
    }
    let places: Vec<_> = match across {
        Some(across) => chart.abscissas().into_iter().map(|x| across.place(x)).collect(),
        None => (0..chart.x.len()).map(|at| (at as f64 + 0.5) / count).collect(),
    };
    let points = places.iter().copied().zip(series.values.iter().map(|&value| axis.place(value)));
    // Lines of no length with round ends.
    let dots =
        || points.clone().map(|(x, y)| format!("M{:.1} {:.1}h0.01", x * WIDTH, (1.0 - y) * HEIGHT)).collect();
    let dots =
        (across.is_some() || places.len() <= MOST_DOTS).then(|| (format!("series dot-mark {hue}"), dots()));
    let line = across.is_none().then(|| (format!("series {hue}"), path(points.clone(), WIDTH, HEIGHT)));
    line.into_iter().chain(dots).collect()
}

/// Texts along an axis, each with the parts that it takes of the room that is left.
fn texts(class: &'static str, texts: Vec<(String, usize)>) -> AnyView {
    let spans: Vec<_> = texts
        .into_iter()
        .map(|(text, parts)| view! { <span style:flex-grow=parts.to_string() dir="auto">{text}</span> })
        .collect();
    view! { <div class=class aria-hidden="true">{spans}</div> }.into_any()
}

/// The parts of a pie, of 1.
fn shares(chart: &Chart) -> Vec<f64> {
    let values = || chart.series.iter().flat_map(|series| series.values.iter().copied());
    let sum: f64 = values().sum();
    values().map(|value| value / sum).collect()
}

/// Sectors are the dashes of circles whose line reaches to the middle.
fn pie(chart: &Chart, about: String) -> AnyView {
    let around = RADIUS * TAU;
    let mut begun = 0.0;
    let mut sectors = Vec::new();
    let mut cuts = String::new();
    for (index, share) in shares(chart).into_iter().enumerate() {
        sectors.push(view! {
            <circle
                class=format!("sector {}", hue(index))
                cx="50"
                cy="50"
                r=RADIUS.to_string()
                stroke-dasharray=format!("{:.3} {around:.3}", share * around)
                stroke-dashoffset=format!("{:.3}", -begun * around)
            />
        });
        let angle = begun * TAU;
        if share < 1.0 {
            cuts.push_str(&format!(
                "M50 50L{:.2} {:.2}",
                50.0 + 50.0 * angle.cos(),
                50.0 + 50.0 * angle.sin()
            ));
        }
        begun += share;
    }
    view! {
        <div class="plot-pie" role="img" aria-label=about>
            <svg viewBox="0 0 100 100" aria-hidden="true">
                <g transform="rotate(-90 50 50)">
                    {sectors}
                    <path class="cuts" d=cuts />
                </g>
            </svg>
        </div>
    }
    .into_any()
}

fn table(chart: &Chart) -> impl IntoView + use<> {
    let heads: Vec<_> = chart
        .series
        .iter()
        .map(|series| view! { <th scope="col" dir="auto">{series.name.clone()}</th> })
        .collect();
    let rows: Vec<_> = chart
        .x
        .iter()
        .enumerate()
        .map(|(at, label)| {
            let cells: Vec<_> = chart
                .series
                .iter()
                .map(|series| view! { <td>{series.values.get(at).map(|&value| format::amount(value))}</td> })
                .collect();
            view! { <tr><th scope="row" dir="auto">{label.clone()}</th>{cells}</tr> }
        })
        .collect();
    view! {
        // Focusable, so that the keyboard can scroll it.
        <div class="table-scroll" tabindex="0" role="group" aria-label=t().chart_values()>
            <table>
                <thead>
                    <tr><td></td>{heads}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(json: &str) -> Chart {
        Chart::read(&serde_json::from_str(json).expect("JSON")).expect("a chart")
    }

    #[test]
    fn bars_stand_on_zero_side_by_side() {
        let chart = chart(r#"{"type":"bar","x":["a","b"],"series":[{"values":[2,-2]},{"values":[0,1]}]}"#);
        let axis = Axis { low: -2.0, high: 2.0, step: 1.0 };
        let [(class, bars)] = &marks(&chart, 0, &axis, None)[..] else { panic!("one path") };
        assert_eq!(class, "bars hue-1");
        assert_eq!(bars, "M50.00 150.0h200.00V0.0h-200.00zM550.00 150.0h200.00V300.0h-200.00z");
        assert!(marks(&chart, 1, &axis, None)[0].1.starts_with("M250.00 150.0h200.00V150.0"));
    }

    #[test]
    fn lines_and_points_are_where_their_values_are() {
        let axis = Axis { low: 0.0, high: 2.0, step: 1.0 };
        let json = r#"{"type":"line","x":[0,4],"series":[{"values":[2,1]}]}"#;
        let drawn = marks(&chart(json), 0, &axis, None);
        assert_eq!(drawn[0].1, "M250.0 0.0L750.0 150.0");
        assert_eq!(drawn[1].1, "M250.0 0.0h0.01M750.0 150.0h0.01");
        let across = Axis { low: 0.0, high: 4.0, step: 1.0 };
        let drawn = marks(&chart(&json.replace("line", "scatter")), 0, &axis, Some(&across));
        assert_eq!(drawn.iter().map(|it| &*it.1).collect::<Vec<_>>(), ["M0.0 0.0h0.01M1000.0 150.0h0.01"]);
    }

    #[test]
    fn the_parts_of_a_pie_make_a_whole() {
        assert_eq!(
            shares(&chart(r#"{"type":"pie","x":["a","b"],"series":[{"values":[3,1]}]}"#)),
            [0.75, 0.25]
        );
    }
}
