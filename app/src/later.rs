//! The part of the wasm that the first page does not need. Code that only functions with `#[wasm_split(later)]` reach is in a file
//! of its own, which the boot script fetches as soon as the page is interactive. So the first page comes sooner, and what is
//! opened afterwards asks the server for nothing. The server's binary is not split.

use std::cell::Cell;
use std::future::Future;

use futures_util::FutureExt as _;
use leptos::prelude::*;
use wasm_split_helpers::SplitLoaderError;

use crate::language::t;

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

/// The part, in the context.
#[derive(Clone, Copy)]
struct Later {
    state: RwSignal<PartState>,
    /// Begins to fetch it, unless it is in the page.
    load: fn(),
}

thread_local! {
    static STATE: Cell<PartState> =
        const { Cell::new(if IN_BROWSER { PartState::Awaited } else { PartState::Here }) };
    static SHOWN: Cell<Option<RwSignal<PartState>>> = const { Cell::new(None) };
}

const IN_BROWSER: bool = cfg!(target_arch = "wasm32");

/// Puts the part into the context. `load` is called where it is missing.
pub fn provide(load: fn()) {
    let state = RwSignal::new(STATE.get());
    if IN_BROWSER {
        SHOWN.set(Some(state));
    }
    provide_context(Later { state, load });
}

fn is_here() -> bool {
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
    match use_context::<Later>() {
        Some(Later { state, .. }) if state.get_untracked() != PartState::Here => {
            (move || now(state.get())).into_any()
        }
        _ => now(PartState::Here),
    }
}

/// Draws what the user has opened with a function of the part. Meanwhile `around` draws what is said: that it is on its way, or
/// could not be fetched, with what to do.
pub fn opened<F>(
    draw: impl Fn() -> F + Send + 'static,
    around: impl Fn(AnyView) -> AnyView + Send + 'static,
) -> AnyView
where
    F: Future<Output = Result<AnyView, SplitLoaderError>>,
{
    let Later { load, .. } = expect_context();
    if !is_here() {
        load();
    }
    let words = move |state| {
        if state != PartState::Missing {
            return view! { <p class="muted" role="status">{t().later_loading()}</p> }.into_any();
        }
        view! {
            <p role="alert">{t().later_missing()}</p>
            <p>
                <button type="button" class="button primary" on:click=move |_| load()>{t().try_again()}</button>
                " "
                <a class="button" href="" rel="external">{t().reload()}</a>
            </p>
        }
        .into_any()
    };
    drawn(draw, move |state| around(words(state)))
}
