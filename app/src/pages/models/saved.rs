//! What is kept of models in this browser.

use leptos::prelude::*;
use protocol::CacheEntry;

use crate::{
    browser,
    components::{Glyph, IconButton},
    format,
    language::t,
    state::{models::Choice, use_stores},
};

/// What is kept in this browser of a listed model, and its deletion.
#[component]
pub fn Saved(choice: Choice) -> impl IntoView {
    let engine = use_stores().engine;
    let entry = Memo::new(move |_| {
        let digest = &choice.entry.digest;
        engine.cache.with(|report| {
            let mut entries = report.iter().flat_map(|report| &report.entries);
            entries.find(|entry| !digest.is_empty() && entry.digest == *digest).cloned()
        })
    });
    let line = move |entry: CacheEntry| {
        let label = t().saved_delete(&entry.name);
        let words = t().saved_here(&size(&entry));
        view! {
            <p class="model-saved">
                {words}
                <IconButton glyph=Glyph::Delete label=label on_press=move |()| engine.read_cache(Some(entry.digest.clone())) />
            </p>
        }
    };
    move || entry.get().map(line)
}

/// How much of a blob is kept.
fn size(entry: &CacheEntry) -> String {
    if entry.present >= entry.size {
        format::bytes(entry.size)
    } else {
        t().saved_partly(&format::bytes_of(entry.present, entry.size))
    }
}

/// How much room is left, and what is kept that belongs to no listed model by itself.
#[component]
pub fn SavedOthers() -> impl IntoView {
    let engine = use_stores().engine;
    let line = move |entry: CacheEntry| {
        let digest = entry.digest.clone();
        let label = t().saved_delete(&entry.name);
        view! {
            <tr>
                <th scope="row">{entry.name.clone()}</th>
                <td class="numbers">{size(&entry)}</td>
                <td><code>{format::short_digest(&entry.digest).to_owned()}</code></td>
                <td>{browser::local_time(entry.last_used)}</td>
                <td>
                    <IconButton glyph=Glyph::Delete label=label on_press=move |()| engine.read_cache(Some(digest.clone())) />
                </td>
            </tr>
        }
    };
    let report = move || {
        engine.cache.get().map(|report| {
            let space = t().saved_space(&format::bytes(report.used), &format::bytes(report.quota));
            let promise = if report.persisted {
                t().saved_promise()
            } else {
                t().saved_no_promise()
            };
            let empty = report.entries.is_empty();
            let listed = engine.choices.get();
            let is_other = |entry: &CacheEntry| listed.iter().all(|choice| choice.entry.digest != entry.digest);
            let others: Vec<_> = report.entries.into_iter().filter(is_other).map(line).collect();
            view! {
                <p class="hint">{space} " " {(!empty).then_some(promise)}</p>
                {empty.then(|| view! { <p>{t().saved_none()}</p> })}
                {(!others.is_empty()).then(|| view! {
                        <div class="scroll-x" tabindex="0" role="region" aria-label=t().saved_label()>
                            <table class="table">
                                <thead>
                                    <tr>
                                        <th scope="col">{t().saved_model()}</th>
                                        <th scope="col">{t().saved_size()}</th>
                                        <th scope="col">{t().saved_digest()}</th>
                                        <th scope="col">{t().saved_used()}</th>
                                        <th scope="col"><span class="visually-hidden">{t().saved_actions()}</span></th>
                                    </tr>
                                </thead>
                                <tbody>{others}</tbody>
                            </table>
                        </div>
                })}
            }
        })
    };
    view! {
        <section class="part">
            <h2>{t().settings_storage()}</h2>
            {report}
        </section>
    }
}
