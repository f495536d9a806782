//! What stands between a message and its answer, just above the composer: a crash, a lost device, a load, a queue.

use leptos::prelude::*;
use protocol::failure::EngineFailure;
use protocol::{Code, Failure};

use crate::{
    browser,
    components::{EngineTrouble, Glyph, Icon, LoadFailure, LoadProgressView, export_json, technical},
    failures::{self, StoreTrouble},
    history::StoreError,
    language::t,
    state::{engine::EnginePhase, models::ModelState, use_chat, use_engine, use_library, use_stores, use_ui},
};

/// All of it, each only while there is something to say.
#[component]
pub fn StatusArea() -> impl IntoView {
    let (engine, chat, library, ui) = (use_engine(), use_chat(), use_library(), use_ui());
    let kept = move || {
        // What cannot be saved is said below.
        let trouble = library.trouble.get().filter(|_| library.unsaved.with(Option::is_none));
        trouble.map(|trouble| {
            let (StoreTrouble::NotKept(error) | StoreTrouble::Failed(error)) = &trouble;
            view! {
                <div class="notice slim">
                    <Icon glyph=Glyph::Info />
                    <p>{failures::store_trouble(&trouble)}</p>
                    {technical(failures::store_details(error))}
                    <button type="button" class="button quiet" on:click=move |_| library.trouble.set(None)>{t().close()}</button>
                </div>
            }
        })
    };
    let unable = move || {
        let begun = chat.conversation.with(|conversation| !conversation.is_empty());
        let problem = engine.device.with(|device| {
            let device = device.as_ref().filter(|device| !device.available)?;
            Some(device.problem.as_ref().map_or_else(|| t().device_no_webgpu().to_owned(), failures::no_gpu))
        });
        problem.filter(|_| begun).map(|why| {
            view! {
                <div class="notice slim">
                    <Icon glyph=Glyph::Warning />
                    <p>{why}</p>
                    <button type="button" class="button" on:click=move |_| ui.advice.set(true)>
                        {t().webgpu_how()}
                    </button>
                </div>
            }
        })
    };
    let restoring = move || {
        engine.restoring.with(Option::is_some).then(|| {
            view! {
                <div class="notice slim" role="status">
                    <span class="pulse" aria-hidden="true"></span>
                    <p>{t().device_reset()}</p>
                </div>
            }
        })
    };
    view! {
        <div class="status-area">
            {kept}
            <NotSaved />
            {unable}
            <Crashed />
            <EngineTrouble />
            {restoring}
            <LoadFailure />
            <LoadProgressView />
            <Waiting />
        </div>
    }
}

/// Conversations that the browser's storage did not take. They are kept in this tab, and saving is tried again.
#[component]
fn NotSaved() -> impl IntoView {
    let stores = use_stores();
    let library = stores.library;
    let words = move || {
        let unsaved = library.unsaved.get()?;
        let why = match unsaved.error {
            StoreError::Full if stores.engine.has_saved() == Some(false) => {
                t().store_full_conversations().to_owned()
            }
            ref error => failures::store(error),
        };
        let what = match unsaved.ids.as_slice() {
            [id] => {
                let title = library.list.with(|list| {
                    list.iter().find(|it| it.id == *id).map(|it| it.title.clone()).unwrap_or_default()
                });
                if title.is_empty() { t().unsaved_untitled().to_owned() } else { t().quoted(&title) }
            }
            ids => t().conversations(ids.len() as u64),
        };
        Some(t().unsaved(&why, &what))
    };
    let export = move |_| {
        let ids =
            library.unsaved.with_untracked(|it| it.as_ref().map(|it| it.ids.clone()).unwrap_or_default());
        export_json(stores, ids, t().export_file().to_owned());
    };
    let shown = Memo::new(move |_| library.unsaved.with(Option::is_some));
    view! {
        <Show when=move || shown.get()>
            <div class="notice slim warning" role="alert">
                <Icon glyph=Glyph::Warning />
                <p>{words}</p>
                <button type="button" class="button" on:click=export>{t().export()}</button>
            </div>
        </Show>
    }
}

/// The engine is gone. One button: it gives the answer again that was cut off, or only starts the engine. Where page and
/// engine don't understand one another, a fresh engine of the same version wouldn't help: the page is loaded again.
#[component]
fn Crashed() -> impl IntoView {
    let (engine, chat) = (use_engine(), use_chat());
    let cut = Memo::new(move |_| {
        let here = chat.conversation.with(|conversation| conversation.id);
        chat.failure.with(|failure| failure.as_ref().filter(|it| it.conversation == here).map(|it| it.node))
    });
    let apart = Memo::new(move |_| {
        engine.phase.with(|phase| matches!(phase, EnginePhase::Crashed(failure) if is_apart(failure)))
    });
    let button = move || match cut.get() {
        _ if apart.get() => {
            let reload = move |_| browser::reload();
            view! { <button type="button" class="button primary" on:click=reload>{t().reload()}</button> }
                .into_any()
        }
        Some(answer) => {
            let again = move |_| chat.regenerate(answer);
            view! { <button type="button" class="button primary" on:click=again>{t().try_again()}</button> }
                .into_any()
        }
        None => {
            let restart = move |_| engine.restart();
            view! { <button type="button" class="button primary" on:click=restart>{t().restart()}</button> }
                .into_any()
        }
    };
    move || match engine.phase.get() {
        EnginePhase::Crashed(failure) => Some(view! {
            <div class="failure" role="alert">
                <Icon glyph=Glyph::Warning />
                <div class="failure-body">
                    <p>{failures::sentence(&failure)} " " {t().crash_safe()}</p>
                    <div class="buttons">{button}</div>
                </div>
            </div>
        }),
        EnginePhase::Starting | EnginePhase::Running => None,
    }
}

/// Whether page and engine are of different versions.
fn is_apart(failure: &Failure) -> bool {
    matches!(failure.code, Code::Version { .. } | Code::Engine(EngineFailure::BadMessage))
}

/// A message waits for a model.
#[component]
fn Waiting() -> impl IntoView {
    let stores = use_stores();
    let chat = stores.chat;
    let waits = Memo::new(move |_| chat.queued.with(Option::is_some));
    let words = move || {
        stores.engine.model.with(|model| match model {
            ModelState::Loading { choice, .. } => t().waiting_load(&choice.entry.name),
            ModelState::Ready { .. } => t().waiting_answer().to_owned(),
            ModelState::None | ModelState::Failed { .. } => t().waiting_model().to_owned(),
        })
    };
    let idle = move || stores.engine.model.with(|model| matches!(model, ModelState::None));
    view! {
        <Show when=move || waits.get()>
            <div class="notice slim" role="status">
                <Icon glyph=Glyph::Clock />
                <p>{words}</p>
                <Show when=idle>
                    <button type="button" class="button" on:click=move |_| stores.ui.picker.set(true)>{t().choose_model()}</button>
                </Show>
                <button type="button" class="button quiet" on:click=move |_| chat.unqueue()>{t().waiting_cancel()}</button>
            </div>
        </Show>
    }
}
