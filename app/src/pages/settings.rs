//! The settings: what holds for all conversations.

use leptos::prelude::*;
use protocol::{Forget, Sampling};

use super::{Column, mcp_settings::McpSettings, voice_settings::VoiceSettings};
use crate::{
    browser,
    components::{
        Glyph, Icon, NumberField, ReloadHint, SamplingFields, Switch, Typed, export_all, pick_archive,
    },
    format,
    language::{Language, t, use_language_choice},
    state::{
        engine::EnginePhase,
        models::{Choice, ModelState},
        settings::{Drafting, SendKey, Theme},
        use_engine, use_settings, use_stores,
    },
};

/// The settings.
#[component]
pub fn SettingsPage() -> impl IntoView {
    view! {
        <Column title=t().settings_title()>
            <Appearance />
            <Answers />
            <VoiceSettings />
            <NewConversations />
            <McpSettings />
            <GraphicsMemory />
            <Storage />
            // A file of the server, not a page of the router.
            <p><a href="/third-party-licenses.txt" rel="external">{t().settings_licenses()}</a></p>
        </Column>
    }
}

#[component]
fn Appearance() -> impl IntoView {
    let settings = use_settings();
    let theme = settings.field(|settings| settings.theme);
    let send_key = settings.field(|settings| settings.send_key);
    let single_keys = settings.field(|settings| settings.single_keys);
    let themes = vec![
        (Theme::System, t().settings_theme_system()),
        (Theme::Light, t().settings_theme_light()),
        (Theme::Dark, t().settings_theme_dark()),
    ];
    let keys =
        vec![(SendKey::Enter, t().settings_send_enter()), (SendKey::Modified, t().settings_send_modified())];
    view! {
        <section class="part rows">
            <h2>{t().settings_appearance()}</h2>
            <Radios
                legend=t().settings_theme()
                name="theme"
                choices=themes
                value=theme
                on_change=move |theme| settings.change(|settings| settings.theme = theme)
            />
            <LanguageSelect />
            <Radios
                legend=t().settings_sending()
                name="send-key"
                choices=keys
                value=send_key
                on_change=move |key| settings.change(|settings| settings.send_key = key)
            />
            <Switch
                label=t().settings_single_keys()
                hint=t().settings_single_keys_hint()
                on=single_keys
                on_change=move |on| settings.change(|settings| settings.single_keys = on)
            />
        </section>
    }
}

/// One of several values, each with its words.
#[component]
fn Radios<T: Copy + PartialEq + Send + Sync + 'static>(
    legend: &'static str,
    #[prop(optional)] hint: Option<&'static str>,
    name: &'static str,
    choices: Vec<(T, &'static str)>,
    value: Memo<T>,
    on_change: impl Fn(T) + Copy + Send + 'static,
) -> impl IntoView {
    let hint_id = hint.map(|_| format!("{name}-hint"));
    let described_by = hint_id.clone();
    let choices: Vec<_> = choices
        .into_iter()
        .map(|(choice, words)| {
            view! {
                <label class="radio">
                    <input
                        type="radio"
                        name=name
                        checked=value.get_untracked() == choice
                        prop:checked=move || value.get() == choice
                        on:change=move |_| on_change(choice)
                    />
                    {words}
                </label>
            }
        })
        .collect();
    view! {
        <fieldset aria-describedby=described_by>
            <legend>{legend}</legend>
            <div class="choices">{choices}</div>
            {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
        </fieldset>
    }
}

/// How answers are generated, and how they are shown meanwhile.
#[component]
fn Answers() -> impl IntoView {
    let settings = use_settings();
    let show_steps = settings.field(|settings| settings.show_steps);
    let drafting = settings.field(|settings| settings.drafting);
    let titles = settings.field(|settings| settings.titles);
    let when = vec![
        (Drafting::Automatic, t().settings_drafts_automatic()),
        (Drafting::Always, t().settings_drafts_always()),
        (Drafting::Never, t().settings_drafts_never()),
    ];
    view! {
        <section class="part rows">
            <h2>{t().drawer_answers()}</h2>
            <Switch
                label=t().settings_show_steps()
                hint=t().settings_show_steps_hint()
                on=show_steps
                on_change=move |on| settings.change(|settings| settings.show_steps = on)
            />
            <Radios
                legend=t().settings_drafts()
                hint=t().settings_drafts_hint()
                name="drafting"
                choices=when
                value=drafting
                on_change=move |drafting| settings.change(|settings| settings.drafting = drafting)
            />
            <Switch
                label=t().settings_titles()
                hint=t().settings_titles_hint()
                on=titles
                on_change=move |on| settings.change(|settings| settings.titles = on)
            />
        </section>
    }
}

/// The language of the interface. Each is written as those who speak it write it.
#[component]
fn LanguageSelect() -> impl IntoView {
    let choice = use_language_choice();
    let change = move |event| {
        choice.choose(Language::of_tag(&event_target_value(&event)));
        // The field is drawn anew, in another language.
        browser::next_frame(|| browser::focus("#language"));
    };
    let options: Vec<_> = Language::all()
        .map(|language| {
            view! { <option value=language.tag() lang=language.tag()>{language.name()}</option> }
        })
        .collect();
    view! {
        <label class="field beside">
            <span>{t().settings_language()}</span>
            <select
                id="language"
                prop:value=move || choice.chosen.get().map_or("", Language::tag)
                on:change=change
            >
                <option value="">{t().settings_language_browser()}</option>
                {options}
            </select>
        </label>
    }
}

#[component]
fn NewConversations() -> impl IntoView {
    let settings = use_settings();
    let system = settings.field(|settings| settings.system.clone());
    let context = settings
        .field(|settings| if settings.context == 0 { String::new() } else { settings.context.to_string() });
    let thinking = settings.field(|settings| settings.thinking);
    let own = settings.field(|settings| settings.sampling.clone());
    let shown = Signal::derive(move || own.get().unwrap_or_default());
    let typed = Typed::new(move |text| settings.change(|settings| settings.system = text));
    view! {
        <section class="part rows">
            <h2>{t().settings_new()}</h2>
            <p class="hint">{t().settings_new_hint()}</p>
            <label class="field">
                <span>{t().settings_instructions()}</span>
                <textarea
                    rows="2"
                    placeholder=t().settings_none()
                    prop:value=system
                    on:input=move |event| typed.note(event_target_value(&event))
                    on:change=move |_| typed.flush()
                ></textarea>
            </label>
            <Switch
                label=t().settings_think()
                on=thinking
                on_change=move |on| settings.change(|settings| settings.thinking = on)
            />
            <div class="fields">
                <NumberField
                    label=t().settings_context() hint=t().settings_context_hint() min=512.0 max=262_144.0 step="512" placeholder=t().settings_context_default()
                    value=context
                    on_change={move |number: Option<f64>| settings.change(|it| it.context = number.unwrap_or(0.0) as u32)}
                />
            </div>
            <Show
                when=move || own.with(Option::is_some)
                fallback=move || view! {
                    <p class="row">
                        <span>{t().settings_sampling_model()}</span>
                        <button
                            type="button"
                            class="button"
                            on:click=move |_| settings.change(|settings| settings.sampling = Some(Sampling::default()))
                        >
                            {t().settings_sampling_set()}
                        </button>
                    </p>
                }
            >
                <h3>{t().settings_sampling()}</h3>
                <SamplingFields
                    value=shown
                    on_change=move |sampling| settings.change(|settings| settings.sampling = Some(sampling))
                />
                <button type="button" class="button" on:click=move |_| settings.change(|settings| settings.sampling = None)>
                    {t().settings_sampling_reset()}
                </button>
            </Show>
        </section>
    }
}

/// How much memory models may use, in GB: what cards and computers have.
const AMOUNTS: [u64; 11] = [2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96];
/// Bytes of a GB.
const GB: u64 = 1_000_000_000;

/// How much graphics memory models may use; without a choice, what the engine assumes.
#[component]
fn MemorySelect() -> impl IntoView {
    let (settings, engine) = (use_settings(), use_engine());
    let chosen = settings.field(|settings| settings.graphics_memory);
    let change = move |event| {
        let bytes = event_target_value(&event).parse().ok();
        settings.change(|settings| settings.graphics_memory = bytes);
    };
    let automatic = move || {
        let known = engine.device.with(|device| device.as_ref().map(|device| device.memory));
        match known.filter(|bytes| *bytes > 0) {
            Some(bytes) => t().settings_memory_automatic_of(&format::bytes(bytes)),
            None => t().settings_memory_automatic().to_owned(),
        }
    };
    let amounts: Vec<_> = AMOUNTS
        .map(|amount| {
            let bytes = amount * GB;
            let is_chosen = move || chosen.get() == Some(bytes);
            view! { <option value=bytes.to_string() prop:selected=is_chosen>{format::bytes(bytes)}</option> }
        })
        .into();
    view! {
        <label class="field">
            <span>{t().settings_memory_amount()}</span>
            <select on:change=change>
                <option value="" prop:selected=move || chosen.get().is_none()>{automatic}</option>
                {amounts}
            </select>
            <span class="hint">{t().settings_memory_amount_hint()}</span>
        </label>
    }
}

/// How much graphics memory models may use, and what is stored in less of it.
#[component]
fn GraphicsMemory() -> impl IntoView {
    let (settings, engine) = (use_settings(), use_engine());
    let cache = settings.field(|settings| settings.eight_bits.kv_cache);
    let table = settings.field(|settings| settings.eight_bits.table);
    let wanted = settings.field(|settings| (settings.eight_bits, settings.graphics_memory));
    // The loaded model, if it was loaded with other settings.
    let loaded = Memo::new(move |_| {
        engine.model.with(|model| match model {
            ModelState::Ready { choice, details, context, .. }
                if (details.stored.asked, details.allowed) != wanted.get() =>
            {
                Some((Choice::clone(choice), *context))
            }
            _ => None,
        })
    });
    let reload = move || {
        loaded.get().map(|(choice, context)| {
            let loaded = t().settings_memory_loaded(&choice.entry.name);
            let press = move |()| engine.load(choice.clone(), context);
            view! { <ReloadHint loaded=loaded label=t().load_again() on_press=press /> }
        })
    };
    view! {
        <section class="part rows">
            <h2>{t().settings_memory()}</h2>
            <p class="hint">{t().settings_memory_hint()}</p>
            <MemorySelect />
            <Switch
                label=t().settings_cache_in_eight_bits()
                hint=t().settings_cache_in_eight_bits_hint()
                on=cache
                on_change=move |on| settings.change(|settings| settings.eight_bits.kv_cache = on)
            />
            <Switch
                label=t().settings_table_in_eight_bits()
                hint=t().settings_table_in_eight_bits_hint()
                on=table
                on_change=move |on| settings.change(|settings| settings.eight_bits.table = on)
            />
            {reload}
        </section>
    }
}

/// Whether KV caches of conversations are kept, what those take that are, and their deletion.
#[component]
fn KeptCaches() -> impl IntoView {
    let (settings, engine) = (use_settings(), use_engine());
    let keep = settings.field(|settings| settings.keep_caches);
    Effect::new(move |_| {
        if engine.phase.with(|phase| *phase == EnginePhase::Running) {
            engine.forget_caches(Forget::Nothing);
        }
    });
    let words = move || {
        engine.kept_caches.get().map(|kept| match kept.conversations {
            0 => t().settings_caches_none().to_owned(),
            count => t().settings_caches_kept(count.into(), &format::bytes(kept.bytes)),
        })
    };
    let is_known = Memo::new(move |_| engine.kept_caches.with(Option::is_some));
    view! {
        <Switch
            label=t().settings_caches()
            hint=t().settings_caches_hint()
            on=keep
            on_change=move |on| settings.change(|settings| settings.keep_caches = on)
        />
        <Show when=move || is_known.get()>
            <div class="row">
                <p>{words}</p>
                <button type="button" class="button" on:click=move |_| engine.forget_caches(Forget::All)>
                    <Icon glyph=Glyph::Delete />
                    {t().settings_caches_delete()}
                </button>
            </div>
        </Show>
    }
}

#[component]
fn Storage() -> impl IntoView {
    let stores = use_stores();
    let keep = stores.settings.field(|settings| settings.keep_weights);
    let count = move || {
        let count = stores.library.list.with(Vec::len) as u64;
        t().settings_conversations(count)
    };
    view! {
        <section class="part rows">
            <h2>{t().settings_storage()}</h2>
            <Switch
                label=t().settings_keep()
                hint=t().settings_keep_hint()
                on=keep
                on_change=move |on| stores.settings.change(|settings| settings.keep_weights = on)
            />
            <KeptCaches />
            <div class="row">
                <p>{count}</p>
                <div class="buttons">
                    <button type="button" class="button" on:click=move |_| export_all(stores)>
                        <Icon glyph=Glyph::Export />
                        {t().rail_export_all()}
                    </button>
                    <button type="button" class="button" on:click=move |_| pick_archive(stores)>
                        <Icon glyph=Glyph::Import />
                        {t().rail_import()}
                    </button>
                </div>
                <button type="button" class="button" on:click=move |_| stores.ui.delete_all.set(true)>
                    <Icon glyph=Glyph::Delete />
                    {t().delete_all()}
                </button>
            </div>
        </section>
    }
}
