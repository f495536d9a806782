//! The worker in a browser: messages in and out.

mod adapter;
mod compiler;
mod locks;
mod platform;

use std::rc::Rc;

use js_sys::{Array, Float32Array, Object, Reflect, Uint8Array};
use protocol::failure::EngineFailure;
use protocol::{Event, Failure};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use crate::Host;

/// Begins. `early` are the message events that came before this program was ready.
#[wasm_bindgen]
pub fn start(early: &Array) {
    report_panics();
    let scope = scope();
    let host = Host::new(Rc::new(platform::Browser::new()));
    // In the address of the worker, so that no page can do it by chance.
    let in_test = scope.location().search().contains("test");
    let receive = move |event: MessageEvent| receive(&host, &event.data(), in_test);
    for event in early.iter() {
        receive(event.unchecked_into());
    }
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(receive);
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // For the life of the worker.
    on_message.forget();
}

/// Takes `{ bytes: Uint8Array, files: [Blob…] }`; and in tests `{ test: … }`, see [`in_a_test`].
fn receive(host: &Rc<Host>, data: &JsValue, in_test: bool) {
    let field = |name: &str| Reflect::get(data, &name.into()).ok().filter(|value| !value.is_undefined());
    if let Some(asked) = field("test").filter(|_| in_test).and_then(|test| test.as_string()) {
        wasm_bindgen_futures::spawn_local(in_a_test(Rc::clone(host), asked));
        return;
    }
    // Anything else comes from outside: browser extensions post messages too.
    let Some(bytes) = field("bytes").and_then(|bytes| bytes.dyn_into::<Uint8Array>().ok()) else { return };
    let files = field("files").and_then(|files| files.dyn_into::<Array>().ok()).unwrap_or_default();
    let files = files.iter().filter_map(|file| file.dyn_into::<web_sys::Blob>().ok()).collect();
    host.receive_bytes(&bytes.to_vec(), files);
}

/// What a test asks: `lose-device`, as a driver's reset would; `memory BYTES`, which is what the device is taken to have
/// from now on; `soft-tokens`, which are sent as
/// `{ soft_tokens: [Float32Array…] }`, the latest last.
async fn in_a_test(host: Rc<Host>, asked: String) {
    match asked.as_str() {
        "lose-device" => host.lose_device().await,
        "soft-tokens" => {
            let all = host.soft_tokens().await.unwrap_or_default();
            let all: Array = all.iter().map(|rows| Float32Array::from(rows.as_slice())).collect();
            send("soft_tokens", &all, &Array::new()).ok();
        }
        other => {
            if let Some(Ok(bytes)) = other.strip_prefix("memory ").map(str::parse) {
                host.state_memory(bytes).await;
            }
        }
    }
}

/// Sends an event: `{ bytes: Uint8Array }`, moved and not copied.
fn post(event: &Event) {
    let message = match protocol::encode(event) {
        Ok(bytes) => {
            let bytes = Uint8Array::from(bytes.as_slice());
            send("bytes", &bytes, &Array::of1(&bytes.buffer()))
        }
        Err(error) => send("error", &error.to_string().into(), &Array::new()),
    };
    // A worker that is being ended cannot post; nobody listens any more then.
    message.ok();
}

fn send(field: &str, value: &JsValue, transfer: &Array) -> Result<(), JsValue> {
    let message = Object::new();
    Reflect::set(&message, &field.into(), value)?;
    scope().post_message_with_transfer(&message, transfer)
}

/// A panic ends this program: its memory cannot be trusted any more. The page is told twice: by a failure,
/// and by the message that says that the worker is gone and its requests with it.
fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        let failure = Failure::new(EngineFailure::Stopped).detailed(info);
        post(&Event::Failed { id: None, failure });
        send("error", &info.to_string().into(), &Array::new()).ok();
    }));
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}
