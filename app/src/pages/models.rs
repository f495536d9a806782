//! The models: on the server, in this browser, and what is in each.

use leptos::prelude::*;
use protocol::{CacheEntry, FitVerdict, ModelDetails};

use super::Column;
use crate::{
    browser,
    components::{
        DeviceNotice, FailureBox, Glyph, Icon, IconButton, LoadFailure, LoadProgressView, ModelRows,
        OpenFileButton,
    },
    failures, format,
    language::t,
    place::Place,
    state::{
        engine::EnginePhase,
        models::{Choice, Inspection, ModelState, verdict_words},
        use_stores,
    },
};

/// All models, with what is known of them, and the weights kept here.
#[component]
pub fn ModelsPage() -> impl IntoView {
    let stores = use_stores();
    let chosen = Callback::new(move |()| {
        stores.ui.go(&Place::Chat(None).path());
        stores.ui.focus_composer();
    });
    let trouble = move || {
        let close = Callback::new(move |()| stores.engine.trouble.set(None));
        stores.engine.trouble.get().map(|failure| view! { <FailureBox failure=failure on_close=close /> })
    };
    view! {
        <Column title=t().place_models()>
            <DeviceNotice />
            {trouble}
            <LoadFailure />
            <LoadProgressView />
            <section class="part">
                <h2>{t().models_available()}</h2>
                <ModelRows on_choose=chosen />
                <div class="buttons">
                    <OpenFileButton on_choose=chosen />
                    <button type="button" class="button" on:click=move |_| stores.engine.read_catalog()>
                        <Icon glyph=Glyph::Again />
                        {t().models_refresh()}
                    </button>
                </div>
            </section>
            <InMemory />
            <KeptHere />
            <section class="part">
                <h2>{t().models_details()}</h2>
                <For
                    each=move || stores.engine.choices.get()
                    key=|choice| choice.id.0.clone()
                    children=|choice| view! { <Details choice=choice /> }
                />
            </section>
        </Column>
    }
}

/// What the loaded model takes of the graphics memory, and the parts of it that can be given back.
#[component]
fn InMemory() -> impl IntoView {
    let engine = use_stores().engine;
    let ready = Memo::new(move |_| engine.model.with(ModelState::is_ready));
    Effect::new(move |_| {
        if ready.get() {
            engine.read_towers(false);
        }
    });
    let towers = Memo::new(move |_| engine.towers.get().filter(|_| ready.get()));
    let words = move |(bytes, all): (u64, u64)| {
        if bytes == 0 {
            t().memory_in_use(&format::bytes(all))
        } else {
            t().memory_with_media(&format::bytes(all), &format::bytes(bytes))
        }
    };
    let view = move |(bytes, all): (u64, u64)| {
        view! {
            <section class="part">
                <h2>{t().memory_graphics()}</h2>
                <p>{words((bytes, all))}</p>
                {(bytes > 0).then(|| view! {
                    <p>
                        <button type="button" class="button" on:click=move |_| engine.read_towers(true)>
                            {t().memory_free()}
                        </button>
                    </p>
                    <p class="hint">{t().memory_free_hint()}</p>
                })}
                <p>
                    <button type="button" class="button" on:click=move |_| engine.unload()>{t().memory_unload()}</button>
                </p>
            </section>
        }
    };
    move || towers.get().map(view)
}

/// The weights kept in this browser.
#[component]
fn KeptHere() -> impl IntoView {
    let engine = use_stores().engine;
    Effect::new(move |_| {
        if engine.phase.get() == EnginePhase::Running {
            engine.read_cache(None);
        }
    });
    let line = move |entry: CacheEntry| {
        let digest = entry.digest.clone();
        let whole = entry.present >= entry.size;
        let size = if whole {
            format::bytes(entry.size)
        } else {
            t().saved_partly(&format::bytes_of(entry.present, entry.size))
        };
        let label = t().saved_delete(&entry.name);
        view! {
            <tr>
                <th scope="row">{entry.name.clone()}</th>
                <td class="numbers">{size}</td>
                <td><code>{format::short_digest(&entry.digest).to_owned()}</code></td>
                <td>{browser::local_time(entry.last_used)}</td>
                <td>
                    <IconButton glyph=Glyph::Delete label=label on_press=move |()| engine.read_cache(Some(digest.clone())) />
                </td>
            </tr>
        }
    };
    let report = move || {
        engine.cache.get().map(|report| {
            let space = t().saved_space(&format::bytes(report.used), &format::bytes(report.quota));
            let promise = if report.persisted {
                t().saved_promise()
            } else {
                t().saved_no_promise()
            };
            let empty = report.entries.is_empty();
            view! {
                <p class="hint">{space} " " {(!empty).then_some(promise)}</p>
                {if empty {
                    view! { <p>{t().saved_none()}</p> }.into_any()
                } else {
                    view! {
                        <div class="scroll-x" tabindex="0" role="region" aria-label=t().saved_label()>
                            <table class="table">
                                <thead>
                                    <tr>
                                        <th scope="col">{t().saved_model()}</th>
                                        <th scope="col">{t().saved_size()}</th>
                                        <th scope="col">{t().saved_digest()}</th>
                                        <th scope="col">{t().saved_used()}</th>
                                        <th scope="col"><span class="visually-hidden">{t().saved_actions()}</span></th>
                                    </tr>
                                </thead>
                                <tbody>{report.entries.into_iter().map(line).collect::<Vec<_>>()}</tbody>
                            </table>
                        </div>
                    }.into_any()
                }}
            }
        })
    };
    view! {
        <section class="part">
            <h2>{t().settings_storage()}</h2>
            {report}
        </section>
    }
}

/// What one model's header says.
#[component]
fn Details(choice: Choice) -> impl IntoView {
    let engine = use_stores().engine;
    let id = choice.id.clone();
    let inspection = Memo::new(move |_| engine.inspections.with(|all| all.get(&id).cloned()));
    let digest = choice.entry.digest.clone();
    let broken = choice.entry.broken.clone();
    let content = move || {
        if let Some(reason) = broken.clone() {
            return view! { <p>{failures::model_problem(&reason)}</p> }.into_any();
        }
        match inspection.get() {
            Some(Inspection::Known { details, verdict }) => details_view(&details, &verdict, &digest),
            Some(Inspection::Failed(failure)) => view! { <FailureBox failure=failure /> }.into_any(),
            Some(Inspection::Running) => view! { <p class="muted">{t().details_reading()}</p> }.into_any(),
            None => view! { <p class="muted">{t().details_no_device()}</p> }.into_any(),
        }
    };
    view! {
        <details class="fold">
            <summary>
                {choice.entry.name.clone()}
                <span class="muted">{choice.summary()}</span>
            </summary>
            <div class="fold-body">{content}</div>
        </details>
    }
}

fn details_view(details: &ModelDetails, verdict: &FitVerdict, digest: &str) -> AnyView {
    let number = |value: u32| format::count(u64::from(value));
    let pairs = [
        (t().details_device(), verdict_words(verdict).1),
        (t().details_architecture(), details.architecture.clone()),
        (t().details_parameters(), format::count(details.parameters)),
        (t().details_layers(), number(details.layers)),
        (t().details_width(), number(details.width)),
        (t().details_vocabulary(), t().tokens(details.vocabulary.into())),
        (t().details_context(), t().tokens(details.max_context.into())),
        (t().details_window(), t().tokens(details.window.into())),
        (
            t().saved_digest(),
            if digest.is_empty() {
                t().details_own_file().to_owned()
            } else {
                format::short_digest(digest).to_owned()
            },
        ),
    ];
    let pairs: Vec<_> =
        pairs.into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }).collect();
    let memory: Vec<_> = details
        .memory
        .iter()
        .map(|cost| view! { <tr><td class="numbers">{number(cost.context)}</td><td class="numbers">{format::bytes(cost.bytes)}</td></tr> })
        .collect();
    let types: Vec<_> = details
        .types
        .iter()
        .map(|share| {
            view! {
                <tr>
                    <td>{share.name.clone()}</td>
                    <td class="numbers">{number(share.tensors)}</td>
                    <td class="numbers">{format::bytes(share.bytes)}</td>
                </tr>
            }
        })
        .collect();
    view! {
        <dl class="pairs">{pairs}</dl>
        <div class="tables">
            <table class="table">
                <caption>{t().details_by_context()}</caption>
                <thead><tr><th scope="col">{t().details_tokens()}</th><th scope="col">{t().details_memory()}</th></tr></thead>
                <tbody>{memory}</tbody>
            </table>
            <table class="table">
                <caption>{t().details_by_type()}</caption>
                <thead><tr><th scope="col">{t().details_type()}</th><th scope="col">{t().details_tensors()}</th><th scope="col">{t().saved_size()}</th></tr></thead>
                <tbody>{types}</tbody>
            </table>
        </div>
    }
    .into_any()
}
