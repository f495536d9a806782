//! The pages that this worker serves: the one that has started it, and those of other tabs.
//!
//! The first is reached by `postMessage`. Others find this worker on a `BroadcastChannel` that all share, where a page says
//! `{ join: page }` and a worker that begins says `{ engine: number }`. All else goes over a channel of the page's own, whose
//! name ends with its number; the worker opens it with `{ joined: number }`. A page holds a lock of that name as long as it
//! lives. The worker's number, drawn at random, tells it from one that was there before.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use interop::{Channel, Packed, field, locks, object};
use protocol::{PageId, ToPage};
use wasm_bindgen::JsValue;
use web_sys::Blob;

use crate::Host;

thread_local! {
    static PORTS: RefCell<BTreeMap<PageId, Channel>> = const { RefCell::new(BTreeMap::new()) };
}

/// Serves the pages of other tabs, which find this worker on the channel of this name. `own` is the page that has started it.
pub fn share(host: &Rc<Host>, name: &str, own: PageId) {
    let (host, prefix) = (Rc::clone(host), name.to_owned());
    let number = js_sys::Math::random();
    let lobby = Channel::open(name, move |data| {
        let page = field(&data, "join").and_then(|page| page.as_f64());
        if let Some(page) = page.map(|page| PageId(page as u32)).filter(|&page| page != own) {
            open(&host, &prefix, number, page);
        }
    });
    if let Some(lobby) = lobby {
        lobby.announce(&[("engine", &number.into())]);
        // For the life of the worker.
        std::mem::forget(lobby);
    }
}

/// Opens the channel of a page, and says so there.
fn open(host: &Rc<Host>, prefix: &str, number: f64, page: PageId) {
    let joined = |channel: &Channel| channel.announce(&[("joined", &number.into())]);
    // It has asked twice, and may have said something meanwhile.
    if PORTS.with_borrow(|ports| ports.get(&page).map(joined)).is_some() {
        return;
    }
    let name = format!("{prefix}-{}", page.0);
    let shared = Rc::clone(host);
    let Some(channel) = Channel::open(&name, move |data| super::receive_message(&shared, &data)) else {
        return;
    };
    joined(&channel);
    PORTS.with_borrow_mut(|ports| ports.insert(page, channel));
    let host = Rc::clone(host);
    wasm_bindgen_futures::spawn_local(async move {
        // Where a browser can't say, the page counts as there.
        if locks::wait(&name).await {
            host.leave(page);
            PORTS.with_borrow_mut(|ports| ports.remove(&page));
        }
    });
}

/// Sends a message to a page or to all.
pub fn post(to: Option<PageId>, message: &ToPage, files: &[Blob]) {
    let packed = match Packed::new(message, files) {
        Ok(packed) => packed,
        Err(error) => return send_error(&error),
    };
    let is_elsewhere = PORTS.with_borrow(|ports| {
        for (_, port) in ports.iter().filter(|(page, _)| to.is_none_or(|to| **page == to)) {
            // What cannot be sent is for a page that is about to go.
            port.post(&packed.object).ok();
        }
        to.is_some_and(|to| ports.contains_key(&to))
    });
    if !is_elsewhere {
        super::scope().post_message_with_transfer(&packed.object, &packed.transfer()).ok();
    }
}

/// Reports to all pages that this worker has crashed.
pub fn send_error(error: &str) {
    let error = error.into();
    send(&[("error", &error)]);
    PORTS.with_borrow(|ports| ports.values().for_each(|port| port.announce(&[("error", &error)])));
}

/// Sends an object to the page that has started this worker.
pub fn send(fields: &[(&str, &JsValue)]) {
    // A worker that is being ended cannot post; nobody listens any more then.
    object(fields).and_then(|message| super::scope().post_message(&message)).ok();
}
