//! The settings: what holds for all conversations.

use leptos::prelude::*;
use protocol::Sampling;

use super::Column;
use crate::{
    components::{NumberField, SamplingFields, Switch},
    format,
    state::{
        settings::{SendKey, Theme},
        use_stores,
    },
};

/// The settings.
#[component]
pub fn SettingsPage() -> impl IntoView {
    view! {
        <Column title="Settings">
            <Appearance />
            <NewConversations />
            <Storage />
            // A file of the server, not a page of the router.
            <p><a href="/third-party-licenses.txt" rel="external">"Third-party licenses"</a></p>
        </Column>
    }
}

#[component]
fn Appearance() -> impl IntoView {
    let settings = use_stores().settings;
    let theme = settings.field(|settings| settings.theme);
    let send_key = settings.field(|settings| settings.send_key);
    let single_keys = settings.field(|settings| settings.single_keys);
    let themes = [(Theme::System, "As the system has it"), (Theme::Light, "Light"), (Theme::Dark, "Dark")];
    let keys = [
        (SendKey::Enter, "Enter sends, Shift+Enter makes a new line"),
        (SendKey::Modified, "Ctrl+Enter or ⌘ Enter sends, Enter makes a new line"),
    ];
    let theme_choices: Vec<_> = themes
        .into_iter()
        .map(|(value, words)| {
            view! {
                <label class="radio">
                    <input
                        type="radio"
                        name="theme"
                        prop:checked=move || theme.get() == value
                        on:change=move |_| settings.change(|settings| settings.theme = value)
                    />
                    {words}
                </label>
            }
        })
        .collect();
    let key_choices: Vec<_> = keys
        .into_iter()
        .map(|(value, words)| {
            view! {
                <label class="radio">
                    <input
                        type="radio"
                        name="send-key"
                        prop:checked=move || send_key.get() == value
                        on:change=move |_| settings.change(|settings| settings.send_key = value)
                    />
                    {words}
                </label>
            }
        })
        .collect();
    view! {
        <section class="part">
            <h2>"Look and keys"</h2>
            <fieldset>
                <legend>"Theme"</legend>
                {theme_choices}
            </fieldset>
            <fieldset>
                <legend>"Sending"</legend>
                {key_choices}
            </fieldset>
            <Switch
                label="Single-key shortcuts"
                hint="/ goes to the message, ? lists all shortcuts. Turn this off if you use speech input."
                on=single_keys
                on_change=move |on| settings.change(|settings| settings.single_keys = on)
            />
        </section>
    }
}

#[component]
fn NewConversations() -> impl IntoView {
    let settings = use_stores().settings;
    let system = settings.field(|settings| settings.system.clone());
    let context = settings
        .field(|settings| if settings.context == 0 { String::new() } else { settings.context.to_string() });
    let thinking = settings.field(|settings| settings.thinking);
    let own = settings.field(|settings| settings.sampling.clone());
    let shown = Signal::derive(move || own.get().unwrap_or_default());
    view! {
        <section class="part">
            <h2>"New conversations"</h2>
            <p class="hint">"What is changed here holds for conversations that you begin from now on."</p>
            <label class="field">
                <span>"Instructions to the model"</span>
                <textarea
                    rows="3"
                    placeholder="None"
                    prop:value=system
                    on:change=move |event| settings.change(|settings| settings.system = event_target_value(&event))
                ></textarea>
            </label>
            <Switch
                label="Think first"
                on=thinking
                on_change=move |on| settings.change(|settings| settings.thinking = on)
            />
            <div class="fields">
                <NumberField
                    label="Context length" hint="Tokens. Longer takes more graphics memory." min=512.0 max=262_144.0 step="512" placeholder="default"
                    value=context
                    on_change={move |number: Option<f64>| settings.change(|it| it.context = number.unwrap_or(0.0) as u32)}
                />
            </div>
            <Show
                when=move || own.with(Option::is_some)
                fallback=move || view! {
                    <p>
                        "Sampling is as each model recommends. "
                        <button
                            type="button"
                            class="button"
                            on:click=move |_| settings.change(|settings| settings.sampling = Some(Sampling::default()))
                        >
                            "Set it for all models"
                        </button>
                    </p>
                }
            >
                <h3>"Sampling for all models"</h3>
                <SamplingFields
                    value=shown
                    on_change=move |sampling| settings.change(|settings| settings.sampling = Some(sampling))
                />
                <button type="button" class="button" on:click=move |_| settings.change(|settings| settings.sampling = None)>
                    "As each model recommends"
                </button>
            </Show>
        </section>
    }
}

#[component]
fn Storage() -> impl IntoView {
    let stores = use_stores();
    let keep = stores.settings.field(|settings| settings.keep_weights);
    let count = move || {
        let count = stores.library.list.with(Vec::len) as u64;
        format!("{} in this browser.", format::counted(count, "conversation", "conversations"))
    };
    view! {
        <section class="part">
            <h2>"Kept in this browser"</h2>
            <Switch
                label="Keep weights"
                hint="The next load of a model then needs no network."
                on=keep
                on_change=move |on| stores.settings.change(|settings| settings.keep_weights = on)
            />
            <p>{count} " They are exported and imported from the menu beside their search field."</p>
        </section>
    }
}
