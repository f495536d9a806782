//! Carries messages to the engine's worker: `{ bytes: Uint8Array, files: [Blob…] }`, the bytes in postcard.

use js_sys::{Array, Object, Reflect, Uint8Array};
use protocol::{Event, Request, decode, encode};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use web_sys::{Blob, ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::{Delivery, Sink};
use crate::browser::words;

/// A dedicated worker. Dropping it ends the worker, and what it held on the graphics device with it.
pub struct WorkerTransport {
    worker: Worker,
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(ErrorEvent)>,
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
        let worker = Worker::new_with_options(script, &options).map_err(|error| words(&error))?;

        let on_message = Closure::<dyn Fn(MessageEvent)>::new({
            let sink = sink.clone();
            move |message: MessageEvent| sink(read(&message.data()))
        });
        let on_error = Closure::<dyn Fn(ErrorEvent)>::new(move |error: ErrorEvent| {
            error.prevent_default();
            let message = error.message();
            sink(Delivery::Crashed(if message.is_empty() {
                "its program could not be loaded".into()
            } else {
                message
            }));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self { worker, _on_message: on_message, _on_error: on_error })
    }

    /// Sends a request, with the files it speaks of.
    ///
    /// # Errors
    /// When the engine cannot be reached any more, in words.
    pub fn post(&self, request: &Request, files: &[Blob]) -> Result<(), String> {
        let bytes = encode(request).map_err(|error| error.to_string())?;
        // Copied out of wasm memory once, then moved to the worker without another copy.
        let bytes = Uint8Array::from(bytes.as_slice());
        let files: Array = files.iter().collect();
        let message = Object::new();
        Reflect::set(&message, &"bytes".into(), &bytes).map_err(|error| words(&error))?;
        Reflect::set(&message, &"files".into(), &files).map_err(|error| words(&error))?;
        self.worker
            .post_message_with_transfer(&message, &Array::of1(&bytes.buffer()))
            .map_err(|error| words(&error))
    }
}

impl Drop for WorkerTransport {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// Reads one message of the worker: an event, or `{ error }` when its program could not start.
fn read(data: &JsValue) -> Delivery {
    let field = |name: &str| Reflect::get(data, &name.into()).ok().filter(|value| !value.is_undefined());
    if let Some(error) = field("error") {
        return Delivery::Crashed(error.as_string().unwrap_or_else(|| words(&error)));
    }
    let Some(bytes) = field("bytes").and_then(|bytes| bytes.dyn_into::<Uint8Array>().ok()) else {
        return Delivery::Unreadable("not a message".into());
    };
    match decode::<Event>(&bytes.to_vec()) {
        Ok(event) => Delivery::Event(event),
        Err(error) => Delivery::Unreadable(error.to_string()),
    }
}
