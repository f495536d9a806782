//! An engine that computes nothing: it plays one with timers, so that every page can be tested and drawn without a
//! graphics device. It is a worker that speaks the real one's protocol. Only a site built for tests has it, and there the
//! page starts it when its address asks for it: `?fake` or `?fake=WORD,WORD…`; the words are those of [`Scenario`].

mod answers;
mod diagnosis;
mod diffusion;
mod embedding;
mod generate;
mod media;
mod mixture;
mod models;
mod platform;
mod play;
mod scenario;
mod tools;
mod towers;
mod tune;
mod turns;
mod words;

#[cfg(test)]
mod conduct;

use std::cell::Cell;
use std::rc::Rc;

use interop::{Channel, Packed, object, unpack};
use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent, UrlSearchParams};

use self::platform::{Local, Platform, Posted};
use self::play::Player;
pub use self::scenario::Scenario;

/// Begins. `early` are the message events that came before this program was ready.
#[wasm_bindgen]
pub fn start(early: &Array) {
    let search = scope().location().search();
    let parameter = |name: &str| UrlSearchParams::new_with_str(&search).ok()?.get(name);
    let mut scenario = Scenario::read(&parameter("fake").unwrap_or_default());
    if parameter("start").is_some_and(|start| start != "1") {
        scenario.mend();
    }
    let player = Player::new(scenario, Rc::new(Browser::new()));
    let receive = move |event: MessageEvent| receive(&player, &event.data());
    for event in early.iter() {
        receive(event.unchecked_into());
    }
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(receive);
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // For the life of the worker.
    on_message.forget();
}

/// Its tasks are the browser's, and its time is real.
struct Browser {
    /// Milliseconds of every pause, where a test has set them.
    pace: Rc<Cell<Option<u32>>>,
    _channel: Option<Channel>,
}

impl Browser {
    /// Tests set the pace, or have the engine crash, by messages on a channel, which are confirmed on another.
    fn new() -> Self {
        let pace = Rc::new(Cell::new(None));
        let set = Rc::clone(&pace);
        let channel = Channel::open("fake-heard", |_| {}).and_then(|heard| {
            Channel::open("fake", move |message| {
                match message.as_f64() {
                    Some(milliseconds) => set.set(Some(milliseconds as u32)),
                    None => post(Posted::Crashed("unreachable executed".into())),
                }
                heard.post(&message).ok();
            })
        });
        Self { pace, _channel: channel }
    }
}

impl Platform for Browser {
    fn post(&self, posted: Posted) {
        post(posted);
    }

    fn spawn(&self, task: Local) {
        wasm_bindgen_futures::spawn_local(task);
    }

    fn pause(&self, milliseconds: u32) -> Local {
        Box::pin(gloo_timers::future::TimeoutFuture::new(self.pace.get().unwrap_or(milliseconds)))
    }
}

fn receive(player: &Player, data: &JsValue) {
    match unpack(data) {
        Some(Ok((message, files))) => player.take(message, files),
        Some(Err(error)) => post(Posted::Crashed(error.to_string())),
        None => {}
    }
}

/// Posts as the real engine does, with `{ error }` after a crash.
fn post(posted: Posted) {
    let message = match posted {
        Posted::Message(message) => Packed::new(&message, &[]).map(|packed| packed.object),
        Posted::Crashed(reason) => Err(reason),
    };
    let message = message.or_else(|reason| object(&[("error", &reason.into())]));
    // A worker that is being ended cannot post; nobody listens any more then.
    message.and_then(|message| scope().post_message(&message)).ok();
}

pub(crate) fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}
