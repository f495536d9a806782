//! The worker on a native device: loads, answers, cancelling, and a device that is lost.

use std::cell::Cell;
use std::rc::Rc;

use futures_util::FutureExt as _;
use protocol::failure::{Activity, DeviceFailure, ModelFailure, NoGpu, RequestFailure};
use protocol::{
    AnswerFormat, BenchmarkOptions, CacheReport, Cause, Code, Constraint, Control, Diagnosis, Finding,
    Finish, FitVerdict, LoadOptions, LoadPhase, LoadedModel, Outcome, PageId, Progress, Remedy, Request,
    RequestId, ToPage, ToWorker, VERSION,
};

use crate::desk;
use crate::desk::{Desk, Ended, asks, failure, generate_up_to, inspect, load, loaded_model, source};

/// A request that the demo model answers to the end.
fn generate(id: u64, text: &str) -> ToWorker {
    generate_up_to(32, id, text)
}

fn finish(ended: &Ended) -> Finish {
    match ended {
        Ok(Outcome::Done { finish, .. }) => *finish,
        other => panic!("not the end of an answer: {other:?}"),
    }
}

#[test]
fn a_page_is_greeted_and_one_of_another_version_is_not_served() {
    let (desk, host) = Desk::new();
    desk.run_until(|events| events.iter().any(|event| matches!(event, ToPage::Device(_))));
    let events = desk.posted();
    assert_eq!(events[0], ToPage::Ready { version: VERSION });
    assert_eq!(events[1], ToPage::State(Box::default()));
    let ToPage::Device(report) = &events[2] else { panic!("{events:?}") };
    assert!(report.available && report.max_buffer_size > 0, "{report:?}");

    for (page, version) in [(1, VERSION + 1), (2, VERSION - 1)] {
        let other = RequestId::new(PageId(page), 1);
        host.receive(ToWorker::Hello { version, page: other.page() }, Vec::new());
        host.receive(load(other.0), Vec::new());
        let told = vec![ToPage::Ready { version: VERSION }; page as usize];
        assert_eq!(desk.posted()[3..], told, "version {version}");
    }
}

#[test]
fn a_model_is_timed_profiled_and_verified() {
    let (desk, host) = Desk::loaded();
    let diagnose = |id: u64, what| {
        host.receive(ToWorker::request(RequestId(id), Request::Diagnose(what)), Vec::new());
        match desk.end_of(id) {
            Ok(Outcome::Diagnosed(finding)) => finding,
            other => panic!("nothing was found: {other:?}"),
        }
    };
    let options = BenchmarkOptions {
        prompt: 9,
        answer: 4,
        warm_up: 1,
        rounds: 2,
        first: 0,
        ..BenchmarkOptions::default()
    };
    let Finding::Benchmark(told) = diagnose(2, Diagnosis::Benchmark(options.clone())) else {
        panic!("no benchmark")
    };
    assert_eq!((told.prompt, told.answer, told.rounds.len(), told.buffers_created), (9, 4, 2, 0));
    assert!(told.prefill().min > 0.0 && told.decode().min > 0.0 && told.submits_per_token <= 1.0, "{told:?}");
    let Finding::SelfTest(told) = diagnose(3, Diagnosis::SelfTest) else { panic!("no self-test") };
    assert!(told.of_model && told.checks.len() > 10 && told.failed().next().is_none(), "{told:?}");
    let Finding::Profile(told) = diagnose(4, Diagnosis::Profile { position: 5, rows: 1 }) else {
        panic!("no profile")
    };
    assert!(told.kernels.iter().all(|kernel| kernel.dispatches > 0) && told.token_bytes > 0, "{told:?}");

    // Answers of a schema, once what they need is there.
    let schema = r#"{"type": "string", "minLength": 99}"#.to_owned();
    let format = AnswerFormat::Schema(schema);
    let what = BenchmarkOptions { format: format.clone(), ..options.clone() };
    let ask = |id| ToWorker::request(RequestId(id), Request::Diagnose(Diagnosis::Benchmark(what.clone())));
    host.receive(ask(7), Vec::new());
    assert_eq!(failure(desk.end_of(7)).code, RequestFailure::NoConstraints.into());
    let constraint = Constraint { format, ..Constraint::default() };
    host.receive(ToWorker::request(RequestId(8), Request::PrepareConstraint(constraint)), Vec::new());
    assert_eq!(desk.end_of(8), Ok(Outcome::ConstraintReady));
    let Finding::Benchmark(told) = diagnose(9, Diagnosis::Benchmark(what.clone())) else {
        panic!("no benchmark")
    };
    assert_eq!((told.answer, told.rounds.len(), told.submits_per_token), (4, 2, 1.0));

    // While one runs, nothing else has the model; stopped, it ends as a cancelled request does.
    let what = Diagnosis::Benchmark(BenchmarkOptions { rounds: 1000, ..options });
    host.receive(ToWorker::request(RequestId(5), Request::Diagnose(what)), Vec::new());
    host.receive(generate(6, "Hello"), Vec::new());
    assert_eq!(failure(desk.end_of(6)).cause(), Cause::Invalid);
    host.receive(ToWorker::control(RequestId(5), Control::Cancel), Vec::new());
    assert_eq!(failure(desk.end_of(5)).cause(), Cause::Cancelled);
}

#[test]
fn without_a_device_the_reason_is_said_and_nothing_is_loaded() {
    let (desk, host) = Desk::new();
    desk.no_adapter.set(Some(NoGpu::NoWebGpu));
    host.receive(load(1), Vec::new());
    let failure = failure(desk.end_of(1));
    assert_eq!(failure.cause(), Cause::NoGpu);
    assert_eq!(failure.remedies(), [Remedy::EnableWebGpu]);
    let told = desk.posted().into_iter().find_map(|event| match event {
        ToPage::Device(report) => Some(report),
        _ => None,
    });
    assert_eq!(failure.code, DeviceFailure::None(NoGpu::NoWebGpu).into());
    assert_eq!(told.map(|it| (it.available, it.problem)), Some((false, Some(NoGpu::NoWebGpu))));
}

#[test]
fn a_model_is_inspected_loaded_asked_and_let_go() {
    let (desk, host) = Desk::new();
    host.receive(inspect(1, LoadOptions::default()), Vec::new());
    let Ok(Outcome::Inspected { details, verdict, .. }) = desk.end_of(1) else { panic!("no inspection") };
    assert_eq!((details.name.as_str(), details.architecture.as_str()), ("pebble", "gemma4"));
    assert_eq!((details.layers, details.max_context), (10, 2048));
    assert!(details.capabilities.tools && details.capabilities.thinking);
    let cost = details.memory[0];
    assert_eq!((details.memory.len(), cost.context), (1, 2048));
    assert_eq!(verdict, FitVerdict::Fits { context: 2048, bytes: cost.bytes, outside: 0 });

    host.receive(load(2), Vec::new());
    let LoadedModel { context, gpu_bytes, details: loaded, times, .. } = loaded_model(desk.end_of(2));
    assert_eq!((context, loaded), (2048, *details));
    assert!(
        times.weights > 0.0 && times.kernels > 0.0 && times.weights + times.kernels <= times.all,
        "{times:?}"
    );
    // A software device has nothing to choose.
    assert!(times.tuning.abs() < f64::EPSILON, "{times:?}");
    assert!(gpu_bytes > 8_000_000, "{gpu_bytes}");
    let phases: Vec<_> = desk
        .progress_of(2)
        .iter()
        .filter_map(|progress| match progress {
            Progress::Loading(progress) => Some(progress.phase),
            _ => None,
        })
        .collect();
    assert!(phases.is_sorted_by_key(|phase| match phase {
        LoadPhase::Header => 0,
        LoadPhase::Table => 1,
        LoadPhase::Weights => 2,
        LoadPhase::Tuning => 3,
        LoadPhase::Kernels => 4,
        LoadPhase::Towers => 5,
    }));
    assert_eq!(phases.last(), Some(&LoadPhase::Kernels));

    host.receive(generate(3, "What is 2 + 3?"), Vec::new());
    let Ok(Outcome::Done { finish, timings, .. }) = desk.end_of(3) else { panic!("no answer") };
    assert_eq!(finish, Finish::EndOfTurn);
    assert!(desk.text_of(3).contains('5'), "{}", desk.text_of(3));
    assert!(timings.prompt_tokens > 5 && timings.decode_tokens > 1, "{timings:?}");
    assert!(timings.first_token_ms >= timings.prefill_ms && timings.prefill_ms > 0.0, "{timings:?}");
    assert_eq!(timings.context_size, 2048);

    // What is counted is what was read.
    host.receive(
        ToWorker::request(
            RequestId(4),
            Request::Count { messages: asks("What is 2 + 3?"), thinking: false, tools: Vec::new() },
        ),
        Vec::new(),
    );
    assert_eq!(desk.end_of(4), Ok(Outcome::Counted { tokens: timings.prompt_tokens }));

    host.receive(ToWorker::request(RequestId(5), Request::Unload), Vec::new());
    desk.end_of(5).ok();
    host.receive(generate(6, "Hello"), Vec::new());
    assert_eq!(failure(desk.end_of(6)).cause(), Cause::Invalid);
}

#[test]
fn an_answer_that_is_stopped_keeps_what_was_tuned() {
    let (desk, host) = Desk::loaded();
    let (asked, seen) = (Rc::clone(&host), Cell::new(0));
    desk.react(move |event| {
        if matches!(event.as_progress(), Some((_, Progress::Text { .. }))) {
            seen.set(seen.get() + 1);
            if seen.get() == 2 {
                // Others are heard meanwhile, and a second answer is refused.
                let count = ToWorker::request(
                    RequestId(8),
                    Request::Count { messages: asks("Hello"), thinking: false, tools: Vec::new() },
                );
                asked.receive(count, Vec::new());
                asked.receive(generate(9, "And 3 + 4?"), Vec::new());
                asked.receive(ToWorker::control(RequestId(2), Control::Cancel), Vec::new());
                // It holds nothing any more.
                asked.receive(generate(10, "What is 2 + 3?"), Vec::new());
            }
        }
    });
    host.receive(generate(2, "Count from 1 to 20."), Vec::new());
    assert_eq!(finish(&desk.end_of(2)), Finish::Cancelled);
    assert!(!desk.text_of(2).is_empty());
    assert!(matches!(desk.end_of(8), Ok(Outcome::Counted { .. })));
    let refused = failure(desk.end_of(9));
    assert_eq!(refused.cause(), Cause::Invalid);
    assert_eq!(refused.code, RequestFailure::Busy(Activity::Generating).into());
    assert_eq!(finish(&desk.end_of(10)), Finish::EndOfTurn);
    assert!(desk.text_of(10).contains('5'));
}

#[test]
fn loading_stops_what_runs() {
    let (desk, host) = Desk::loaded();
    let asked = Rc::clone(&host);
    desk.react(move |event| {
        if matches!(event.as_progress(), Some((_, Progress::Text { .. }))) && asked_once(event) {
            asked.receive(load(3), Vec::new());
        }
    });
    host.receive(generate(2, "Count from 1 to 20."), Vec::new());
    assert_eq!(finish(&desk.end_of(2)), Finish::Cancelled);
    assert!(matches!(desk.end_of(3), Ok(Outcome::Loaded(_))));

    // Two loads: the first one is stopped, even before it has begun.
    host.receive(load(4), Vec::new());
    host.receive(load(5), Vec::new());
    assert_eq!(failure(desk.end_of(4)).cause(), Cause::Cancelled);
    assert!(matches!(desk.end_of(5), Ok(Outcome::Loaded(_))));
}

/// Whether this is the first token of an answer.
fn asked_once(event: &ToPage) -> bool {
    matches!(event.as_progress(), Some((_, Progress::Text { tokens: 1, .. })))
}

#[test]
fn an_answer_goes_on_after_the_device_was_lost() {
    let (desk, host) = Desk::loaded();
    host.receive(generate(2, "Count from 1 to 20."), Vec::new());
    let end = finish(&desk.end_of(2));
    let whole = desk.text_of(2);

    let (lost, losses) = (Rc::clone(&host), Cell::new(0));
    desk.react(move |event| {
        // Twice, with words between.
        if let Some((_, Progress::Text { tokens, .. })) = event.as_progress()
            && *tokens >= 5 + 8 * losses.get()
            && losses.get() < 2
        {
            losses.set(losses.get() + 1);
            lost.lose_device().now_or_never().expect("nobody opens a device meanwhile");
        }
    });
    host.receive(generate(3, "Count from 1 to 20."), Vec::new());
    assert_eq!(finish(&desk.end_of(3)), end);
    assert_eq!(desk.text_of(3), whole);
    let events = desk.posted();
    let is_loss = |event: &&ToPage| matches!(event, ToPage::DeviceLost { .. });
    assert_eq!(events.iter().filter(is_loss).count(), 2);
    let devices = events.iter().filter(|event| matches!(event, ToPage::Device(_))).count();
    assert_eq!(devices, 3);
}

#[test]
fn a_device_that_is_lost_while_idle_comes_back_with_its_model() {
    let (desk, host) = Desk::loaded();
    host.lose_device().now_or_never().expect("nobody opens a device meanwhile");
    // Natively a loss shows when the device is used; a browser says so by itself.
    host.receive(generate(2, "What is 2 + 3?"), Vec::new());
    assert_eq!(finish(&desk.end_of(2)), Finish::EndOfTurn);
    assert!(desk.text_of(2).contains('5'));
}

#[test]
fn two_losses_in_a_row_are_the_end_of_an_answer_but_not_of_the_model() {
    let (desk, host) = Desk::loaded();
    let (lost, losses) = (Rc::clone(&host), Cell::new(0));
    desk.react(move |event| {
        let begins = matches!(event.as_progress(), Some((_, Progress::Prefilling { .. })));
        let is_back = matches!(event, ToPage::Device(_));
        if (begins || is_back) && losses.get() < 2 {
            losses.set(losses.get() + 1);
            lost.lose_device().now_or_never().expect("nobody opens a device meanwhile");
        }
    });
    host.receive(generate(2, "What is 2 + 3?"), Vec::new());
    assert_eq!(failure(desk.end_of(2)).cause(), Cause::DeviceLost);
    host.receive(generate(3, "What is 2 + 3?"), Vec::new());
    assert_eq!(finish(&desk.end_of(3)), Finish::EndOfTurn);
    assert!(desk.text_of(3).contains('5'));
}

#[test]
fn a_file_of_another_kind_is_named_and_a_prompt_that_is_too_long_refused() {
    let (desk, host) = Desk::new();
    desk.model.replace(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    host.receive(inspect(1, LoadOptions::default()), Vec::new());
    let failure_of_kind = failure(desk.end_of(1));
    assert_eq!(failure_of_kind.cause(), Cause::BadFile);
    assert_eq!(failure_of_kind.code, ModelFailure::NotGguf.into());

    desk.model.replace(desk::pebble());
    let options = LoadOptions { context: 512, ..LoadOptions::default() };
    host.receive(ToWorker::request(RequestId(2), Request::Load { source: source(), options }), Vec::new());
    assert!(matches!(desk.end_of(2), Ok(Outcome::Loaded(it)) if it.context == 512));
    host.receive(generate(3, &"word ".repeat(600)), Vec::new());
    let full = failure(desk.end_of(3));
    assert_eq!(full.cause(), Cause::ContextFull);
    let full_of =
        |code: &_| matches!(code, Code::Request(RequestFailure::ContextFull { tokens: 513.., context: 512 }));
    assert!(full_of(&full.code), "{full:?}");
}

#[test]
fn kept_weights_are_listed_and_deleting_them_may_fail() {
    let (desk, host) = Desk::new();
    host.receive(ToWorker::request(RequestId(1), Request::ListCache), Vec::new());
    assert!(matches!(desk.end_of(1), Ok(Outcome::Cache(CacheReport { quota: 7, .. }))));
    host.receive(
        ToWorker::request(RequestId(2), Request::DeleteCached { digests: vec!["sha256:0".into()] }),
        Vec::new(),
    );
    assert_eq!(failure(desk.end_of(2)).cause(), Cause::Storage);
}
