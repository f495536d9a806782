//! The behaviour of an engine that a page depends on: scripts of requests and the events that must follow. The simulated
//! engine and the real one pass the same scripts.
//!
//! Events are compared as [`Beat`]s, which leave out texts, figures and repetitions.
//!
//! # Panics
//! All functions here are for tests, and panic when an engine behaves otherwise.

use crate::failure::RequestFailure;
use crate::tune::{ExampleData, TuneLength, TuneSettings};
use crate::{
    AnswerFormat, Cause, Code, Constraint, Control, Diagnosis, Envelope, Event, Failure, Finish, Forget,
    GenerateOptions, LoadOptions, Message, ModelSource, Outcome, PageId, Progress, Request, RequestId,
    Resumed, Role, Sampling, ToPage, ToWorker, Tool, ToolCall, TuneOutcome, TuneProgress, TuneRequest,
    VERSION,
};

/// An engine under test. Its first page has [`PageId`] 0 and has sent [`ToWorker::Hello`].
pub trait Engine {
    /// Sends a message.
    fn send(&mut self, message: ToWorker);
    /// Adds a reaction: as soon as all earlier ones are done and `when` holds for a posted message, does `what`.
    fn react(&mut self, when: Box<dyn Fn(&ToPage) -> bool>, what: Reaction);
    /// Runs the engine until `done` holds for all posted messages, or it has crashed.
    fn run_until(&mut self, done: &dyn Fn(&[ToPage]) -> bool);
    /// All posted messages.
    fn posted(&self) -> Vec<ToPage>;
    /// Whether it has crashed.
    fn is_gone(&self) -> bool;
    /// Ends it and starts another one, without trouble, in the same browser.
    fn restart(&mut self);
    /// Leaves no room for what training keeps.
    fn fill_storage(&mut self);
}

/// What is done when a message is posted.
#[derive(Clone, Debug)]
pub enum Reaction {
    /// Sends a message.
    Send(Box<ToWorker>),
    /// [`Engine::fill_storage`].
    FillStorage,
}

/// What is wrong with an engine, or its browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Nothing.
    None,
    /// The engine crashes in the middle of a load.
    CrashLoading,
    /// The connection is cut in the middle of a load.
    Cut,
    /// There is no room for a copy of a model.
    NoRoom,
    /// Nothing, and its model is quick to train.
    Trains,
}

/// The kind of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Beat {
    /// [`Progress::Waiting`].
    Waits,
    /// [`Progress::Loading`].
    Loads,
    /// [`Outcome::Loaded`].
    Loaded,
    /// [`Progress::Begins`].
    Begins,
    /// [`Progress::Prefilling`].
    Reads,
    /// [`Progress::Text`] and [`Progress::Drawn`].
    Draws,
    /// [`Progress::Tool`].
    Calls,
    /// [`Outcome::Done`].
    Done(Finish),
    /// [`Outcome::ConstraintReady`].
    Prepared,
    /// [`Outcome::KeptCaches`], of so many conversations.
    Keeps(u32),
    /// [`TuneProgress::Step`].
    Learns,
    /// [`TuneProgress::Warning`].
    Warns(Cause),
    /// [`TuneOutcome::Finished`].
    Learned,
    /// A [`RequestFailure`].
    Refused(RequestFailure),
    /// Any other failure.
    Failed(Cause),
}

impl Beat {
    fn of(event: &Event) -> Option<Self> {
        match event {
            Event::Progress(progress) => Self::of_progress(progress),
            Event::Outcome(outcome) => Self::of_outcome(outcome),
        }
    }

    fn of_progress(progress: &Progress) -> Option<Self> {
        Some(match progress {
            Progress::Waiting => Self::Waits,
            Progress::Loading(_) => Self::Loads,
            Progress::Begins(_) => Self::Begins,
            Progress::Prefilling { .. } => Self::Reads,
            Progress::Text { .. } | Progress::Drawn { .. } => Self::Draws,
            Progress::Tool(_) => Self::Calls,
            Progress::Tune(progress) => match &**progress {
                TuneProgress::Step(_) => Self::Learns,
                TuneProgress::Warning(failure) => Self::Warns(failure.cause()),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn of_outcome(outcome: &Result<Outcome, Failure>) -> Option<Self> {
        Some(match outcome {
            Ok(Outcome::Loaded(_)) => Self::Loaded,
            Ok(Outcome::Done { finish, .. }) => Self::Done(*finish),
            Ok(Outcome::ConstraintReady) => Self::Prepared,
            Ok(Outcome::KeptCaches { conversations, .. }) => Self::Keeps(*conversations),
            Ok(Outcome::Tune(outcome)) if matches!(**outcome, TuneOutcome::Finished(_)) => Self::Learned,
            Ok(_) => return None,
            Err(failure) => match &failure.code {
                Code::Request(refused) => Self::Refused(refused.clone()),
                _ => Self::Failed(failure.cause()),
            },
        })
    }
}

/// A script, and the engine that it is for.
pub struct Script {
    /// What it shows.
    pub name: &'static str,
    /// What is wrong with the engine.
    pub trouble: Trouble,
    /// Speaks with the engine.
    pub run: fn(&mut dyn Engine),
}

/// All scripts.
pub const SCRIPTS: [Script; 17] = [
    Script { name: "an answer", trouble: Trouble::None, run: answer },
    Script { name: "an answer that is stopped", trouble: Trouble::None, run: stop },
    Script { name: "requests beside an answer", trouble: Trouble::None, run: busy },
    Script { name: "an answer that waits for another", trouble: Trouble::None, run: queue },
    Script { name: "an answer that is stopped while it waits", trouble: Trouble::None, run: stop_queued },
    Script { name: "an answer behind one that is stopped", trouble: Trouble::None, run: stop_first },
    Script { name: "an answer of no model, or another", trouble: Trouble::None, run: no_model },
    Script { name: "a load that is stopped", trouble: Trouble::None, run: stop_load },
    Script { name: "a load in place of what is under way", trouble: Trouble::None, run: load_again },
    Script { name: "a load that crashes", trouble: Trouble::CrashLoading, run: crash },
    Script { name: "a load that is cut off", trouble: Trouble::Cut, run: cut },
    Script { name: "a model without room for a copy", trouble: Trouble::NoRoom, run: no_room },
    Script { name: "a training without room for what it keeps", trouble: Trouble::Trains, run: full },
    Script { name: "an answer that another engine goes on with", trouble: Trouble::None, run: resume },
    Script { name: "calls of tools", trouble: Trouble::None, run: call },
    Script { name: "an answer of a schema", trouble: Trouble::None, run: format },
    Script { name: "kept caches beside an answer", trouble: Trouble::None, run: kept_caches },
];

const FIRST: PageId = PageId(0);
const SECOND: PageId = PageId(1);
/// The load with which most scripts begin.
const LOAD: u32 = 1;

fn id(page: PageId, number: u32) -> RequestId {
    RequestId::new(page, number)
}

fn load(page: PageId, number: u32) -> ToWorker {
    let source = ModelSource::Server { name: "pebble".into(), layers: Vec::new() };
    ToWorker::request(id(page, number), Request::Load { source, options: LoadOptions::default() })
}

fn options() -> GenerateOptions {
    let sampling = Sampling { seed: Some(3), ..Sampling::default() };
    GenerateOptions { sampling, max_tokens: 12, pause_training: true, ..GenerateOptions::default() }
}

fn generate(page: PageId, number: u32, options: GenerateOptions) -> ToWorker {
    let messages = vec![Message::text(Role::User, "Count from 1 to 9.")];
    ToWorker::request(id(page, number), Request::Generate { messages, options })
}

fn cancel(id: RequestId) -> ToWorker {
    ToWorker::control(id, Control::Cancel)
}

/// Sends `message` at the first progress of a request for which `when` holds.
fn at(engine: &mut dyn Engine, of: RequestId, when: fn(&Progress) -> bool, message: ToWorker) {
    let is_due = move |posted: &ToPage| posted.as_progress().is_some_and(|(id, it)| id == of && when(it));
    engine.react(Box::new(is_due), Reaction::Send(Box::new(message)));
}

/// Sends `message` at the first text of an answer.
fn at_text(engine: &mut dyn Engine, of: RequestId, message: ToWorker) {
    at(engine, of, |progress| matches!(progress, Progress::Text { .. }), message);
}

/// The events of a request.
fn events(engine: &dyn Engine, of: RequestId) -> Vec<Event> {
    let event = |posted| match posted {
        ToPage::Event(Envelope { id, body }) if id == of => Some(body),
        _ => None,
    };
    engine.posted().into_iter().filter_map(event).collect()
}

/// Waits for the end of a request. Returns its events, the outcome last.
fn ends(engine: &mut dyn Engine, of: RequestId) -> Vec<Beat> {
    engine.run_until(&|posted| posted.iter().any(|message| is_end(message, of)));
    let events = events(engine, of);
    let end = events.iter().position(Event::is_last).expect("it ends");
    assert_eq!(end + 1, events.len(), "events after the end: {events:?}");
    // The ids of the last text precede the outcome.
    let draws =
        |event: &&Event| matches!(event, Event::Progress(Progress::Text { .. } | Progress::Drawn { .. }));
    let last = events.iter().rev().find(draws);
    assert!(!matches!(last, Some(Event::Progress(Progress::Text { .. }))), "no ids: {events:?}");
    let mut beats: Vec<_> = events.iter().filter_map(Beat::of).collect();
    beats.dedup();
    beats
}

fn is_end(message: &ToPage, of: RequestId) -> bool {
    message.as_outcome().is_some_and(|(id, _)| id == of)
}

/// The position of the end of a request among all messages.
fn position_of_end(engine: &dyn Engine, of: RequestId) -> usize {
    engine.posted().iter().position(|message| is_end(message, of)).expect("it has ended")
}

fn text_of(engine: &dyn Engine, of: RequestId) -> String {
    let text = |event| match event {
        Event::Progress(Progress::Text { text, .. }) => Some(text),
        _ => None,
    };
    events(engine, of).into_iter().filter_map(text).collect()
}

/// All of an answer that nothing disturbs.
fn whole(finish: Finish) -> Vec<Beat> {
    vec![Beat::Begins, Beat::Reads, Beat::Draws, Beat::Done(finish)]
}

fn waiting(then: Vec<Beat>) -> Vec<Beat> {
    [vec![Beat::Waits], then].concat()
}

fn is_loaded(engine: &mut dyn Engine) {
    engine.send(load(FIRST, LOAD));
    assert_eq!(ends(engine, id(FIRST, LOAD)), [Beat::Loads, Beat::Loaded]);
}

fn answers(engine: &mut dyn Engine, number: u32) {
    engine.send(generate(FIRST, number, options()));
    assert_eq!(ends(engine, id(FIRST, number)), whole(Finish::MaxTokens));
    assert!(!text_of(engine, id(FIRST, number)).is_empty());
}

fn has_no_model(engine: &mut dyn Engine, number: u32) {
    engine.send(generate(FIRST, number, options()));
    assert_eq!(ends(engine, id(FIRST, number)), [Beat::Refused(RequestFailure::NoModel)]);
}

fn answer(engine: &mut dyn Engine) {
    is_loaded(engine);
    answers(engine, 2);
    let unlimited = GenerateOptions { max_tokens: GenerateOptions::default().max_tokens, ..options() };
    engine.send(generate(FIRST, 3, unlimited));
    assert_eq!(ends(engine, id(FIRST, 3)), whole(Finish::EndOfTurn));
}

fn stop(engine: &mut dyn Engine) {
    is_loaded(engine);
    let stopped = id(FIRST, 2);
    at_text(engine, stopped, cancel(stopped));
    engine.send(generate(FIRST, 2, options()));
    assert_eq!(ends(engine, stopped), whole(Finish::Cancelled));
    answers(engine, 3);
    let (part, all) = (text_of(engine, stopped), text_of(engine, id(FIRST, 3)));
    assert!(part.len() < all.len(), "{part:?} of {all:?}");
}

fn busy(engine: &mut dyn Engine) {
    use crate::failure::Activity;

    is_loaded(engine);
    let refused = |activity| [Beat::Refused(RequestFailure::Busy(activity))];
    engine.send(generate(FIRST, 2, options()));
    engine.send(generate(FIRST, 3, options()));
    engine.send(ToWorker::request(id(FIRST, 4), Request::Diagnose(Diagnosis::SelfTest)));
    assert_eq!(ends(engine, id(FIRST, 3)), refused(Activity::Generating));
    assert_eq!(ends(engine, id(FIRST, 4)), refused(Activity::Generating));
    assert_eq!(ends(engine, id(FIRST, 2)), whole(Finish::MaxTokens));
    engine.send(load(FIRST, 5));
    engine.send(generate(FIRST, 6, options()));
    assert_eq!(ends(engine, id(FIRST, 6)), refused(Activity::Loading));
    assert_eq!(ends(engine, id(FIRST, 5)), [Beat::Loads, Beat::Loaded]);
}

/// The requests of two pages to answer. That of the second one comes as soon as that of the first has begun.
fn two_answers(engine: &mut dyn Engine) -> [RequestId; 2] {
    is_loaded(engine);
    engine.send(ToWorker::Hello { version: VERSION, page: SECOND });
    let [first, second] = [id(FIRST, 2), id(SECOND, 1)];
    at(engine, first, |it| matches!(it, Progress::Begins(_)), generate(SECOND, 1, options()));
    [first, second]
}

fn queue(engine: &mut dyn Engine) {
    let [first, second] = two_answers(engine);
    engine.send(generate(FIRST, 2, options()));
    assert_eq!(ends(engine, second), waiting(whole(Finish::MaxTokens)));
    assert_eq!(ends(engine, first), whole(Finish::MaxTokens));
    let begins =
        |message: &ToPage| matches!(message.as_progress(), Some((id, Progress::Begins(_))) if id == second);
    let begin = engine.posted().iter().position(begins).expect("it begins");
    assert!(position_of_end(engine, first) < begin, "both at once");
}

fn stop_queued(engine: &mut dyn Engine) {
    let [first, second] = two_answers(engine);
    at_text(engine, first, cancel(second));
    engine.send(generate(FIRST, 2, options()));
    assert_eq!(ends(engine, second), waiting(vec![Beat::Done(Finish::Cancelled)]));
    assert_eq!(ends(engine, first), whole(Finish::MaxTokens));
    assert!(position_of_end(engine, second) < position_of_end(engine, first), "it waited to be stopped");
    answers(engine, 3);
}

fn stop_first(engine: &mut dyn Engine) {
    let [first, second] = two_answers(engine);
    at_text(engine, first, cancel(first));
    engine.send(generate(FIRST, 2, options()));
    assert_eq!(ends(engine, first), whole(Finish::Cancelled));
    assert_eq!(ends(engine, second), waiting(whole(Finish::MaxTokens)));
}

fn no_model(engine: &mut dyn Engine) {
    has_no_model(engine, 7);
    is_loaded(engine);
    engine.send(generate(FIRST, 2, GenerateOptions { model: Some(id(FIRST, LOAD)), ..options() }));
    assert_eq!(ends(engine, id(FIRST, 2)), whole(Finish::MaxTokens));
    engine.send(generate(FIRST, 3, GenerateOptions { model: Some(id(SECOND, 9)), ..options() }));
    assert_eq!(ends(engine, id(FIRST, 3)), [Beat::Refused(RequestFailure::OtherModel)]);
    engine.send(ToWorker::request(id(FIRST, 4), Request::Unload));
    assert_eq!(ends(engine, id(FIRST, 4)), []);
    has_no_model(engine, 5);
}

fn stop_load(engine: &mut dyn Engine) {
    is_loaded(engine);
    let stopped = id(FIRST, 2);
    at(engine, stopped, |it| matches!(it, Progress::Loading(_)), cancel(stopped));
    engine.send(load(FIRST, 2));
    assert_eq!(ends(engine, stopped), [Beat::Loads, Beat::Failed(Cause::Cancelled)]);
    // The memory of the one before was needed.
    has_no_model(engine, 3);
    engine.send(load(FIRST, 4));
    assert_eq!(ends(engine, id(FIRST, 4)), [Beat::Loads, Beat::Loaded]);
    answers(engine, 5);
}

fn load_again(engine: &mut dyn Engine) {
    let replaced = id(FIRST, LOAD);
    at(engine, replaced, |it| matches!(it, Progress::Loading(_)), load(FIRST, 2));
    engine.send(load(FIRST, LOAD));
    assert_eq!(ends(engine, id(FIRST, 2)), waiting(vec![Beat::Loads, Beat::Loaded]));
    assert_eq!(ends(engine, replaced), [Beat::Loads, Beat::Failed(Cause::Cancelled)]);
    let stopped = id(FIRST, 3);
    at_text(engine, stopped, load(FIRST, 4));
    engine.send(generate(FIRST, 3, options()));
    assert_eq!(ends(engine, id(FIRST, 4)), waiting(vec![Beat::Loads, Beat::Loaded]));
    assert_eq!(ends(engine, stopped), whole(Finish::Cancelled));
}

fn crash(engine: &mut dyn Engine) {
    engine.send(load(FIRST, LOAD));
    engine.run_until(&|posted| posted.iter().any(|message| message.as_outcome().is_some()));
    assert!(engine.is_gone());
    let beats: Vec<_> = events(engine, id(FIRST, LOAD)).iter().filter_map(Beat::of).collect();
    assert!(!beats.is_empty() && beats.iter().all(|beat| *beat == Beat::Loads), "{beats:?}");
    engine.restart();
    assert!(!engine.is_gone());
    has_no_model(engine, 3);
    is_loaded(engine);
    answers(engine, 2);
}

fn cut(engine: &mut dyn Engine) {
    engine.send(load(FIRST, LOAD));
    assert_eq!(ends(engine, id(FIRST, LOAD)), [Beat::Loads, Beat::Failed(Cause::Unreachable)]);
    has_no_model(engine, 2);
    engine.restart();
    is_loaded(engine);
    answers(engine, 2);
}

/// The causes of all warnings.
fn warnings(engine: &dyn Engine) -> Vec<Cause> {
    let cause = |message| match message {
        ToPage::Warning(failure) => Some(failure.cause()),
        _ => None,
    };
    engine.posted().into_iter().filter_map(cause).collect()
}

fn no_room(engine: &mut dyn Engine) {
    is_loaded(engine);
    // Before the model is ready or afterwards, as soon as it is known.
    engine.run_until(&|posted| posted.iter().any(|message| matches!(message, ToPage::Warning(_))));
    assert_eq!(warnings(engine), [Cause::Storage]);
    answers(engine, 2);
    assert_eq!(warnings(engine), [Cause::Storage], "it is said once");
}

fn tune(number: u32, request: TuneRequest) -> ToWorker {
    ToWorker::request(id(FIRST, number), Request::Tune(Box::new(request)))
}

fn full(engine: &mut dyn Engine) {
    is_loaded(engine);
    let second_step = |message: &ToPage| matches!(message.as_progress(), Some((_, Progress::Tune(it))) if matches!(&**it, TuneProgress::Step(point) if point.step == 2));
    engine.react(Box::new(second_step), Reaction::FillStorage);
    let data = ExampleData::Pairs(vec![("What is my cat called?".into(), "Your cat is called Ada.".into())]);
    let settings = TuneSettings {
        length: TuneLength::Steps(3),
        checkpoint_every: 1,
        accumulation: 1,
        eval_share: 0.0,
        sample_every: 0,
        samples: Vec::new(),
        ..TuneSettings::default()
    };
    engine.send(tune(2, TuneRequest::Start { data, settings }));
    let warns = Beat::Warns(Cause::Storage);
    let beats = ends(engine, id(FIRST, 2));
    let told = beats.iter().filter(|beat| **beat == warns).count();
    assert!(told > 0, "{beats:?}");
    let others: Vec<_> = beats.into_iter().filter(|beat| *beat != warns).collect();
    assert_eq!((others.first(), others.last()), (Some(&Beat::Learns), Some(&Beat::Learned)), "{others:?}");
    assert!(others[..others.len() - 1].iter().all(|beat| *beat == Beat::Learns), "{others:?}");
    // The adapter can't be kept either, and what was kept before stays.
    engine.send(tune(3, TuneRequest::Keep { name: "Ada".into() }));
    assert_eq!(ends(engine, id(FIRST, 3)), [Beat::Failed(Cause::Storage)]);
    engine.send(tune(4, TuneRequest::List));
    ends(engine, id(FIRST, 4));
    let listed = events(engine, id(FIRST, 4)).pop();
    let Some(Event::Outcome(Ok(Outcome::Tune(listed)))) = listed else { panic!("{listed:?}") };
    let TuneOutcome::Kept { run, adapters, .. } = *listed else { panic!("{listed:?}") };
    assert_eq!((run.is_some(), adapters.len()), (true, 0));
}

fn resume(engine: &mut dyn Engine) {
    is_loaded(engine);
    answers(engine, 2);
    let first = id(FIRST, 2);
    let all = text_of(engine, first);
    // The state after the second report of ids.
    let (mut resumed, mut text, mut reports) = (Resumed::default(), String::new(), 0);
    for event in events(engine, first) {
        match event {
            Event::Progress(Progress::Begins(begins)) => resumed = begins,
            Event::Progress(Progress::Text { text: more, .. }) if reports < 2 => text.push_str(&more),
            Event::Progress(Progress::Drawn { ids, decode_ms }) if reports < 2 => {
                resumed.drawn.extend(ids);
                resumed.decode_ms = decode_ms;
                reports += 1;
            }
            _ => {}
        }
    }
    assert!(reports == 2 && text.len() < all.len(), "{text:?} of {all:?}");
    let tokens = |engine: &dyn Engine, of| match events(engine, of).pop() {
        Some(Event::Outcome(Ok(Outcome::Done { timings, .. }))) => timings.decode_tokens,
        other => panic!("{other:?}"),
    };
    let whole_tokens = tokens(engine, first);
    engine.restart();
    is_loaded(engine);
    let rest = id(FIRST, 5);
    engine.send(generate(
        FIRST,
        5,
        GenerateOptions { resumed: Some(Box::new(resumed.clone())), ..options() },
    ));
    // The page knows that the prompt was read.
    assert_eq!(ends(engine, rest), [Beat::Begins, Beat::Draws, Beat::Done(Finish::MaxTokens)]);
    assert_eq!(text + &text_of(engine, rest), all);
    assert_eq!(tokens(engine, rest), whole_tokens);
    assert_eq!(events(engine, rest).first(), Some(&Event::Progress(Progress::Begins(resumed))));
}

fn prepare(engine: &mut dyn Engine, number: u32, constraint: &Constraint) -> Vec<Beat> {
    engine.send(ToWorker::request(id(FIRST, number), Request::PrepareConstraint(constraint.clone())));
    ends(engine, id(FIRST, number))
}

fn constrained(number: u32, constraint: &Constraint, seed: u64, max_tokens: u32) -> ToWorker {
    // Hot enough for a second call by chance.
    let sampling = Sampling { seed: Some(seed), temperature: 100.0, ..Sampling::default() };
    let constraint = constraint.clone();
    generate(FIRST, number, GenerateOptions { constraint, sampling, max_tokens, ..options() })
}

fn calls_of(engine: &dyn Engine, of: RequestId) -> Vec<ToolCall> {
    let call = |event| match event {
        Event::Progress(Progress::Tool(call)) => Some(call),
        _ => None,
    };
    events(engine, of).into_iter().filter_map(call).collect()
}

fn call(engine: &mut dyn Engine) {
    is_loaded(engine);
    let tool = Tool { name: "roll".into(), description: "Rolls a die.".into(), parameters: String::new() };
    let constraint = Constraint { tools: vec![tool], must_call: true, ..Constraint::default() };
    engine.send(constrained(2, &constraint, 1, 64));
    assert_eq!(ends(engine, id(FIRST, 2)), [Beat::Refused(RequestFailure::NoConstraints)]);
    assert_eq!(prepare(engine, 3, &constraint), [Beat::Prepared]);

    // A call that is cut off is none.
    engine.send(constrained(4, &constraint, 1, 1));
    assert_eq!(ends(engine, id(FIRST, 4)), whole(Finish::CutCall));

    // One call, and several in one turn.
    let (mut number, mut calls) = (4, Vec::new());
    while calls.len() < 2 {
        number += 1;
        assert!(number < 100, "there is never a second call");
        let answer = id(FIRST, number);
        engine.send(constrained(number, &constraint, number.into(), 200));
        let beats = ends(engine, answer);
        calls = calls_of(engine, answer);
        let each = vec![[Beat::Draws, Beat::Calls]; calls.len()].concat();
        let end = vec![Beat::Draws, Beat::Done(Finish::ToolCall)];
        assert_eq!(beats, [vec![Beat::Begins, Beat::Reads], each, end].concat());
        assert!(!calls.is_empty() && text_of(engine, answer).is_empty(), "{calls:?}");
        assert!(calls.iter().all(|call| call.name == "roll" && call.arguments == "{}"), "{calls:?}");
    }
    assert_ne!(calls[0].id, calls[1].id);

    // Their results come back in the turn that has called, and the answer goes on.
    let result = |call: &ToolCall| Message {
        tool: call.name.clone(),
        call: call.id.clone(),
        ..Message::text(Role::Tool, "4")
    };
    let results: Vec<_> = calls.iter().map(result).collect();
    let mut messages = vec![Message::text(Role::User, "Count from 1 to 9.")];
    messages.push(Message { calls, ..Message::text(Role::Assistant, "") });
    messages.extend(results);
    let may_call = Constraint { must_call: false, ..constraint };
    let options = GenerateOptions { constraint: may_call, ..options() };
    engine.send(ToWorker::request(id(FIRST, 100), Request::Generate { messages, options }));
    let beats = ends(engine, id(FIRST, 100));
    assert!(matches!(beats.last(), Some(Beat::Done(_))) && beats.contains(&Beat::Draws), "{beats:?}");
}

fn format(engine: &mut dyn Engine) {
    is_loaded(engine);
    let format = |schema: &str| Constraint {
        format: AnswerFormat::Schema(schema.to_owned()),
        ..Constraint::default()
    };
    let color = r#"{"type":"object","properties":{"color":{"enum":["red"]},"dark":{"type":"boolean"}},"required":["color","dark"]}"#;
    let color = format(color);
    assert_eq!(prepare(engine, 2, &color), [Beat::Prepared]);
    engine.send(constrained(3, &color, 1, 400));
    assert_eq!(ends(engine, id(FIRST, 3)), whole(Finish::EndOfTurn));
    let text: String = text_of(engine, id(FIRST, 3)).split_whitespace().collect();
    assert!(
        ["true", "false"].iter().any(|dark| text == format!(r#"{{"color":"red","dark":{dark}}}"#)),
        "{text}"
    );

    let refused = |path: &str, keyword: &str| {
        [Beat::Refused(RequestFailure::Schema { path: path.into(), keyword: keyword.into() })]
    };
    let unique = format(r#"{"type":"array","items":{"type":"array","uniqueItems":true}}"#);
    assert_eq!(prepare(engine, 4, &unique), refused("/items", "uniqueItems"));
    engine.send(constrained(5, &unique, 1, 12));
    assert_eq!(ends(engine, id(FIRST, 5)), refused("/items", "uniqueItems"));
    assert_eq!(prepare(engine, 6, &format("{")), [Beat::Refused(RequestFailure::SchemaText)]);
    answers(engine, 7);
}

fn kept_caches(engine: &mut dyn Engine) {
    is_loaded(engine);
    let forget = |number: u32, forget| ToWorker::request(id(FIRST, number), Request::KeptCaches { forget });
    let of = |name: &str| Forget::Of(vec![name.to_owned()]);
    // A conversation that is deleted while it is answered.
    at_text(engine, id(FIRST, 2), forget(3, of("a1")));
    engine.send(generate(FIRST, 2, GenerateOptions { keep: Some("a1".into()), ..options() }));
    assert_eq!(ends(engine, id(FIRST, 2)), whole(Finish::MaxTokens));
    assert_eq!(ends(engine, id(FIRST, 3)), [Beat::Keeps(0)]);
    for (number, which) in (4..).zip([Forget::Nothing, of("a1"), Forget::All]) {
        engine.send(forget(number, which));
        assert_eq!(ends(engine, id(FIRST, number)), [Beat::Keeps(0)]);
    }
    answers(engine, 7);
}
