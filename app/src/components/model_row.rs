//! The models to choose from, each with its size, what it can do, and whether it fits.

use leptos::prelude::*;
use protocol::Failure;
use protocol::failure::ReadFailure;

use super::{FailureBox, Glyph, Icon, PickedRows};
use crate::state::{
    choosing::{in_order, in_shown_order, recommended},
    engine::EnginePhase,
    models::{CatalogState, Choice, Inspection, ModelId, Severity, capability_words, verdict_words},
    use_engine, use_pulls, use_stores, use_ui,
};
use crate::{browser, failures, place::Place};

use crate::language::{self, ELEMENT, around, t};

/// What fetches a model that is a good first one.
const PULL: &str = "ollama pull gemma4:e2b";

/// All models: those that work, then those that do not, with the reason. Pressing one loads it.
#[component]
pub fn ModelRows(
    /// Runs when a model was chosen.
    #[prop(into)]
    on_choose: Callback<()>,
    /// What each card has below its button; `None` for buttons alone.
    #[prop(optional, into)]
    below: Option<Callback<Choice, AnyView>>,
    /// Runs when the list is left for another page.
    #[prop(optional, into)]
    on_leave: Option<Callback<()>>,
    /// Whether the selected model gets the focus when the list comes.
    #[prop(optional)]
    focus: bool,
) -> impl IntoView {
    let stores = use_stores();
    let engine = stores.engine;
    let on_leave = on_leave.unwrap_or_else(|| Callback::new(|()| ()));
    let focused_id = if focus { engine.selection_now().map(|choice| choice.id) } else { None };
    let verdicts_depend_on =
        stores.settings.field(|it| (it.expert_memory.clone(), it.eight_bits, it.graphics_memory));
    // Asks the engine about each model as soon as there is one to ask.
    Effect::new(move |_| {
        engine.device.track();
        engine.phase.track();
        engine.choices.track();
        // A memo that is only tracked is never computed.
        verdicts_depend_on.with(|_| ());
        engine.inspect_all();
    });
    // What can be loaded without the server.
    Effect::new(move |_| {
        if engine.is_offline() && engine.phase.get() == EnginePhase::Running {
            engine.read_cache(Vec::new());
        }
    });
    let choose = move |choice: Choice| {
        on_choose.run(());
        stores.chat.choose(choice);
    };
    // Under the pointer, or with the focus, the list keeps its order: a press is to hit what is seen.
    let (pointed, focused) = (RwSignal::new(false), RwSignal::new(false));
    let shown = StoredValue::new(Vec::new());
    let rows = move || {
        browser::keep_focus_while_drawn();
        let mut rows = engine.with_known(|known| in_order(engine.choices.get(), known));
        if pointed.get() || focused.get() {
            rows = shown.with_value(|shown| in_shown_order(rows, shown));
        }
        shown.set_value(rows.iter().map(|choice| choice.id.clone()).collect::<Vec<_>>());
        rows
    };
    let best = Memo::new(move |_| {
        engine.with_known(|known| engine.choices.with(|choices| recommended(choices, known)))
    });
    view! {
        <ul
            class="models"
            role="list"
            on:pointerenter=move |_| pointed.set(true)
            on:pointerleave=move |_| pointed.set(false)
            on:focusin=move |_| focused.set(true)
            on:focusout=move |_| focused.set(false)
        >
            <For each=rows key=|choice| choice.id.0.clone() children=move |choice| {
                let has_focus = focused_id.as_ref() == Some(&choice.id);
                view! { <ModelRow choice=choice best=best choose=choose below=below on_leave=on_leave has_focus=has_focus /> }
            } />
        </ul>
        <CatalogNote />
        <PickedRows on_choose=on_choose />
    }
}

/// One model.
#[component]
fn ModelRow(
    choice: Choice,
    best: Memo<Option<ModelId>>,
    choose: impl Fn(Choice) + Send + Sync + 'static,
    below: Option<Callback<Choice, AnyView>>,
    on_leave: Callback<()>,
    has_focus: bool,
) -> impl IntoView {
    let (engine, pulls) = (use_engine(), use_pulls());
    let id = choice.id.clone();
    let is_best = Memo::new(move |_| best.with(|best| best.as_ref() == Some(&id)));
    let id = choice.id.clone();
    let current = Memo::new(move |_| {
        engine.model.with(|model| model.is_ready() && model.choice().is_some_and(|it| it.id == id))
    });
    let unable = Memo::new(move |_| {
        engine.device.with(|device| device.as_ref().is_some_and(|device| !device.available))
    });
    let listed = choice.clone();
    // What is loaded works on, saved or not.
    let out_of_reach = Memo::new(move |_| engine.is_out_of_reach(&listed) && !current.get());
    let id = choice.id.clone();
    let inspection = Memo::new(move |_| engine.inspections.with(|all| all.get(&id).cloned()));
    let sized = choice.clone();
    let too_slow = Memo::new(move |_| sized.is_too_slow(engine.computes_in_software()));
    let broken = choice.entry.broken.clone();
    // What a download would mend, where the server downloads.
    let pullable = broken.as_ref().and_then(failures::downloadable).map(str::to_owned);
    let is_pullable = pullable.is_some();
    let offers = move || is_pullable && pulls.is_offered();
    let is_broken = broken.is_some();
    let embeds = choice.entry.embeds;
    let embeds = Memo::new(move |_| {
        embeds || matches!(inspection.get(), Some(Inspection::Known { details, .. }) if details.embeds)
    });
    let verdict = move || {
        if let Some(reason) = &broken {
            let words = match offers() {
                true => failures::model_problem_alone(reason),
                false => failures::model_problem(reason),
            };
            return Some((Severity::Bad, words));
        }
        if embeds.get() {
            return Some((Severity::Bad, t().failure_model_other_kind_encoder().to_owned()));
        }
        if unable.get() {
            return Some((Severity::Bad, t().model_needs_webgpu().to_owned()));
        }
        if out_of_reach.get() {
            return Some((Severity::Bad, t().model_out_of_reach().to_owned()));
        }
        match inspection.get()? {
            Inspection::Running => None,
            // It may fit, and is of no use.
            Inspection::Known { .. } if too_slow.get() => {
                Some((Severity::Bad, t().get_too_slow().to_owned()))
            }
            Inspection::Known { details, verdict } => Some(verdict_words(&verdict, &details)),
            Inspection::Failed(failure) => Some((Severity::Bad, failures::sentence(&failure))),
        }
    };
    let kind = if choice.entry.demo {
        Some(t().model_demo())
    } else if choice.is_local() {
        Some(t().model_file())
    } else {
        None
    };
    let listed = choice.clone();
    let able = Memo::new(move |_| language::listed(capability_words(engine.abilities(&listed))));
    let is_disabled = move || is_broken || embeds.get() || unable.get() || out_of_reach.get();
    let diffuses = choice.entry.diffusion;
    let continues = choice.entry.continues;
    // A file of the user's says so when it was read.
    let continues = Memo::new(move |_| {
        continues || matches!(inspection.get(), Some(Inspection::Known { details, .. }) if details.continues)
    });
    let about = if choice.entry.demo { t().model_demo_about() } else { "" };
    let card = choice.clone();
    let press = {
        let choice = choice.clone();
        move |_| choose(choice.clone())
    };
    view! {
        <li class:model-card=below.is_some()>
            <button
                type="button"
                class="model"
                class:current=current
                aria-current=move || current.get().then_some("true")
                autofocus=has_focus
                disabled=is_disabled
                on:click=press
            >
                <span class="model-name">
                    {choice.entry.name.clone()}
                    {kind.map(|kind| view! { <span class="tag">{kind}</span> })}
                    {diffuses.then(|| view! { <span class="tag">{t().model_diffusion()}</span> })}
                    {move || continues.get().then(|| view! { <span class="tag">{t().model_continues()}</span> })}
                    {move || is_best.get().then(|| view! { <span class="tag">{t().model_recommended()}</span> })}
                    {move || current.get().then(|| view! { <span class="tag good">{t().model_loaded()}</span> })}
                </span>
                <span class="model-about muted">{choice.summary()}</span>
                {move || {
                    let able = able.get();
                    (!able.is_empty() && !is_broken).then(|| view! { <span class="model-able muted">{able}</span> })
                }}
                {diffuses.then(|| view! { <span class="model-able muted">{t().model_diffusion_about()}</span> })}
                {move || {
                    continues.get().then(|| view! { <span class="model-able muted">{t().model_continues_about()}</span> })
                }}
                {(!about.is_empty()).then(|| view! { <span class="model-able muted">{about}</span> })}
                {move || verdict().map(|(mood, words)| view! { <Verdict mood=mood words=words /> })}
                {move || (!current.get() && !is_disabled()).then(|| view! { <span class="model-load">{t().model_load()}</span> })}
            </button>
            {pullable.map(|name| view! { <Show when=offers><PullButton name=name.clone() on_press=on_leave /></Show> })}
            {below.map(|below| below.run(card))}
        </li>
    }
}

/// Downloads a model of which something is missing. Its progress is on the page of the models.
#[component]
fn PullButton(name: String, on_press: Callback<()>) -> impl IntoView {
    let (pulls, ui) = (use_pulls(), use_ui());
    let label = t().get_download_of(&name);
    let press = move |_| {
        pulls.begin(name.clone());
        on_press.run(());
        ui.go(&Place::Models.path());
    };
    view! {
        <div class="buttons">
            <button type="button" class="button" aria-label=label disabled=move || pulls.is_running() on:click=press>
                <Icon glyph=Glyph::Import />
                {t().get_download()}
            </button>
        </div>
    }
}

/// Whether a model fits, at a glance and in words.
#[component]
pub fn Verdict(mood: Severity, words: String) -> impl IntoView {
    let (class, glyph) = match mood {
        Severity::Good => ("verdict good", Glyph::Check),
        Severity::Fair => ("verdict fair", Glyph::Info),
        Severity::Bad => ("verdict bad", Glyph::Warning),
    };
    view! { <span class=class><Icon glyph=glyph />{words}</span> }
}

/// How to come by a model: from the page where the server offers it, else by a command.
fn models_pull() -> AnyView {
    if use_pulls().is_offered() {
        return t().models_get().into_any();
    }
    let (before, after) = around(&t().models_pull(ELEMENT));
    view! { {before} <code>{PULL}</code> {after} }.into_any()
}

/// What is to be said of the list as a whole: that it is coming, empty, or could not be had.
#[component]
fn CatalogNote() -> impl IntoView {
    let engine = use_engine();
    move || match engine.catalog.get() {
        CatalogState::Loading => Some(view! { <p class="muted">{t().models_looking()}</p> }.into_any()),
        CatalogState::Known { searched, .. } if engine.choices.with(Vec::is_empty) => {
            let folders: Vec<_> =
                searched.into_iter().map(|it| view! { <li><code>{it.folder}</code> " " {it.problem.as_ref().map(failures::folder_problem)}</li> }).collect();
            Some(
                view! {
                    <div class="empty-list">
                        <p>{t().models_none()}</p>
                        <ul>{folders}</ul>
                        <p>{models_pull}</p>
                    </div>
                }
                .into_any(),
            )
        }
        CatalogState::Known { kept: true, .. } => {
            Some(view! { <p class="hint">{t().models_offline()}</p> }.into_any())
        }
        CatalogState::Known { notes, .. } if !notes.is_empty() => Some(
            notes
                .into_iter()
                .map(|note| view! { <p class="hint">{failures::list_note(&note)}</p> })
                .collect_view()
                .into_any(),
        ),
        CatalogState::Known { .. } => None,
        CatalogState::Failed(reason) => {
            let failure = Failure::new(ReadFailure::ModelList).detailed(reason);
            let retry = Callback::new(move |()| engine.read_catalog());
            Some(view! { <FailureBox failure=failure retry=retry /> }.into_any())
        }
    }
}
