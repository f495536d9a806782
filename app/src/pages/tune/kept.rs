//! The adapters that were made here and are kept.

use leptos::{html, prelude::*, task::spawn_local};
use protocol::tune::{ExportFormat, KeptAdapter};

use super::run::KeptFailureBox;
use crate::{
    browser,
    components::{Glyph, Icon, IconButton},
    format,
    language::{ELEMENT, around, t},
    state::{
        models::{Choice, ModelState},
        use_stores, use_tune,
    },
};

/// The kept adapters.
#[component]
pub fn KeptSection() -> impl IntoView {
    let tune = use_tune();
    let list = move || match tune.adapters.get() {
        None => ().into_any(),
        Some(adapters) if adapters.is_empty() => {
            view! { <p class="muted">{t().tune_none_saved()}</p> }.into_any()
        }
        Some(adapters) => {
            let lines: Vec<_> =
                adapters.into_iter().map(|adapter| view! { <AdapterLine adapter=adapter /> }).collect();
            view! { <ul class="adapters" role="list">{lines}</ul> }.into_any()
        }
    };
    view! {
        <section class="part" aria-labelledby="tune-kept">
            <h2 id="tune-kept">{t().tune_saved()}</h2>
            <KeptFailureBox of_run=false />
            {list}
        </section>
    }
}

/// The adapter that was just made of a run, in the place of the run.
#[component]
pub fn SavedSection(adapter: KeptAdapter) -> impl IntoView {
    let tune = use_tune();
    let words = t().tune_saved_as(&adapter.name);
    let id = StoredValue::new(adapter.id.clone());
    let heading = NodeRef::<html::H2>::new();
    heading.on_load(|heading| {
        // The button that was pressed is gone.
        heading.focus().ok();
    });
    view! {
        <section class="part" aria-labelledby="tune-saved">
            <h2 id="tune-saved" tabindex="-1" node_ref=heading>{words}</h2>
            <div class="buttons">
                <button type="button" class="button primary" on:click=move |_| tune.use_in_chat(&adapter)>
                    <Icon glyph=Glyph::Chat />
                    {t().tune_use()}
                </button>
                <button
                    type="button"
                    class="button"
                    on:click=move |_| tune.export(id.get_value(), ExportFormat::Gguf)
                >
                    <Icon glyph=Glyph::Export />
                    {t().tune_gguf()}
                </button>
            </div>
        </section>
    }
}

#[component]
fn AdapterLine(adapter: KeptAdapter) -> impl IntoView {
    let stores = use_stores();
    let tune = stores.tune;
    let whole = StoredValue::new(adapter.clone());
    let of = adapter.model.clone();
    // Elsewhere it would be refused.
    let fits = Memo::new(move |_| {
        stores
            .engine
            .model
            .with(|model| matches!(model, ModelState::Ready { choice, .. } if choice.entry.name == of))
    });
    let of = adapter.model.clone();
    let in_ollama = Memo::new(move |_| stores.engine.choices.with(|choices| is_in_ollama(choices, &of)));
    let try_it = move |_| whole.with_value(|adapter| tune.use_in_chat(adapter));
    let KeptAdapter { id, name, model, rank, size, made } = adapter;
    let about = t().tune_adapter_about(&model, rank.into(), &format::bytes(size), &browser::local_time(made));
    let id = StoredValue::new(id);
    let export = move |format| move |_| tune.export(id.get_value(), format);
    let asking = RwSignal::new(false);
    let remove = move |_| tune.delete(id.get_value());
    let delete = {
        let name = name.clone();
        move || {
            asking.get().then(|| {
                view! {
                    <div class="buttons" role="group" aria-label=t().tune_delete_title()>
                        <span>{t().tune_delete_question(&name)}</span>
                        <button type="button" class="button" on:click=remove>{t().delete()}</button>
                        <button type="button" class="button quiet" on:click=move |_| asking.set(false)>{t().cancel()}</button>
                    </div>
                }
            })
        }
    };
    let text = StoredValue::new(modelfile(&model, &name));
    let copy = move |_| {
        let text = text.get_value();
        spawn_local(async move {
            let copied = browser::copy_text(&text).await;
            stores.ui.toast(if copied { t().copied() } else { t().copy_refused() });
        });
    };
    view! {
        <li class="adapter">
            <div class="adapter-head">
                <div>
                    <strong>{name.clone()}</strong>
                    <p class="muted">{about}</p>
                </div>
                <IconButton glyph=Glyph::Delete label=t().delete_named(&name) on_press=move |()| asking.set(true) />
            </div>
            {delete}
            <div class="buttons">
                <button type="button" class="button" disabled=move || !fits.get() on:click=try_it>
                    <Icon glyph=Glyph::Chat />
                    {t().tune_use()}
                </button>
                <button type="button" class="button" on:click=export(ExportFormat::Gguf)>
                    <Icon glyph=Glyph::Export />
                    {t().tune_gguf()}
                </button>
                <button type="button" class="button" on:click=export(ExportFormat::Peft)>
                    <Icon glyph=Glyph::Export />
                    {t().tune_peft()}
                </button>
            </div>
            <Show when=move || in_ollama.get()>
                <details class="fold">
                    <summary>{t().tune_ollama()}</summary>
                    <div class="fold-body">
                        <p>{ollama_words()}</p>
                        <pre tabindex="0"><code>{text.get_value()}</code></pre>
                        <div class="buttons"><button type="button" class="button" on:click=copy>{t().tune_copy_lines()}</button></div>
                    </div>
                </details>
            </Show>
        </li>
    }
}

/// The two lines that use an adapter in Ollama.
fn ollama_words() -> AnyView {
    let (before, after) = around(&t().tune_ollama_steps(ELEMENT));
    view! { {before} <code>{CREATE}</code> {after} }.into_any()
}

/// Whether Ollama can have the model of this name: it doesn't have the demo.
fn is_in_ollama(choices: &[Choice], model: &str) -> bool {
    !choices.iter().any(|choice| choice.entry.demo && choice.entry.name == model)
}

/// What makes a model of a Modelfile.
const CREATE: &str = "ollama create my-model";

fn modelfile(model: &str, name: &str) -> String {
    format!("FROM {model}\nADAPTER ./{}\n", protocol::tune::file_name(name))
}

#[cfg(test)]
mod tests {
    use protocol::CatalogEntry;

    use super::{Choice, is_in_ollama, modelfile};

    #[test]
    fn the_demo_is_not_offered_for_ollama() {
        let choice = |name: &str, demo| {
            Choice::server(CatalogEntry { name: name.into(), demo, ..CatalogEntry::default() })
        };
        let all = [choice("pebble", true), choice("gemma4:e2b", false)];
        assert!(!is_in_ollama(&all, "pebble"));
        assert!(is_in_ollama(&all, "gemma4:e2b"));
        assert!(is_in_ollama(&[], "gemma4:e2b"));
    }

    #[test]
    fn two_lines_suffice() {
        assert_eq!(modelfile("gemma4:e2b", "My cat / 2"), "FROM gemma4:e2b\nADAPTER ./my-cat-2.gguf\n");
    }
}
