//! How an engine behaves, as far as a page depends on it: scripts of requests and the events that must follow. The simulated
//! engine and the real one are tested with the same.
//!
//! Events are compared as [`Beat`]s, which leave out what may differ: texts, figures, how many events say the same.
//!
//! # Panics
//! All functions here are for tests, and panic when an engine behaves otherwise.

use crate::failure::RequestFailure;
use crate::tune::{ExampleData, TuneLength, TuneSettings};
use crate::{
    Cause, Code, Diagnosis, Event, Finish, GenerateOptions, LoadOptions, Message, ModelSource, PageId,
    Request, RequestId, Resumed, Role, Sampling, TuneEvent, TuneRequest, VERSION,
};

/// An engine under test. Its first page has [`PageId`] 0 and has said [`Request::Hello`].
pub trait Engine {
    /// Sends a request.
    fn send(&mut self, request: Request);
    /// Does this as soon as an event is said for which `when` holds, behind what is to be done before it. Requests that are
    /// sent so come while the one that the event is of is under way.
    fn react(&mut self, when: Box<dyn Fn(&Event) -> bool>, what: Reaction);
    /// Lets it work until `done` holds for what it has said, or it is gone.
    fn run_until(&mut self, done: &dyn Fn(&[Event]) -> bool);
    /// All that it has said.
    fn events(&self) -> Vec<Event>;
    /// Whether it said that it is gone.
    fn is_gone(&self) -> bool;
    /// Ends it, and starts another in the same browser, with which nothing is wrong.
    fn restart(&mut self);
    /// From now on there is no room for what training keeps.
    fn fill_storage(&mut self);
}

/// What is done when an event comes.
#[derive(Clone, Debug)]
pub enum Reaction {
    /// Sends a request.
    Send(Box<Request>),
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

/// What an event says of its request.
#[derive(Clone, Debug, PartialEq)]
pub enum Beat {
    /// [`Event::Waiting`].
    Waits,
    /// [`Event::Loading`].
    Loads,
    /// [`Event::Loaded`].
    Loaded,
    /// [`Event::Begins`].
    Begins,
    /// [`Event::Prefilling`].
    Reads,
    /// [`Event::Text`] and [`Event::Drawn`].
    Draws,
    /// [`Event::Done`].
    Done(Finish),
    /// [`TuneEvent::Step`].
    Learns,
    /// [`TuneEvent::Warning`].
    Warns(Cause),
    /// [`TuneEvent::Finished`].
    Learned,
    /// [`Event::Failed`] with a [`RequestFailure`].
    Refused(RequestFailure),
    /// [`Event::Failed`] with any other.
    Failed(Cause),
}

impl Beat {
    fn of(event: &Event) -> Option<Self> {
        Some(match event {
            Event::Waiting { .. } => Self::Waits,
            Event::Loading { .. } => Self::Loads,
            Event::Loaded { .. } => Self::Loaded,
            Event::Begins { .. } => Self::Begins,
            Event::Prefilling { .. } => Self::Reads,
            Event::Text { .. } | Event::Drawn { .. } => Self::Draws,
            Event::Done { finish, .. } => Self::Done(*finish),
            Event::Failed { failure, .. } => match &failure.code {
                Code::Request(refused) => Self::Refused(refused.clone()),
                _ => Self::Failed(failure.cause()),
            },
            Event::Tune { event, .. } => match &**event {
                TuneEvent::Step(_) => Self::Learns,
                TuneEvent::Warning(failure) => Self::Warns(failure.cause()),
                TuneEvent::Finished(_) => Self::Learned,
                _ => return None,
            },
            _ => return None,
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
pub const SCRIPTS: [Script; 14] = [
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
];

const FIRST: PageId = PageId(0);
const SECOND: PageId = PageId(1);
/// The load with which most scripts begin.
const LOAD: u32 = 1;

fn id(page: PageId, number: u32) -> RequestId {
    RequestId::new(page, number)
}

fn load(page: PageId, number: u32) -> Request {
    let source = ModelSource::Server { name: "pebble".into(), layers: Vec::new() };
    Request::Load { id: id(page, number), source, options: LoadOptions::default() }
}

fn options() -> GenerateOptions {
    let sampling = Sampling { seed: Some(3), ..Sampling::default() };
    GenerateOptions { sampling, max_tokens: 12, pause_training: true, ..GenerateOptions::default() }
}

fn generate(page: PageId, number: u32, options: GenerateOptions) -> Request {
    let messages = vec![Message::text(Role::User, "Count from 1 to 9.")];
    Request::Generate { id: id(page, number), messages, options }
}

fn is_text(event: &Event, of: RequestId) -> bool {
    matches!(event, Event::Text { id, .. } if *id == of)
}

/// Sends `request` with the first text of an answer.
fn at_text(engine: &mut dyn Engine, of: RequestId, request: Request) {
    engine.react(Box::new(move |event| is_text(event, of)), Reaction::Send(Box::new(request)));
}

/// Waits for the end of a request, and gives what was said of it. It ends once, and says nothing afterwards.
fn ends(engine: &mut dyn Engine, of: RequestId) -> Vec<Beat> {
    let is_end = |event: &Event| event.id() == Some(of) && event.is_terminal();
    engine.run_until(&|events| events.iter().any(is_end));
    let events: Vec<_> = engine.events().into_iter().filter(|event| event.id() == Some(of)).collect();
    let at = events.iter().position(is_end).expect("it ends");
    assert_eq!(at + 1, events.len(), "more was said after the end: {events:?}");
    // What was said is certain when the answer ends by itself: its ids follow.
    let last = events.iter().rev().find(|event| matches!(event, Event::Text { .. } | Event::Drawn { .. }));
    assert!(!matches!(last, Some(Event::Text { .. })), "no ids for the last text: {events:?}");
    let mut beats: Vec<_> = events.iter().filter_map(Beat::of).collect();
    beats.dedup();
    beats
}

/// Where the end of a request is among all events.
fn place_of_end(engine: &dyn Engine, of: RequestId) -> usize {
    let is_end = |event: &Event| event.id() == Some(of) && event.is_terminal();
    engine.events().iter().position(is_end).expect("it has ended")
}

fn text_of(engine: &dyn Engine, of: RequestId) -> String {
    let text = |event: Event| match event {
        Event::Text { id, text, .. } if id == of => Some(text),
        _ => None,
    };
    engine.events().into_iter().filter_map(text).collect()
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
    at_text(engine, stopped, Request::Cancel { id: stopped });
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
    engine.send(Request::Diagnose { id: id(FIRST, 4), what: Diagnosis::SelfTest });
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
    engine.send(Request::Hello { version: VERSION, page: SECOND });
    let [first, second] = [id(FIRST, 2), id(SECOND, 1)];
    let begins = move |event: &Event| matches!(event, Event::Begins { id, .. } if *id == first);
    engine.react(Box::new(begins), Reaction::Send(Box::new(generate(SECOND, 1, options()))));
    [first, second]
}

fn queue(engine: &mut dyn Engine) {
    let [first, second] = two_answers(engine);
    engine.send(generate(FIRST, 2, options()));
    assert_eq!(ends(engine, second), waiting(whole(Finish::MaxTokens)));
    assert_eq!(ends(engine, first), whole(Finish::MaxTokens));
    let begins = |event: &Event| matches!(event, Event::Begins { id, .. } if *id == second);
    let begin = engine.events().iter().position(begins).expect("it begins");
    assert!(place_of_end(engine, first) < begin, "both at once");
}

fn stop_queued(engine: &mut dyn Engine) {
    let [first, second] = two_answers(engine);
    at_text(engine, first, Request::Cancel { id: second });
    engine.send(generate(FIRST, 2, options()));
    assert_eq!(ends(engine, second), waiting(vec![Beat::Done(Finish::Cancelled)]));
    assert_eq!(ends(engine, first), whole(Finish::MaxTokens));
    assert!(place_of_end(engine, second) < place_of_end(engine, first), "it waited to be stopped");
    answers(engine, 3);
}

fn stop_first(engine: &mut dyn Engine) {
    let [first, second] = two_answers(engine);
    at_text(engine, first, Request::Cancel { id: first });
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
    engine.send(Request::Unload { id: id(FIRST, 4) });
    assert_eq!(ends(engine, id(FIRST, 4)), []);
    has_no_model(engine, 5);
}

fn stop_load(engine: &mut dyn Engine) {
    is_loaded(engine);
    let stopped = id(FIRST, 2);
    let loads = move |event: &Event| matches!(event, Event::Loading { id, .. } if *id == stopped);
    engine.react(Box::new(loads), Reaction::Send(Box::new(Request::Cancel { id: stopped })));
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
    let loads = move |event: &Event| matches!(event, Event::Loading { id, .. } if *id == replaced);
    engine.react(Box::new(loads), Reaction::Send(Box::new(load(FIRST, 2))));
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
    engine.run_until(&|events| events.iter().any(Event::is_terminal));
    assert!(engine.is_gone());
    let beats: Vec<_> = engine.events().iter().filter(|it| it.id().is_some()).filter_map(Beat::of).collect();
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

/// The causes of what was said of no request.
fn warnings(engine: &dyn Engine) -> Vec<Cause> {
    let cause = |event: Event| match event {
        Event::Failed { id: None, failure } => Some(failure.cause()),
        _ => None,
    };
    engine.events().into_iter().filter_map(cause).collect()
}

fn no_room(engine: &mut dyn Engine) {
    is_loaded(engine);
    // Before the model is ready or afterwards, as soon as it is known.
    engine.run_until(&|events| events.iter().any(|event| matches!(event, Event::Failed { id: None, .. })));
    assert_eq!(warnings(engine), [Cause::Storage]);
    answers(engine, 2);
    assert_eq!(warnings(engine), [Cause::Storage], "it is said once");
}

fn tune(number: u32, request: TuneRequest) -> Request {
    Request::Tune { id: id(FIRST, number), request: Box::new(request) }
}

fn full(engine: &mut dyn Engine) {
    is_loaded(engine);
    let second_step = |event: &Event| matches!(event, Event::Tune { event, .. } if matches!(&**event, TuneEvent::Step(point) if point.step == 2));
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
    let kept = |event: Event| match event {
        Event::Tune { id: of, event } if of == id(FIRST, 4) => match *event {
            TuneEvent::Kept { run, adapters, .. } => Some((run.is_some(), adapters.len())),
            _ => None,
        },
        _ => None,
    };
    assert_eq!(engine.events().into_iter().find_map(kept), Some((true, 0)));
}

fn resume(engine: &mut dyn Engine) {
    is_loaded(engine);
    answers(engine, 2);
    let first = id(FIRST, 2);
    let all = text_of(engine, first);
    // Until its ids were told for the second time.
    let (mut resumed, mut said, mut told) = (Resumed::default(), String::new(), 0);
    for event in engine.events().into_iter().filter(|event| event.id() == Some(first)) {
        match event {
            Event::Begins { resumed: begins, .. } => resumed = begins,
            Event::Text { text, .. } if told < 2 => said.push_str(&text),
            Event::Drawn { ids, decode_ms, .. } if told < 2 => {
                resumed.drawn.extend(ids);
                resumed.decode_ms = decode_ms;
                told += 1;
            }
            _ => {}
        }
    }
    assert!(told == 2 && said.len() < all.len(), "{said:?} of {all:?}");
    let tokens = |engine: &dyn Engine, of: RequestId| {
        let tokens = |event: Event| match event {
            Event::Done { id, timings, .. } if id == of => Some(timings.decode_tokens),
            _ => None,
        };
        engine.events().into_iter().find_map(tokens)
    };
    let whole_tokens = tokens(engine, first);
    engine.restart();
    is_loaded(engine);
    let rest = id(FIRST, 5);
    engine.send(generate(FIRST, 5, GenerateOptions { resumed: Some(resumed.clone()), ..options() }));
    // The page has told long ago that the prompt was read.
    assert_eq!(ends(engine, rest), [Beat::Begins, Beat::Draws, Beat::Done(Finish::MaxTokens)]);
    assert_eq!(said + &text_of(engine, rest), all);
    assert_eq!(tokens(engine, rest), whole_tokens);
    let begins = |event: Event| match event {
        Event::Begins { id, resumed } if id == rest => Some(resumed),
        _ => None,
    };
    assert_eq!(engine.events().into_iter().find_map(begins), Some(resumed));
}
