//! Carries messages to an engine's worker of this tab.

use interop::{HANDHELD, Packed, object, words};
use protocol::{PageId, ToWorker};
use wasm_bindgen::{JsCast as _, closure::Closure};
use web_sys::{Blob, ErrorEvent, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::{Delivery, Sink, read};
use crate::browser;

/// A dedicated worker. Dropping it ends the worker, and what it held on the graphics device with it.
pub struct WorkerTransport {
    worker: Worker,
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(Event)>,
}

impl WorkerTransport {
    /// Starts the worker whose script is at this address.
    ///
    /// # Errors
    /// When there is no address, or the browser refuses to start it; in words.
    pub fn spawn(script: Option<&str>, sink: Sink) -> Result<Self, String> {
        let script = script.ok_or("the page does not say where it is")?;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name("gemtab engine");
        // Behind the `#`, which no server gets to see.
        let script = if browser::is_ipad() { format!("{script}#{HANDHELD}") } else { script.to_owned() };
        let worker = Worker::new_with_options(&script, &options).map_err(|error| words(&error))?;

        let on_message = Closure::<dyn Fn(MessageEvent)>::new({
            let sink = sink.clone();
            move |message: MessageEvent| sink(read(&message.data()))
        });
        let on_error = Closure::<dyn Fn(Event)>::new(move |error: Event| {
            error.prevent_default();
            // The event of a script that cannot be fetched has no message.
            let message = error.dyn_ref::<ErrorEvent>().map(ErrorEvent::message);
            sink(Delivery::Crashed(match message {
                Some(message) if !message.is_empty() => message,
                _ => "its program could not be loaded".into(),
            }));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self { worker, _on_message: on_message, _on_error: on_error })
    }

    /// Sends a message, with the files that it names.
    ///
    /// # Errors
    /// When the engine cannot be reached any more, in words.
    pub fn post(&self, message: &ToWorker, files: &[Blob]) -> Result<(), String> {
        // Copied out of wasm memory once, then moved to the worker without another copy.
        let packed = Packed::new(message, files)?;
        let posted = self.worker.post_message_with_transfer(&packed.object, &packed.transfer());
        posted.map_err(|error| words(&error))
    }

    /// Has it serve the pages of other tabs, which find it on the channel of this name. `page` is this page.
    ///
    /// # Errors
    /// When the engine cannot be reached any more, in words.
    pub fn share(&self, name: &str, page: PageId) -> Result<(), String> {
        let message =
            object(&[("share", &name.into()), ("page", &page.0.into())]).map_err(|error| words(&error))?;
        self.worker.post_message(&message).map_err(|error| words(&error))
    }
}

impl Drop for WorkerTransport {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}
