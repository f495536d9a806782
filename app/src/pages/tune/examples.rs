//! The first step: examples.

use gloo_file::futures::read_as_text;
use leptos::{html, prelude::*, task::spawn_local};
use protocol::tune::TableColumns;

use super::preview::PreviewView;
use crate::{
    components::{Glyph, Icon, IconButton},
    format,
    state::{
        tune::{Origin, TextSource},
        use_stores,
    },
};

/// Files above this are not read: the page would hold them several times.
const MOST_BYTES: u64 = 32_000_000;
/// Above this, the text is not put into a field to be edited.
const MOST_EDITED: usize = 200_000;

/// Where examples come from, what is in them, and what would be learned.
#[component]
pub fn ExamplesSection() -> impl IntoView {
    let tune = use_stores().tune;
    let choices = [
        (Origin::Pairs, "Write them here"),
        (Origin::Text, "A file, or text to paste"),
        (Origin::Chat, "The conversation I just had"),
    ];
    let radios: Vec<_> = choices
        .into_iter()
        .map(|(origin, words)| {
            view! {
                <label class="radio">
                    <input
                        type="radio"
                        name="origin"
                        prop:checked=move || tune.origin.get() == origin
                        on:change=move |_| tune.origin.set(origin)
                    />
                    {words}
                </label>
            }
        })
        .collect();
    let source = move || match tune.origin.get() {
        Origin::Pairs => view! { <PairsEditor /> }.into_any(),
        Origin::Text => view! { <TextEditor /> }.into_any(),
        Origin::Chat => view! { <ChatSource /> }.into_any(),
    };
    view! {
        <section class="part" aria-labelledby="tune-examples">
            <h2 id="tune-examples">"1. Examples"</h2>
            <fieldset class="choices">
                <legend>"Where they come from"</legend>
                {radios}
            </fieldset>
            {source}
            <PreviewView />
        </section>
    }
    .into_any()
}

/// Questions and answers in a small table.
#[component]
fn PairsEditor() -> impl IntoView {
    let tune = use_stores().tune;
    let table = NodeRef::<html::Div>::new();
    let add = move |_| {
        tune.pairs.update(|pairs| pairs.push((String::new(), String::new())));
        // Once the row is there.
        request_animation_frame(move || {
            let fields =
                table.get_untracked().and_then(|table| table.query_selector("[data-last]").ok().flatten());
            if let Some(field) =
                fields.and_then(|it| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(it).ok())
            {
                field.focus().ok();
            }
        });
    };
    let row = move |index: usize| {
        let side = move |first: bool, label: String| {
            let value = move || {
                tune.pairs.with(|pairs| {
                    pairs.get(index).map(|(ask, answer)| if first { ask.clone() } else { answer.clone() })
                })
            };
            let typed = move |event| {
                let text = event_target_value(&event);
                tune.pairs.update(|pairs| {
                    if let Some((ask, answer)) = pairs.get_mut(index) {
                        *(if first { ask } else { answer }) = text;
                    }
                });
            };
            let is_last = move || (first && tune.pairs.with(Vec::len) == index + 1).then_some("");
            view! {
                <textarea
                    rows="2"
                    aria-label=label
                    data-last=is_last
                    prop:value=value
                    on:input=typed
                ></textarea>
            }
        };
        let number = index + 1;
        let remove = move |()| {
            tune.pairs.update(|pairs| {
                if index < pairs.len() {
                    pairs.remove(index);
                }
                if pairs.is_empty() {
                    pairs.push((String::new(), String::new()));
                }
            });
        };
        view! {
            <div class="pair">
                {side(true, format!("Question {number}"))}
                {side(false, format!("Answer {number}"))}
                <IconButton glyph=Glyph::Delete label=format!("Delete example {number}") on_press=remove />
            </div>
        }
    };
    view! {
        <div class="pair-table" node_ref=table>
            <div class="pair pair-head" aria-hidden="true">
                <span>"What one asks"</span>
                <span>"What the model is to answer"</span>
            </div>
            <For each=move || 0..tune.pairs.with(Vec::len) key=|index| *index children=row />
        </div>
        <div class="buttons">
            <button type="button" class="button" on:click=add>
                <Icon glyph=Glyph::Plus />
                "Add an example"
            </button>
        </div>
        <p class="hint">
            "Ten examples of one thing, asked in different words, teach more than one example ten times."
        </p>
    }
    .into_any()
}

/// A file, or text that is pasted.
#[component]
fn TextEditor() -> impl IntoView {
    let stores = use_stores();
    let tune = stores.tune;
    let input = NodeRef::<html::Input>::new();
    let take = move |file: web_sys::File| {
        if file.size() as u64 > MOST_BYTES {
            let size = format::bytes(file.size() as u64);
            stores
                .ui
                .toast(format!("This file has {size}; up to {} can be read.", format::bytes(MOST_BYTES)));
            return;
        }
        let name = file.name();
        spawn_local(async move {
            match read_as_text(&gloo_file::File::from(file)).await {
                Ok(text) => tune.text.set(TextSource { text, file: name, columns: None }),
                Err(error) => stores.ui.toast(format!("The file cannot be read: {error}.")),
            }
        });
    };
    let picked = move |_| {
        let Some(input) = input.get_untracked() else { return };
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            take(file);
        }
        // The same file may be picked again.
        input.set_value("");
    };
    let press = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    let file = Memo::new(move |_| tune.text.with(|source| source.file.clone()));
    let long = Memo::new(move |_| tune.text.with(|source| source.text.len() > MOST_EDITED));
    let about = move || {
        let file = file.get();
        let size = tune.text.with(|source| format::bytes(source.text.len() as u64));
        (!file.is_empty()).then(|| view! { <p>{format!("{file}, {size}. ")}
            <button type="button" class="button quiet" on:click=move |_| tune.text.set(TextSource::default())>"Remove"</button>
        </p> })
    };
    view! {
        <div class="buttons">
            <button type="button" class="button" on:click=press>
                <Icon glyph=Glyph::Folder />
                "Choose a file…"
            </button>
            <input
                type="file"
                class="visually-hidden"
                node_ref=input
                accept=".jsonl,.json,.ndjson,.csv,.tsv,.txt"
                tabindex="-1"
                aria-label="A file of examples"
                on:change=picked
            />
        </div>
        {about}
        <Show
            when=move || !long.get()
            fallback=|| view! { <p class="muted">"The text is too long to be edited here."</p> }
        >
            <label class="field">
                <span>"Or paste them here"</span>
                <textarea
                    class="code-field"
                    rows="6"
                    spellcheck="false"
                    placeholder="{\"prompt\": \"…\", \"completion\": \"…\"}"
                    prop:value=move || tune.text.with(|source| source.text.clone())
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        tune.text.update(|source| {
                            source.text = text;
                            source.columns = None;
                        });
                    }
                ></textarea>
            </label>
        </Show>
        <ColumnChoice />
        <p class="hint">
            "One example a line as JSON: chats (“messages” or “conversations”), a “prompt” with its “completion”, or “ids” with “labels”. Or a table (CSV) with names in its first line."
        </p>
    }
    .into_any()
}

/// Of a table: which columns to read.
#[component]
fn ColumnChoice() -> impl IntoView {
    let tune = use_stores().tune;
    let columns = Memo::new(move |_| {
        tune.preview.with(|preview| preview.as_ref().map(|it| it.columns.clone()).unwrap_or_default())
    });
    let chosen = Memo::new(move |_| {
        tune.preview.with(|preview| preview.as_ref().and_then(|it| it.chosen.clone()).unwrap_or_default())
    });
    let choice = move |label: &'static str,
                       none: bool,
                       read: fn(&TableColumns) -> &String,
                       write: fn(&mut TableColumns, String)| {
        let options = move || {
            let none = none.then(|| (String::new(), "None".to_owned()));
            let all = columns.get().into_iter().map(|name| (name.clone(), name));
            none.into_iter()
                .chain(all)
                .map(|(value, words)| {
                    let this = value.clone();
                    let selected = move || chosen.with(|chosen| *read(chosen) == this);
                    view! { <option value=value prop:selected=selected>{words}</option> }
                })
                .collect::<Vec<_>>()
        };
        let change = move |event| {
            let mut columns = chosen.get_untracked();
            write(&mut columns, event_target_value(&event));
            tune.text.update(|source| source.columns = Some(columns));
        };
        view! {
            <label class="field">
                <span>{label}</span>
                <select on:change=change>{options}</select>
            </label>
        }
    };
    view! {
        <Show when=move || !columns.with(Vec::is_empty)>
            <div class="fields">
                {choice("Question", false, |it| &it.prompt, |it, name| it.prompt = name)}
                {choice("Answer", false, |it| &it.answer, |it, name| it.answer = name)}
                {choice("Instructions", true, |it| &it.system, |it, name| it.system = name)}
            </div>
        </Show>
    }
    .into_any()
}

/// The conversation that was last on screen.
#[component]
fn ChatSource() -> impl IntoView {
    let stores = use_stores();
    let words = move || {
        let messages = stores.tune.chat_messages();
        let answers =
            messages.iter().filter(|message| message.role == protocol::Role::Assistant).count() as u64;
        let title = stores.chat.conversation.with(|conversation| conversation.title.clone());
        if answers == 0 {
            "There is no answer in the conversation yet. Have one first, or open one from the list."
                .to_owned()
        } else {
            let title = if title.is_empty() { "Untitled".to_owned() } else { title };
            format!("“{title}”, as it is on screen, with {}.", format::counted(answers, "answer", "answers"))
        }
    };
    view! {
        <p>{words}</p>
        <p class="hint">"Pictures and sound in it are left out."</p>
    }
}
