//! The form of a preset.

use leptos::{html, prelude::*, task::spawn_local};
use protocol::Sampling;

use super::prompt_forms::focus_first;
use super::{Choice, FormatFields, Icon, SamplingFields, Switch, ThoughtField, ToolFields, glyph_of};
use crate::{
    history::{self, Preset, PresetAdapter, PresetIcon, PresetId},
    language::t,
    state::{NamedDialog, Origin, Stores, use_stores},
};

/// The form of a preset that is made or changed.
#[component]
pub fn PresetForm(origin: Origin<PresetId>) -> impl IntoView {
    let stores = use_stores();
    let Stores { ui, chat, presets, .. } = stores;
    let begin = match origin {
        Origin::New => None,
        Origin::Conversation => chat.conversation.with_untracked(|it| Some(Preset::of(it, history::now()))),
        Origin::Of(id) => untrack(|| presets.get::<Preset>(id)),
    };
    let it = RwSignal::new(begin.unwrap_or_else(|| Preset::new(history::now())));
    let name = NodeRef::<html::Input>::new();
    focus_first(name);
    let back = move || ui.named.set(Some(NamedDialog::Presets));
    let save = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let mut preset = it.get_untracked();
        preset.name = preset.name.trim().to_owned();
        if !preset.name.is_empty() {
            back();
            spawn_local(stores.put_named(preset));
        }
    };
    let own = Memo::new(move |_| it.with(|it| it.sampling.is_some()));
    let sampling = Signal::derive(move || it.with(|it| it.sampling.clone()).unwrap_or_default());
    view! {
        <form class="folder-form" on:submit=save>
            <label class="field">
                <span>{t().folder_name()}</span>
                <input
                    type="text" dir="auto" required=true maxlength="100" node_ref=name
                    prop:value=move || it.with(|it| it.name.clone())
                    on:input=move |event| it.update(|it| it.name = event_target_value(&event))
                />
            </label>
            <Icons it=it />
            <label class="field">
                <span>{t().settings_instructions()}</span>
                <textarea
                    rows="5" dir="auto" maxlength="60000"
                    prop:value=move || it.with(|it| it.instructions.clone())
                    on:input=move |event| it.update(|it| it.instructions = event_target_value(&event))
                ></textarea>
            </label>
            <ModelField it=it />
            <AdapterField it=it />
            <Switch
                label=t().settings_think()
                on=Signal::derive(move || it.with(|it| it.thinking))
                on_change=move |on| it.update(|it| it.thinking = on)
            />
            <ThoughtField
                value=Memo::new(move |_| it.with(|it| it.max_thought))
                on_change=move |tokens| it.update(|it| it.max_thought = tokens)
            />
            <fieldset>
                <legend>{t().tools_title()}</legend>
                <ToolFields
                    value=Memo::new(move |_| it.with(|it| it.tools.clone()))
                    on_change=move |tools| it.update(|it| it.tools = tools)
                />
            </fieldset>
            <FormatFields
                value=Memo::new(move |_| it.with(|it| it.format.clone()))
                on_change=move |format| it.update(|it| it.format = format)
            />
            <Switch
                label=t().preset_sampling()
                hint=t().preset_sampling_hint()
                on=own
                on_change=move |on: bool| it.update(|it| it.sampling = on.then(Sampling::default))
            />
            <Show when=move || own.get()>
                <SamplingFields value=sampling on_change=move |sampling| it.update(|it| it.sampling = Some(sampling)) />
            </Show>
            <div class="buttons">
                <button type="submit" class="button primary">{t().save()}</button>
                <button type="button" class="button quiet" on:click=move |_| back()>{t().cancel()}</button>
            </div>
        </form>
    }
}

/// What is drawn before the name.
#[component]
fn Icons(it: RwSignal<Preset>) -> impl IntoView {
    let choices = PresetIcon::ALL.map(|icon| {
        view! {
            <label class="radio" title=icon_words(icon)>
                <input
                    type="radio"
                    name="preset-icon"
                    aria-label=icon_words(icon)
                    prop:checked=move || it.with(|it| it.icon == icon)
                    on:change=move |_| it.update(|it| it.icon = icon)
                />
                <Icon glyph=glyph_of(icon) />
            </label>
        }
    });
    view! {
        <fieldset>
            <legend>{t().preset_icon()}</legend>
            <div class="choices">{choices.collect_view()}</div>
        </fieldset>
    }
}

fn icon_words(icon: PresetIcon) -> &'static str {
    match icon {
        PresetIcon::Chat => t().icon_chat(),
        PresetIcon::Pencil => t().icon_pencil(),
        PresetIcon::Code => t().icon_code(),
        PresetIcon::Document => t().icon_document(),
        PresetIcon::Bulb => t().icon_bulb(),
        PresetIcon::Magnifier => t().icon_magnifier(),
        PresetIcon::Picture => t().icon_picture(),
        PresetIcon::Chart => t().icon_chart(),
    }
}

/// The model: one of those that are listed, or the one in use.
#[component]
fn ModelField(it: RwSignal<Preset>) -> impl IntoView {
    let stores = use_stores();
    let choices = stores.engine.choices.get_untracked();
    let mut names = vec![unchanged()];
    names.extend(choices.into_iter().map(|choice| (choice.entry.name.clone(), choice.entry.name)));
    let kept = it.with_untracked(|it| it.model.clone());
    if !kept.is_empty() && names.iter().all(|(name, _)| *name != kept) {
        names.push((kept.clone(), kept));
    }
    let value = Signal::derive(move || it.with(|it| it.model.clone()));
    view! { <Choice label=t().preset_model() choices=names value=value on_change=move |name| it.update(|it| it.model = name) /> }
}

/// The adapter: one of those of the loaded model, or those in use.
#[component]
fn AdapterField(it: RwSignal<Preset>) -> impl IntoView {
    let Stores { adapters, tune, .. } = use_stores();
    let open = adapters
        .all
        .get_untracked()
        .into_iter()
        .map(|it| PresetAdapter { key: it.details.key, name: it.details.name });
    let mut known: Vec<_> = open.collect();
    for kept in tune.adapters.get_untracked().unwrap_or_default() {
        let key = adapters.key_of_kept(&kept.id);
        if known.iter().all(|it| it.key != key) {
            known.push(PresetAdapter { key, name: kept.name });
        }
    }
    if let Some(own) = it.with_untracked(|it| it.adapter.clone())
        && known.iter().all(|it| it.key != own.key)
    {
        known.push(own);
    }
    if known.is_empty() {
        return ().into_any();
    }
    let mut choices = vec![unchanged()];
    choices.extend(known.iter().map(|it| (it.key.clone(), it.name.clone())));
    let value = Signal::derive(move || {
        it.with(|it| it.adapter.as_ref().map(|it| it.key.clone()).unwrap_or_default())
    });
    let change =
        move |key: String| it.update(|it| it.adapter = known.iter().find(|it| it.key == key).cloned());
    view! { <Choice label=t().preset_adapter() choices=choices value=value on_change=change /> }.into_any()
}

/// The choice that leaves what is in use.
fn unchanged() -> (String, String) {
    (String::new(), t().preset_unchanged().to_owned())
}
