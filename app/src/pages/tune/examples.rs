//! The first step: examples.

use leptos::{html, prelude::*};
use protocol::Sense;
use protocol::tune::TableColumns;

use super::preview::PreviewView;
use crate::{
    browser,
    components::{DetailSelect, Glyph, Icon, IconButton},
    format,
    language::{Text, listed, t},
    state::{
        tune::{ENCODINGS, ExampleOrigin},
        use_chat, use_tune,
    },
};

/// Above this, the text is not put into a field to be edited.
const MAX_EDITED: usize = 200_000;

/// Where examples come from, what is in them, and what would be learned.
#[component]
pub fn ExamplesSection() -> impl IntoView {
    let tune = use_tune();
    let choices = [
        (ExampleOrigin::Pairs, t().tune_write()),
        (ExampleOrigin::Text, t().tune_file()),
        (ExampleOrigin::Chat, t().tune_chat()),
    ];
    let radios: Vec<_> = choices
        .into_iter()
        .map(|(origin, words)| {
            view! {
                <label class="radio">
                    <input
                        type="radio"
                        name="origin"
                        checked=tune.origin.get_untracked() == origin
                        prop:checked=move || tune.origin.get() == origin
                        on:change=move |_| tune.origin.set(origin)
                    />
                    {words}
                </label>
            }
        })
        .collect();
    // The origin is set again when the draft is read; what is being typed into must stay.
    let origin = Memo::new(move |_| tune.origin.get());
    let source = move || match origin.get() {
        ExampleOrigin::Pairs => view! { <PairsEditor /> }.into_any(),
        ExampleOrigin::Text => view! { <TextEditor /> }.into_any(),
        ExampleOrigin::Chat => view! { <ChatSource /> }.into_any(),
    };
    view! {
        <section class="part" aria-labelledby="tune-examples">
            <h2 id="tune-examples">{t().tune_examples()}</h2>
            <fieldset>
                <legend>{t().tune_source()}</legend>
                <div class="choices">{radios}</div>
            </fieldset>
            {source}
            <PreviewView />
        </section>
    }
}

/// Questions and answers in a small table.
#[component]
fn PairsEditor() -> impl IntoView {
    let tune = use_tune();
    let table = NodeRef::<html::Div>::new();
    let add = move |_| {
        tune.pairs.update(|pairs| pairs.push((String::new(), String::new())));
        // Once the row is there.
        browser::next_frame(move || {
            let fields =
                table.get_untracked().and_then(|table| table.query_selector("[data-last]").ok().flatten());
            if let Some(field) =
                fields.and_then(|it| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(it).ok())
            {
                field.focus().ok();
            }
        });
    };
    let untouched = Memo::new(move |_| {
        tune.pairs.with(|pairs| pairs.iter().all(|(ask, answer)| ask.is_empty() && answer.is_empty()))
    });
    let fill = move |_| {
        let samples = t().tune_sample_examples().lines().filter_map(|line| line.split_once(" | "));
        let samples: Vec<_> =
            samples.map(|(ask, answer)| (ask.trim().to_owned(), answer.trim().to_owned())).collect();
        tune.settings.update(|settings| {
            if settings.samples.is_empty() {
                settings.samples.extend(samples.first().map(|(ask, _)| ask.clone()));
            }
        });
        tune.pairs.set(samples);
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
            // Beside one another the columns have heads; one below the other each field has its own.
            view! {
                <div class="pair-field">
                    <span class="pair-label" aria-hidden="true">{label.clone()}</span>
                    <textarea
                        rows="2"
                        dir="auto"
                        aria-label=label
                        data-last=is_last
                        prop:value=value
                        on:input=typed
                    ></textarea>
                </div>
            }
        };
        let number = index + 1;
        let remove = move |()| tune.drop_pair(index);
        view! {
            <div class="pair">
                {side(true, t().tune_prompt_of(number as u64))}
                {side(false, t().tune_answer_of(number as u64))}
                <IconButton glyph=Glyph::Delete label=t().tune_delete_example(number as u64) on_press=remove />
            </div>
        }
    };
    view! {
        <div class="pair-table" node_ref=table>
            <div class="pair pair-head" aria-hidden="true">
                <span>{t().figure_prompt()}</span>
                <span>{t().tune_answer()}</span>
            </div>
            <For each=move || 0..tune.pairs.with(Vec::len) key=|index| *index children=row />
        </div>
        <div class="buttons">
            <button type="button" class="button" on:click=add>
                <Icon glyph=Glyph::Plus />
                {t().tune_add()}
            </button>
            <Show when=move || untouched.get()>
                <button type="button" class="button" on:click=fill>{t().tune_use_samples()}</button>
            </Show>
        </div>
        <p class="hint">
            {t().tune_hint()}
        </p>
    }
}

/// A file, or text that is pasted.
#[component]
fn TextEditor() -> impl IntoView {
    let tune = use_tune();
    let input = NodeRef::<html::Input>::new();
    let picked = move |_| {
        let Some(input) = input.get_untracked() else { return };
        if let Some(files) = input.files() {
            tune.take_files((0..files.length()).filter_map(|at| files.get(at)).collect());
        }
        // The same files may be picked again.
        input.set_value("");
    };
    let press = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    let file = Memo::new(move |_| tune.text.with(|source| source.file.clone()));
    let long = Memo::new(move |_| tune.text.with(|source| source.text.len() > MAX_EDITED));
    let remove = move |_| tune.drop_text();
    let about = move || {
        let file = file.get();
        let size = tune.text.with(|source| format::bytes(source.text.len() as u64));
        (!file.is_empty()).then(|| {
            view! { <p>{format!("{file} · {size} ")}
                <button type="button" class="button quiet" on:click=remove>{t().tune_remove()}</button>
            </p> }
        })
    };
    let reading =
        move || tune.reading_file.get().map(|words| view! { <p class="muted">{format!("{words}…")}</p> });
    view! {
        <div class="buttons">
            <button type="button" class="button" on:click=press>
                <Icon glyph=Glyph::Folder />
                {t().tune_choose_files()}
            </button>
            <input
                type="file"
                hidden
                node_ref=input
                multiple
                accept=".jsonl,.json,.ndjson,.csv,.tsv,.txt,image/*,audio/*"
                aria-label=t().tune_files_label()
                on:change=picked
            />
        </div>
        {reading}
        {about}
        <EncodingChoice />
        <GivenMedia />
        <Show
            when=move || !long.get()
            fallback=|| view! { <p class="muted">{t().tune_too_long()}</p> }
        >
            <label class="field">
                <span>{t().tune_paste()}</span>
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
                            // What was changed would be lost.
                            source.encoding.clear();
                            source.columns = None;
                        });
                    }
                ></textarea>
            </label>
        </Show>
        <ColumnChoice />
        <p class="hint">
            {t().tune_format_hint()}
        </p>
        <p class="hint">
            {t().tune_media_hint()}
        </p>
    }
}

/// Of a file that is not Unicode: as what it was read.
#[component]
fn EncodingChoice() -> impl IntoView {
    let tune = use_tune();
    let encoding = Memo::new(move |_| tune.text.with(|source| source.encoding.clone()));
    let words = move || tune.text.with(|source| t().tune_encoding(&source.file, &source.encoding));
    let options = move || {
        let option = |name| {
            let selected = move || encoding.with(|encoding| encoding == name);
            view! { <option value=name prop:selected=selected>{name}</option> }
        };
        ENCODINGS.map(option).into_iter().collect::<Vec<_>>()
    };
    view! {
        <Show when=move || !encoding.with(String::is_empty)>
            <div class="notice slim" role="status">
                <p>{words}</p>
                <label class="field">
                    <span>{t().tune_encoding_label()}</span>
                    <select on:change=move |event| tune.read_as(event_target_value(&event))>{options}</select>
                </label>
            </div>
        </Show>
    }
}

/// The pictures and sounds that were given with the examples.
#[component]
fn GivenMedia() -> impl IntoView {
    let tune = use_tune();
    let words = Memo::new(move |_| {
        tune.text.with(|source| {
            let of = |sense| source.files.iter().filter(|file| file.sense == Ok(sense)).count() as u64;
            let unreadable = source.files.iter().filter(|file| file.sense.is_err()).count() as u64;
            let counts = [
                (of(Sense::Sight), Text::count_images as fn(Text, u64) -> String),
                (of(Sense::Hearing), Text::count_audio),
                (unreadable, Text::count_unreadable),
            ];
            let counted = counts.into_iter().filter(|(count, _)| *count > 0);
            listed(counted.map(|(count, words)| words(t(), count)))
        })
    });
    let has_images = Memo::new(move |_| {
        tune.text.with(|source| source.files.iter().any(|file| file.sense == Ok(Sense::Sight)))
    });
    let detail = Memo::new(move |_| tune.text.with(|source| source.detail));
    let choose = move |detail| tune.text.update(|source| source.detail = detail);
    let view = move || {
        let words = words.get();
        (!words.is_empty()).then(|| {
            view! {
                <p>
                    {t().tune_with_media(&words)} " "
                    <button type="button" class="button quiet" on:click=move |_| tune.drop_media()>{t().tune_remove_media()}</button>
                </p>
            }
        })
    };
    view! {
        {view}
        <Show when=move || has_images.get()>
            <label class="field">
                <span>{t().tune_detail()}</span>
                <DetailSelect chosen=detail on_choose=choose />
            </label>
            <p class="hint">{t().tune_detail_hint()}</p>
        </Show>
    }
}

/// Of a table: which columns to read.
#[component]
fn ColumnChoice() -> impl IntoView {
    let tune = use_tune();
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
            let none = none.then(|| (String::new(), t().settings_none().to_owned()));
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
        <HeaderChoice chosen=chosen />
        <Show when=move || !columns.with(Vec::is_empty)>
            <div class="fields">
                {choice(t().figure_prompt(), false, |it| &it.prompt, |it, name| it.prompt = name)}
                {choice(t().tune_column_context(), true, |it| &it.context, |it, name| it.context = name)}
                {choice(t().figure_answer(), false, |it| &it.answer, |it, name| it.answer = name)}
                {choice(t().tune_column_instructions(), true, |it| &it.system, |it, name| it.system = name)}
            </div>
        </Show>
    }
}

/// Of a table: which line has the names of its columns.
#[component]
fn HeaderChoice(chosen: Memo<TableColumns>) -> impl IntoView {
    let tune = use_tune();
    let heads = Memo::new(move |_| {
        tune.preview.with(|preview| preview.as_ref().map(|it| it.heads.clone()).unwrap_or_default())
    });
    let options = move || {
        let lines =
            heads.get().into_iter().map(|(line, cells)| (line, t().tune_header_line(line.into(), &cells)));
        lines
            .chain([(0, t().settings_none().to_owned())])
            .map(|(line, words)| {
                let selected = move || chosen.with(|chosen| chosen.header == Some(line));
                view! { <option value=line.to_string() prop:selected=selected>{words}</option> }
            })
            .collect::<Vec<_>>()
    };
    let change = move |event| {
        // The columns are found by their names again.
        let columns =
            TableColumns { header: event_target_value(&event).parse().ok(), ..TableColumns::default() };
        tune.text.update(|source| source.columns = Some(columns));
    };
    view! {
        <Show when=move || !heads.with(Vec::is_empty)>
            <label class="field">
                <span>{t().tune_header()}</span>
                <select on:change=change>{options}</select>
            </label>
        </Show>
    }
}

/// The conversation that was last on screen.
#[component]
fn ChatSource() -> impl IntoView {
    let (chat, tune) = (use_chat(), use_tune());
    let words = move || {
        let answers = tune.chat_answers();
        let title = chat.conversation.with(|conversation| conversation.title.clone());
        if answers == 0 {
            t().tune_chat_empty().to_owned()
        } else {
            let title = if title.is_empty() { t().untitled().to_owned() } else { title };
            t().tune_chat_answers(&title, answers)
        }
    };
    let media = move || match tune.chat_attachments().len() as u64 {
        0 => None,
        count => Some(t().tune_chat_attachments(count)),
    };
    let media = move || media().map(|words| view! { <p class="hint">{words}</p> });
    view! {
        <p>{words}</p>
        {media}
    }
}
