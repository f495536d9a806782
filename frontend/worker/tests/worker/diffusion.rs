//! Diffusion models: they load, show canvases while they settle, and answer; what they cannot do is refused.

use std::cell::Cell;
use std::rc::Rc;

use futures_util::FutureExt as _;
use protocol::failure::{Code, RequestFailure};
use protocol::tune::{ExampleData, TuneSettings};
use protocol::{
    AnswerFormat, BenchmarkOptions, Canvas, Constraint, Control, Diagnosis, Diffusion, Finding, Finish,
    GenerateOptions, LoadOptions, Outcome, Progress, Request, RequestId, Timings, ToPage, ToWorker,
    TuneRequest,
};
use worker::Host;

use crate::desk::{Desk, Ended, asks, golden, inspect, load, tune};

fn loaded() -> (Rc<Desk>, Rc<Host>) {
    let (desk, host) = Desk::new();
    desk.model.replace(golden("models/tiny-diffusion.q4_k_m.gguf"));
    host.receive(load(1), Vec::new());
    let end = desk.end_of(1);
    assert!(matches!(end, Ok(Outcome::Loaded(_))), "{end:?}");
    (desk, host)
}

fn ask(id: u64, max_tokens: u32) -> ToWorker {
    let options = GenerateOptions { max_tokens, ..GenerateOptions::default() };
    ToWorker::request(RequestId(id), Request::Generate { messages: asks("Hello"), options })
}

fn done(ended: Ended) -> (Finish, Timings) {
    match ended {
        Ok(Outcome::Done { finish, timings, .. }) => (finish, timings),
        other => panic!("not the end of an answer: {other:?}"),
    }
}

/// The canvases that a request has shown.
fn canvases(desk: &Desk, of: u64) -> Vec<Canvas> {
    let canvas = |progress| match progress {
        Progress::Canvas(canvas) => Some(canvas),
        _ => None,
    };
    desk.progress_of(of).into_iter().filter_map(canvas).collect()
}

fn text(canvas: &Canvas) -> String {
    canvas.text.iter().map(|it| it.text.as_str()).collect()
}

#[test]
fn a_diffusion_model_says_what_it_is_and_settles_its_answer() {
    let (desk, host) = loaded();
    host.receive(inspect(2, LoadOptions::default()), Vec::new());
    let Ok(Outcome::Inspected { details, .. }) = desk.end_of(2) else { panic!("no inspection") };
    assert_eq!(details.diffusion, Some(Diffusion { canvas: 32, steps: 48 }));
    assert!(!details.capabilities.vision && !details.capabilities.audio);

    let constraint = Constraint { format: AnswerFormat::Json, ..Constraint::default() };
    let options = GenerateOptions { constraint, ..GenerateOptions::default() };
    let request = Request::Generate { messages: asks("Hello"), options };
    host.receive(ToWorker::request(RequestId(40), request), Vec::new());
    let refused = desk.end_of(40).map_err(|failure| failure.code);
    assert_eq!(refused, Err(Code::Request(RequestFailure::Unconstrained)));

    host.receive(ask(3, 32), Vec::new());
    let (_, timings) = done(desk.end_of(3));
    let seen = canvases(&desk, 3);
    let counted = timings.diffusion.expect("figures of diffusion");
    assert_eq!((counted.blocks, counted.steps as usize), (1, seen.len()));
    assert!(seen.iter().map(|canvas| canvas.step).eq(1..=counted.steps), "{seen:?}");
    assert!(seen.iter().all(|canvas| canvas.steps == 48 && canvas.entropy >= 0.0));
    // What is no whole call of a tool is only shown when the block is finished.
    let shown = text(&seen[seen.len() - 1]);
    assert!(shown.len() > 8 && desk.text_of(3).starts_with(&shown), "{shown}");
    assert!(timings.tokens_per_second() > 0.0 && timings.first_token_ms >= timings.prefill_ms);

    host.receive(ToWorker::request(RequestId(4), Request::Diagnose(Diagnosis::SelfTest)), Vec::new());
    let Ok(Outcome::Diagnosed(Finding::SelfTest(told))) = desk.end_of(4) else { panic!("no self-test") };
    assert!(told.of_model && told.checks.len() > 10 && told.failed().next().is_none(), "{told:?}");
}

#[test]
fn it_stops_between_steps_and_goes_on_after_a_lost_device() {
    let (desk, host) = loaded();
    let (lost, is_lost) = (Rc::clone(&host), Cell::new(false));
    desk.react(move |event| {
        // In the second block.
        if matches!(event.as_progress(), Some((_, Progress::Canvas(canvas))) if canvas.block == 1)
            && !is_lost.replace(true)
        {
            lost.lose_device().now_or_never().expect("nobody opens a device meanwhile");
        }
    });
    host.receive(ask(3, 64), Vec::new());
    let (finish, timings) = done(desk.end_of(3));
    assert_eq!((finish, timings.decode_tokens), (Finish::MaxTokens, 64));
    assert!(desk.posted().iter().any(|event| matches!(event, ToPage::DeviceLost { .. })));
    // The first block is not denoised again.
    let seen = canvases(&desk, 3);
    let first: Vec<u32> = seen.iter().filter(|canvas| canvas.block == 0).map(|canvas| canvas.step).collect();
    assert!(first.iter().copied().eq(1..=first.len() as u32), "{first:?}");
    assert_eq!(seen.iter().filter(|canvas| (canvas.block, canvas.step) == (1, 1)).count(), 2);

    let stopped = Rc::clone(&host);
    desk.react(move |event| {
        if matches!(event.as_progress(), Some((_, Progress::Canvas(canvas))) if canvas.step == 3) {
            stopped.receive(ToWorker::control(RequestId(4), Control::Cancel), Vec::new());
        }
    });
    host.receive(ask(4, 64), Vec::new());
    assert_eq!(done(desk.end_of(4)).0, Finish::Cancelled);
    assert_eq!(canvases(&desk, 4).len(), 3);
}

#[test]
fn what_it_cannot_do_is_refused_and_another_model_loads() {
    let (desk, host) = loaded();
    let timed = BenchmarkOptions {
        prompt: 9,
        answer: 4,
        warm_up: 0,
        rounds: 1,
        first: 0,
        ..BenchmarkOptions::default()
    };
    let what = Diagnosis::Benchmark(timed);
    host.receive(ToWorker::request(RequestId(2), Request::Diagnose(what)), Vec::new());
    let data = ExampleData::Pairs(vec![("A?".to_owned(), "B.".to_owned())]);
    host.receive(tune(3, TuneRequest::Prepare { data, settings: TuneSettings::default() }), Vec::new());
    for id in [2, 3] {
        let Err(failure) = desk.end_of(id) else { panic!("request {id} did not fail") };
        assert_eq!(failure.code, Code::Request(RequestFailure::Diffusion));
    }
    desk.model.replace(golden("models/tiny-31b.q4_0.gguf"));
    host.receive(load(4), Vec::new());
    assert!(matches!(desk.end_of(4), Ok(Outcome::Loaded(_))));
    host.receive(ask(5, 2), Vec::new());
    assert!(matches!(desk.end_of(5), Ok(Outcome::Done { .. })));
}
