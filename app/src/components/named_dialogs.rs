//! The presets and the prompts in a dialog: the lists, and the forms of one.

use leptos::{prelude::*, task::spawn_local};

use super::preset_form::PresetForm;
use super::prompt_forms::{FillForm, PromptForm};
use super::transfer_acts::pick_named;
use super::{Glyph, Icon, Menu, MenuItem, glyph_of};
use crate::{
    browser,
    history::{Preset, PresetFile, Prompt},
    language::t,
    state::{NamedDialog, Origin, Stores, presets::Listed, use_stores},
};

/// The heading of the dialog.
pub fn title_of(dialog: &NamedDialog) -> &'static str {
    match dialog {
        NamedDialog::Presets => t().presets_title(),
        NamedDialog::Preset(Origin::Of(_)) => t().preset_word(),
        NamedDialog::Preset(_) => t().preset_new(),
        NamedDialog::Prompts => t().prompts_title(),
        NamedDialog::Prompt(Origin::Of(_)) => t().prompt_word(),
        NamedDialog::Prompt(_) => t().prompt_new(),
        NamedDialog::Fill(_) => t().prompt_fill(),
    }
}

/// What the dialog shows.
#[component]
pub fn NamedContent() -> impl IntoView {
    let stores = use_stores();
    let shown = stores.ui.named;
    // What one view had is gone with the focus in it when the next one comes.
    Effect::new(move |before: Option<()>| {
        shown.track();
        if before.is_some() {
            browser::next_frame(|| {
                if browser::focused().is_none() {
                    browser::focus_somewhere();
                }
            });
        }
    });
    move || match shown.get() {
        Some(NamedDialog::Presets) => view! { <Presets /> }.into_any(),
        Some(NamedDialog::Preset(origin)) => view! { <PresetForm origin=origin /> }.into_any(),
        Some(NamedDialog::Prompts) => view! { <Prompts /> }.into_any(),
        Some(NamedDialog::Prompt(origin)) => view! { <PromptForm origin=origin /> }.into_any(),
        Some(NamedDialog::Fill(id)) => view! { <FillForm id=id /> }.into_any(),
        None => ().into_any(),
    }
}

/// The presets. A press has the conversation take one over.
#[component]
fn Presets() -> impl IntoView {
    let stores = use_stores();
    let Stores { ui, chat, presets, .. } = stores;
    let taken = Memo::new(move |_| {
        chat.conversation.with(|conversation| presets.of(conversation)).map(|preset| preset.id)
    });
    let take = move |preset: Option<Preset>| {
        ui.named.set(None);
        stores.take_preset(preset.as_ref());
        ui.focus_composer.ask(());
    };
    let any = Memo::new(move |_| !presets.presets.with(Vec::is_empty));
    let line = move |preset: Preset| {
        let (id, glyph) = (preset.id, glyph_of(preset.icon));
        view! {
            <NamedLine
                it=preset
                glyph=glyph
                current=Signal::derive(move || taken.get() == Some(id))
                on_press=move |preset| take(Some(preset))
                edit=NamedDialog::Preset(Origin::Of(id))
            />
        }
    };
    let edit = move |origin| ui.named.set(Some(NamedDialog::Preset(origin)));
    view! {
        <p class="hint">{t().presets_hint()}</p>
        <Show when=move || any.get()>
            <ul class="named-list" role="list">
                <For each=move || presets.presets.get() key=|preset| (preset.id, preset.name.clone(), preset.icon) children=line />
            </ul>
        </Show>
        <div class="buttons">
            <button type="button" class="button primary" on:click=move |_| edit(Origin::New)>{t().preset_new()}</button>
            <button type="button" class="button" on:click=move |_| edit(Origin::Conversation)>{t().preset_of_this()}</button>
            <Show when=move || taken.get().is_some()>
                <button type="button" class="button" on:click=move |_| take(None)>{t().preset_leave()}</button>
            </Show>
        </div>
        <Files />
    }
}

/// The prompts. A press writes one into the message.
#[component]
fn Prompts() -> impl IntoView {
    let stores = use_stores();
    let Stores { ui, presets, .. } = stores;
    let any = Memo::new(move |_| !presets.prompts.with(Vec::is_empty));
    let line = move |prompt: Prompt| {
        let id = prompt.id;
        view! {
            <NamedLine
                it=prompt
                glyph=Glyph::Document
                current=false
                on_press=move |prompt| use_prompt(stores, &prompt)
                edit=NamedDialog::Prompt(Origin::Of(id))
            />
        }
    };
    view! {
        <p class="hint">{t().prompts_hint()}</p>
        <Show when=move || any.get()>
            <ul class="named-list" role="list">
                <For each=move || presets.prompts.get() key=|prompt| (prompt.id, prompt.name.clone()) children=line />
            </ul>
        </Show>
        <div class="buttons">
            <button type="button" class="button primary" on:click=move |_| ui.named.set(Some(NamedDialog::Prompt(Origin::New)))>
                {t().prompt_new()}
            </button>
        </div>
        <Files />
    }
}

/// Puts a prompt in the place of the draft; one with variables asks for them first.
pub fn use_prompt(stores: Stores, prompt: &Prompt) {
    if prompt.variables().is_empty() {
        stores.ui.named.set(None);
        stores.chat.set_draft(prompt.text.clone());
        stores.ui.focus_composer.ask(());
    } else {
        stores.ui.named.set(Some(NamedDialog::Fill(prompt.id)));
    }
}

/// A preset or a prompt in its list, with what can be done with it.
#[component]
fn NamedLine<T: Listed + InFile>(
    /// What it is. It is read anew when something is done with it.
    it: T,
    /// What is drawn.
    glyph: Glyph,
    /// Whether it is in use.
    #[prop(into)]
    current: Signal<bool>,
    /// Uses it.
    #[prop(into)]
    on_press: Callback<T>,
    /// Its form.
    edit: NamedDialog,
) -> impl IntoView
where
    T::Id: Send + Sync + 'static,
{
    let stores = use_stores();
    let id = it.id();
    let name = it.name().to_owned();
    let with = move |act: &dyn Fn(T)| {
        if let Some(it) = untrack(|| stores.presets.get::<T>(id)) {
            act(it);
        }
    };
    let edit = StoredValue::new(edit);
    let duplicate = move |it: T| {
        let name = stores.presets.free_name::<T>(it.name());
        spawn_local(stores.put_named(it.copy(name)));
    };
    let delete = move |()| {
        browser::next_frame(browser::focus_somewhere);
        with(&|it| stores.delete_named(it));
    };
    view! {
        <li class="named-line">
            <button
                type="button"
                class="button quiet"
                aria-current=move || current.get().then_some("true")
                on:click=move |_| with(&|it| on_press.run(it))
            >
                <Icon glyph=glyph />
                <span dir="auto">{name.clone()}</span>
                {move || current.get().then(|| view! { <Icon glyph=Glyph::Check /> })}
            </button>
            <Menu label=t().rail_actions(&name)>
                <MenuItem glyph=Glyph::Edit label=t().named_edit() on_press=move |()| stores.ui.named.set(Some(edit.get_value())) />
                <MenuItem glyph=Glyph::Copy label=t().rail_duplicate() on_press=move |()| with(&duplicate) />
                <MenuItem glyph=Glyph::Export label=t().export() on_press=move |()| with(&|it| save(&it.in_file())) />
                <MenuItem glyph=Glyph::Delete label=t().delete() on_press=delete />
            </Menu>
        </li>
    }
}

/// A kind that a file can have.
trait InFile {
    /// A file with it alone.
    fn in_file(self) -> PresetFile;
}

impl InFile for Preset {
    fn in_file(self) -> PresetFile {
        PresetFile::new(vec![self], Vec::new())
    }
}

impl InFile for Prompt {
    fn in_file(self) -> PresetFile {
        PresetFile::new(Vec::new(), vec![self])
    }
}

/// Import and export of all presets and prompts.
#[component]
fn Files() -> impl IntoView {
    let stores = use_stores();
    let presets = stores.presets;
    let all = move || PresetFile::new(presets.presets.get_untracked(), presets.prompts.get_untracked());
    let any =
        Memo::new(move |_| !presets.presets.with(Vec::is_empty) || !presets.prompts.with(Vec::is_empty));
    view! {
        <div class="buttons">
            <button type="button" class="button quiet" on:click=move |_| pick_named(stores)>{t().rail_import()}</button>
            <Show when=move || any.get()>
                <button type="button" class="button quiet" on:click=move |_| save(&all())>{t().named_export_all()}</button>
            </Show>
        </div>
    }
}

fn save(file: &PresetFile) {
    browser::download(t().named_file(), "application/json", &file.to_json());
}
