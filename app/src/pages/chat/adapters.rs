//! LoRA adapters in the composer and in the drawer.

use leptos::{html, prelude::*};

use crate::{
    browser,
    components::{FailureBox, Glyph, Icon, IconButton, Switch},
    format,
    language::t,
    state::{
        Stores, adapters::OpenAdapter, models::ModelState, use_adapters, use_chat, use_engine, use_stores,
        use_tune, use_ui,
    },
};

/// Values of the composer's list that are no adapter.
const NONE: &str = "none";
const SEVERAL: &str = "several";
const OPEN: &str = "open";

/// What an adapter is called where there is room for a few words.
fn short(name: &str) -> String {
    name.trim_end_matches(".gguf").trim_end_matches(".safetensors").to_owned()
}

/// Hands picked files to the store.
fn picked(stores: Stores, input: NodeRef<html::Input>) {
    let Some(input) = input.get_untracked() else { return };
    if let Some(files) = input.files() {
        let files = gloo_file::FileList::from(files);
        let files = files.iter().map(|file| AsRef::<web_sys::File>::as_ref(file).clone());
        stores.adapters.open_files(files.collect());
    }
    // The same file may be picked again.
    input.set_value("");
}

/// The field behind a button that opens adapters, which is pressed for it.
#[component]
fn FilesInput(node_ref: NodeRef<html::Input>, label: &'static str) -> impl IntoView {
    let stores = use_stores();
    view! {
        <input
            type="file"
            hidden
            node_ref=node_ref
            accept=".gguf,.safetensors,.json"
            multiple
            aria-label=label
            on:change=move |_| picked(stores, node_ref)
        />
    }
}

/// Which adapter the next answer is written with. Only where a model is loaded and there is one to choose.
#[component]
pub fn AdapterChoice() -> impl IntoView {
    let (adapters, ui, engine, tune) = (use_adapters(), use_ui(), use_engine(), use_tune());
    let input = NodeRef::<html::Input>::new();
    let list = NodeRef::<html::Select>::new();
    let ready = Memo::new(move |_| engine.model.with(ModelState::takes_adapters));
    // Those that were trained here can be chosen before they are open.
    Effect::new(move |_| {
        if ready.get() && tune.adapters.with_untracked(Option::is_none) {
            tune.list();
        }
    });
    let kept = Memo::new(move |_| {
        let model = engine.model.with(|model| model.choice().map(|choice| choice.entry.name.clone()));
        let kept = tune.adapters.get().unwrap_or_default().into_iter();
        kept.filter(|it| model.as_ref() == Some(&it.model) && !adapters.has_kept(&it.id)).collect::<Vec<_>>()
    });
    let chosen = Memo::new(move |_| {
        let counting = adapters.counting();
        match counting.as_slice() {
            [] => NONE.to_owned(),
            [one] => one.clone(),
            _ => SEVERAL.to_owned(),
        }
    });
    // The list shows what is in force, also after “Open a file…”, which is no choice.
    let show = move || {
        if let Some(list) = list.get_untracked() {
            list.set_value(&chosen.get_untracked());
        }
    };
    Effect::new(move |_| {
        chosen.track();
        adapters.all.track();
        kept.track();
        if list.get().is_some() {
            browser::next_frame(show);
        }
    });
    // The drawer has room for the reason.
    Effect::new(move |_| {
        if adapters.failure.with(Option::is_some) {
            ui.drawer.set(true);
        }
    });
    let change = move |event: web_sys::Event| {
        match event_target_value(&event).as_str() {
            OPEN => {
                if let Some(input) = input.get_untracked() {
                    input.click();
                }
            }
            SEVERAL => ui.drawer.set(true),
            NONE => adapters.only(None),
            key => match kept.with_untracked(|kept| kept.iter().find(|it| it.id == key).cloned()) {
                Some(kept) => adapters.open_kept(&kept),
                None => adapters.only(Some(key)),
            },
        }
        show();
    };
    let any = Memo::new(move |_| {
        !adapters.all.with(Vec::is_empty) || !kept.with(Vec::is_empty) || adapters.opening.get() > 0
    });
    let several = move || {
        let count = adapters.counting().len();
        (count > 1).then(|| view! { <option value=SEVERAL>{t().adapters_several(count as u64)}</option> })
    };
    view! {
        <Show when=move || ready.get() && any.get()>
            <select class="adapter-choice" aria-label=t().adapter() title=t().adapter() node_ref=list on:change=change>
                <option value=NONE>
                    {move || if adapters.opening.get() > 0 { t().adapter_opening() } else { t().adapter_none() }}
                </option>
                <For
                    each=move || adapters.all.get()
                    key=|adapter| adapter.details.key.clone()
                    let:adapter
                >
                    <option value=adapter.details.key.clone()>{short(&adapter.details.name)}</option>
                </For>
                <For each=move || kept.get() key=|adapter| adapter.id.clone() let:adapter>
                    <option value=adapter.id.clone()>{short(&adapter.name)}</option>
                </For>
                {several}
                <option value=OPEN>{t().open_file()}</option>
            </select>
            <FilesInput node_ref=input label=t().adapter_files() />
        </Show>
    }
}

/// The adapters with their scales.
#[component]
pub fn AdaptersPart() -> impl IntoView {
    let (adapters, chat, engine, ui) = (use_adapters(), use_chat(), use_engine(), use_ui());
    let input = NodeRef::<html::Input>::new();
    let ready = Memo::new(move |_| engine.model.with(ModelState::is_ready));
    let any = Memo::new(move |_| adapters.all.with(|all| !all.is_empty()));
    let unasked =
        Memo::new(move |_| chat.conversation.with(|conversation| conversation.last_question().is_none()));
    let needs_question = Memo::new(move |_| any.get() && unasked.get());
    let press = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    view! {
        <section class="part" aria-labelledby="adapters-title">
            <h3 id="adapters-title">{t().adapters()}</h3>
            <p class="hint">
                {t().adapters_hint()}
            </p>
            <ul class="open-adapters">
                <For each=move || adapters.all.get() key=|adapter| adapter.details.key.clone() let:adapter>
                    <Row adapter=adapter />
                </For>
            </ul>
            {move || adapters.failure.get().map(|failure| view! { <FailureBox failure=failure /> })}
            <p class="buttons">
                <button type="button" class="button" disabled=move || !ready.get() on:click=press>
                    <Icon glyph=Glyph::Folder />
                    {move || if adapters.opening.get() > 0 { t().adapter_reading() } else { t().adapter_open() }}
                </button>
                <Show when=move || any.get()>
                    <button
                        type="button"
                        class="button"
                        disabled=unasked
                        aria-describedby=move || needs_question.get().then_some("compare-reason")
                        on:click=move |_| ui.compare.set(true)
                    >
                        {t().adapter_compare()}
                    </button>
                </Show>
            </p>
            <Show when=move || needs_question.get()>
                <p class="hint" id="compare-reason">{t().compare_needs_question()}</p>
            </Show>
            <Show when=move || !ready.get()>
                <p class="hint">{t().adapter_load_first()}</p>
            </Show>
            <FilesInput node_ref=input label=t().adapter_files() />
        </section>
    }
}

/// One adapter. `adapter` says which; how it counts is read from the store.
#[component]
fn Row(adapter: OpenAdapter) -> impl IntoView {
    let adapters = use_adapters();
    let key = StoredValue::new(adapter.details.key.clone());
    let of = move |read: fn(&OpenAdapter) -> f32| {
        Memo::new(move |_| {
            let found = adapters.all.with(|all| {
                let adapter = key.with_value(|key| all.iter().find(|it| it.details.key == *key).cloned());
                adapter.as_ref().map(read)
            });
            found.unwrap_or_default()
        })
    };
    let on = of(|adapter| f32::from(u8::from(adapter.on)));
    let scale = of(|adapter| adapter.scale);
    let change = move |change: &dyn Fn(&mut OpenAdapter)| {
        key.with_value(|key| adapters.change(key, |adapter| change(adapter)));
    };
    let details = adapter.details;
    let facts = t().adapter_facts(details.rank.into(), details.layers.into(), details.parameters);
    let name = short(&details.name);
    let slider_label = t().adapter_scale(&name);
    let remove_label = t().remove(&name);
    view! {
        <li class="open-adapter">
            <div class="open-adapter-head">
                <div class="open-adapter-name">
                    <strong>{name}</strong>
                    <span class="hint">{facts}</span>
                </div>
                <Show when=move || !adapter.own>
                    <IconButton
                        glyph=Glyph::Close
                        label=remove_label.clone()
                        on_press=move |()| key.with_value(|key| adapters.close(key))
                    />
                </Show>
            </div>
            <Switch
                label=t().adapter_on()
                on=Signal::derive(move || on.get() != 0.0)
                on_change=move |on| change(&|adapter| adapter.on = on)
            />
            <div class="scale">
                <input
                    type="range"
                    min="0"
                    max="2"
                    step="0.05"
                    aria-label=slider_label
                    prop:value=move || scale.get().to_string()
                    disabled=move || on.get() == 0.0
                    on:input=move |event| {
                        if let Ok(scale) = event_target_value(&event).parse::<f32>() {
                            change(&|adapter| adapter.scale = scale.clamp(0.0, 2.0));
                        }
                    }
                />
                <output class="numbers">{move || format::number(scale.get().into(), 2)}</output>
            </div>
        </li>
    }
}
