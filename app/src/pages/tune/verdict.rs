//! What came of a run, in a sentence, with what to do where little did.

use leptos::prelude::*;
use protocol::tune::TunePoint;

use crate::{
    components::{Glyph, Icon},
    format,
    language::t,
    state::{tune::RunPhase, use_tune},
};

/// At most this share of the first loss is left where something was learned.
const LEARNED: f32 = 0.7;
/// How many times as long a run is to be that has changed little.
const LONGER: u32 = 4;

/// The verdict on a finished run. Nothing before its end.
#[component]
pub fn Verdict() -> impl IntoView {
    let tune = use_tune();
    let run = tune.run;
    let losses = Memo::new(move |_| {
        let finished = run.phase.get() == RunPhase::Finished;
        finished.then(|| run.points.with(|points| losses(points))).flatten()
    });
    let steps = Memo::new(move |_| run.about.with(|about| about.as_ref().map_or(0, |it| it.steps)));
    let longer = move || {
        let (words, begins_anew) = match left(run.step(), steps.get()) {
            Some(steps) => (t().tune_go_on(steps.into()), false),
            None => (t().tune_longer(LONGER.into()), true),
        };
        (!begins_anew || tune.data().is_some()).then(|| {
            let press = move |_| if begins_anew { tune.start_longer(LONGER) } else { tune.resume() };
            view! {
                <button type="button" class="button" on:click=press>
                    <Icon glyph=if begins_anew { Glyph::Again } else { Glyph::Play } />
                    {words}
                </button>
            }
        })
    };
    move || {
        let (first, last) = losses.get()?;
        let [from, to] = [first, last].map(|loss| format::number(f64::from(loss), 2));
        Some(if last <= first * LEARNED {
            view! { <p>{t().tune_learned(&from, &to)}</p> }.into_any()
        } else {
            view! {
                <div class="notice slim">
                    <Icon glyph=Glyph::Info />
                    <p>{t().tune_not_learned(&from, &to)}</p>
                    {longer}
                </div>
            }
            .into_any()
        })
    }
}

/// The steps of a run that was ended before it had done them all: it can go on. None for one that is through.
fn left(done: u32, steps: u32) -> Option<u32> {
    (done < steps).then_some(steps)
}

/// The mean loss of the first and of the last tenth of a run; `None` for a run too short to tell.
fn losses(points: &[TunePoint]) -> Option<(f32, f32)> {
    let tenth = (points.len() / 10).max(1);
    let mean =
        |points: &[TunePoint]| points.iter().map(|point| point.loss).sum::<f32>() / points.len() as f32;
    (points.len() > 1).then(|| (mean(&points[..tenth]), mean(&points[points.len() - tenth..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_was_ended_early_can_go_on() {
        assert_eq!(left(5, 200), Some(200));
        assert_eq!(left(200, 200), None);
    }

    #[test]
    fn a_run_is_judged_by_how_it_began_and_ended() {
        let points = |losses: &[f32]| {
            let point = |(step, &loss): (usize, &f32)| TunePoint {
                step: step as u32 + 1,
                loss,
                eval_loss: None,
                learning_rate: 1e-4,
            };
            losses.iter().enumerate().map(point).collect::<Vec<_>>()
        };
        assert_eq!(losses(&points(&[2.0])), None);
        assert_eq!(losses(&points(&[2.0, 1.0])), Some((2.0, 1.0)));
        let long: Vec<_> = (0..20).map(|step| 20.0 - step as f32).collect();
        assert_eq!(losses(&points(&long)), Some((19.5, 1.5)));
    }
}
