//! The pages that this worker serves: the one that has started it, and those of other tabs.
//!
//! The first is reached by `postMessage`. Others find this worker on a `BroadcastChannel` that all share, where a page says
//! `{ join: page }` and a worker that begins says `{ engine: number }`. All else goes over a channel of the page's own, whose
//! name ends with its number; the worker opens it with `{ joined: number }`. A page holds a lock of that name as long as it
//! lives. The worker's number, drawn at random, tells it from one that was there before.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use js_sys::{Array, Object, Reflect, Uint8Array};
use protocol::{PageId, ToPage};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, BroadcastChannel, MessageEvent};

use crate::Host;

type Listener = Closure<dyn FnMut(MessageEvent)>;

/// The page of another tab.
struct Port {
    channel: BroadcastChannel,
    _listener: Listener,
}

thread_local! {
    static PORTS: RefCell<BTreeMap<PageId, Port>> = const { RefCell::new(BTreeMap::new()) };
}

impl Drop for Port {
    fn drop(&mut self) {
        self.channel.set_onmessage(None);
        self.channel.close();
    }
}

/// Serves the pages of other tabs, which find this worker on the channel of this name. `own` is the page that has started it.
pub fn share(host: &Rc<Host>, name: &str, own: PageId) {
    let Ok(lobby) = BroadcastChannel::new(name) else { return };
    let (host, prefix) = (Rc::clone(host), name.to_owned());
    let number = js_sys::Math::random();
    let listener = Listener::new(move |event: MessageEvent| {
        let page = Reflect::get(&event.data(), &"join".into()).ok().and_then(|page| page.as_f64());
        if let Some(page) = page.map(|page| PageId(page as u32)).filter(|&page| page != own) {
            open(&host, &prefix, number, page);
        }
    });
    lobby.set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // For the life of the worker, as the channel is.
    listener.forget();
    if let Ok(message) = message(&[("engine", &number.into())]) {
        lobby.post_message(&message).ok();
    }
}

/// Opens the channel of a page, and says so there.
fn open(host: &Rc<Host>, prefix: &str, number: f64, page: PageId) {
    let joined = |channel: &BroadcastChannel| {
        message(&[("joined", &number.into())]).and_then(|message| channel.post_message(&message)).ok();
    };
    // It has asked twice, and may have said something meanwhile.
    let known = PORTS.with_borrow(|ports| ports.get(&page).map(|port| joined(&port.channel)));
    if known.is_some() {
        return;
    }
    let name = format!("{prefix}-{}", page.0);
    let Ok(channel) = BroadcastChannel::new(&name) else { return };
    let listener = Listener::new({
        let host = Rc::clone(host);
        move |event: MessageEvent| super::receive_request(&host, &event.data())
    });
    channel.set_onmessage(Some(listener.as_ref().unchecked_ref()));
    joined(&channel);
    PORTS.with_borrow_mut(|ports| ports.insert(page, Port { channel, _listener: listener }));
    let host = Rc::clone(host);
    wasm_bindgen_futures::spawn_local(async move {
        // Where a browser can't say, the page counts as there.
        if super::locks::wait(&name).await.is_ok() {
            host.leave(page);
            PORTS.with_borrow_mut(|ports| ports.remove(&page));
        }
    });
}

/// Sends a message, `{ bytes: Uint8Array, files: [Blob…] }`, to a page or to all.
pub fn post(to: Option<PageId>, posted: &ToPage, files: &[Blob]) {
    let bytes = match protocol::encode(posted) {
        Ok(bytes) => bytes,
        Err(error) => return send_error(&error.to_string()),
    };
    let files: Array = files.iter().collect();
    let whole = || {
        let bytes = Uint8Array::from(bytes.as_slice());
        Some((message(&[("bytes", &bytes), ("files", &files)]).ok()?, bytes))
    };
    // What cannot be sent is for a page that is about to go.
    let is_elsewhere = PORTS.with_borrow(|ports| {
        for (_, port) in ports.iter().filter(|(page, _)| to.is_none_or(|to| **page == to)) {
            whole().map(|(message, _)| port.channel.post_message(&message).ok());
        }
        to.is_some_and(|to| ports.contains_key(&to))
    });
    if !is_elsewhere && let Some((message, bytes)) = whole() {
        super::scope().post_message_with_transfer(&message, &Array::of1(&bytes.buffer())).ok();
    }
}

/// Tells all pages that this worker is at its end.
pub fn send_error(error: &str) {
    let error = error.into();
    send(&[("error", &error)]);
    PORTS.with_borrow(|ports| {
        for port in ports.values() {
            message(&[("error", &error)]).and_then(|message| port.channel.post_message(&message)).ok();
        }
    });
}

/// Sends an object to the page that has started this worker.
pub fn send(fields: &[(&str, &JsValue)]) {
    // A worker that is being ended cannot post; nobody listens any more then.
    message(fields).and_then(|message| super::scope().post_message(&message)).ok();
}

fn message(fields: &[(&str, &JsValue)]) -> Result<JsValue, JsValue> {
    let message = Object::new();
    for (name, value) in fields {
        Reflect::set(&message, &(*name).into(), value)?;
    }
    Ok(message.into())
}
