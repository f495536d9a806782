//! The part of the wasm that the first page does not need. Code that only functions with `#[wasm_split(later)]` reach is in a file
//! of its own, which the boot script fetches as soon as the page is interactive. So the first page comes sooner, and what is
//! opened afterwards asks the server for nothing. The server's binary is not split.

use std::cell::Cell;
use std::future::Future;

use futures_util::FutureExt as _;
use leptos::prelude::*;
use wasm_split_helpers::SplitLoaderError;

/// Whether the part is in the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartState {
    /// It is being fetched.
    Awaited,
    /// It is in the page.
    Here,
    /// It could not be fetched.
    Missing,
}

/// [`PartState`] as a signal, in the context.
#[derive(Clone, Copy)]
struct Shown(RwSignal<PartState>);

thread_local! {
    static STATE: Cell<PartState> =
        const { Cell::new(if IN_BROWSER { PartState::Awaited } else { PartState::Here }) };
    static SHOWN: Cell<Option<RwSignal<PartState>>> = const { Cell::new(None) };
}

const IN_BROWSER: bool = cfg!(target_arch = "wasm32");

/// Puts the part's state into the context.
pub fn provide() {
    let shown = RwSignal::new(STATE.get());
    if IN_BROWSER {
        SHOWN.set(Some(shown));
    }
    provide_context(Shown(shown));
}

/// Whether the part is in the page.
#[must_use]
pub fn is_here() -> bool {
    STATE.get() == PartState::Here
}

/// Fetches the part with `fetch`, unless it is in the page. Returns whether it is; if not, the next call tries again.
pub async fn load(fetch: impl Future<Output = Result<(), SplitLoaderError>>) -> bool {
    if !is_here() {
        set(PartState::Awaited);
        set(if fetch.await.is_ok() { PartState::Here } else { PartState::Missing });
    }
    is_here()
}

fn set(state: PartState) {
    STATE.set(state);
    if let Some(shown) = SHOWN.get() {
        shown.set(state);
    }
}

/// Draws with a function of the part; with `meanwhile` for as long as the part is not in the page.
pub fn drawn<F>(
    draw: impl Fn() -> F + Send + 'static,
    meanwhile: impl Fn(PartState) -> AnyView + Send + 'static,
) -> AnyView
where
    F: Future<Output = Result<AnyView, SplitLoaderError>>,
{
    // Nothing is waited for once the part is here.
    let now = move |state| {
        let here = state == PartState::Here;
        let drawn = if here { draw().now_or_never().and_then(Result::ok) } else { None };
        drawn.unwrap_or_else(|| meanwhile(state))
    };
    match use_context::<Shown>() {
        Some(Shown(state)) if state.get_untracked() != PartState::Here => {
            (move || now(state.get())).into_any()
        }
        _ => now(PartState::Here),
    }
}
