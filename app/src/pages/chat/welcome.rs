//! A conversation that has not begun.

use leptos::prelude::*;
use protocol::Capabilities;

use crate::{
    components::{DeviceNotice, Glyph, Icon, ModelRows, OpenFileButton},
    format,
    language::t,
    place::{Place, use_href},
    state::{models::ModelState, use_chat, use_engine, use_pulls, use_recording, use_ui},
    tools::BuiltIn,
};

/// What the demo model is good at, and the tool that it needs.
// The model knows English alone.
const DEMO_QUESTIONS: [(&str, Option<BuiltIn>); 6] = [
    ("What is 7 times 8?", None),
    ("Sort these numbers: 9, 4, 7, 1", None),
    ("Name three fruits as a list.", None),
    ("Who are you?", None),
    ("How many miles are 42 km?", Some(BuiltIn::Calculator)),
    ("Make a bar chart: cats 3, dogs 5", Some(BuiltIn::JavaScript)),
];

/// The models on a first visit; a word of welcome once one is loaded.
#[component]
pub fn Welcome() -> impl IntoView {
    let (engine, ui) = (use_engine(), use_ui());
    let idle = Memo::new(move |_| {
        engine.model.with(|model| matches!(model, ModelState::None | ModelState::Failed { .. }))
    });
    let chosen = Callback::new(move |()| ui.focus_composer.ask(()));
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
                    <OnlyDemo />
                    <div class="card-foot">
                        <OpenFileButton on_choose=chosen />
                        <span class="muted">{t().welcome_drop()}</span>
                    </div>
                </div>
            </Show>
        </section>
    }
}

/// Points to real models if there is only the demo model.
#[component]
fn OnlyDemo() -> impl IntoView {
    let (engine, pulls) = (use_engine(), use_pulls());
    let href = use_href();
    let only_demo = Memo::new(move |_| {
        let choices = engine.choices;
        choices.with(|all| !all.is_empty() && all.iter().all(|choice| choice.entry.demo))
    });
    view! {
        <Show when=move || only_demo.get() && pulls.is_offered()>
            <p>{t().welcome_only_demo()} " " <a href=move || href(Place::Models)>{t().get_title()}</a></p>
        </Show>
    }
}

/// A model is loaded or on its way.
#[component]
fn Loaded() -> impl IntoView {
    let (chat, engine) = (use_chat(), use_engine());
    let words = move || {
        engine.model.with(|model| match model {
            ModelState::Ready { choice, context, gpu_bytes, .. } => {
                Some(t().welcome_ready(&choice.entry.name, &format::bytes(*gpu_bytes), (*context).into()))
            }
            ModelState::Loading { choice, .. } => Some(t().welcome_loading(&choice.entry.name)),
            ModelState::None | ModelState::Failed { .. } => None,
        })
    };
    let demo = Memo::new(move |_| engine_is_demo(engine.model));
    let questions = move || {
        demo.get().then(|| {
            let buttons: Vec<_> = DEMO_QUESTIONS
                .into_iter()
                .map(|(question, tool)| {
                    let ask = move |_| {
                        if let Some(tool) = tool.map(BuiltIn::name) {
                            chat.edit(|it| {
                                let tools = &mut it.options.tools;
                                if !tools.iter().any(|on| on == tool) {
                                    tools.push(tool.to_owned());
                                }
                            });
                        }
                        chat.send(question);
                    };
                    view! {
                        <button type="button" class="button suggestion" on:click=ask>
                            {question} {tool.map(|tool| view! { <span class="muted">{tool.label()}</span> })}
                        </button>
                    }
                })
                .collect();
            view! {
                <p class="muted">{t().welcome_demo()}</p>
                <div class="suggestions">{buttons}</div>
            }
        })
    };
    let able = Memo::new(move |_| {
        engine_ready(engine.model).filter(|(demo, _)| !demo).map(|(_, capabilities)| capabilities)
    });
    view! {
        {questions}
        {move || able.get().map(|able| view! { <Suggestions able=able /> })}
        <p class="hint">{words}</p>
    }
}

/// Ways to begin with what the model is able to do.
#[component]
fn Suggestions(able: Capabilities) -> impl IntoView {
    let (chat, recording, ui) = (use_chat(), use_recording(), use_ui());
    // What has been typed already stays.
    let write = move |words: &str| {
        if chat.draft.with_untracked(|draft| draft.trim().is_empty()) {
            chat.set_draft(words.to_owned());
        }
        ui.focus_composer.ask(());
    };
    let picture = move |()| {
        write(t().welcome_picture_prompt());
        ui.pick_files.ask(());
    };
    let think = move |()| {
        chat.edit(|conversation| conversation.options.thinking = true);
        write(t().welcome_think_prompt());
    };
    let ways = [
        (able.vision, Glyph::Picture, t().welcome_picture(), Callback::new(picture)),
        (able.audio, Glyph::Microphone, t().welcome_voice(), Callback::new(move |()| recording.start())),
        (true, Glyph::Code, t().welcome_code(), Callback::new(move |()| write(t().welcome_code_prompt()))),
        (able.thinking, Glyph::Think, t().welcome_think(), Callback::new(think)),
        (
            !able.vision,
            Glyph::Chat,
            t().welcome_explain(),
            Callback::new(move |()| write(t().welcome_explain_prompt())),
        ),
    ];
    let cards: Vec<_> = ways
        .into_iter()
        .filter(|(is_able, ..)| *is_able)
        .map(|(_, glyph, words, on_press)| {
            view! {
                <button type="button" class="button suggestion" on:click=move |_| on_press.run(())>
                    <Icon glyph=glyph />
                    {words}
                </button>
            }
        })
        .collect();
    view! { <div class="suggestions">{cards}</div> }
}

/// Whether the loaded model is the demo, and what it is able to do; `None` if none is loaded.
fn engine_ready(model: RwSignal<ModelState>) -> Option<(bool, Capabilities)> {
    model.with(|model| match model {
        ModelState::Ready { choice, details, .. } => Some((choice.entry.demo, details.capabilities)),
        _ => None,
    })
}

fn engine_is_demo(model: RwSignal<ModelState>) -> bool {
    model.with(|model| model.choice().is_some_and(|choice| choice.entry.demo))
}
