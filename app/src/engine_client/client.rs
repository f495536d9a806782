//! Numbers requests, hands out their events, and notices when the engine is gone.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    pin::Pin,
    rc::{Rc, Weak},
    task::{Context, Poll},
};

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures_util::{
    Stream, StreamExt as _,
    future::{Either, select},
};
use gloo_timers::future::TimeoutFuture;
use leptos::task::spawn_local;
use protocol::failure::EngineFailure;
use protocol::{Cause, Code, DeviceReport, Event, Failure, Request, RequestId, VERSION};

use super::{Delivery, Sink, worker::WorkerTransport};

/// A worker that says nothing for this long after its start is taken for dead. Over a slow connection its program takes a
/// minute to come.
const READY_LIMIT_MS: u32 = 120_000;

/// What concerns no single request.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// The engine runs and speaks our version.
    Ready,
    /// What the graphics device is.
    Device(DeviceReport),
    /// The graphics device was lost; the engine restores it.
    DeviceLost(String),
    /// The engine is in trouble but runs.
    Trouble(Failure),
    /// The engine is gone. Every open [`Reply`] has ended.
    Crashed(Failure),
}

/// A running engine. Clones speak to the same one; it ends with the last of them.
#[derive(Clone)]
pub struct EngineClient {
    inner: Rc<Inner>,
}

struct Inner {
    transport: RefCell<Option<WorkerTransport>>,
    next: Cell<u64>,
    open: RefCell<HashMap<RequestId, UnboundedSender<Event>>>,
    notify: Box<dyn Fn(Notice)>,
    ready: Cell<bool>,
    dead: Cell<bool>,
}

impl EngineClient {
    /// Starts the engine whose worker's script is at this address. `notify` hears what concerns no single request,
    /// first of all [`Notice::Ready`] or [`Notice::Crashed`].
    #[must_use]
    pub fn start(script: Option<&str>, notify: impl Fn(Notice) + 'static) -> Self {
        let inner = Rc::new(Inner {
            transport: RefCell::new(None),
            next: Cell::new(1),
            open: RefCell::default(),
            notify: Box::new(notify),
            ready: Cell::new(false),
            dead: Cell::new(false),
        });
        let weak = Rc::downgrade(&inner);
        let sink: Sink = Rc::new(move |delivery| {
            if let Some(inner) = weak.upgrade() {
                inner.deliver(delivery);
            }
        });
        match WorkerTransport::spawn(script, sink) {
            Ok(transport) => {
                let hello = transport.post(&Request::Hello { version: VERSION }, &[]);
                *inner.transport.borrow_mut() = Some(transport);
                match hello {
                    Ok(()) => watch_start(Rc::downgrade(&inner)),
                    Err(reason) => inner.die(crash(&reason)),
                }
            }
            Err(reason) => inner.die(crash(&reason)),
        }
        Self { inner }
    }

    /// Sends the request that `make` builds for a fresh id, and returns its events.
    pub fn request(&self, make: impl FnOnce(RequestId) -> Request, files: &[web_sys::Blob]) -> Reply {
        let id = RequestId(self.inner.next.replace(self.inner.next.get() + 1));
        let (sender, events) = unbounded();
        let reply = Reply { id, events };
        if self.inner.dead.get() {
            return reply; // The sender is dropped: the reply ends at once.
        }
        self.inner.open.borrow_mut().insert(id, sender);
        if let Err(reason) = self.inner.post(&make(id), files) {
            self.inner.die(crash(&reason));
        }
        reply
    }

    /// Sends a request that has no answer of its own: [`Request::Cancel`], [`Request::AnswerNow`].
    pub fn tell(&self, request: &Request) {
        if !self.inner.dead.get()
            && let Err(reason) = self.inner.post(request, &[])
        {
            self.inner.die(crash(&reason));
        }
    }

    /// Stops a request. It ends with its own last event.
    pub fn cancel(&self, id: RequestId) {
        self.tell(&Request::Cancel { id });
    }
}

/// Gives up on an engine that does not report ready in time.
fn watch_start(inner: Weak<Inner>) {
    spawn_local(async move {
        TimeoutFuture::new(READY_LIMIT_MS).await;
        if let Some(inner) = inner.upgrade()
            && !inner.ready.get()
        {
            inner.die(EngineFailure::NotStarted { seconds: READY_LIMIT_MS / 1000 }.into());
        }
    });
}

impl Inner {
    fn post(&self, request: &Request, files: &[web_sys::Blob]) -> Result<(), String> {
        match &*self.transport.borrow() {
            Some(transport) => transport.post(request, files),
            None => Err("it has ended".into()),
        }
    }

    fn deliver(&self, delivery: Delivery) {
        if self.dead.get() {
            return;
        }
        match delivery {
            Delivery::Event(event) => self.dispatch(event),
            Delivery::Crashed(reason) => self.die(crash(&reason)),
            Delivery::Unreadable(reason) => {
                self.die(Failure::new(EngineFailure::BadMessage).detailed(reason));
            }
        }
    }

    fn dispatch(&self, event: Event) {
        match event {
            Event::Ready { version } if version == VERSION => {
                self.ready.set(true);
                (self.notify)(Notice::Ready);
            }
            Event::Ready { version } => self.die(wrong_version(version)),
            Event::Device(report) => (self.notify)(Notice::Device(report)),
            Event::DeviceLost { reason } => (self.notify)(Notice::DeviceLost(reason)),
            Event::Failed { id: None, failure } if failure.cause() == Cause::Version => self.die(failure),
            Event::Failed { id: None, failure } => (self.notify)(Notice::Trouble(failure)),
            event => {
                let Some(id) = event.id() else { return };
                let last = event.is_terminal();
                // An event may be late: its request has ended, or its reply was dropped. Then nobody wants it.
                if let Some(sender) = self.open.borrow().get(&id) {
                    sender.unbounded_send(event).ok();
                }
                if last {
                    self.open.borrow_mut().remove(&id);
                }
            }
        }
    }

    fn die(&self, failure: Failure) {
        if self.dead.replace(true) {
            return;
        }
        // Dropping the senders ends the replies; dropping the transport ends the worker. The transport may be the
        // caller, so it goes once the stack is empty.
        self.open.borrow_mut().clear();
        if let Ok(mut transport) = self.transport.try_borrow_mut() {
            let gone = transport.take();
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

/// The events of one request, ending with its last one. It ends early, without a last event, when the engine is
/// gone; what happened is then in the [`Notice`].
pub struct Reply {
    id: RequestId,
    events: UnboundedReceiver<Event>,
}

impl Reply {
    /// The request's id, to cancel it by.
    #[must_use]
    pub fn id(&self) -> RequestId {
        self.id
    }

    /// Waits for events and returns all that are there, so that a fast engine costs one update of the page and not
    /// one for each token; none at the end. `pause_ms` is the least time between two updates.
    pub async fn batch(&mut self, pause_ms: u32) -> Option<Vec<Event>> {
        let first = self.next().await?;
        let mut events = vec![first];
        let mut pause = TimeoutFuture::new(pause_ms);
        while !events.last().is_some_and(Event::is_terminal) {
            match select(self.events.next(), &mut pause).await {
                Either::Left((Some(event), _)) => events.push(event),
                Either::Left((None, _)) | Either::Right(_) => break,
            }
        }
        Some(events)
    }

    /// The last event, with all before it passed over; none when the engine is gone.
    pub async fn last(mut self) -> Option<Event> {
        while let Some(event) = self.next().await {
            if event.is_terminal() {
                return Some(event);
            }
        }
        None
    }
}

impl Stream for Reply {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.events.poll_next_unpin(context)
    }
}
