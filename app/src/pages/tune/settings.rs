//! The second step: settings. Three that matter, the others folded.

use leptos::prelude::*;
use protocol::tune::{LEARNED_LOSS, Schedule, TuneLength, TuneSettings, TuneTarget};

use crate::{
    components::{Choice, NumberField, Switch, Typed},
    format,
    language::{Text, t},
    state::{models::ModelState, use_engine, use_tune},
};

/// A text that is still to be had in a language.
type Words = fn(Text) -> &'static str;

/// Ranks to choose from, with their words.
const RANKS: [(u32, Words); 5] = [
    (4, Text::tune_rank_4),
    (8, Text::tune_rank_8),
    (16, Text::tune_rank_16),
    (32, Text::tune_rank_32),
    (64, Text::tune_rank_64),
];

/// Steps in all at most, as the fields allow.
const MAX_STEPS: f64 = 100_000.0;

/// How to train.
#[component]
pub fn SettingsSection() -> impl IntoView {
    let tune = use_tune();
    let settings = tune.settings;
    // Memos, for another setting's change must not take back what is being typed.
    let name = Memo::new(move |_| settings.with(|it| it.name.clone()));
    let question = Memo::new(move |_| settings.with(|it| it.samples.first().cloned().unwrap_or_default()));
    let rank = Memo::new(move |_| settings.with(|it| it.rank));
    let ranks = RANKS.map(|(value, words)| (value.to_string(), format!("{} ({value})", words(t()))));
    let take_rank = move |rank: String| {
        let Ok(rank) = rank.parse::<u32>() else { return };
        tune.change_settings(|it| {
            // The adapter speaks as loudly as before: alpha stays in proportion.
            it.alpha *= rank as f32 / it.rank.max(1) as f32;
            it.rank = rank;
        });
    };
    let length = Memo::new(move |_| settings.with(|it| it.length));
    let amount = Signal::derive(move || match length.get() {
        TuneLength::Steps(steps) => steps.to_string(),
        TuneLength::Rounds(rounds) => rounds.to_string(),
        TuneLength::UntilLearned => String::new(),
    });
    let take_amount = move |number: Option<f64>| {
        let number = number.unwrap_or(1.0).max(1.0) as u32;
        tune.change_settings(|it| {
            it.length = match it.length {
                TuneLength::Steps(_) => TuneLength::Steps(number),
                TuneLength::Rounds(_) => TuneLength::Rounds(number),
                TuneLength::UntilLearned => TuneLength::UntilLearned,
            };
        });
    };
    let typed_name = Typed::new(move |name| settings.update(|it| it.name = name));
    let typed_question = Typed::new(move |text: String| {
        let text = text.trim().to_owned();
        settings.update(|it| it.samples = Some(text).filter(|text| !text.is_empty()).into_iter().collect());
    });
    let take_unit = move |event| {
        let length = match event_target_value(&event).as_str() {
            "steps" => TuneLength::Steps(20),
            "epochs" => TuneLength::Rounds(5),
            _ => TuneLength::UntilLearned,
        };
        tune.change_settings(|it| it.length = length);
    };
    let until_learned = move || length.get() == TuneLength::UntilLearned;
    let in_steps = move || matches!(length.get(), TuneLength::Steps(_));
    let in_epochs = move || matches!(length.get(), TuneLength::Rounds(_));
    view! {
        <section class="part" aria-labelledby="tune-settings">
            <h2 id="tune-settings">{t().tune_settings()}</h2>
            <div class="fields wide">
                <label class="field">
                    <span>{t().tune_name()}</span>
                    <input
                        type="text"
                        maxlength="80"
                        placeholder=t().tune_name_hint()
                        prop:value=name
                        on:input=move |event| typed_name.note(event_target_value(&event))
                        on:change=move |_| typed_name.flush()
                    />
                </label>
                <Choice
                    label=t().tune_rank() choices=ranks.into()
                    value=Signal::derive(move || rank.get().to_string()) on_change=take_rank
                />
                <label class="field">
                    <span>{t().tune_length()}</span>
                    <select on:change=take_unit>
                        <option value="learned" prop:selected=until_learned>{t().tune_until_learned()}</option>
                        <option value="epochs" prop:selected=in_epochs>{t().tune_epochs()}</option>
                        <option value="steps" prop:selected=in_steps>{t().tune_steps()}</option>
                    </select>
                    <Show when=until_learned>
                        <span class="hint">{t().tune_until_learned_hint(&format::number(LEARNED_LOSS.into(), 1))}</span>
                    </Show>
                </label>
                <Show when=move || !until_learned()>
                    <NumberField label=t().tune_amount() min=1.0 max=MAX_STEPS step="1" value=amount on_change=take_amount />
                </Show>
            </div>
            <label class="field">
                <span>{t().tune_question()}</span>
                <input
                    type="text"
                    maxlength="500"
                    placeholder=t().tune_question_hint()
                    prop:value=question
                    on:input=move |event| typed_question.hold(event_target_value(&event))
                    on:change=move |_| typed_question.flush()
                />
            </label>
            <details class="fold">
                <summary>{t().tune_all_settings()}</summary>
                <div class="fold-body"><Advanced /></div>
            </details>
        </section>
    }
}

/// The settings that are folded away.
#[component]
fn Advanced() -> impl IntoView {
    let tune = use_tune();
    let settings = tune.settings;
    let shown = move |read: fn(&TuneSettings) -> String| Signal::derive(move || settings.with(read));
    // An emptied field takes the default.
    let taken = move |default: fn(&TuneSettings) -> f64, write: fn(&mut TuneSettings, f64)| {
        Callback::new(move |number: Option<f64>| {
            let number = number.unwrap_or_else(|| default(&TuneSettings::default()));
            tune.change_settings(|it| write(it, number));
        })
    };
    let switch = move |target: TuneTarget, label: &'static str, hint: &'static str| {
        let on = Signal::derive(move || settings.with(|it| it.targets.contains(&target)));
        let change = move |on: bool| {
            tune.change_settings(|it| {
                it.targets.retain(|other| *other != target);
                if on {
                    it.targets.push(target);
                }
            });
        };
        view! { <Switch label=label hint=hint on=on on_change=change /> }
    };
    let targets: Vec<_> = [
        (TuneTarget::Q, t().tune_target_q()),
        (TuneTarget::K, t().tune_target_k()),
        (TuneTarget::V, t().tune_target_v()),
        (TuneTarget::Output, t().tune_target_o()),
        (TuneTarget::Gate, t().tune_target_gate()),
        (TuneTarget::Up, t().tune_target_up()),
        (TuneTarget::Down, t().tune_target_down()),
        (TuneTarget::PleGate, t().tune_target_ple_gate()),
        (TuneTarget::PleProjection, t().tune_target_ple_projection()),
    ]
    .into_iter()
    .map(|(target, words)| switch(target, words, ""))
    .collect();
    let model = use_engine().model;
    let is_mixture = Memo::new(move |_| model.with(ModelState::is_mixture));
    let of_mixture = move || {
        let hint = t().tune_target_experts_hint();
        view! {
            {switch(TuneTarget::Router, t().tune_target_router(), t().tune_target_router_hint())}
            {switch(TuneTarget::ExpertGateUp, t().tune_target_expert_gate_up(), hint)}
            {switch(TuneTarget::ExpertDown, t().tune_target_expert_down(), hint)}
        }
    };
    let schedules =
        [("cosine", t().tune_cosine()), ("linear", t().tune_linear()), ("constant", t().tune_constant())];
    let schedules = schedules.map(|(value, words)| (value.to_owned(), words.to_owned()));
    let schedule = Signal::derive(move || {
        let value = match settings.with(|it| it.schedule) {
            Schedule::Cosine => "cosine",
            Schedule::Linear => "linear",
            Schedule::Constant => "constant",
        };
        value.to_owned()
    });
    let take_schedule = move |schedule: String| {
        let schedule = match schedule.as_str() {
            "linear" => Schedule::Linear,
            "constant" => Schedule::Constant,
            _ => Schedule::Cosine,
        };
        tune.change_settings(|it| it.schedule = schedule);
    };
    view! {
        <fieldset>
            <legend>{t().tune_targets()}</legend>
            <div class="fields wide">
                {targets}
                <Show when=move || is_mixture.get()>{of_mixture}</Show>
            </div>
        </fieldset>
        <div class="fields">
            <NumberField label=t().tune_alpha() hint=t().tune_alpha_hint() min=0.1 max=1024.0 step="1"
                value=shown(|it| format::decimal(it.alpha)) on_change=taken(|it| it.alpha.into(), |it, number| it.alpha = number as f32) />
            <NumberField label=t().chart_rate() min=0.000_000_1 max=0.1 step="any"
                value=shown(|it| rate_text(it.learning_rate)) on_change=taken(|it| it.learning_rate.into(), |it, number| it.learning_rate = number as f32) />
            <Choice label=t().tune_schedule() choices=schedules.into() value=schedule on_change=take_schedule />
            <NumberField label=t().tune_warmup() hint=t().tune_warmup_hint() min=0.0 max=1.0 step="0.01"
                value=shown(|it| format::decimal(it.warmup)) on_change=taken(|it| it.warmup.into(), |it, number| it.warmup = number as f32) />
            <NumberField label=t().tune_dropout() min=0.0 max=0.9 step="0.01"
                value=shown(|it| format::decimal(it.dropout)) on_change=taken(|it| it.dropout.into(), |it, number| it.dropout = number as f32) />
            <NumberField label=t().tune_clip() hint=t().tune_clip_hint() min=0.0 max=1000.0 step="0.1"
                value=shown(|it| format::decimal(it.clip)) on_change=taken(|it| it.clip.into(), |it, number| it.clip = number as f32) />
            <NumberField label=t().tune_decay() min=0.0 max=1.0 step="0.001"
                value=shown(|it| format::decimal(it.weight_decay)) on_change=taken(|it| it.weight_decay.into(), |it, number| it.weight_decay = number as f32) />
            <NumberField label=t().tune_batch() min=1.0 max=256.0 step="1"
                value=shown(|it| it.accumulation.to_string()) on_change=taken(|it| it.accumulation.into(), |it, number| it.accumulation = number as u32) />
            <NumberField label=t().tune_longest() hint=t().tune_longest_hint() min=16.0 max=32_768.0 step="1"
                value=shown(|it| it.max_tokens.to_string()) on_change=taken(|it| it.max_tokens.into(), |it, number| it.max_tokens = number as u32) />
            <NumberField label=t().tune_eval() hint=t().tune_eval_hint() min=0.0 max=0.9 step="0.01"
                value=shown(|it| format::decimal(it.eval_share)) on_change=taken(|it| it.eval_share.into(), |it, number| it.eval_share = number as f32) />
            <NumberField label=t().tune_checkpoint_every() hint=t().tune_checkpoint_hint() min=1.0 max=10_000.0 step="1"
                value=shown(|it| it.checkpoint_every.to_string()) on_change=taken(|it| it.checkpoint_every.into(), |it, number| it.checkpoint_every = number as u32) />
            <NumberField label=t().tune_sample_every() hint=t().tune_sample_hint() min=0.0 max=10_000.0 step="1"
                value=shown(|it| it.sample_every.to_string()) on_change=taken(|it| it.sample_every.into(), |it, number| it.sample_every = number as u32) />
            <NumberField label=t().sampling_seed() min=0.0 max=9_007_199_254_740_991.0 step="1"
                value=shown(|it| it.seed.to_string()) on_change=taken(|it| it.seed as f64, |it, number| it.seed = number as u64) />
        </div>
    }
}

/// Returns a learning rate with as many digits as it has.
pub fn rate_text(rate: f32) -> String {
    if rate == 0.0 {
        return "0".into();
    }
    // Three digits that count.
    let digits = (2.0 - rate.abs().log10().floor()).clamp(0.0, 12.0) as usize;
    let text = format!("{rate:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::rate_text;

    #[test]
    fn rates_have_the_digits_that_count() {
        for (rate, text) in [(2e-4, "0.0002"), (1.234e-5, "0.0000123"), (0.0, "0"), (0.1, "0.1"), (1.0, "1")]
        {
            assert_eq!(rate_text(rate), text);
        }
    }
}
