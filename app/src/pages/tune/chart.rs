//! The curves of a run: loss and learning rate over the steps, drawn in SVG.
//!
//! A pointer over a field, or the slider below, chooses a step, whose values are then shown in words. The field is
//! stretched to its place: what must not be stretched (lines, dots, text) does not depend on its units.

use leptos::{html, prelude::*};
use protocol::tune::TunePoint;

use super::chart_export::{save_csv, save_picture};
use super::series::{LOSSES, RATES, Series, axis_of};
use super::settings::rate_text;
use crate::{
    axis::{Axis, across, path},
    components::{Glyph, Icon},
    format,
    language::{in_a_row, t},
    state::use_tune,
};

/// The field in its own units.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 300.0;
/// Points of a curve drawn at most; more than a screen has room for.
const MAX_POINTS: usize = 1000;
/// Lines of the table at most.
const MAX_LINES: usize = 40;

/// The curves of the run, with their values and their export.
#[component]
pub fn Curves() -> impl IntoView {
    let run = use_tune().run;
    let points = run.points;
    // The step that was chosen, none for the last one; and the one that is pointed at.
    let (chosen, pointed) = (RwSignal::new(None::<usize>), RwSignal::new(None::<usize>));
    let last = Memo::new(move |_| points.with(Vec::len).saturating_sub(1));
    let at = Memo::new(move |_| pointed.get().or(chosen.get()).unwrap_or_else(|| last.get()).min(last.get()));
    let words =
        Memo::new(move |_| points.with(|points| points.get(at.get()).map(point_words).unwrap_or_default()));
    let slide = move |event| {
        let value = event_target_value(&event).parse::<usize>().ok();
        pointed.set(None);
        chosen.set(value.filter(|&value| value != last.get_untracked()));
    };
    view! {
        <div class="curves">
            <Plot title=t().chart_loss() series=&LOSSES at=at pointed=pointed />
            <Plot title=t().chart_rate() series=&RATES at=at pointed=pointed />
            <label class="field">
                <span class="numbers">{words}</span>
                <input
                    type="range"
                    min="0"
                    max=move || last.get().to_string()
                    step="1"
                    aria-label=t().chart_position()
                    aria-valuetext=words
                    prop:value=move || at.get().to_string()
                    on:input=slide
                />
            </label>
            <details class="fold">
                <summary>{t().chart_table()}</summary>
                {move || table_view(&points.get())}
            </details>
            <div class="buttons">
                <button type="button" class="button" on:click=move |_| points.with_untracked(|points| save_csv(points))>
                    <Icon glyph=Glyph::Export />
                    {t().chart_csv()}
                </button>
                <button type="button" class="button" on:click=move |_| points.with_untracked(|points| save_picture(points))>
                    <Icon glyph=Glyph::Export />
                    {t().chart_png()}
                </button>
            </div>
        </div>
    }
}

/// One field with its axes.
#[component]
fn Plot(
    title: &'static str,
    series: &'static [Series],
    at: Memo<usize>,
    pointed: RwSignal<Option<usize>>,
) -> impl IntoView {
    let points = use_tune().run.points;
    let field = NodeRef::<html::Div>::new();
    let axis = Memo::new(move |_| points.with(|points| axis_of(points, series)));
    let ticks = move || {
        let axis = axis.get();
        axis.ticks()
            .into_iter()
            .rev()
            .map(|tick| view! { <span>{axis.label(tick)}</span> })
            .collect::<Vec<_>>()
    };
    let grid = move || {
        let axis = axis.get();
        let line = |tick| {
            let y = (1.0 - axis.place(tick)) * HEIGHT;
            format!("M0 {y:.1}H{WIDTH}")
        };
        axis.ticks().into_iter().map(line).collect::<String>()
    };
    let curves: Vec<_> = series
        .iter()
        .map(|curve| {
            let drawn = move || points.with(|points| curve_path(points, curve, &axis.get(), WIDTH, HEIGHT));
            view! { <path class=format!("series {}", curve.class) d=drawn /> }
        })
        .collect();
    let cursor = move || {
        points.with(|points| {
            let (Some(point), Some(first), Some(last)) =
                (points.get(at.get()), points.first(), points.last())
            else {
                return String::new();
            };
            format!("M{:.1} 0V{HEIGHT}", across(point.step, first.step, last.step) * WIDTH)
        })
    };
    let dots: Vec<_> = series
        .iter()
        .map(|curve| {
            let dot = move || points.with(|points| dot_path(points, at.get(), curve, &axis.get()));
            view! { <path class=format!("series dot-mark {}", curve.class) d=dot /> }
        })
        .collect();
    let legend: Vec<_> = series
        .iter()
        .map(|curve| {
            view! {
                <li>
                    <svg class="key" viewBox="0 0 24 8" width="24" height="8" aria-hidden="true">
                        <path class=format!("series {}", curve.class) d="M0 4H24" />
                    </svg>
                    {(curve.name)(t())}
                </li>
            }
        })
        .collect();
    let point = move |event: web_sys::PointerEvent| {
        let Some(field) = field.get_untracked() else { return };
        let box_ = field.get_bounding_client_rect();
        let part = ((f64::from(event.client_x()) - box_.left()) / box_.width().max(1.0)).clamp(0.0, 1.0);
        pointed.set(points.with_untracked(|points| nearest(points, part)));
    };
    let steps = move || {
        points.with(|points| {
            let ends =
                points.first().zip(points.last()).map_or((0, 0), |(first, last)| (first.step, last.step));
            view! { <span>{t().chart_step(&format::count(ends.0.into()))}</span><span>{format::count(ends.1.into())}</span> }
        })
    };
    let about = move || points.with(|points| summary(points, title, series));
    view! {
        <figure class="chart">
            <figcaption>
                <strong>{title}</strong>
                {(series.len() > 1).then(|| view! { <ul class="legend" role="list">{legend}</ul> })}
            </figcaption>
            <div class="plot">
                <div class="plot-y numbers" aria-hidden="true">{ticks}</div>
                <div
                    class="plot-field"
                    node_ref=field
                    role="img"
                    aria-label=about
                    on:pointermove=point
                    on:pointerdown=point
                    on:pointerleave=move |_| pointed.set(None)
                >
                    <svg viewBox=format!("0 0 {WIDTH} {HEIGHT}") preserveAspectRatio="none" aria-hidden="true">
                        <path class="grid" d=grid />
                        <path class="cursor" d=cursor />
                        {curves}
                        {dots}
                    </svg>
                </div>
                <div class="plot-x numbers" aria-hidden="true">{steps}</div>
            </div>
        </figure>
    }
}

/// Returns a curve as an SVG path.
pub fn curve_path(points: &[TunePoint], curve: &Series, axis: &Axis, width: f64, height: f64) -> String {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    let values = points.iter().filter_map(|point| Some((point.step, (curve.read)(point)?)));
    let count = values.clone().count();
    let every = count.div_ceil(MAX_POINTS).max(1);
    let thinned = values.enumerate().filter(|(index, _)| index % every == 0 || index + 1 == count);
    let placed = thinned.map(|(_, (step, value))| (across(step, first.step, last.step), axis.place(value)));
    path(placed, width, height)
}

fn dot_path(points: &[TunePoint], at: usize, curve: &Series, axis: &Axis) -> String {
    let ends = points.first().zip(points.last());
    let value = points.get(at).and_then(|point| Some((point.step, (curve.read)(point)?)));
    match (ends, value) {
        (Some((first, last)), Some((step, value))) if value.is_finite() => {
            let x = across(step, first.step, last.step) * WIDTH;
            // A line of no length with round ends.
            format!("M{x:.1} {:.1}h0.01", (1.0 - axis.place(value)) * HEIGHT)
        }
        _ => String::new(),
    }
}

/// The point nearest to a place between the first step (0) and the last (1).
fn nearest(points: &[TunePoint], part: f64) -> Option<usize> {
    let (first, last) = (points.first()?.step, points.last()?.step);
    let distance = |point: &TunePoint| (across(point.step, first, last) - part).abs();
    (0..points.len()).min_by(|&a, &b| distance(&points[a]).total_cmp(&distance(&points[b])))
}

/// A point in words.
fn point_words(point: &TunePoint) -> String {
    let number = |value: f32| format::number(value.into(), 3);
    let (loss, rate, step) = (
        number(point.loss),
        format::setting_of(&rate_text(point.learning_rate)),
        format::count(point.step.into()),
    );
    match point.eval_loss {
        Some(evaluation) => t().chart_point_evaluated(&step, &loss, &number(evaluation), &rate),
        None => t().chart_point(&step, &loss, &rate),
    }
}

/// Curves in a sentence, for those who do not see them.
fn summary(points: &[TunePoint], title: &str, series: &[Series]) -> String {
    let parts = series.iter().filter_map(|curve| {
        let mut values = points.iter().filter_map(|point| Some((point.step, (curve.read)(point)?)));
        let (first_step, first) = values.next()?;
        let (last_step, last) = values.next_back().unwrap_or((first_step, first));
        let number = |value: f64| {
            if value.abs() < 0.01 {
                format::setting_of(&rate_text(value as f32))
            } else {
                format::number(value, 2)
            }
        };
        Some(t().chart_ends(
            (curve.name)(t()),
            &number(first),
            first_step.into(),
            &number(last),
            last_step.into(),
        ))
    });
    let parts: Vec<_> = parts.collect();
    if parts.is_empty() { t().chart_empty(title) } else { t().chart_summary(title, &in_a_row(parts)) }
}

fn table_view(points: &[TunePoint]) -> AnyView {
    let every = points.len().div_ceil(MAX_LINES).max(1);
    let shown = points.iter().enumerate().filter(|(index, point)| {
        index % every == 0 || index + 1 == points.len() || point.eval_loss.is_some()
    });
    let lines: Vec<_> = shown
        .map(|(_, point)| {
            view! {
                <tr>
                    <td class="numbers">{format::count(point.step.into())}</td>
                    <td class="numbers">{format::number(point.loss.into(), 4)}</td>
                    <td class="numbers">{point.eval_loss.map(|loss| format::number(loss.into(), 4))}</td>
                    <td class="numbers">{format::setting_of(&rate_text(point.learning_rate))}</td>
                </tr>
            }
        })
        .collect();
    view! {
        <div class="scroll-x" tabindex="0" role="region" aria-label=t().chart_values()>
            <table class="table">
                <thead>
                    <tr>
                        <th scope="col">{t().chart_column_step()}</th>
                        <th scope="col">{t().chart_loss()}</th>
                        <th scope="col">{t().chart_evaluation()}</th>
                        <th scope="col">{t().chart_rate()}</th>
                    </tr>
                </thead>
                <tbody>{lines}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<TunePoint> {
        let point = |step: u32| TunePoint {
            step,
            loss: 3.0 / step as f32,
            eval_loss: step.is_multiple_of(5).then_some(2.0),
            learning_rate: 2e-4,
        };
        (1..=10).map(point).collect()
    }

    #[test]
    fn curves_are_told_in_words() {
        let points = points();
        assert_eq!(
            summary(&points, "Loss", &LOSSES),
            "Loss. Training: 3.00 at step 1, 0.30 at step 10. Evaluation: 2.00 at step 5, 2.00 at step 10."
        );
        assert_eq!(summary(&[], "Loss", &LOSSES), "Loss: no values yet.");
        assert_eq!(point_words(&points[4]), "Step 5: loss 0.600 · evaluation 2.000 · learning rate 0.0002");
    }

    #[test]
    fn a_pointer_finds_the_nearest_step() {
        let points = points();
        assert_eq!(nearest(&points, 0.0), Some(0));
        assert_eq!(nearest(&points, 0.5), Some(4));
        assert_eq!(nearest(&points, 1.0), Some(9));
        assert_eq!(nearest(&[], 0.5), None);
    }

    #[test]
    fn a_curve_begins_at_its_first_value() {
        let points = points();
        let axis = axis_of(&points, &LOSSES);
        assert_eq!((axis.low, axis.high), (0.0, 3.0));
        let path = curve_path(&points, &LOSSES[1], &axis, 900.0, 300.0);
        assert_eq!(path, "M400.0 100.0L900.0 100.0");
    }
}
