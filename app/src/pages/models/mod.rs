//! The models: on the server, in this browser, and what is in each.

mod details;
mod experts;
mod get;
mod saved;

use leptos::{prelude::*, task::spawn_local};

use self::{
    details::Details,
    experts::Experts,
    get::GetModel,
    saved::{Saved, SavedOthers},
};
use super::Column;
use crate::{
    components::{
        DeviceNotice, EngineTrouble, Glyph, Icon, LoadFailure, LoadProgressView, ModelRows, OpenFileButton,
    },
    format,
    language::t,
    place::Place,
    state::{
        engine::EnginePhase,
        models::{Choice, ModelState},
        use_engine, use_picked, use_pulls, use_ui,
    },
};

/// All models, a card each, and the other weights kept here.
#[component]
pub fn ModelsPage() -> impl IntoView {
    let (engine, pulls, ui) = (use_engine(), use_pulls(), use_ui());
    let chosen = Callback::new(move |()| {
        ui.go(&Place::Chat(None).path());
        ui.focus_composer.ask(());
    });
    let refresh = move |_| {
        engine.read_catalog();
        pulls.read();
    };
    Effect::new(move |_| {
        if engine.phase.get() == EnginePhase::Running {
            engine.read_cache(Vec::new());
        }
    });
    let ready = Memo::new(move |_| engine.model.with(ModelState::is_ready));
    Effect::new(move |_| {
        if ready.get() {
            engine.read_towers(false);
        }
    });
    view! {
        <Column title=t().place_models()>
            <DeviceNotice />
            <EngineTrouble />
            <LoadFailure />
            <LoadProgressView />
            <section class="part">
                <h2>{t().models_available()}</h2>
                <ModelRows on_choose=chosen below=Callback::new(below) />
                <div class="buttons">
                    <OpenFileButton on_choose=chosen />
                    <button type="button" class="button" on:click=refresh>
                        <Icon glyph=Glyph::Again />
                        {t().models_refresh()}
                    </button>
                </div>
            </section>
            <GetModel />
            <SavedOthers />
        </Column>
    }
}

/// What a card has below the button that loads its model.
fn below(choice: Choice) -> AnyView {
    view! {
        <div class="model-below">
            <InMemory choice=choice.clone() />
            <Experts choice=choice.clone() />
            <Saved choice=choice.clone() />
            {choice.is_local().then(|| view! { <Remove choice=choice.clone() /> })}
            <Details choice=choice />
        </div>
    }
    .into_any()
}

/// Takes a file that was opened off the list, unless it is in use.
#[component]
fn Remove(choice: Choice) -> impl IntoView {
    let (engine, picked, ui) = (use_engine(), use_picked(), use_ui());
    let (id, name) = (choice.id, choice.entry.name);
    let used = id.clone();
    let is_used = Memo::new(move |_| {
        engine.model.with(|model| {
            (model.is_ready() || model.is_loading()) && model.choice().is_some_and(|it| it.id == used)
        })
    });
    let label = t().picked_forget_of(&name);
    let remove = move |_| {
        let (id, name) = (id.clone(), name.clone());
        spawn_local(async move {
            picked.forget(id.0.clone()).await;
            engine.remove(&id);
            ui.say(t().picked_forgotten(&name));
        });
    };
    view! {
        <Show when=move || !is_used.get()>
            <div class="buttons">
                <button type="button" class="button" aria-label=label.clone() on:click=remove.clone()>
                    {t().picked_forget()}
                </button>
            </div>
        </Show>
    }
}

/// What a loaded model takes of the graphics memory, and the parts of it that can be given back.
#[component]
fn InMemory(choice: Choice) -> impl IntoView {
    let engine = use_engine();
    let loaded = Memo::new(move |_| {
        engine.model.with(|model| model.is_ready() && model.choice().is_some_and(|it| it.id == choice.id))
    });
    let towers = Memo::new(move |_| engine.towers.get().filter(|_| loaded.get()));
    let words = move |(bytes, all): (u64, u64)| {
        if bytes == 0 {
            t().memory_in_use(&format::bytes(all))
        } else {
            t().memory_with_media(&format::bytes(all), &format::bytes(bytes))
        }
    };
    let view = move |(bytes, all): (u64, u64)| {
        view! {
            <p>{words((bytes, all))}</p>
            <div class="buttons">
                <button type="button" class="button" on:click=move |_| engine.unload()>{t().memory_unload()}</button>
                {(bytes > 0).then(|| view! {
                    <button type="button" class="button" on:click=move |_| engine.read_towers(true)>
                        {t().memory_free()}
                    </button>
                })}
            </div>
            {(bytes > 0).then(|| view! { <p class="hint">{t().memory_free_hint()}</p> })}
        }
    };
    move || towers.get().map(view)
}
