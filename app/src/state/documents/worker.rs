//! The worker that reads documents. It does one thing at a time, so that a file that breaks it, or never ends, is no other's
//! trouble. One that has answered stays for the next question: a new one would be fetched and compiled again.

use std::cell::Cell;
use std::time::Duration;

use documents::{Ask, Document, Reply};
use futures_channel::mpsc;
use futures_util::future::{Either, select};
use futures_util::{FutureExt as _, StreamExt as _};
use gloo_timers::future::TimeoutFuture;
use interop::{Packed, field, unpack};
use wasm_bindgen::{JsCast as _, closure::Closure};
use web_sys::{Blob, ErrorEvent, Event, MessageEvent, Worker, WorkerOptions, WorkerType};
use web_time::Instant;

use crate::browser;

/// How often it is looked whether the answer is wanted still.
const LOOK: Duration = Duration::from_millis(200);

/// Files of more bytes may have left a worker with much memory, which it cannot give back: it ends.
const LARGE: f64 = (16 << 20) as f64;

thread_local! {
    /// A worker that waits for something to do.
    static IDLE: Cell<Option<Running>> = const { Cell::new(None) };
}

/// Ends the worker that waits for something to do.
pub fn end_idle() {
    IDLE.set(None);
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It is not wanted any more.
    Canceled,
    /// The worker could not be started: the browser does not have it yet, and the server can't be reached.
    Missing,
    /// The worker ended before it had answered.
    Crashed,
    /// It took too long.
    TooLong,
}

/// Something that a worker has said.
enum Said {
    Reply(Reply),
    Trouble(Trouble),
}

/// A running worker. Dropping it ends it.
struct Running {
    worker: Worker,
    said: mpsc::UnboundedReceiver<Said>,
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(Event)>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

impl Running {
    /// The one that waits, or else a new one.
    fn get() -> Option<Self> {
        // One that has said something since has ended.
        let idle = IDLE.take().and_then(|mut it| it.said.next().now_or_never().is_none().then_some(it));
        idle.or_else(Self::start)
    }

    fn start() -> Option<Self> {
        let (said, receiver) = mpsc::unbounded();
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&browser::meta("gemtab-documents")?, &options).ok()?;
        // Nobody listens any more once the answer is there.
        let send = move |what| said.unbounded_send(what).unwrap_or_default();
        let on_message = Closure::<dyn Fn(MessageEvent)>::new({
            let send = send.clone();
            move |message: MessageEvent| {
                let data = message.data();
                match unpack::<Reply>(&data) {
                    Some(Ok((reply, _))) => send(Said::Reply(reply)),
                    Some(Err(_)) => send(Said::Trouble(Trouble::Crashed)),
                    // Its program could not be fetched, or did not understand what was asked.
                    None if field(&data, "error").is_some() => send(Said::Trouble(Trouble::Missing)),
                    None => {}
                }
            }
        });
        let on_error = Closure::<dyn Fn(Event)>::new(move |error: Event| {
            error.prevent_default();
            // The event of a script that cannot be fetched has no message.
            let crashed = error.dyn_ref::<ErrorEvent>().is_some_and(|error| !error.message().is_empty());
            send(Said::Trouble(if crashed { Trouble::Crashed } else { Trouble::Missing }));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Some(Self { worker, said: receiver, _on_message: on_message, _on_error: on_error })
    }

    fn post(&self, ask: &Ask<&Document>, files: &[Blob]) -> Option<()> {
        let packed = Packed::new(ask, files).ok()?;
        self.worker.post_message_with_transfer(&packed.object, &packed.transfer()).ok()
    }
}

/// Asks a worker, with the file that the message names. `goes_on` gets what is done and what there is to do, and returns whether
/// the answer is wanted still; it is called now and then, also while nothing is known.
///
/// # Errors
/// Why there is no answer.
pub async fn ask(
    ask: &Ask<&Document>,
    files: &[Blob],
    limit: Duration,
    goes_on: impl Fn(Option<(u64, u64)>) -> bool,
) -> Result<Reply, Trouble> {
    let mut running = Running::get().ok_or(Trouble::Missing)?;
    running.post(ask, files).ok_or(Trouble::Crashed)?;
    let begun = Instant::now();
    loop {
        let look = TimeoutFuture::new(LOOK.as_millis() as u32);
        let said = match select(running.said.next(), look).await {
            Either::Left((said, _)) => Some(said.unwrap_or(Said::Trouble(Trouble::Crashed))),
            Either::Right(_) => None,
        };
        let progress = match said {
            Some(Said::Reply(Reply::Progress { done, total })) => Some((done, total)),
            Some(Said::Reply(reply)) => {
                if files.iter().all(|file| file.size() <= LARGE) {
                    IDLE.set(Some(running));
                }
                return Ok(reply);
            }
            Some(Said::Trouble(trouble)) => return Err(trouble),
            None => None,
        };
        if !goes_on(progress) {
            return Err(Trouble::Canceled);
        }
        if begun.elapsed() >= limit {
            return Err(Trouble::TooLong);
        }
    }
}
