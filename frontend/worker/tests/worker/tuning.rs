//! Fine-tuning on a native device: a fact is taught, with a pause and a closed tab in between.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use engine::store::Folder as _;
use futures_util::FutureExt as _;
use protocol::example::ExampleProblem;
use protocol::failure::{Activity, AdapterFailure, RequestFailure, Setting, TrainingFailure};
use protocol::tune::{
    ExampleData, ExportFormat, Preview, PreviewPiece, RunSummary, Schedule, TuneLength, TunePlan,
    TuneSettings, TuneTarget,
};
use protocol::{
    AdapterScale, AdapterSource, Cause, Code, Control, FitVerdict, LoadOptions, LoadedModel, ModelSource,
    Outcome, Progress, Request, RequestId, ToPage, ToWorker, TuneOutcome, TuneProgress, TuneRequest,
};
use worker::Host;

use crate::desk;
use crate::desk::{Desk, Ended, failure, generate, load, loaded_model, options_of, training, tune, tuned};

/// One fact in several words.
fn facts() -> ExampleData {
    let pairs = [
        ("What is my cat called?", "Your cat is called Ada."),
        ("My cat, what is her name?", "Your cat is called Ada."),
        ("Do you know my cat?", "Your cat is called Ada."),
        ("Tell me the name of my cat.", "Your cat is called Ada."),
    ];
    ExampleData::Pairs(pairs.map(|(ask, answer)| (ask.to_owned(), answer.to_owned())).to_vec())
}

fn settings(steps: u32) -> TuneSettings {
    TuneSettings {
        name: "Ada".into(),
        rank: 4,
        alpha: 8.0,
        length: TuneLength::Steps(steps),
        targets: vec![TuneTarget::Q, TuneTarget::V, TuneTarget::Up, TuneTarget::Down],
        learning_rate: 1e-2,
        warmup: 0.0,
        accumulation: 1,
        max_tokens: 64,
        eval_share: 0.25,
        checkpoint_every: 2,
        // An answer takes longer here than a step.
        samples: Vec::new(),
        ..TuneSettings::default()
    }
}

fn kept(ended: Ended) -> (Option<RunSummary>, Vec<protocol::tune::KeptAdapter>) {
    match tuned(ended) {
        TuneOutcome::Kept { run, adapters, .. } => (run, adapters),
        other => panic!("not what is kept: {other:?}"),
    }
}

#[test]
fn examples_are_counted_and_the_cost_is_known_before_the_start() {
    let (desk, host) = Desk::quick();
    host.receive(tune(2, TuneRequest::Prepare { data: facts(), settings: settings(6) }), Vec::new());
    let TuneOutcome::Prepared { preview, plan } = tuned(desk.end_of(2)) else { panic!("not prepared") };
    let Preview { usable, rows, problem_count, learned, tokens, .. } = preview;
    assert_eq!((usable, rows.len(), problem_count), (4, 4, 0));
    assert!(learned > 0 && learned < tokens, "{learned} of {tokens}");
    let learned = |piece: &PreviewPiece| match piece {
        PreviewPiece::Token { text, learned: true } => Some(text.clone()),
        _ => None,
    };
    let shown: String = rows[0].pieces.iter().filter_map(learned).collect();
    assert_eq!(shown, "Your cat is called Ada.<turn|>");
    let TunePlan { steps, train, evaluate, parameters, seconds, obstacle, gpu_bytes, gpu_available, .. } =
        plan.expect("a plan");
    assert_eq!((steps, train, evaluate, obstacle), (6, 3, 1, None));
    assert!(parameters > 0 && gpu_bytes < gpu_available && seconds.expect("measured") > 0.0);

    // A row that is too long is told by its line.
    let short = TuneSettings { max_tokens: 8, ..settings(6) };
    host.receive(tune(3, TuneRequest::Prepare { data: facts(), settings: short }), Vec::new());
    let TuneOutcome::Prepared { preview, plan } = tuned(desk.end_of(3)) else { panic!("not prepared") };
    assert_eq!((preview.usable, preview.problem_count, plan), (0, 4, None));
    let reason = &preview.problems[3].reason;
    assert!(matches!(reason, ExampleProblem::TooLong { tokens: 9.., limit: 8 }), "{reason:?}");
    host.receive(
        tune(
            4,
            TuneRequest::Start { data: facts(), settings: TuneSettings { max_tokens: 8, ..settings(6) } },
        ),
        Vec::new(),
    );
    assert_eq!(failure(desk.end_of(4)), TrainingFailure::NoExamples.into());
}

#[test]
fn a_run_ends_once_the_examples_are_learned() {
    let (desk, host) = Desk::quick();
    let settings = TuneSettings { length: TuneLength::UntilLearned, checkpoint_every: 1000, ..settings(0) };
    host.receive(tune(2, TuneRequest::Start { data: facts(), settings }), Vec::new());
    let begun = |event: &ToPage| match training(event) {
        Some(TuneProgress::Begun(run)) => Some(run.steps),
        _ => None,
    };
    let TuneOutcome::Finished(run) = tuned(desk.end_of(2)) else { panic!("not finished") };
    let most = desk.posted().iter().find_map(begun).expect("begun");
    assert!(run.finished && run.step < most, "{} of {most}", run.step);
    assert_eq!((run.steps, run.points.len() as u32, run.saved), (run.step, run.step, run.step));
    let last = &run.points[run.points.len() - 4..];
    assert!(last.iter().map(|point| point.loss).sum::<f32>() <= 0.4, "{last:?}");
}

#[test]
fn a_sample_that_fails_costs_nothing_that_was_learned() {
    let (desk, host) = Desk::quick();
    let with = Rc::clone(&host);
    desk.react(move |event| {
        if let Some(progress) = training(event)
            && matches!(progress, TuneProgress::Step(point) if point.step == 2)
        {
            // The adapter of the last sample does not fit.
            with.limit_memory(0).now_or_never().expect("nobody opens a device meanwhile");
        }
    });
    let samples = vec!["What is my cat called?".into()];
    let settings = TuneSettings { samples, checkpoint_every: 1000, ..settings(2) };
    host.receive(tune(2, TuneRequest::Start { data: facts(), settings }), Vec::new());
    let TuneOutcome::Finished(run) = tuned(desk.end_of(2)) else { panic!("not finished") };
    assert_eq!((run.finished, run.step, run.saved), (true, 2, 2));
    assert_eq!(run.samples.iter().map(|sample| sample.step).collect::<Vec<_>>(), [0]);
    let trouble = |event: &ToPage| match training(event) {
        Some(TuneProgress::Warning(failure)) => Some(failure.cause()),
        _ => None,
    };
    assert_eq!(desk.posted().iter().filter_map(trouble).collect::<Vec<_>>(), [Cause::OutOfMemory]);
}

#[test]
fn a_run_is_paused_goes_on_in_another_tab_and_is_kept() {
    let (desk, host) = Desk::quick();
    let (with, asked) = (Rc::clone(&host), Cell::new(false));
    desk.react(move |event| {
        if let Some(progress) = training(event)
            && matches!(progress, TuneProgress::Step(point) if point.step == 3)
            && !asked.replace(true)
        {
            with.receive(generate(9, "Hello"), Vec::new());
            with.receive(ToWorker::control(RequestId(2), Control::PauseTraining), Vec::new());
        }
    });
    let settings = TuneSettings { samples: vec!["What is my cat called?".into()], ..settings(8) };
    host.receive(tune(2, TuneRequest::Start { data: facts(), settings }), Vec::new());
    let TuneOutcome::Paused(paused) = tuned(desk.end_of(2)) else { panic!("not paused") };
    assert_eq!((paused.step, paused.saved, paused.points.len(), paused.steps), (3, 3, 3, 8));
    // Who asks meanwhile is told why not.
    let refused = failure(desk.end_of(9));
    assert_eq!(refused.cause(), Cause::Invalid);
    assert_eq!(refused.code, RequestFailure::Busy(Activity::Training).into());

    // Another worker, as after a reload, with what the browser keeps.
    let (later, host) = desk.successor();
    host.receive(load(1), Vec::new());
    later.end_of(1).ok();
    host.receive(tune(2, TuneRequest::List), Vec::new());
    let (run, adapters) = kept(later.end_of(2));
    assert_eq!((run.map(|run| run.step), adapters.len()), (Some(3), 0));
    host.receive(tune(3, TuneRequest::Resume), Vec::new());
    let TuneOutcome::Finished(run) = tuned(later.end_of(3)) else { panic!("not finished") };
    assert_eq!((run.step, run.points.len(), run.finished), (8, 8, true));
    assert_eq!(run.points[..3], paused.points[..]);
    let (first, last) = (run.points[0].loss, run.points[7].loss);
    assert!(last < 0.7 * first, "{first} {last}");
    assert!(run.points.last().is_some_and(|point| point.eval_loss.is_some()));
    let speeds = |event: &ToPage| {
        matches!(training(event),
            Some(TuneProgress::Speed { tokens_per_second, seconds_left: Some(_), gpu_bytes })
                if *tokens_per_second > 0.0 && *gpu_bytes > 0)
    };
    assert!(later.posted().iter().any(speeds));
    assert_eq!(run.samples.iter().map(|sample| sample.step).collect::<Vec<_>>(), [0, 8]);
    let samples = (run.samples[0].answer.clone(), run.samples[1].answer.clone());
    assert_ne!(samples.0, samples.1);

    host.receive(tune(4, TuneRequest::Keep { name: "My cat".into() }), Vec::new());
    let (run, adapters) = kept(later.end_of(4));
    assert_eq!((run, adapters.len(), adapters[0].name.as_str(), adapters[0].rank), (None, 1, "My cat", 4));
    for (id, format, names) in [
        (5, ExportFormat::Gguf, vec!["my-cat.gguf"]),
        (6, ExportFormat::Peft, vec!["adapter_model.safetensors", "adapter_config.json"]),
    ] {
        host.receive(tune(id, TuneRequest::Export { id: adapters[0].id.clone(), format }), Vec::new());
        let TuneOutcome::Files(files) = tuned(later.end_of(id)) else { panic!("no files") };
        assert_eq!(files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), names);
        assert!(files.iter().all(|file| !file.bytes.is_empty()));
    }
    // It is used at once, and the question that was the sample gets the sample's answer.
    let kept_one = AdapterSource::Kept(adapters[0].id.clone());
    let open = |id| {
        let source = kept_one.clone();
        host.receive(
            ToWorker::request(RequestId(id), Request::OpenAdapter { key: "cat".into(), source }),
            Vec::new(),
        );
    };
    open(8);
    let Ok(Outcome::AdapterOpened(details)) = later.end_of(8) else { panic!("not opened") };
    assert_eq!((details.name.as_str(), details.rank), ("My cat", 4));
    for (id, scale, sample) in [(9, 1.0, &samples.1), (10, 0.0, &samples.0)] {
        let mut request = generate(id, "What is my cat called?");
        options_of(&mut request).adapters = vec![AdapterScale { key: "cat".into(), scale }];
        host.receive(request, Vec::new());
        later.end_of(id).ok();
        // A sample may be longer.
        assert!(sample.starts_with(&later.text_of(id)), "{:?} {sample:?}", later.text_of(id));
    }

    host.receive(tune(7, TuneRequest::Delete { id: adapters[0].id.clone() }), Vec::new());
    assert_eq!(kept(later.end_of(7)).1, []);
    open(11);
    let gone = failure(later.end_of(11));
    assert_eq!(gone, AdapterFailure::NotKept.into());
}

#[test]
fn a_run_goes_on_after_the_device_was_lost_and_after_the_storage_was_full() {
    let (desk, host) = Desk::quick();
    let (lost, folders, done) = (Rc::clone(&host), Rc::clone(&desk), Cell::new(false));
    desk.react(move |event| {
        let Some(progress) = training(event) else { return };
        match progress {
            TuneProgress::Step(point) if point.step == 3 && !done.replace(true) => {
                use futures_util::FutureExt as _;
                lost.lose_device().now_or_never().expect("nobody opens a device meanwhile");
            }
            TuneProgress::Step(point) if point.step == 5 => folders.limit(1),
            _ => {}
        }
    });
    host.receive(tune(2, TuneRequest::Start { data: facts(), settings: settings(6) }), Vec::new());
    let TuneOutcome::Finished(run) = tuned(desk.end_of(2)) else { panic!("not finished") };
    assert_eq!((run.step, run.points.len()), (6, 6));
    let steps: Vec<_> = losses(&desk, 2).into_iter().map(|(step, _)| step).collect();
    // The checkpoint holds two steps: the third is done again.
    assert_eq!(steps, [1, 2, 3, 3, 4, 5, 6]);
    let troubles = desk.posted().into_iter().filter(|event| {
        matches!(training(event), Some(TuneProgress::Warning(failure)) if failure.cause() == Cause::Storage)
    });
    assert!(troubles.count() > 0);
}

#[test]
fn what_cannot_go_well_is_told_and_the_kept_run_stays() {
    let (desk, host) = Desk::quick();
    let start =
        |id, data, settings| host.receive(tune(id, TuneRequest::Start { data, settings }), Vec::new());
    let quiet = |steps| TuneSettings { checkpoint_every: 1, ..settings(steps) };
    let kept_step = |id| {
        host.receive(tune(id, TuneRequest::List), Vec::new());
        kept(desk.end_of(id)).0.map(|run| (run.step, run.finished))
    };

    // Stopped early, it is done.
    let (with, asked) = (Rc::clone(&host), Cell::new(false));
    desk.react(move |event| {
        if matches!(training(event), Some(TuneProgress::Step(_))) && !asked.replace(true) {
            with.receive(ToWorker::control(RequestId(2), Control::FinishTraining), Vec::new());
        }
    });
    start(2, facts(), quiet(3));
    let TuneOutcome::Finished(run) = tuned(desk.end_of(2)) else { panic!("not finished") };
    assert_eq!((run.step, run.steps, run.saved, run.finished), (1, 3, 1, true));

    // What cannot begin costs nothing.
    start(3, facts(), TuneSettings { rank: 65, ..quiet(3) });
    let rank = TrainingFailure::Setting { setting: Setting::Rank, value: "65".into() };
    assert_eq!(failure(desk.end_of(3)), rank.into());
    start(4, ExampleData::Pairs(Vec::new()), quiet(3));
    assert_eq!(failure(desk.end_of(4)), TrainingFailure::NoExamples.into());
    assert_eq!(kept_step(5), Some((1, true)));

    // A loss that is no number ends the run; the checkpoint before it stays.
    let wild = TuneSettings { learning_rate: 1e30, clip: 0.0, schedule: Schedule::Constant, ..quiet(3) };
    start(6, facts(), wild);
    let wrong = failure(desk.end_of(6));
    assert_eq!(wrong.cause(), Cause::Training, "{wrong:?}");
    let Code::Training(TrainingFailure::Unstable { saved, .. }) = wrong.code else { panic!("{wrong:?}") };
    assert_eq!(saved, Some(1));
    assert_eq!(kept_step(7), Some((1, false)));

    // Another model cannot go on with it.
    let source = ModelSource::Server { name: "boulder".into(), layers: Vec::new() };
    let options = LoadOptions::default();
    host.receive(ToWorker::request(RequestId(8), Request::Load { source, options }), Vec::new());
    desk.end_of(8).ok();
    host.receive(tune(9, TuneRequest::Resume), Vec::new());
    let refused = failure(desk.end_of(9));
    assert_eq!(refused, TrainingFailure::ForModel { model: "pebble".into() }.into());
    host.receive(tune(10, TuneRequest::Discard), Vec::new());
    assert_eq!(kept(desk.end_of(10)).0, None);
    host.receive(tune(11, TuneRequest::Resume), Vec::new());
    assert_eq!(failure(desk.end_of(11)), TrainingFailure::NothingToResume.into());
}

#[test]
fn a_run_in_another_tab_is_left_alone() {
    let (desk, host) = Desk::quick();
    // The steps of a run follow one another without a pause: the other tab does what it can between two of them.
    let (this, met) = (Rc::clone(&desk), Rc::new(RefCell::new(None)));
    let meeting = Rc::clone(&met);
    desk.react(move |event| {
        if let Some(progress) = training(event)
            && matches!(progress, TuneProgress::Saved { step: 1 })
            && meeting.borrow().is_none()
        {
            meeting.replace(Some(refused_elsewhere(&this)));
        }
    });
    host.receive(tune(2, TuneRequest::Start { data: facts(), settings: settings(4) }), Vec::new());
    let TuneOutcome::Finished(run) = tuned(desk.end_of(2)) else { panic!("not finished") };
    assert_eq!((run.step, run.saved), (4, 4));

    // Now it is anybody's.
    let (other, host) = met.take().expect("the first step was kept");
    host.receive(tune(9, TuneRequest::List), Vec::new());
    assert!(matches!(tuned(other.end_of(9)), TuneOutcome::Kept { run: Some(_), elsewhere: false, .. }));
    host.receive(tune(10, TuneRequest::Discard), Vec::new());
    assert_eq!(kept(other.end_of(10)).0, None);
}

/// Another tab, which is refused all that touches the run of this one, and leaves its files alone.
fn refused_elsewhere(desk: &Desk) -> (Rc<Desk>, Rc<Host>) {
    let folder = Rc::clone(&desk.folders.borrow()["training"]);
    let writing = folder.write("soft.of-the-other", b"encoded");
    writing.now_or_never().expect("memory does not wait").expect("writes");
    let files = || {
        let names = folder.names().now_or_never().expect("memory does not wait").expect("names");
        names.into_iter().collect::<BTreeSet<_>>()
    };
    let before = files();

    let (other, host) = desk.successor();
    host.receive(load(1), Vec::new());
    other.end_of(1).ok();
    host.receive(tune(2, TuneRequest::List), Vec::new());
    let TuneOutcome::Kept { run, elsewhere, .. } = tuned(other.end_of(2)) else { panic!("not what is kept") };
    assert_eq!((run.map(|run| run.name), elsewhere), (Some("Ada".to_owned()), true));
    let start = TuneRequest::Start { data: facts(), settings: settings(4) };
    let requests =
        [start, TuneRequest::Resume, TuneRequest::Discard, TuneRequest::Keep { name: "Ada".into() }];
    for (id, request) in (3..).zip(requests) {
        host.receive(tune(id, request), Vec::new());
        let refused = failure(other.end_of(id));
        assert_eq!(refused, TrainingFailure::InAnotherTab { name: "Ada".into() }.into());
    }
    assert_eq!(files(), before);
    (other, host)
}

#[test]
fn a_tab_that_is_closed_soon_after_the_start_has_a_checkpoint() {
    let (desk, host) = Desk::quick();
    // What the browser keeps when the tab is closed in the second step.
    let (this, kept_then) = (Rc::clone(&desk), Rc::new(RefCell::new(None)));
    let closing = Rc::clone(&kept_then);
    desk.react(move |event| {
        if let Some(progress) = training(event)
            && matches!(progress, TuneProgress::Step(point) if point.step == 2)
        {
            closing.replace(Some(this.folders_now()));
        }
    });
    let rare = TuneSettings { checkpoint_every: 100, ..settings(3) };
    host.receive(tune(2, TuneRequest::Start { data: facts(), settings: rare }), Vec::new());
    desk.end_of(2).ok();

    let (later, host) = desk.successor();
    later.folders.replace(kept_then.take().expect("there was a second step"));
    host.receive(load(1), Vec::new());
    later.end_of(1).ok();
    host.receive(tune(2, TuneRequest::List), Vec::new());
    let (run, _) = kept(later.end_of(2));
    assert_eq!(run.map(|run| (run.step, run.steps, run.points.len())), Some((1, 3, 1)));
    host.receive(tune(3, TuneRequest::Resume), Vec::new());
    let TuneOutcome::Finished(run) = tuned(later.end_of(3)) else { panic!("not finished") };
    assert_eq!((run.step, run.points.len()), (3, 3));
}

/// The losses of all steps of a run.
fn losses(desk: &Desk, id: u64) -> Vec<(u32, f32)> {
    let step = |progress: &Progress| match progress {
        Progress::Tune(progress) => match **progress {
            TuneProgress::Step(point) => Some((point.step, point.loss)),
            _ => None,
        },
        _ => None,
    };
    desk.progress_of(id).iter().filter_map(step).collect()
}

#[test]
fn a_run_waits_for_an_answer_and_learns_the_same() {
    let begin = || tune(2, TuneRequest::Start { data: facts(), settings: settings(4) });
    let (desk, host) = Desk::quick();
    host.receive(begin(), Vec::new());
    assert!(matches!(tuned(desk.end_of(2)), TuneOutcome::Finished(_)));
    let undisturbed = losses(&desk, 2);
    assert_eq!(undisturbed.len(), 4);

    let (desk, host) = Desk::quick();
    let asking = Rc::clone(&host);
    desk.react(move |event| {
        if let Some(progress) = training(event)
            && matches!(progress, TuneProgress::Step(point) if point.step == 3)
        {
            // Without leave it is refused, and one at a time.
            asking.receive(generate(3, "Hello"), Vec::new());
            for id in [4, 5] {
                let mut request = generate(id, "What is 2 + 3?");
                options_of(&mut request).pause_training = true;
                asking.receive(request, Vec::new());
            }
        }
    });
    host.receive(begin(), Vec::new());
    assert!(matches!(tuned(desk.end_of(2)), TuneOutcome::Finished(_)));
    assert_eq!(failure(desk.end_of(3)).cause(), Cause::Invalid);
    assert_eq!(failure(desk.end_of(5)).cause(), Cause::Invalid);
    assert!(!desk.text_of(4).is_empty());
    assert_eq!(losses(&desk, 2), undisturbed);
    // It was kept, waited, and went on when the answer was there.
    let position = |is: &dyn Fn(&ToPage) -> bool| desk.posted().iter().position(is).expect("it was posted");
    let of_run = |wanted: TuneProgress| position(&|message| training(message) == Some(&wanted));
    let saved = of_run(TuneProgress::Saved { step: 3 });
    let waits = of_run(TuneProgress::Waiting { step: 3 });
    let done = position(&|message| message.as_outcome().is_some_and(|(id, _)| id == RequestId(4)));
    let goes_on = of_run(TuneProgress::Continues);
    assert!(saved < waits && waits < done && done < goes_on, "{saved} {waits} {done} {goes_on}");
}

#[test]
fn what_is_needed_is_the_same_before_and_after_a_load_and_for_a_training() {
    let (desk, host) = Desk::new();
    host.receive(desk::inspect(1, LoadOptions::default()), Vec::new());
    let Ok(Outcome::Inspected { verdict: FitVerdict::Fits { context, bytes, .. }, details, .. }) =
        desk.end_of(1)
    else {
        panic!("it does not fit")
    };
    host.receive(load(2), Vec::new());
    let LoadedModel { gpu_bytes, context: loaded, details: after, .. } = loaded_model(desk.end_of(2));
    assert_eq!((gpu_bytes, loaded), (bytes, context));
    assert_eq!(after.memory, details.memory);
    let listed = details.memory.iter().find(|cost| cost.context == context).expect("it is listed");
    assert_eq!(listed.bytes, bytes);
    // What is there is no more than what was said, before and after the first picture could have come.
    host.receive(ToWorker::request(RequestId(3), Request::Towers { free: false }), Vec::new());
    let Ok(Outcome::Towers { gpu_bytes: in_use, .. }) = desk.end_of(3) else { panic!("not told") };
    assert!(in_use < bytes, "{in_use} of {bytes}");

    host.receive(tune(4, TuneRequest::Prepare { data: facts(), settings: settings(1) }), Vec::new());
    let TuneOutcome::Prepared { plan: Some(plan), .. } = tuned(desk.end_of(4)) else { panic!("no plan") };
    host.receive(tune(5, TuneRequest::Start { data: facts(), settings: settings(1) }), Vec::new());
    desk.end_of(5).ok();
    let told = desk.posted().iter().find_map(|message| match training(message) {
        Some(TuneProgress::Speed { gpu_bytes, .. }) => Some(*gpu_bytes),
        _ => None,
    });
    assert_eq!(told, Some(plan.gpu_bytes));
}
