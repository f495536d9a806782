//! Getting a model: the server downloads it.

use leptos::{ev, prelude::*};
use protocol::{AboutFit, PUBLISHED, Published, Pull, PullStage};

use crate::{
    components::{Glyph, Icon, IconButton, Verdict, technical},
    failures, format,
    language::t,
    state::{PullStore, models::Severity, use_engine, use_pulls, use_settings},
};

/// What a published model is for.
fn about(name: &str) -> &'static str {
    match name {
        "gemma4:e2b" => t().get_e2b(),
        "gemma4:e4b" => t().get_e4b(),
        "gemma4:12b" => t().get_12b(),
        "gemma4:26b" => t().get_26b(),
        _ => t().get_31b(),
    }
}

/// The published models, a field for the name of any other one, and the running download. Empty if the server doesn't
/// download models for this visitor.
#[component]
pub fn GetModel() -> impl IntoView {
    let pulls = use_pulls();
    view! {
        <Show when=move || pulls.is_offered()>
            <section class="part" id="get" aria-labelledby="get-title">
                <h2 id="get-title">{t().get_title()}</h2>
                <p class="hint">{t().get_hint()} " " {move || free(pulls)}</p>
                <Progress />
                <Published />
                <Other />
            </section>
        </Show>
    }
}

/// The free disk space, in a sentence.
fn free(pulls: PullStore) -> Option<String> {
    pulls.report.with(|report| report.as_ref()?.free).map(|bytes| t().get_free(&format::bytes(bytes)))
}

/// Those of the published models that the server doesn't have.
#[component]
fn Published() -> impl IntoView {
    let (engine, pulls) = (use_engine(), use_pulls());
    let missing = move || {
        engine.choices.with(|choices| {
            let is_listed = |name: &str| choices.iter().any(|choice| choice.entry.name == name);
            PUBLISHED.into_iter().filter(|model| !is_listed(model.name)).collect::<Vec<_>>()
        })
    };
    let row = move |model: Published| {
        let name = model.name;
        view! {
            <li class="offer">
                <div>
                    <strong>{name}</strong> " "
                    <span class="muted">{t().get_size(&format::bytes(model.size))}</span>
                    <p class="hint">{about(name)}</p>
                    <Fit model=model />
                </div>
                <button
                    type="button"
                    class="button"
                    aria-label=t().get_download_of(name)
                    disabled=move || pulls.is_running()
                    on:click=move |_| pulls.begin(name.to_owned())
                >
                    <Icon glyph=Glyph::Import />
                    {t().get_download()}
                </button>
            </li>
        }
    };
    view! {
        <ul class="offers" role="list">
            <For each=missing key=|model| model.name children=row />
        </ul>
    }
}

/// About how a model fits this device. Nothing until it is known what the device is.
#[component]
fn Fit(model: Published) -> impl IntoView {
    let engine = use_engine();
    let allowed = use_settings().field(|settings| settings.graphics_memory);
    let device = Memo::new(move |_| {
        let device = engine.device.get().filter(|device| device.available)?;
        Some((allowed.get().unwrap_or(device.memory), device.software))
    });
    let line = move |(available, software)| {
        let (mood, words) = match model.fit(available) {
            // It may fit, and is of no use.
            _ if software => (Severity::Bad, t().get_too_slow().to_owned()),
            AboutFit::Fits => (Severity::Good, t().get_fits(&format::bytes(model.whole))),
            AboutFit::Tight => (Severity::Fair, t().get_tight(&format::bytes(model.whole))),
            AboutFit::TooLarge { missing } => (Severity::Bad, t().get_too_large(&format::bytes(missing))),
        };
        view! { <Verdict mood=mood words=words /> }
    };
    move || device.get().map(line)
}

/// A model by its name.
#[component]
fn Other() -> impl IntoView {
    let pulls = use_pulls();
    let name = RwSignal::new(String::new());
    let is_empty = move || name.with(|name| name.trim().is_empty());
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if !is_empty() && !pulls.is_running() {
            pulls.begin(name.get());
        }
    };
    view! {
        <form class="get-other" on:submit=submit>
            <label class="field">
                <span>{t().get_other()}</span>
                <input
                    type="text"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    placeholder=move || t().get_example()
                    prop:value=name
                    on:input=move |event| name.set(event_target_value(&event))
                />
            </label>
            <button type="submit" class="button" disabled=move || is_empty() || pulls.is_running()>
                <Icon glyph=Glyph::Import />
                {t().get_download()}
            </button>
        </form>
        <p class="hint">{t().get_other_hint()}</p>
        {move || pulls.refused.get().map(|said| view! {
            <p class="hint bad" role="alert">
                {failures::pull_problem(&said)} " "
                <IconButton glyph=Glyph::Close label=t().close() on_press=move |()| pulls.refused.set(None) />
            </p>
        })}
    }
}

/// The download that is running, or how the last one ended.
#[component]
fn Progress() -> impl IntoView {
    let pulls = use_pulls();
    let pull = Memo::new(move |_| pulls.shown());
    let name = Memo::new(move |_| pull.with(|pull| pull.as_ref().map(|pull| pull.name.clone())));
    let words = move || {
        if pulls.lost.get() {
            return t().get_lost().to_owned();
        }
        pull.with(|pull| pull.as_ref().map(stage_words).unwrap_or_default())
    };
    let numbers = move || {
        pull.with(|pull| match pull.as_ref()?.stage {
            PullStage::Checking { done, total } | PullStage::Running { done, total, .. } => {
                Some(format::bytes_of(done, total))
            }
            _ => None,
        })
    };
    let percent = Memo::new(move |_| {
        pull.with(|pull| match pull.as_ref()?.stage {
            PullStage::Checking { done, total } | PullStage::Running { done, total, .. } => {
                format::percent(done, total)
            }
            _ => None,
        })
    });
    // What the button says that goes on with it, if it can go on.
    let go_on = Memo::new(move |_| {
        pull.with(|pull| match pull.as_ref()?.stage {
            PullStage::Stopped => Some(t().get_continue()),
            PullStage::Failed(_) => Some(t().try_again()),
            _ => None,
        })
    });
    let details = move || {
        pull.with(|pull| match &pull.as_ref()?.stage {
            PullStage::Failed(said) if said.code.is_some() => Some(said.english.clone()),
            _ => None,
        })
    };
    let again = move |_| pulls.begin(name.get_untracked().unwrap_or_default());
    view! {
        <Show when=move || name.with(Option::is_some)>
            <section class="load" aria-label=t().get_progress()>
                <div class="load-line">
                    <strong>{name}</strong>
                    <span class="muted" role="status">{words}</span>
                </div>
                <Show when=move || pulls.is_running()>
                    <progress
                        class="bar"
                        max="100"
                        value=move || percent.get().map(|percent| percent.to_string())
                        aria-label=move || t().get_download_of(&name.get().unwrap_or_default())
                        aria-valuetext=move || numbers().unwrap_or_else(words)
                    ></progress>
                    <div class="load-line">
                        <span class="muted numbers">{numbers}</span>
                        <button type="button" class="button quiet" on:click=move |_| pulls.stop()>{t().stop()}</button>
                    </div>
                </Show>
                {move || technical(details())}
                <Show when=move || !pulls.is_running()>
                    <div class="buttons">
                        {move || go_on.get().map(|words| view! {
                            <button type="button" class="button" on:click=again>{words}</button>
                        })}
                        <button type="button" class="button quiet" on:click=move |_| pulls.dismiss()>{t().close()}</button>
                    </div>
                </Show>
            </section>
        </Show>
    }
}

/// How far a download is, in a sentence.
fn stage_words(pull: &Pull) -> String {
    match &pull.stage {
        PullStage::Asking => t().get_asking().to_owned(),
        PullStage::Checking { .. } => t().get_checking().to_owned(),
        PullStage::Running { waiting: Some(said), .. } => t().get_waiting(&failures::pull_problem(said)),
        PullStage::Running { .. } => t().get_running().to_owned(),
        PullStage::Joining => t().get_joining().to_owned(),
        PullStage::Done => t().get_done().to_owned(),
        PullStage::Stopped => t().get_stopped().to_owned(),
        PullStage::Failed(said) => failures::pull_problem(said),
    }
}
