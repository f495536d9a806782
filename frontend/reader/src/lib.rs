//! The worker that reads documents and chooses passages for a question. It keeps nothing between two messages: the page may end
//! it at any time, and does so to cancel. A file that breaks it breaks nothing else.

#![cfg(target_arch = "wasm32")]

use std::ops::ControlFlow;

use documents::{Ask, Document, Limits, Options, Progress, Reply};
use interop::{Packed, object, unpack, words};
use js_sys::{Array, Date, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, DedicatedWorkerGlobalScope, MessageEvent};

/// The least time between two reports of progress, in milliseconds.
const REPORT_MS: f64 = 100.0;

/// The longest text of a document, in bytes: the page holds it, too, and it is many times what a model can read.
const MOST_TEXT: u64 = 16 << 20;

/// Begins. `early` are the message events that came before this program was ready.
#[wasm_bindgen]
pub fn start(early: &Array) {
    for event in early.iter() {
        receive(event.unchecked_into());
    }
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(receive);
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // For the life of the worker.
    on_message.forget();
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn receive(event: MessageEvent) {
    let Some(message) = unpack::<Ask<Document>>(&event.data()) else { return };
    spawn_local(async move {
        let answer = match message {
            Ok((ask, files)) => answer(ask, files).await,
            Err(error) => Err(error.to_string()),
        };
        let posted = match answer {
            Ok(reply) => post(&reply),
            Err(reason) => object(&[("error", &reason.into())]).and_then(|it| scope().post_message(&it)),
        };
        // A worker that is being ended can't post; nobody listens any more then.
        posted.ok();
    });
}

async fn answer(ask: Ask<Document>, files: Vec<Blob>) -> Result<Reply, String> {
    match ask {
        Ask::Read { name } => {
            let file = files.first().ok_or("no file came with the message")?;
            let buffer = JsFuture::from(file.array_buffer()).await.map_err(|error| words(&error))?;
            let bytes = Uint8Array::new(&buffer).to_vec();
            Ok(Reply::Read(read(&name, &bytes)))
        }
        Ask::Choose { question, documents, budget } => {
            Ok(Reply::Chosen(documents::choose(&question, &documents, budget as usize)))
        }
    }
}

fn read(name: &str, bytes: &[u8]) -> Result<Document, documents::Error> {
    let limits = Limits { text: MOST_TEXT, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let mut reported = Date::now();
    documents::read(name, bytes, &options, &mut |Progress { done, total }| {
        let now = Date::now();
        if now - reported >= REPORT_MS {
            reported = now;
            // As above.
            post(&Reply::Progress { done, total }).ok();
        }
        ControlFlow::Continue(())
    })
}

fn post(reply: &Reply) -> Result<(), JsValue> {
    let packed = Packed::new(reply, &[]).map_err(|reason| JsValue::from_str(&reason))?;
    scope().post_message_with_transfer(&packed.object, &packed.transfer())
}
