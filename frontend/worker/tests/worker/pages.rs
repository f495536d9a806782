//! Several pages share the worker: turns, what each is told, and an answer that another engine goes on with.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use protocol::failure::{Activity, RequestFailure, TrainingFailure};
use protocol::tune::{ExampleData, TuneLength, TuneSettings, TuneTarget};
use protocol::{
    AdapterScale, AdapterSource, Busy, Code, Control, EngineState, Finish, GenerateOptions, LoadOptions,
    LoadedModel, ModelPhase, ModelSource, Outcome, PageId, Progress, Request, RequestId, Resumed, Sampling,
    Timings, ToPage, ToWorker, TuneOutcome, TuneProgress, TuneRequest,
};
use worker::Host;

use crate::desk::{Desk, Ended, asks, failure, golden, loaded_model, source, training, tune, tuned};

const A: PageId = PageId(1);
const B: PageId = PageId(2);
const C: PageId = PageId(3);
const QUESTION: &str = "Count from 1 to 9.";

fn id(page: PageId, number: u32) -> u64 {
    RequestId::new(page, number).0
}

/// A worker with the built-in model, which page A has loaded as its request 1, and two more pages.
fn shared() -> (Rc<Desk>, Rc<Host>) {
    let (desk, host) = Desk::new();
    for page in [A, B, C] {
        desk.join(&host, page);
    }
    host.receive(load(A, 1), Vec::new());
    assert!(matches!(desk.end_of(id(A, 1)), Ok(Outcome::Loaded(_))));
    (desk, host)
}

fn load(page: PageId, number: u32) -> ToWorker {
    ToWorker::request(
        RequestId::new(page, number),
        Request::Load { source: source(), options: LoadOptions::default() },
    )
}

fn options(max_tokens: u32) -> GenerateOptions {
    let sampling = Sampling { temperature: 1.0, seed: Some(3), ..Sampling::default() };
    GenerateOptions { sampling, max_tokens, pause_training: true, ..GenerateOptions::default() }
}

fn generate(page: PageId, number: u32, options: GenerateOptions) -> ToWorker {
    ToWorker::request(RequestId::new(page, number), Request::Generate { messages: asks(QUESTION), options })
}

fn done(ended: &Ended) -> (Finish, Timings) {
    match ended {
        Ok(Outcome::Done { finish, timings }) => (*finish, *timings),
        other => panic!("not the end of an answer: {other:?}"),
    }
}

/// The order in which requests ended.
fn ends(desk: &Desk) -> Vec<u64> {
    desk.posted().iter().filter_map(|message| Some(message.as_outcome()?.0.0)).collect()
}

#[test]
fn pages_answer_in_turns_and_see_for_whom() {
    let (desk, host) = shared();
    let busy = Rc::new(RefCell::new(Vec::new()));
    let heard = Rc::clone(&busy);
    desk.react(move |event| {
        if let ToPage::State(state) = event {
            heard.borrow_mut().push(state.busy);
        }
    });
    for page in [A, B, C] {
        host.receive(generate(page, 2, options(4)), Vec::new());
    }
    // A page has one answer at a time.
    host.receive(generate(A, 3, options(4)), Vec::new());
    assert_eq!(failure(desk.end_of(id(A, 3))), RequestFailure::Busy(Activity::Generating).into());
    for page in [A, B, C] {
        assert_eq!(done(&desk.end_of(id(page, 2))).0, Finish::MaxTokens);
    }
    assert_eq!(ends(&desk)[1..], [id(A, 3), id(A, 2), id(B, 2), id(C, 2)]);
    let mut pages: Vec<_> = busy.borrow().iter().flatten().map(|busy: &Busy| busy.page).collect();
    pages.dedup();
    assert_eq!(pages, [A, B, C]);
    assert_eq!(desk.state().busy, None);
    let same = desk.text_of(id(A, 2));
    assert!(!same.is_empty() && desk.text_of(id(B, 2)) == same && desk.text_of(id(C, 2)) == same);
}

#[test]
fn a_page_that_joins_is_told_what_is_loaded() {
    let (desk, host) = shared();
    let late = PageId(9);
    desk.join(&host, late);
    let ModelPhase::Loaded(model) = desk.state().model else { panic!("{:?}", desk.state()) };
    let LoadedModel { id: loaded_by, source: from, gpu_bytes, .. } = *model;
    assert_eq!((loaded_by.0, from), (id(A, 1), source()));
    assert!(gpu_bytes > 0);
    host.receive(ToWorker::request(RequestId::new(late, 1), Request::Unload), Vec::new());
    desk.end_of(id(late, 1)).ok();
    assert_eq!(desk.state(), EngineState::default());
}

#[test]
fn another_model_waits_for_the_answer_and_is_not_asked_in_its_place() {
    let (desk, host) = shared();
    let model = Some(RequestId::new(A, 1));
    host.receive(generate(A, 2, options(6)), Vec::new());
    let other = LoadOptions { context: 512, ..LoadOptions::default() };
    host.receive(
        ToWorker::request(RequestId::new(B, 2), Request::Load { source: source(), options: other }),
        Vec::new(),
    );
    host.receive(generate(C, 2, GenerateOptions { model, ..options(6) }), Vec::new());
    assert_eq!(done(&desk.end_of(id(A, 2))).0, Finish::MaxTokens);
    assert!(matches!(desk.end_of(id(B, 2)), Ok(Outcome::Loaded(_))));
    assert_eq!(failure(desk.end_of(id(C, 2))), RequestFailure::OtherModel.into());
    // Who knows of the new one is answered by it.
    let model = Some(RequestId::new(B, 2));
    host.receive(generate(C, 3, GenerateOptions { model, ..options(6) }), Vec::new());
    assert_eq!(done(&desk.end_of(id(C, 3))).0, Finish::MaxTokens);
}

#[test]
fn what_another_page_has_loaded_is_not_loaded_again() {
    let (desk, host) = shared();
    let loaded_by = |ended| loaded_model(ended).id.0;
    host.receive(load(B, 1), Vec::new());
    assert_eq!(loaded_by(desk.end_of(id(B, 1))), id(A, 1));
    assert_eq!(desk.progress_of(id(B, 1)), []);
    // With another context it is, and for the page that has loaded it.
    let options = LoadOptions { context: 512, ..LoadOptions::default() };
    host.receive(
        ToWorker::request(RequestId::new(B, 2), Request::Load { source: source(), options }),
        Vec::new(),
    );
    assert_eq!(loaded_by(desk.end_of(id(B, 2))), id(B, 2));
    host.receive(load(B, 3), Vec::new());
    assert_eq!(loaded_by(desk.end_of(id(B, 3))), id(B, 3));
}

#[test]
fn a_load_that_is_cancelled_while_it_waits_leaves_the_model() {
    let (desk, host) = shared();
    host.receive(generate(A, 2, options(6)), Vec::new());
    let other = LoadOptions { context: 512, ..LoadOptions::default() };
    host.receive(
        ToWorker::request(RequestId::new(B, 2), Request::Load { source: source(), options: other }),
        Vec::new(),
    );
    host.receive(ToWorker::control(RequestId::new(B, 2), Control::Cancel), Vec::new());
    assert!(failure(desk.end_of(id(B, 2))).is_cancelled());
    assert!(matches!(desk.state().model, ModelPhase::Loaded(_)), "it is told after the load has ended");
    assert_eq!(done(&desk.end_of(id(A, 2))).0, Finish::MaxTokens);
    host.receive(generate(A, 3, options(2)), Vec::new());
    assert_eq!(done(&desk.end_of(id(A, 3))).0, Finish::MaxTokens);
}

#[test]
fn what_a_closed_page_has_asked_for_ends() {
    let (desk, host) = shared();
    host.receive(generate(B, 2, options(0)), Vec::new());
    host.receive(generate(C, 2, options(3)), Vec::new());
    host.receive(generate(A, 2, options(3)), Vec::new());
    let served = Rc::clone(&host);
    desk.react(move |event| {
        if matches!(event.as_progress(), Some((_, Progress::Text { .. }))) {
            served.leave(B);
            served.leave(C);
        }
    });
    assert_eq!(done(&desk.end_of(id(B, 2))).0, Finish::Cancelled);
    assert_eq!(done(&desk.end_of(id(C, 2))).0, Finish::Cancelled);
    assert_eq!(done(&desk.end_of(id(A, 2))).0, Finish::MaxTokens);
    // It is not served any more.
    host.receive(generate(B, 3, options(3)), Vec::new());
    host.receive(generate(A, 3, options(3)), Vec::new());
    desk.end_of(id(A, 3)).ok();
    assert!(!ends(&desk).contains(&id(B, 3)));
}

/// What an engine needs to go on with an answer after its ids were drawn for the `n`th time, and its text until then.
fn cut(answer: &[Progress], n: usize) -> (Resumed, String) {
    let (mut resumed, mut text, mut count) = (Resumed::default(), String::new(), 0);
    for progress in answer {
        match progress {
            Progress::Begins(begins) => resumed = begins.clone(),
            Progress::Text { text: more, .. } => text.push_str(more),
            Progress::Drawn { ids, decode_ms } => {
                resumed.drawn.extend(ids);
                resumed.decode_ms = *decode_ms;
                count += 1;
                if count == n {
                    break;
                }
            }
            _ => {}
        }
    }
    assert_eq!(count, n, "it was drawn so often");
    (resumed, text)
}

#[test]
fn another_engine_goes_on_with_an_answer_to_the_same_text() {
    let (desk, host) = shared();
    // As often happens: it goes on from a beginning, and the seed is the engine's.
    let begun = protocol::Begun { thought: String::new(), answer: "1, 2".into() };
    let mut asked = GenerateOptions { begun: Some(begun), ..options(0) };
    asked.sampling.seed = None;
    host.receive(generate(A, 2, asked.clone()), Vec::new());
    let (finish, whole) = done(&desk.end_of(id(A, 2)));
    let (text, progress) = (desk.text_of(id(A, 2)), desk.progress_of(id(A, 2)));
    let times = progress.iter().filter(|it| matches!(it, Progress::Drawn { .. })).count();
    assert!(times > 3, "{times}");

    let (desk, host) = desk.successor();
    desk.join(&host, B);
    host.receive(load(B, 1), Vec::new());
    desk.end_of(id(B, 1)).ok();
    for (number, n) in (2..).zip([1, 2, times / 2, times - 1]) {
        let (resumed, before) = cut(&progress, n);
        let drawn = resumed.drawn.len() as u32;
        host.receive(
            generate(B, number, GenerateOptions { resumed: Some(Box::new(resumed)), ..asked.clone() }),
            Vec::new(),
        );
        let (ended, timings) = done(&desk.end_of(id(B, number)));
        assert_eq!((ended, before + &desk.text_of(id(B, number))), (finish, text.clone()), "after {drawn}");
        assert_eq!(timings.decode_tokens, whole.decode_tokens, "all of them count");
    }
}

#[test]
fn one_page_trains_while_others_answer() {
    let (desk, host) = Desk::new();
    desk.model.replace(golden("models/tiny-31b.q4_0.gguf"));
    for page in [A, B] {
        desk.join(&host, page);
    }
    host.receive(load(A, 1), Vec::new());
    desk.end_of(id(A, 1)).ok();
    let pairs = ["What is my cat called?", "Do you know my cat?"];
    let pairs = pairs.map(|ask| (ask.to_owned(), "Your cat is called Ada.".to_owned()));
    let settings = TuneSettings {
        name: "Ada".into(),
        length: TuneLength::Steps(3),
        accumulation: 1,
        targets: vec![TuneTarget::Q],
        eval_share: 0.0,
        samples: Vec::new(),
        ..TuneSettings::default()
    };
    let data = ExampleData::Pairs(pairs.to_vec());
    let start = || TuneRequest::Start { data: data.clone(), settings: settings.clone() };
    // As soon as A's first step is done.
    let asked = Cell::new(false);
    let (served, again) = (Rc::clone(&host), start());
    desk.react(move |event| {
        let is_step = matches!(training(event), Some(TuneProgress::Step { .. }));
        if is_step && !asked.replace(true) {
            // Another page is answered between two steps; it loads nothing, and trains nothing.
            served.receive(load(B, 1), Vec::new());
            served.receive(tune(id(B, 2), again.clone()), Vec::new());
            served.receive(tune(id(A, 3), TuneRequest::List), Vec::new());
            served.receive(tune(id(B, 3), TuneRequest::List), Vec::new());
            served.receive(generate(B, 4, options(3)), Vec::new());
        }
    });
    host.receive(tune(id(A, 2), start()), Vec::new());
    assert_eq!(desk.state().busy, Some(Busy { page: A, activity: Activity::Training }));
    let TuneOutcome::Finished { .. } = tuned(desk.end_of(id(A, 2))) else { panic!("not finished") };

    assert_eq!(failure(desk.end_of(id(B, 1))), RequestFailure::Busy(Activity::Training).into());
    let elsewhere = failure(desk.end_of(id(B, 2)));
    assert!(
        matches!(elsewhere.code, Code::Training(TrainingFailure::InAnotherTab { ref name }) if name == "Ada"),
        "{elsewhere:?}"
    );
    let listed = |page: PageId| match tuned(desk.end_of(id(page, 3))) {
        TuneOutcome::Kept { elsewhere, .. } => elsewhere,
        other => panic!("not a list: {other:?}"),
    };
    assert_eq!([listed(A), listed(B)], [false, true]);
    assert_eq!(done(&desk.end_of(id(B, 4))).0, Finish::MaxTokens);
    assert_eq!(*ends(&desk).last().expect("ends"), id(A, 2), "the run waited");
    assert_eq!(desk.state().busy, None);
}

#[test]
fn an_adapter_stays_as_long_as_a_page_has_it_open() {
    let (desk, host) = Desk::new();
    desk.model.replace(golden("models/tiny-e2b.q4_k_m.gguf"));
    desk.files.borrow_mut().insert("pirate.gguf".into(), golden("adapters/exported/adapter.gguf"));
    for page in [A, B] {
        desk.join(&host, page);
    }
    host.receive(load(A, 1), Vec::new());
    desk.end_of(id(A, 1)).ok();
    let source =
        AdapterSource::Files(ModelSource::Local { names: vec!["pirate.gguf".into()], sizes: vec![1] });
    let open = |page: PageId| {
        let open = ToWorker::request(
            RequestId::new(page, 2),
            Request::OpenAdapter { key: "p".into(), source: source.clone() },
        );
        host.receive(open, Vec::new());
        assert!(matches!(desk.end_of(id(page, 2)), Ok(Outcome::AdapterOpened(_))));
    };
    open(A);
    open(B);
    let with =
        || GenerateOptions { adapters: vec![AdapterScale { key: "p".into(), scale: 1.0 }], ..options(2) };
    host.receive(
        ToWorker::request(RequestId::new(A, 3), Request::CloseAdapter { key: "p".into() }),
        Vec::new(),
    );
    assert!(matches!(desk.end_of(id(A, 3)), Ok(Outcome::AdapterClosed)));
    host.receive(generate(B, 3, with()), Vec::new());
    assert_eq!(done(&desk.end_of(id(B, 3))).0, Finish::MaxTokens);
    host.leave(B);
    host.receive(generate(A, 4, with()), Vec::new());
    let gone = failure(desk.end_of(id(A, 4)));
    assert!(matches!(gone.code, Code::Adapter(_)), "{gone:?}");
}
