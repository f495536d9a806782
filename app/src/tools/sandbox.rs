//! Where a program runs: a worker within a frame that has an origin of its own and no network (`xtask/src/site/sandbox.html`).
//! Nothing that comes from the frame is trusted: it is text of bounded length, from this frame alone.

use std::cell::Cell;
use std::pin::pin;

use futures_channel::mpsc::{UnboundedReceiver, unbounded};
use futures_util::{
    StreamExt as _,
    future::{Either, select},
};
use gloo_timers::future::TimeoutFuture;
use interop::object;
use leptos::{
    ev,
    leptos_dom::helpers::{WindowListenerHandle, window_event_listener},
    web_sys::{HtmlIFrameElement, MessageEvent},
};
use wasm_bindgen::{JsCast as _, JsValue};

use super::ToolError;
use crate::browser;

/// How long a program may take, in milliseconds.
const LIMIT_MS: u32 = 10_000;
/// After so many more, a frame doesn't respond: the browser may have ended its process.
const SILENT_MS: u32 = 3_000;
/// The most UTF-16 units of a message.
const MOST_MESSAGE: u32 = 2_000_000;
/// What the frame says when it can be given a program.
const READY: &str = "ready";

thread_local! {
    static PREPARED: Cell<Option<Frame>> = const { Cell::new(None) };
}

/// A frame for one program. It goes when this is dropped, and the program with it.
struct Frame {
    element: HtmlIFrameElement,
    heard: UnboundedReceiver<String>,
    listener: Option<WindowListenerHandle>,
}

impl Frame {
    /// `None` if the browser makes none.
    fn open() -> Option<Self> {
        let document = web_sys::window()?.document()?;
        let element: HtmlIFrameElement = document.create_element("iframe").ok()?.dyn_into().ok()?;
        element.set_hidden(true);
        element.set_src(&browser::meta("gemtab-sandbox")?);
        let (said, heard) = unbounded();
        let from = element.clone();
        let listener = window_event_listener(ev::message, move |event: MessageEvent| {
            let source = event.source().map(JsValue::from);
            if from.content_window().is_some_and(|window| source == Some(window.into()))
                && let Ok(text) = event.data().dyn_into::<js_sys::JsString>()
                && text.length() <= MOST_MESSAGE
            {
                // Nobody listens once the program has ended.
                said.unbounded_send(text.into()).ok();
            }
        });
        let frame = Self { element, heard, listener: Some(listener) };
        document.body()?.append_child(&frame.element).ok()?;
        Some(frame)
    }

    /// Returns the next message of the program's frame; `None` if there is none in time.
    async fn next(&mut self, limit_ms: u32) -> Option<String> {
        match select(self.heard.next(), pin!(TimeoutFuture::new(limit_ms))).await {
            Either::Left((message, _)) => message,
            Either::Right(_) => None,
        }
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        self.element.remove();
        if let Some(listener) = self.listener.take() {
            listener.remove();
        }
    }
}

/// Loads what the next program needs, so that nothing is asked for when it comes.
pub fn prepare() {
    PREPARED.set(PREPARED.take().or_else(Frame::open));
}

/// Runs a program, and returns what the frame reports. Dropping the future ends it.
pub async fn run(code: &str) -> Result<String, ToolError> {
    let mut frame = PREPARED.take().or_else(Frame::open).ok_or(ToolError::NoSandbox)?;
    if frame.next(LIMIT_MS).await.as_deref() != Some(READY) {
        return Err(ToolError::NoSandbox);
    }
    let message = object(&[("code", &code.into()), ("limit", &LIMIT_MS.into())]);
    let window = frame.element.content_window();
    let (Some(window), Ok(message)) = (window, message) else { return Err(ToolError::NoSandbox) };
    // Its origin has no name that could be given, and what runs in it can't move it.
    window.post_message(&message, "*").map_err(|_| ToolError::NoSandbox)?;
    frame.next(LIMIT_MS + SILENT_MS).await.ok_or(ToolError::TimeLimit)
}
