//! Which voice reads answers, and how.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    components::{NumberField, Switch},
    language::{in_a_row, t},
    media::voices::Voices,
    state::use_settings,
};

/// The section of the settings.
#[component]
pub fn VoiceSettings() -> impl IntoView {
    let settings = use_settings();
    let reads = settings.field(|settings| settings.read_aloud);
    let rate = settings.field(|settings| settings.speech_rate.to_string());
    let chosen = settings.field(|settings| settings.voice.clone());
    let voices = RwSignal::new(None::<Voices>);
    Effect::new(move |_| {
        spawn_local(async move {
            voices.try_set(Some(Voices::read().await));
        });
    });
    let options = move || {
        let all = voices.with(|voices| voices.as_ref().map(|it| it.local.clone()).unwrap_or_default());
        let option = |uri: String, words: String| {
            let value = uri.clone();
            view! { <option value=value selected=move || chosen.with(|chosen| *chosen == uri)>{words}</option> }
        };
        let own = all.into_iter().map(|voice| option(voice.uri, t().named(&voice.lang, &voice.name)));
        let automatic = option(String::new(), t().settings_voice_automatic().to_owned());
        std::iter::once(automatic).chain(own).collect::<Vec<_>>()
    };
    let hint = move || {
        let counts = voices.with(|voices| voices.as_ref().map(|it| (it.local.len(), it.remote)))?;
        let mut lines = Vec::new();
        if counts.0 == 0 {
            lines.push(t().settings_voice_none().to_owned());
        }
        if counts.1 > 0 {
            lines.push(t().settings_voice_remote(counts.1 as u64));
        }
        Some(in_a_row(lines))
    };
    view! {
        <section class="part rows">
            <h2>{t().settings_voice()}</h2>
            <Switch
                label=t().settings_read_aloud()
                hint=t().settings_read_aloud_hint()
                on=reads
                on_change=move |on| settings.change(|settings| settings.read_aloud = on)
            />
            <label class="field">
                <span>{t().settings_voice_choice()}</span>
                <select
                    aria-describedby="voice-hint"
                    on:change=move |event| settings.change(|settings| settings.voice = event_target_value(&event))
                >
                    {options}
                </select>
            </label>
            <p class="hint" id="voice-hint">{hint}</p>
            <div class="fields">
                <NumberField
                    label=t().settings_rate() min=0.5 max=3.0 step="0.1"
                    value=rate
                    on_change={move |rate: Option<f64>| settings.change(|it| it.speech_rate = rate.unwrap_or(1.0) as f32)}
                />
            </div>
        </section>
    }
}
