//! One engine for all tabs: which tab runs it, and how the others reach it. The worker's side is `worker/src/web/ports.rs`.
//!
//! A page waits for the lock of the engine as long as it lives. Who has it runs the engine. Until then, the page joins the one
//! that runs elsewhere, on a channel of its own. Locks and broadcast channels are all this takes, because every browser with
//! WebGPU has them.

use std::cell::Cell;
use std::rc::Rc;

use interop::locks::{self, Lock};
use interop::{Channel, Packed, field, object};
use js_sys::Math;
use protocol::{PageId, ToWorker, VERSION};
use wasm_bindgen::JsValue;
use web_sys::{Blob, BroadcastChannel};

use super::{Sink, read};

/// A page's part in the engine that tabs share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineRole {
    /// It runs the engine.
    Runs,
    /// It has joined the engine of another tab.
    Joined,
    /// It runs an engine for itself, because the browser has no locks.
    Alone,
}

/// A page's share in the engine. It ends when this is dropped.
pub struct Sharing {
    own_name: String,
    runs_here: Rc<Cell<bool>>,
    has_heard_others: Rc<Cell<bool>>,
    own: Channel,
    _lobby: Rc<Channel>,
    _alive: Lock,
    _engine: Lock,
}

/// The name of the engine's lock and of the channel where pages find it. Pages of another version have an engine of their own.
#[must_use]
pub fn name() -> String {
    format!("gemtab-engine-{VERSION}")
}

/// Returns a number for a page.
#[must_use]
pub fn draw_page() -> PageId {
    // 0 is for what comes from no page.
    PageId((Math::random() * f64::from(u32::MAX - 1)) as u32 + 1)
}

impl Sharing {
    /// Begins to share. Calls `on` with each new role of this page and `sink` with messages of an engine of another tab.
    /// Returns `None` if the browser lacks locks or channels.
    pub fn begin(page: PageId, on: impl Fn(EngineRole) + 'static, sink: Sink) -> Option<Self> {
        let on = Rc::new(on);
        let (name, joined) = (name(), Rc::new(Cell::new(None::<f64>)));
        let runs_here = Rc::new(Cell::new(false));
        let own_name = format!("{name}-{}", page.0);

        let own = Channel::open(&own_name, {
            let (on, runs_here) = (Rc::clone(&on), Rc::clone(&runs_here));
            move |data| {
                if runs_here.get() {
                    return;
                }
                match field(&data, "joined").and_then(|number| number.as_f64()) {
                    // It has answered twice: to the first question, and to the one after its announcement.
                    Some(number) if joined.replace(Some(number)) == Some(number) => {}
                    Some(_) => on(EngineRole::Joined),
                    None if field(&data, "bytes").is_some() || field(&data, "error").is_some() => {
                        sink(read(&data));
                    }
                    None => {}
                }
            }
        })?;
        // The engine takes a page without a lock to be closed.
        let is_alive = Rc::new(Cell::new(false));
        let has_heard_others = Rc::new(Cell::new(false));
        let lobby = Rc::new(Channel::open(&name, {
            let (runs_here, is_alive) = (Rc::clone(&runs_here), Rc::clone(&is_alive));
            let has_heard_others = Rc::clone(&has_heard_others);
            let asks = BroadcastChannel::new(&name).ok()?;
            move |data| {
                // What `asks` says is heard here, too.
                let other = field(&data, "join").and_then(|other| other.as_f64());
                if other.is_some_and(|other| other != f64::from(page.0)) {
                    has_heard_others.set(true);
                }
                if field(&data, "engine").is_some() && !runs_here.get() && is_alive.get() {
                    // Without an answer the page waits for the lock, or gives up in time.
                    object(&ask(&page.0.into())).and_then(|message| asks.post_message(&message)).ok();
                }
            }
        })?);
        let alive = locks::hold_then(&own_name, {
            let lobby = Rc::clone(&lobby);
            move |held| {
                if held.is_ok() {
                    is_alive.set(true);
                    lobby.announce(&ask(&page.0.into()));
                }
            }
        })?;
        let engine = locks::hold_then(&name, {
            let runs_here = Rc::clone(&runs_here);
            move |held| {
                runs_here.set(true);
                on(if held.is_ok() { EngineRole::Runs } else { EngineRole::Alone });
            }
        })?;
        Some(Self {
            own_name,
            runs_here,
            has_heard_others,
            own,
            _lobby: lobby,
            _alive: alive,
            _engine: engine,
        })
    }

    /// Whether no other page needs the engine of this one, as far as this one has heard.
    pub fn is_alone(&self) -> bool {
        self.runs_here.get() && !self.has_heard_others.get()
    }

    /// Returns the name of the lock that this page holds as long as it lives.
    pub fn own_name(&self) -> &str {
        &self.own_name
    }

    /// Sends a message to the engine of another tab, with the files that it names.
    ///
    /// # Errors
    /// When it cannot be sent, in words.
    pub fn post(&self, message: &ToWorker, files: &[Blob]) -> Result<(), String> {
        self.own.post(&Packed::new(message, files)?.object)
    }
}

/// The question of a page whether there is an engine to join.
fn ask(page: &JsValue) -> [(&str, &JsValue); 1] {
    [("join", page)]
}
