//! Numbers requests, hands out their events, and notices when the engine is gone.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use futures_channel::mpsc::unbounded;
use gloo_timers::future::TimeoutFuture;
use interop::locks;
use leptos::task::spawn_local;
use protocol::failure::EngineFailure;
use protocol::{
    Cause, Code, Control, DeviceReport, EngineState, Envelope, Event, Failure, PageId, Request, RequestId,
    ToPage, ToWorker, VERSION,
};
use web_sys::Blob;

use super::open::Open;
use super::sharing::{self, EngineRole, Sharing};
use super::worker::WorkerTransport;
use super::{Delivery, Reply, Sink};

/// An engine that says nothing for this long is taken for dead. Over a slow connection its program takes a minute to come.
const READY_LIMIT_MS: u32 = 120_000;

/// What concerns no single request.
#[derive(Clone, Debug)]
pub enum Notice {
    /// The engine runs and speaks our version.
    Ready,
    /// What the graphics device is.
    Device(DeviceReport),
    /// The graphics device was lost; the engine restores it.
    DeviceLost(String),
    /// What the engine holds and does, with the files of its model if a person has picked them.
    State(Box<EngineState>, Vec<Blob>),
    /// The tab that ran the engine was closed, and another engine is starting. Requests that can be repeated are kept; answers
    /// wait for [`EngineClient::resume_answers`].
    Moved,
    /// The engine is in trouble but runs.
    Warning(Failure),
    /// The engine is gone. Every open [`Reply`] has ended.
    Crashed(Failure),
}

/// A running engine. Clones speak to the same one; it ends with the last of them, unless it is another tab's.
#[derive(Clone)]
pub struct EngineClient {
    inner: Rc<Inner>,
}

struct Inner {
    page: PageId,
    script: Option<String>,
    transport: RefCell<Option<Transport>>,
    sharing: RefCell<Option<Sharing>>,
    /// Messages that wait for an engine.
    early: RefCell<Vec<(ToWorker, Vec<Blob>)>>,
    next: Cell<u32>,
    open: RefCell<BTreeMap<RequestId, Open>>,
    notify: Box<dyn Fn(Notice)>,
    ready: Cell<bool>,
    /// How many engines it has turned to.
    attached: Cell<u32>,
    dead: Cell<bool>,
}

/// The way to the engine.
enum Transport {
    Worker(WorkerTransport),
    /// In another tab.
    Shared,
}

impl EngineClient {
    /// Starts the engine whose worker's script is at this address, or joins the one that another tab runs, if it is to be
    /// shared. `notify` hears what concerns no single request, first of all [`Notice::Ready`] or [`Notice::Crashed`].
    #[must_use]
    pub fn start(script: Option<&str>, share: bool, notify: impl Fn(Notice) + 'static) -> Self {
        let inner = Rc::new(Inner {
            page: sharing::draw_page(),
            script: script.map(str::to_owned),
            transport: RefCell::new(None),
            sharing: RefCell::new(None),
            early: RefCell::default(),
            next: Cell::new(1),
            open: RefCell::default(),
            notify: Box::new(notify),
            ready: Cell::new(false),
            attached: Cell::new(0),
            dead: Cell::new(false),
        });
        let sharing = if share { Sharing::begin(inner.page, on_turn(&inner), sink(&inner)) } else { None };
        if sharing.is_some() {
            *inner.sharing.borrow_mut() = sharing;
        } else {
            inner.run_here(None);
        }
        if inner.attached.get() == 0 {
            watch_start(&inner);
        }
        Self { inner }
    }

    /// This page's number.
    #[must_use]
    pub fn page(&self) -> PageId {
        self.inner.page
    }

    /// Sends a request, with the files that it names, and returns its events.
    pub fn request(&self, request: Request, files: &[Blob]) -> Reply {
        let id = RequestId::new(self.inner.page, self.inner.next.replace(self.inner.next.get() + 1));
        let (sender, events) = unbounded();
        let reply = Reply::new(id, events);
        if self.inner.dead.get() {
            return reply; // The sender is dropped: the reply ends at once.
        }
        self.inner.open.borrow_mut().insert(id, Open::new(&request, files, sender));
        self.inner.send(ToWorker::request(id, request), files);
        reply
    }

    /// Steers a running request.
    pub fn control(&self, id: RequestId, control: Control) {
        if !self.inner.dead.get() {
            self.inner.send(ToWorker::control(id, control), &[]);
        }
    }

    /// Stops a request. It still ends with an outcome.
    pub fn cancel(&self, id: RequestId) {
        let cut = self.inner.open.borrow_mut().get_mut(&id).is_some_and(Open::cancel);
        if !cut {
            self.control(id, Control::Cancel);
        } else if let Some(open) = self.inner.open.borrow_mut().remove(&id) {
            open.stop();
        }
    }

    /// Whether answers wait for a new engine to have its model.
    #[must_use]
    pub fn has_cut_answers(&self) -> bool {
        self.inner.open.borrow().values().any(Open::is_cut)
    }

    /// Has a new engine go on with the answers of the one before. `loaded_by` is the request that has loaded their model.
    pub fn resume_answers(&self, loaded_by: RequestId) {
        let rest = |(id, open): (&RequestId, &mut Open)| Some((*id, open.rest(loaded_by)?));
        let rest: Vec<_> = self.inner.open.borrow_mut().iter_mut().filter_map(rest).collect();
        for (id, (request, files)) in rest {
            self.inner.send(ToWorker::request(id, request), &files);
        }
    }

    /// Leaves the engine to other tabs if they share it. For a page that the browser may freeze: it would keep the engine's
    /// lock, and its worker would answer nobody.
    pub fn yield_to_others(&self) {
        let shares = self.inner.sharing.borrow().as_ref().is_some_and(|sharing| !sharing.is_alone());
        if shares {
            // Requests stay open. The page is not to tell anybody that they have failed.
            drop((self.inner.transport.take(), self.inner.sharing.take()));
        }
    }

    /// Whether a page that was frozen has an engine, or a share in one, as before.
    pub async fn is_intact(&self) -> bool {
        let own = match (&*self.inner.sharing.borrow(), &*self.inner.transport.borrow()) {
            (Some(sharing), _) => sharing.own_name().to_owned(),
            (None, transport) => return transport.is_some() || self.inner.dead.get(),
        };
        locks::is_held(&own).await
    }

    /// Ends the answers that no engine can go on with, each without a last event.
    pub fn drop_answers(&self) {
        self.inner.open.borrow_mut().retain(|_, open| !open.is_cut());
    }
}

/// Gives up on an engine that does not report ready in time.
fn watch_start(inner: &Rc<Inner>) {
    let (inner, attached) = (Rc::downgrade(inner), inner.attached.get());
    spawn_local(async move {
        TimeoutFuture::new(READY_LIMIT_MS).await;
        if let Some(inner) = inner.upgrade()
            && !inner.ready.get()
            && inner.attached.get() == attached
        {
            inner.die(EngineFailure::NotStarted { seconds: READY_LIMIT_MS / 1000 }.into());
        }
    });
}

fn sink(inner: &Rc<Inner>) -> Sink {
    let weak = Rc::downgrade(inner);
    Rc::new(move |delivery| {
        if let Some(inner) = weak.upgrade() {
            inner.deliver(delivery);
        }
    })
}

fn on_turn(inner: &Rc<Inner>) -> impl Fn(EngineRole) + 'static {
    let weak = Rc::downgrade(inner);
    move |role| {
        let Some(inner) = weak.upgrade().filter(|inner| !inner.dead.get()) else { return };
        match role {
            EngineRole::Runs => inner.run_here(Some(&sharing::name())),
            EngineRole::Alone => inner.run_here(None),
            EngineRole::Joined => inner.attach(Transport::Shared),
        }
    }
}

impl Inner {
    /// Starts the engine in this tab, to be shared under a name.
    fn run_here(self: &Rc<Self>, share: Option<&str>) {
        let spawned = WorkerTransport::spawn(self.script.as_deref(), sink(self));
        let shared = spawned.and_then(|worker| {
            share.map_or(Ok(()), |name| worker.share(name, self.page))?;
            Ok(worker)
        });
        match shared {
            Ok(worker) => self.attach(Transport::Worker(worker)),
            Err(reason) => self.die(crash(&reason)),
        }
    }

    /// Greets an engine and asks it for what the one before was asked for.
    fn attach(self: &Rc<Self>, transport: Transport) {
        self.attached.set(self.attached.get() + 1);
        watch_start(self);
        let before = self.transport.borrow_mut().replace(transport);
        let early = self.early.take();
        let mut again = Vec::new();
        if before.is_some() {
            self.ready.set(false);
            let mut open = self.open.borrow_mut();
            open.retain(|_, open| open.cut());
            let same = |(id, open): (&RequestId, &Open)| {
                let (request, files) = open.same()?;
                Some((ToWorker::request(*id, request.clone()), files.to_vec()))
            };
            again = open.iter().filter_map(same).collect();
        }
        self.send(ToWorker::Hello { version: VERSION, page: self.page }, &[]);
        for (message, files) in again.into_iter().chain(early) {
            self.send(message, &files);
        }
        if before.is_some() && !self.dead.get() {
            (self.notify)(Notice::Moved);
        }
    }

    fn send(&self, message: ToWorker, files: &[Blob]) {
        let sent = match &*self.transport.borrow() {
            Some(Transport::Worker(worker)) => worker.post(&message, files),
            Some(Transport::Shared) => match &*self.sharing.borrow() {
                Some(sharing) => sharing.post(&message, files),
                None => Ok(()),
            },
            None => {
                self.early.borrow_mut().push((message, files.to_vec()));
                Ok(())
            }
        };
        if let Err(reason) = sent {
            self.die(crash(&reason));
        }
    }

    fn deliver(&self, delivery: Delivery) {
        if self.dead.get() {
            return;
        }
        match delivery {
            Delivery::Message(message, files) => self.dispatch(message, files),
            Delivery::Crashed(reason) => self.die(crash(&reason)),
            Delivery::Unreadable(reason) => {
                self.die(Failure::new(EngineFailure::BadMessage).detailed(reason));
            }
        }
    }

    fn dispatch(&self, message: ToPage, files: Vec<Blob>) {
        match message {
            ToPage::Ready { version } if version == VERSION => {
                self.ready.set(true);
                (self.notify)(Notice::Ready);
            }
            ToPage::Ready { version } => self.die(wrong_version(version)),
            ToPage::Device(report) => (self.notify)(Notice::Device(report)),
            ToPage::DeviceLost { reason } => (self.notify)(Notice::DeviceLost(reason)),
            ToPage::State(state) => (self.notify)(Notice::State(state, files)),
            ToPage::Warning(failure) if failure.cause() == Cause::Version => self.die(failure),
            ToPage::Warning(failure) => (self.notify)(Notice::Warning(failure)),
            // Either may be late: its request has ended.
            ToPage::Event(Envelope { id, body: Event::Progress(progress) }) => {
                if let Some(open) = self.open.borrow_mut().get_mut(&id) {
                    open.report(progress);
                }
            }
            ToPage::Event(Envelope { id, body: Event::Outcome(outcome) }) => {
                let open = self.open.borrow_mut().remove(&id);
                if let Some(open) = open {
                    open.end(outcome);
                }
            }
        }
    }

    fn die(&self, failure: Failure) {
        if self.dead.replace(true) {
            return;
        }
        // Dropping the senders ends the replies; dropping the transport ends the worker, and dropping the share lets another
        // tab run an engine. They may be the caller, so they go once the stack is empty.
        self.open.borrow_mut().clear();
        if let (Ok(mut transport), Ok(mut sharing)) =
            (self.transport.try_borrow_mut(), self.sharing.try_borrow_mut())
        {
            let gone = (transport.take(), sharing.take());
            spawn_local(async move { drop(gone) });
        }
        (self.notify)(Notice::Crashed(failure));
    }
}

/// What happened in the engine's own words is for engineers.
fn crash(reason: &str) -> Failure {
    Failure::new(EngineFailure::Stopped).detailed(reason)
}

fn wrong_version(engine: u16) -> Failure {
    Code::Version { page: VERSION, engine }.into()
}
