//! A platform for tests: files of this repository, the native device, and everything that was posted.

// Each file of tests uses a part of it.
#![allow(dead_code)]

mod grammars;
pub mod server;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use engine::bytes::http::Watch;
use engine::bytes::{FileSource, LocalBoxFuture};
use engine::gpu::{Gpu, GpuOptions};
use engine::session::{DeviceMemory, ModelSpec};
use engine::store::{self, Folder, MemoryFolder, StoreError, VerifiedSource};
use futures_util::FutureExt as _;
use grammars::Grammars;
use probe::synth::{self, Shape};
use protocol::failure::{MediaFailure, NoGpu};
use protocol::{
    CacheReport, EngineState, Envelope, Failure, GenerateOptions, LoadOptions, LoadedModel, Message,
    ModelSource, Outcome, PageId, Progress, Request, RequestId, Role, Sampling, ToPage, ToWorker,
    TuneOutcome, TuneProgress, TuneRequest, VERSION,
};
use server::Server;
use worker::Host;
use worker::constraints::Constraints;
use worker::device::AdapterNames;
use worker::platform::{Link, Lock, Opened, Platform};

/// A test that takes longer than this hangs.
const LIMIT: Duration = Duration::from_secs(600);

/// A model with random weights, written to a file of this name.
pub fn synthetic(name: &str, options: &synth::Options) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let file = std::fs::File::create(&path).expect("a file");
    synth::write(std::io::BufWriter::new(file), options).expect("a model");
    path
}

/// A small shape of a kind that has dense layers, `12b` or `31b`.
pub fn small(kind: &str) -> Shape {
    Shape {
        layers: 2,
        width: 256,
        heads: 2,
        kv_heads_sliding: 1,
        kv_heads_global: 1,
        feed_forward: 512,
        ..kind.parse().expect("a shape")
    }
}

/// Bytes that a model takes with a context of this length and all of it on this machine's device.
pub fn needed(plan: &ModelSpec, context: u32) -> u64 {
    let gpu = Gpu::open(&GpuOptions::default()).now_or_never().expect("natively no one is waited for");
    let memory = DeviceMemory::assumed(&gpu.expect("a device"));
    plan.needs(memory).expect("its needs").memory(context, plan.storage).total()
}

/// The built-in model.
pub fn pebble() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../server/models/pebble.gguf")
}

type Reaction = Box<dyn FnMut(&ToPage)>;

/// How a request has ended.
pub type Ended = Result<Outcome, Failure>;

/// The page's side.
#[derive(Default)]
pub struct Desk {
    posted: RefCell<Vec<ToPage>>,
    tasks: RefCell<Vec<LocalBoxFuture<'static, ()>>>,
    reaction: RefCell<Option<Reaction>>,
    /// Why there is no adapter, if there is to be none.
    pub no_adapter: Cell<Option<NoGpu>>,
    /// Small files, by folder: what stays when a worker ends.
    pub folders: RefCell<BTreeMap<String, Rc<MemoryFolder>>>,
    /// Locks that are held, in any tab.
    pub locks: Rc<RefCell<BTreeSet<String>>>,
    /// The file that every model is.
    pub model: RefCell<PathBuf>,
    /// The server that the model comes from; without one it is a file on this machine.
    pub server: RefCell<Option<Rc<Server>>>,
    /// The file with its towers on that server, where that is a file of its own.
    pub projector: RefCell<Option<Rc<Server>>>,
    /// The file with the drafter of every model, if there is one.
    pub drafter: RefCell<Option<PathBuf>>,
    /// The drafter on that server.
    pub served_drafter: RefCell<Option<Rc<Server>>>,
    /// The model with the copy that the browser has of it.
    pub verified: RefCell<Option<Rc<VerifiedSource>>>,
    /// What the last load is told of its connection with.
    pub watch: RefCell<Option<Watch>>,
    /// Bytes that the browser has room for, where it keeps the model.
    pub room: Cell<Option<u64>>,
    /// Other files, by the name of a local one or the digest of a layer.
    pub files: RefCell<BTreeMap<String, PathBuf>>,
    /// The bytes of pictures and sounds, by the places of their handles.
    pub media: RefCell<Vec<Vec<u8>>>,
    /// The places whose bytes were read, in order.
    pub read: RefCell<Vec<u32>>,
}

/// The page's side as the worker sees it. The desk has the worker's tasks, and so the worker: both go when the test drops it.
struct Side(Weak<Desk>);

/// A thread that goes on as soon as one of its tasks can.
struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl Desk {
    /// A worker to speak to.
    pub fn new() -> (Rc<Self>, Rc<Host>) {
        let desk = Rc::new(Self { model: RefCell::new(pebble()), ..Self::default() });
        let host = Host::new(Rc::new(Side(Rc::downgrade(&desk))));
        host.receive(ToWorker::Hello { version: VERSION, page: PageId(0) }, Vec::new());
        (desk, host)
    }

    /// Another worker with what this one's browser keeps, as after a reload or in another tab.
    pub fn successor(&self) -> (Rc<Self>, Rc<Host>) {
        let (folders, locks) = (self.folders.clone(), Rc::clone(&self.locks));
        let desk = Rc::new(Self { model: self.model.clone(), folders, locks, ..Self::default() });
        let host = Host::new(Rc::new(Side(Rc::downgrade(&desk))));
        host.receive(ToWorker::Hello { version: VERSION, page: PageId(0) }, Vec::new());
        (desk, host)
    }

    /// A copy of what is kept now.
    pub fn folders_now(&self) -> BTreeMap<String, Rc<MemoryFolder>> {
        let copy = |folder: &MemoryFolder| {
            let copied = MemoryFolder::default();
            for name in folder.names().now_or_never().expect("memory does not wait").expect("names") {
                let read = folder.read(&name).now_or_never().expect("memory does not wait").expect("reads");
                let bytes = read.unwrap_or_default();
                let writing = copied.write(&name, &bytes);
                writing.now_or_never().expect("memory does not wait").expect("writes");
            }
            Rc::new(copied)
        };
        self.folders.borrow().iter().map(|(name, folder)| (name.clone(), copy(folder))).collect()
    }

    /// Leaves no room for what training keeps, in folders that it has yet to open, too.
    pub fn fill(&self) {
        for name in ["training", "adapters"] {
            self.folders.borrow_mut().entry(name.to_owned()).or_default();
        }
        self.limit(1);
    }

    /// Limits what each folder may hold.
    pub fn limit(&self, bytes: usize) {
        self.folders.borrow().values().for_each(|folder| folder.limit(bytes));
    }

    /// A worker with the built-in model loaded, as request 1.
    pub fn loaded() -> (Rc<Self>, Rc<Host>) {
        Self::with_model(pebble())
    }

    /// The same with a model that knows nothing and learns fast: a step takes a tenth of the time.
    pub fn quick() -> (Rc<Self>, Rc<Host>) {
        Self::with_model(golden("models/tiny-31b.q4_0.gguf"))
    }

    fn with_model(file: PathBuf) -> (Rc<Self>, Rc<Host>) {
        let (desk, host) = Self::new();
        desk.model.replace(file);
        host.receive(load(1), Vec::new());
        let end = desk.end_of(1);
        assert!(matches!(end, Ok(Outcome::Loaded(_))), "{end:?}");
        (desk, host)
    }

    /// Calls `reaction` with every message from now on, as it is posted.
    pub fn react(&self, reaction: impl FnMut(&ToPage) + 'static) {
        self.reaction.replace(Some(Box::new(reaction)));
    }

    /// Lets the worker run until `done` with what was posted.
    pub fn run_until(&self, done: impl Fn(&[ToPage]) -> bool) {
        let begun = Instant::now();
        let this_thread = Waker::from(Arc::new(Parked(thread::current())));
        let mut context = Context::from_waker(&this_thread);
        while !done(&self.posted.borrow()) {
            assert!(begun.elapsed() < LIMIT, "it hangs: {:?}", self.posted.borrow());
            let mut tasks = self.tasks.take();
            tasks.retain_mut(|task| task.as_mut().poll(&mut context).is_pending());
            tasks.append(&mut self.tasks.borrow_mut());
            self.tasks.replace(tasks);
            // What waits for the device or the clock wakes nobody.
            thread::park_timeout(Duration::from_micros(200));
        }
    }

    /// Lets tasks that have begun since the running one was polled have their turn beside it.
    pub fn interrupt(&self) {
        let mut tasks = self.tasks.take();
        let mut context = Context::from_waker(Waker::noop());
        tasks.retain_mut(|task| task.as_mut().poll(&mut context).is_pending());
        tasks.append(&mut self.tasks.borrow_mut());
        self.tasks.replace(tasks);
    }

    /// Waits for the outcome of a request and checks that there is one only.
    pub fn end_of(&self, id: u64) -> Ended {
        let outcome = |message: &ToPage| match message.as_outcome() {
            Some((of, outcome)) if of == RequestId(id) => Some(outcome.clone()),
            _ => None,
        };
        self.run_until(|posted| posted.iter().any(|message| outcome(message).is_some()));
        let mut all: Vec<_> = self.posted.borrow().iter().filter_map(outcome).collect();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    /// Another page of the same browser joins the worker.
    pub fn join(&self, host: &Rc<Host>, page: PageId) {
        host.receive(ToWorker::Hello { version: VERSION, page }, Vec::new());
    }

    /// What the pages were told last of the engine's state.
    pub fn state(&self) -> EngineState {
        let state = |event: &ToPage| match event {
            ToPage::State(state) => Some((**state).clone()),
            _ => None,
        };
        self.posted.borrow().iter().rev().find_map(state).expect("the state was told")
    }

    /// What was posted so far.
    pub fn posted(&self) -> Vec<ToPage> {
        self.posted.borrow().clone()
    }

    /// Returns the progress of a request so far.
    pub fn progress_of(&self, of: u64) -> Vec<Progress> {
        let progress = |message: &ToPage| match message.as_progress() {
            Some((id, progress)) if id == RequestId(of) => Some(progress.clone()),
            _ => None,
        };
        self.posted.borrow().iter().filter_map(progress).collect()
    }

    /// Returns the errors so far that end no request.
    pub fn warnings(&self) -> Vec<Failure> {
        let warning = |message: &ToPage| match message {
            ToPage::Warning(failure) => Some(failure.clone()),
            _ => None,
        };
        self.posted.borrow().iter().filter_map(warning).collect()
    }

    /// The text that a request has said.
    pub fn text_of(&self, of: u64) -> String {
        let text = |progress| match progress {
            Progress::Text { text, .. } => Some(text),
            _ => None,
        };
        self.progress_of(of).into_iter().filter_map(text).collect()
    }
}

impl Side {
    fn desk(&self) -> Rc<Desk> {
        self.0.upgrade().expect("the desk outlives what the worker does")
    }
}

impl Platform for Side {
    fn post(&self, _: Option<PageId>, message: ToPage, _: &[web_sys::Blob]) {
        // A task that ends with the test may still have something to say.
        let Some(desk) = self.0.upgrade() else { return };
        desk.posted.borrow_mut().push(message.clone());
        // Out of its place while it runs: what it does may post.
        let reaction = desk.reaction.take();
        if let Some(mut reaction) = reaction {
            reaction(&message);
            let mut place = desk.reaction.borrow_mut();
            if place.is_none() {
                *place = Some(reaction);
            }
        }
    }

    fn spawn(&self, task: LocalBoxFuture<'static, ()>) {
        if let Some(desk) = self.0.upgrade() {
            desk.tasks.borrow_mut().push(task);
        }
    }

    fn pause(&self, milliseconds: u32) -> LocalBoxFuture<'static, ()> {
        let end = Instant::now() + Duration::from_millis(milliseconds.into());
        let wait = move |_: &mut Context<'_>| {
            if Instant::now() >= end { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        };
        std::future::poll_fn(wait).boxed_local()
    }

    fn random(&self) -> u64 {
        4
    }

    fn adapter(&self) -> LocalBoxFuture<'_, Result<AdapterNames, NoGpu>> {
        let names = self.desk().no_adapter.get().map_or_else(|| Ok(AdapterNames::default()), Err);
        std::future::ready(names).boxed_local()
    }

    fn constraints(&self) -> LocalBoxFuture<'_, Result<Rc<dyn Constraints>, Failure>> {
        std::future::ready(Ok(Rc::new(Grammars) as Rc<dyn Constraints>)).boxed_local()
    }

    fn open<'a>(
        &'a self,
        source: &'a ModelSource,
        _: &'a [web_sys::Blob],
        _: bool,
        link: Link,
    ) -> LocalBoxFuture<'a, Result<Opened, Failure>> {
        self.desk().watch.replace(link.watch);
        if let Some(verified) = self.desk().verified.borrow().clone() {
            let model = store::Opened::verified(verified);
            return std::future::ready(Ok(Opened { model, projector: None, drafter: None })).boxed_local();
        }
        if let Some(server) = self.desk().server.borrow().clone() {
            let opened = |server: Rc<Server>| match self.desk().room.get() {
                Some(room) => store::Opened::begun(server.kept(room)),
                None => store::Opened::remote(server),
            };
            let projector = self.desk().projector.borrow().clone().map(opened);
            let drafter = self.desk().served_drafter.borrow().clone().map(opened);
            let model = opened(server);
            return std::future::ready(Ok(Opened { model, projector, drafter })).boxed_local();
        }
        let key = match source {
            ModelSource::Local { names, .. } => names.first(),
            ModelSource::Server { layers, .. } => layers.first().map(|layer| &layer.digest),
        };
        let file = key.and_then(|key| self.desk().files.borrow().get(key).cloned());
        let path = file.unwrap_or_else(|| self.desk().model.borrow().clone());
        let model = store::Opened::local(Rc::new(FileSource::open(&path).expect("the file opens")));
        let drafter = self.desk().drafter.borrow().clone();
        let drafter = drafter.map(|path| FileSource::open(&path).expect("the drafter opens"));
        let drafter = drafter.map(|source| store::Opened::local(Rc::new(source)));
        std::future::ready(Ok(Opened { model, projector: None, drafter })).boxed_local()
    }

    fn read<'a>(
        &'a self,
        _: &'a [web_sys::Blob],
        place: u32,
    ) -> LocalBoxFuture<'a, Result<Vec<u8>, Failure>> {
        self.desk().read.borrow_mut().push(place);
        let bytes = self.desk().media.borrow().get(place as usize).cloned();
        let gone = || Failure::from(MediaFailure::Gone);
        std::future::ready(bytes.ok_or_else(gone)).boxed_local()
    }

    fn kept(&self) -> LocalBoxFuture<'_, Result<CacheReport, StoreError>> {
        std::future::ready(Ok(CacheReport { quota: 7, ..CacheReport::default() })).boxed_local()
    }

    fn folder<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Rc<dyn Folder>, StoreError>> {
        let folder = self.desk().folders.borrow_mut().entry(name.to_owned()).or_default().clone();
        std::future::ready(Ok(folder as Rc<dyn Folder>)).boxed_local()
    }

    fn lock<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Option<Lock>> {
        let locks = Rc::clone(&self.desk().locks);
        let name = name.to_owned();
        let taken = locks.borrow_mut().insert(name.clone());
        let lock = taken.then(|| {
            Lock::new(move || {
                locks.borrow_mut().remove(&name);
            })
        });
        std::future::ready(lock).boxed_local()
    }

    fn now(&self) -> f64 {
        1_763_720_000_000.0
    }

    fn delete<'a>(&'a self, _: &'a str) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        std::future::ready(Err(StoreError::InUse)).boxed_local()
    }
}

/// Where the model is said to be.
pub fn source() -> ModelSource {
    ModelSource::Server { name: "pebble".into(), layers: Vec::new() }
}

/// A request to look at the model, as it would be loaded with these options.
pub fn inspect(id: u64, options: LoadOptions) -> ToWorker {
    ToWorker::request(RequestId(id), Request::Inspect { source: source(), options })
}

/// A request to load.
pub fn load(id: u64) -> ToWorker {
    ToWorker::request(RequestId(id), Request::Load { source: source(), options: LoadOptions::default() })
}

/// A file that the engine's tests carry.
pub fn golden(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/golden").join(path)
}

/// A question.
pub fn asks(text: &str) -> Vec<Message> {
    vec![Message::text(Role::User, text)]
}

/// A request to answer from a beginning, always with the likeliest token, without a limit of its own.
pub fn go_on(id: u64, text: &str, begun: Option<protocol::Begun>, max_tokens: u32) -> ToWorker {
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    let options = GenerateOptions { sampling, max_tokens, begun, ..GenerateOptions::default() };
    ToWorker::request(RequestId(id), Request::Generate { messages: asks(text), options })
}

/// A request of fine-tuning.
pub fn tune(id: u64, request: TuneRequest) -> ToWorker {
    ToWorker::request(RequestId(id), Request::Tune(Box::new(request)))
}

/// The outcome of a request of fine-tuning.
pub fn tuned(ended: Ended) -> TuneOutcome {
    match ended {
        Ok(Outcome::Tune(outcome)) => *outcome,
        other => panic!("not of fine-tuning: {other:?}"),
    }
}

/// The progress of a training in this message.
pub fn training(message: &ToPage) -> Option<&TuneProgress> {
    match message.as_progress() {
        Some((_, Progress::Tune(progress))) => Some(progress),
        _ => None,
    }
}

/// The options of a request to answer.
pub fn options_of(message: &mut ToWorker) -> &mut GenerateOptions {
    match message {
        ToWorker::Request(Envelope { body: Request::Generate { options, .. }, .. }) => options,
        other => panic!("not a request to answer: {other:?}"),
    }
}

/// Why a request failed.
pub fn failure(ended: Ended) -> Failure {
    ended.expect_err("a failure")
}

/// The model that a request has loaded.
pub fn loaded_model(ended: Ended) -> LoadedModel {
    match ended {
        Ok(Outcome::Loaded(model)) => *model,
        other => panic!("not loaded: {other:?}"),
    }
}

/// A request to answer, always with the likeliest token.
pub fn generate(id: u64, text: &str) -> ToWorker {
    generate_up_to(8, id, text)
}

/// The same, for an answer of at most so many tokens.
pub fn generate_up_to(max_tokens: u32, id: u64, text: &str) -> ToWorker {
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    let options = GenerateOptions { sampling, max_tokens, ..GenerateOptions::default() };
    ToWorker::request(RequestId(id), Request::Generate { messages: asks(text), options })
}
