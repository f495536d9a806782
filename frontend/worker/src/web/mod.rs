//! The worker in a browser: messages in and out.

mod adapter;
mod compiler;
mod constraints;
mod platform;
mod ports;

use std::rc::Rc;

use interop::{field, unpack};
use js_sys::{Array, Float32Array};
use protocol::failure::EngineFailure;
use protocol::{Failure, PageId, ToPage};
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

/// Takes a [`ToWorker`](protocol::ToWorker) of the page that has started this worker; `{ share: name, page: number }`, with
/// which that page has it serve other tabs, too ([`ports`]); and in tests `{ test: … }`, see [`in_a_test`].
fn receive(host: &Rc<Host>, data: &JsValue, in_test: bool) {
    if let Some(asked) = field(data, "test").filter(|_| in_test).and_then(|test| test.as_string()) {
        wasm_bindgen_futures::spawn_local(in_a_test(Rc::clone(host), asked));
        return;
    }
    if let Some(name) = field(data, "share").and_then(|name| name.as_string()) {
        let page = field(data, "page").and_then(|page| page.as_f64()).unwrap_or_default();
        ports::share(host, &name, PageId(page as u32));
    }
    receive_message(host, data);
}

fn receive_message(host: &Rc<Host>, data: &JsValue) {
    match unpack(data) {
        Some(Ok((message, files))) => host.receive(message, files),
        Some(Err(error)) => host.warn(Failure::new(EngineFailure::BadMessage).detailed(error)),
        None => {}
    }
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
            ports::send(&[("soft_tokens", &all)]);
        }
        other => {
            if let Some(Ok(bytes)) = other.strip_prefix("memory ").map(str::parse) {
                host.state_memory(bytes).await;
            }
        }
    }
}

/// A panic ends this program: its memory cannot be trusted any more. The page gets a failure,
/// then the message that the worker and its requests are gone.
fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        let failure = Failure::new(EngineFailure::Stopped).detailed(info);
        ports::post(None, &ToPage::Warning(failure), &[]);
        ports::send_error(&info.to_string());
    }));
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}
