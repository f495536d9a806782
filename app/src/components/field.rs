//! Fields of forms.

use std::borrow::Cow;

use leptos::prelude::*;
use protocol::Sampling;

use super::Typed;
use crate::{format, language::t};

/// Something that is on or off.
#[component]
pub fn Switch(
    /// What it is, in words.
    #[prop(into)]
    label: Cow<'static, str>,
    /// A sentence below it.
    #[prop(into, optional)]
    hint: Cow<'static, str>,
    /// Whether it is on.
    #[prop(into)]
    on: Signal<bool>,
    /// Takes what it is switched to.
    #[prop(into)]
    on_change: Callback<bool>,
    /// Whether it cannot be switched now.
    #[prop(into, optional)]
    disabled: Signal<bool>,
) -> impl IntoView {
    view! {
        <label class="switch">
            <input
                type="checkbox"
                role="switch"
                checked=on.get_untracked()
                prop:checked=on
                disabled=disabled
                on:change=move |event| on_change.run(event_target_checked(&event))
            />
            <span class="switch-text">
                {label}
                {(!hint.is_empty()).then(|| view! { <span class="hint">{hint}</span> })}
            </span>
        </label>
    }
}

/// One of several values.
#[component]
pub fn Choice(
    /// What it is, in words.
    label: &'static str,
    /// A sentence below it.
    #[prop(optional)]
    hint: &'static str,
    /// The values, each with its words.
    choices: Vec<(String, String)>,
    /// The value that is chosen.
    #[prop(into)]
    value: Signal<String>,
    /// Takes the value that is chosen instead.
    #[prop(into)]
    on_change: Callback<String>,
) -> impl IntoView {
    let options = choices.into_iter().map(|(key, words)| {
        let own = key.clone();
        // The attribute has no effect any more once the user has chosen.
        view! { <option value=key prop:selected=move || value.with(|value| *value == own)>{words}</option> }
    });
    view! {
        <label class="field">
            <span>{label}</span>
            <select on:change=move |event| on_change.run(event_target_value(&event))>{options.collect_view()}</select>
            {(!hint.is_empty()).then(|| view! { <span class="hint">{hint}</span> })}
        </label>
    }
}

/// A number. What is no number, or out of range, is not taken, and the field goes back.
#[component]
pub fn NumberField(
    /// What it is, in words.
    label: &'static str,
    /// A sentence below it.
    #[prop(optional)]
    hint: &'static str,
    /// The number; an empty text for none.
    #[prop(into)]
    value: Signal<String>,
    /// The smallest.
    min: f64,
    /// The largest.
    max: f64,
    /// The step of the arrow keys.
    step: &'static str,
    /// What stands in an empty field.
    #[prop(optional)]
    placeholder: &'static str,
    /// Takes the number; `None` if the field was emptied.
    #[prop(into)]
    on_change: Callback<Option<f64>>,
) -> impl IntoView {
    let refused = RwSignal::new(false);
    let typed = Typed::new(move |text: String| {
        let number =
            text.trim().replace(',', ".").parse::<f64>().ok().filter(|number| (min..=max).contains(number));
        let empty = text.trim().is_empty();
        // The field may be gone.
        refused.try_set(number.is_none() && !empty);
        if number.is_some() || empty {
            on_change.run(number);
        }
    });
    view! {
        <label class="field">
            <span>{label}</span>
            <input
                type="number"
                inputmode="decimal"
                min=min.to_string()
                max=max.to_string()
                step=step
                placeholder=placeholder
                prop:value=value
                aria-invalid=move || refused.get().then_some("true")
                on:input=move |event| typed.hold(event_target_value(&event))
                on:change=move |event| {
                    typed.hold(event_target_value(&event));
                    typed.flush();
                }
            />
            {(!hint.is_empty()).then(|| view! { <span class="hint">{hint}</span> })}
            {move || refused.get().then(|| view! {
                <span class="hint bad">{t().field_range(&format::setting(min), &format::setting(max))}</span>
            })}
        </label>
    }
}

/// How tokens are drawn: a field for each setting. Changing one keeps the others as they are shown.
#[component]
pub fn SamplingFields(
    /// What is in force.
    #[prop(into)]
    value: Signal<Sampling>,
    /// Takes what was changed.
    #[prop(into)]
    on_change: Callback<Sampling>,
) -> impl IntoView {
    let shown =
        move |read: fn(&Sampling) -> f32| Signal::derive(move || value.with(|it| format::decimal(read(it))));
    // An emptied field takes the neutral value of its setting.
    let taken = move |neutral: f64, write: fn(&mut Sampling, f64)| {
        Callback::new(move |number: Option<f64>| {
            let mut sampling = value.get_untracked();
            write(&mut sampling, number.unwrap_or(neutral));
            on_change.run(sampling);
        })
    };
    let seed =
        Signal::derive(move || value.with(|it| it.seed.map(|seed| seed.to_string()).unwrap_or_default()));
    let take_seed = Callback::new(move |number: Option<f64>| {
        on_change.run(Sampling { seed: number.map(|seed| seed as u64), ..value.get_untracked() });
    });
    view! {
        <div class="fields">
            <NumberField label=t().sampling_temperature() hint=t().sampling_temperature_hint() min=0.0 max=5.0 step="0.05"
                value=shown(|it| it.temperature) on_change=taken(1.0, |it, number| it.temperature = number as f32) />
            <NumberField label=t().sampling_top_k() hint=t().sampling_top_k_hint() min=0.0 max=256.0 step="1"
                value=shown(|it| it.top_k as f32) on_change=taken(0.0, |it, number| it.top_k = number as u32) />
            <NumberField label=t().sampling_top_p() min=0.0 max=1.0 step="0.01"
                value=shown(|it| it.top_p) on_change=taken(1.0, |it, number| it.top_p = number as f32) />
            <NumberField label=t().sampling_min_p() min=0.0 max=1.0 step="0.01"
                value=shown(|it| it.min_p) on_change=taken(0.0, |it, number| it.min_p = number as f32) />
            <NumberField label=t().sampling_repeat() hint=t().sampling_repeat_hint() min=0.1 max=3.0 step="0.05"
                value=shown(|it| it.repeat_penalty) on_change=taken(1.0, |it, number| it.repeat_penalty = number as f32) />
            <NumberField label=t().sampling_presence() min=-2.0 max=2.0 step="0.1"
                value=shown(|it| it.presence_penalty) on_change=taken(0.0, |it, number| it.presence_penalty = number as f32) />
            <NumberField label=t().sampling_frequency() min=-2.0 max=2.0 step="0.1"
                value=shown(|it| it.frequency_penalty) on_change=taken(0.0, |it, number| it.frequency_penalty = number as f32) />
            <NumberField label=t().sampling_seed() hint=t().sampling_seed_hint() min=0.0 max=9_007_199_254_740_991.0 step="1"
                placeholder=t().sampling_seed_random() value=seed on_change=take_seed />
        </div>
    }
}
