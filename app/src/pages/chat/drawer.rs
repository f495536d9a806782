//! What belongs to this conversation: instructions, sampling, context, figures.

use leptos::prelude::*;
use protocol::Timings;

use super::adapters::AdaptersPart;
use super::filing::FolderInstructions;
use super::tool_switches::ToolSwitches;

use crate::{
    components::{NumberField, ReloadHint, SamplingFields, Switch, ThoughtField, Typed},
    format,
    history::{Conversation, Options},
    language::t,
    state::{ChatStore, NamedDialog, Stores, models::ModelState, use_chat, use_engine, use_stores},
};

/// The parts of the drawer.
#[component]
pub fn DrawerContent() -> impl IntoView {
    view! {
        <div class="drawer-body">
            <PresetPart />
            <Instructions />
            <Answers />
            <ToolSwitches />
            <AdaptersPart />
            <SamplingPart />
            <FiguresPart />
        </div>
    }
}

/// The preset that the conversation took over, and the way to another.
#[component]
fn PresetPart() -> impl IntoView {
    let Stores { ui, chat, presets, .. } = use_stores();
    let name = Memo::new(move |_| {
        chat.conversation.with(|conversation| presets.of(conversation)).map(|preset| preset.name)
    });
    view! {
        <section class="part">
            <h3>{t().preset_word()}</h3>
            <button type="button" class="button" on:click=move |_| ui.named.set(Some(NamedDialog::Presets))>
                <span dir="auto">{move || name.get().unwrap_or_else(|| t().preset_choose().to_owned())}</span>
            </button>
        </section>
    }
}

#[component]
fn Instructions() -> impl IntoView {
    let stores = use_stores();
    let chat = stores.chat;
    let system = Memo::new(move |_| chat.conversation.with(|conversation| conversation.system.clone()));
    let own =
        Memo::new(move |_| stores.engine.selection().map(|choice| choice.entry.system).unwrap_or_default());
    let typed = typed(chat, |conversation, text| conversation.system = text);
    view! {
        <section class="part">
            <h3><label for="system">{t().settings_instructions()}</label></h3>
            <textarea
                id="system"
                rows="4"
                dir="auto"
                placeholder=move || own.with(|own| if own.is_empty() { t().settings_none().to_owned() } else { own.clone() })
                prop:value=system
                on:input=move |event| typed.note(event_target_value(&event))
                on:change=move |_| typed.flush()
            ></textarea>
            <p class="hint">{t().drawer_instructions_hint()}</p>
            <FolderInstructions />
        </section>
    }
}

#[component]
fn Answers() -> impl IntoView {
    let (chat, engine) = (use_chat(), use_engine());
    let options = Memo::new(move |_| chat.conversation.with(|conversation| conversation.options.clone()));
    let number = move |of: fn(&Options) -> u32| {
        Signal::derive(move || match options.with(of) {
            0 => String::new(),
            number => number.to_string(),
        })
    };
    let take = move |into: fn(&mut Options) -> &mut u32| {
        Callback::new(move |number: Option<f64>| {
            chat.edit(|it| *into(&mut it.options) = number.unwrap_or(0.0) as u32);
        })
    };
    let typed = typed(chat, |conversation, text| conversation.options.stop = stop_lines(&text));
    // As it is typed, as long as it says the same: an empty line is where the next one begins.
    let lines = StoredValue::new(String::new());
    let stop = Signal::derive(move || {
        let lines = lines.get_value();
        let is_shown = |kept: &[String]| typed.is_waiting() || stop_lines(&lines) == kept;
        options.with(|it| if is_shown(&it.stop) { lines.clone() } else { it.stop.join("\n") })
    });
    let loaded = Memo::new(move |_| {
        engine.model.with(|model| match model {
            ModelState::Ready { context, details, .. } => Some((*context, details.max_context)),
            _ => None,
        })
    });
    let reload = move || {
        let (loaded, most) = loaded.get()?;
        let wanted = options.with(|options| options.context);
        let wanted = if most > 0 { wanted.min(most) } else { wanted };
        (wanted > 0 && wanted != loaded).then(|| {
            let press = move |()| {
                if let Some(choice) = engine.model.with_untracked(|model| model.choice().cloned()) {
                    engine.load(choice, wanted);
                }
            };
            view! { <ReloadHint loaded=t().drawer_loaded(loaded.into()) label=t().drawer_reload(wanted.into()) on_press=press /> }
        })
    };
    view! {
        <section class="part">
            <h3>{t().drawer_answers()}</h3>
            <Switch
                label=t().settings_think()
                hint=t().drawer_think_hint()
                on=Signal::derive(move || options.with(|it| it.thinking))
                on_change=move |on| chat.edit(|conversation| conversation.options.thinking = on)
            />
            <div class="fields">
                <NumberField
                    label=t().settings_context() hint=t().settings_context_hint() min=512.0 max=262_144.0 step="512" placeholder=t().settings_context_default()
                    value=number(|it| it.context) on_change=take(|it| &mut it.context)
                />
                <NumberField
                    label=t().drawer_longest() hint=t().drawer_longest_hint() min=1.0 max=262_144.0 step="1" placeholder=t().drawer_no_limit()
                    value=number(|it| it.max_tokens) on_change=take(|it| &mut it.max_tokens)
                />
            </div>
            {reload}
            <ThoughtField
                value=Memo::new(move |_| options.with(|it| it.max_thought))
                on_change=move |tokens| chat.edit(|it| it.options.max_thought = tokens)
            />
            <label class="field">
                <span>{t().drawer_stop()}</span>
                <textarea
                    rows="2"
                    placeholder=t().drawer_stop_none()
                    prop:value=stop
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        lines.set_value(text.clone());
                        typed.note(text);
                    }
                    on:change=move |_| typed.flush()
                ></textarea>
                <span class="hint">{t().drawer_stop_hint()}</span>
            </label>
        </section>
    }
}

/// The sequences of a text that has one a line.
fn stop_lines(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Keeps what is typed in the conversation on screen.
fn typed(chat: ChatStore, keep: impl Fn(&mut Conversation, String) + Copy + Send + Sync + 'static) -> Typed {
    let shown = Memo::new(move |_| chat.conversation.with(|conversation| conversation.id));
    let typed = Typed::new(move |text| chat.edit(|conversation| keep(conversation, text)));
    // What was typed before belongs to the conversation that was on screen, which has it: the field was left.
    Effect::watch(move || shown.get(), move |_, _, _| typed.forget(), false);
    typed
}

#[component]
fn SamplingPart() -> impl IntoView {
    let (chat, engine) = (use_chat(), use_engine());
    let own =
        Memo::new(move |_| chat.conversation.with(|conversation| conversation.options.sampling.clone()));
    let recommended = Memo::new(move |_| engine.recommended());
    let shown = Signal::derive(move || own.get().unwrap_or_else(|| recommended.get()));
    let diffuses = Memo::new(move |_| {
        engine.model.with(|model| match model {
            ModelState::Ready { details, .. } => details.diffusion.is_some(),
            _ => false,
        })
    });
    view! {
        <section class="part">
            <h3>{t().drawer_sampling()}</h3>
            <Show when=move || diffuses.get()>
                <p class="hint">{t().drawer_sampling_diffusion()}</p>
            </Show>
            <SamplingFields
                value=shown
                on_change=move |sampling| chat.edit(|conversation| conversation.options.sampling = Some(sampling))
            />
            <Show
                when=move || own.with(Option::is_some)
                fallback=|| view! { <p class="hint">{t().drawer_sampling_model()}</p> }
            >
                <button
                    type="button"
                    class="button"
                    on:click=move |_| chat.edit(|conversation| conversation.options.sampling = None)
                >
                    {t().drawer_sampling_reset()}
                </button>
            </Show>
        </section>
    }
}

/// Figures of the last answer.
#[component]
fn FiguresPart() -> impl IntoView {
    let chat = use_chat();
    let timings = Memo::new(move |_| {
        chat.conversation.with(|conversation| {
            let path = conversation.active_path();
            path.iter().rev().find_map(|&node| conversation.message(node)?.timings)
        })
    });
    let rows = |timings: Timings| {
        let tokens = |count: u32| t().tokens(u64::from(count));
        let reading = if timings.prefill_ms > 0.0 {
            let computed = timings.prompt_tokens.saturating_sub(timings.cached_tokens);
            format::rate(f64::from(computed) * 1000.0 / timings.prefill_ms)
        } else {
            "–".to_owned()
        };
        let steps = timings.diffusion.map(|diffusion| {
            let per_block = f64::from(diffusion.steps) / f64::from(diffusion.blocks.max(1));
            (t().figure_steps(), t().figure_steps_of(diffusion.blocks.into(), &format::number(per_block, 0)))
        });
        let drafts = timings.speculation.map(|it| {
            (t().figure_drafts(), t().amount_of(&format::count(it.accepted.into()), &tokens(it.drafted)))
        });
        let experts = timings.experts.map(|it| {
            let hits = format::percent_of(it.uses.saturating_sub(it.misses), it.uses);
            let read = |bytes: Option<u64>| bytes.map(format::bytes);
            [
                (t().figure_experts(), hits),
                (t().figure_expert_bytes(), read(timings.expert_bytes_per_token())),
                (t().figure_expert_bytes_step(), read(timings.expert_bytes_per_step())),
            ]
        });
        let experts = experts.into_iter().flatten().filter_map(|(name, value)| Some((name, value?)));
        [
            (t().figure_first(), format::seconds(timings.first_token_ms / 1000.0)),
            (t().figure_writing(), format::rate(timings.tokens_per_second())),
            (t().figure_answer(), tokens(timings.decode_tokens)),
            (t().figure_prompt(), tokens(timings.prompt_tokens)),
            (t().figure_cached(), tokens(timings.cached_tokens)),
            (t().figure_reading(), reading),
            (
                t().figure_context(),
                t().amount_of(&format::count(u64::from(timings.context_used)), &tokens(timings.context_size)),
            ),
        ]
        .into_iter()
        .chain(steps)
        .chain(drafts)
        .chain(experts)
        .map(|(name, value)| view! { <div><dt>{name}</dt><dd class="numbers">{value}</dd></div> })
        .collect::<Vec<_>>()
    };
    view! {
        <section class="part">
            <h3>{t().figures_title()}</h3>
            {move || match timings.get() {
                Some(timings) => view! { <dl class="pairs">{rows(timings)}</dl> }.into_any(),
                None => view! { <p class="hint">{t().figures_none()}</p> }.into_any(),
            }}
        </section>
    }
}
