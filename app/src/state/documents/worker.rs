//! The worker that reads documents: one for each thing that is asked of it, so that a file that breaks it, or never ends, is no
//! other's trouble.

use std::time::Duration;

use documents::{Ask, Document, Reply};
use futures_channel::mpsc;
use futures_util::StreamExt as _;
use futures_util::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use interop::{Packed, field, unpack};
use wasm_bindgen::{JsCast as _, closure::Closure};
use web_sys::{Blob, ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};
use web_time::Instant;

use crate::browser;

/// How often it is looked whether the answer is wanted still.
const LOOK: Duration = Duration::from_millis(200);

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
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(ErrorEvent)>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

impl Running {
    fn start(said: mpsc::UnboundedSender<Said>) -> Option<Self> {
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
        let on_error = Closure::<dyn Fn(ErrorEvent)>::new(move |error: ErrorEvent| {
            error.prevent_default();
            // A script that could not be fetched has no message.
            let crashed = !error.message().is_empty();
            send(Said::Trouble(if crashed { Trouble::Crashed } else { Trouble::Missing }));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Some(Self { worker, _on_message: on_message, _on_error: on_error })
    }

    fn post(&self, ask: &Ask<&Document>, files: &[Blob]) -> Option<()> {
        let packed = Packed::new(ask, files).ok()?;
        self.worker.post_message_with_transfer(&packed.object, &packed.transfer()).ok()
    }
}

/// Asks a new worker, with the file that the message names. `goes_on` gets what is done and what there is to do, and returns whether
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
    let (send, mut said) = mpsc::unbounded();
    let running = Running::start(send).ok_or(Trouble::Missing)?;
    running.post(ask, files).ok_or(Trouble::Crashed)?;
    let begun = Instant::now();
    loop {
        let look = TimeoutFuture::new(LOOK.as_millis() as u32);
        let progress = match select(said.next(), look).await {
            Either::Left((Some(Said::Reply(Reply::Progress { done, total })), _)) => Some((done, total)),
            Either::Left((Some(Said::Reply(reply)), _)) => return Ok(reply),
            Either::Left((Some(Said::Trouble(trouble)), _)) => return Err(trouble),
            Either::Left((None, _)) => return Err(Trouble::Crashed),
            Either::Right(_) => None,
        };
        if !goes_on(progress) {
            return Err(Trouble::Canceled);
        }
        if begun.elapsed() >= limit {
            return Err(Trouble::TooLong);
        }
    }
}
