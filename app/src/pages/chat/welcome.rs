//! A conversation that has not begun.

use leptos::prelude::*;

use crate::{
    components::{DeviceNotice, ModelRows, OpenFileButton},
    format,
    language::t,
    state::{models::ModelState, use_stores},
};

/// What the demo model is good at.
// The model knows English alone.
const DEMO_QUESTIONS: [&str; 4] =
    ["What is 7 times 8?", "Sort these numbers: 9, 4, 7, 1", "Name three fruits as a list.", "Who are you?"];

/// The models on a first visit; a word of welcome once one is loaded.
#[component]
pub fn Welcome() -> impl IntoView {
    let stores = use_stores();
    let engine = stores.engine;
    let idle = Memo::new(move |_| {
        engine.model.with(|model| matches!(model, ModelState::None | ModelState::Failed { .. }))
    });
    let chosen = Callback::new(move |()| stores.ui.focus_composer());
    view! {
        <section class="welcome">
            <h1>{t().welcome_title()}</h1>
            <p class="muted">
                {t().welcome_words()}
            </p>
            <DeviceNotice />
            <Show when=move || idle.get() fallback=|| view! { <Loaded /> }>
                <div class="card">
                    <h2>{t().choose_model()}</h2>
                    <ModelRows on_choose=chosen />
                    <div class="card-foot">
                        <OpenFileButton on_choose=chosen />
                        <span class="muted">{t().welcome_drop()}</span>
                    </div>
                </div>
            </Show>
        </section>
    }
    .into_any()
}

/// A model is loaded or on its way.
#[component]
fn Loaded() -> impl IntoView {
    let stores = use_stores();
    let words = move || {
        stores.engine.model.with(|model| match model {
            ModelState::Ready { choice, context, gpu_bytes, .. } => {
                Some(t().welcome_ready(&choice.entry.name, &format::bytes(*gpu_bytes), (*context).into()))
            }
            ModelState::Loading { choice, .. } => Some(t().welcome_loading(&choice.entry.name)),
            ModelState::None | ModelState::Failed { .. } => None,
        })
    };
    let demo = Memo::new(move |_| engine_is_demo(stores.engine.model));
    let questions = move || {
        demo.get().then(|| {
            let buttons: Vec<_> = DEMO_QUESTIONS
                .into_iter()
                .map(|question| {
                    view! {
                        <button type="button" class="button" on:click=move |_| stores.chat.send(question)>{question}</button>
                    }
                })
                .collect();
            view! {
                <p class="muted">{t().welcome_demo()}</p>
                <div class="buttons questions">{buttons}</div>
            }
        })
    };
    view! {
        <p>{words}</p>
        {questions}
    }
}

fn engine_is_demo(model: RwSignal<ModelState>) -> bool {
    model.with(|model| model.choice().is_some_and(|choice| choice.entry.demo))
}
