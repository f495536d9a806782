//! What is kept of models in this browser.

use leptos::prelude::*;
use protocol::CacheEntry;

use crate::{
    browser,
    components::{Glyph, IconButton},
    format,
    language::t,
    state::{models::Choice, use_engine},
    webgpu_advice::{self, Browser},
};

/// What is kept in this browser of a listed model with its projector and drafter, and its deletion.
#[component]
pub fn Saved(choice: Choice) -> impl IntoView {
    let engine = use_engine();
    let entries = Memo::new(move |_| {
        engine.cache.with(|report| {
            let entries = report.iter().flat_map(|report| &report.entries);
            let mut own: Vec<_> = entries.filter(|entry| belongs(entry, &choice)).cloned().collect();
            // The model first: if it is in use, nothing is deleted.
            own.sort_by_key(|entry| entry.digest != choice.entry.digest);
            own
        })
    });
    let line = move |entries: Vec<CacheEntry>| {
        let label = t().saved_delete(&entries.first()?.name);
        let words = t().saved_here(&size(&entries));
        let delete = move |()| engine.read_cache(entries.iter().map(|entry| entry.digest.clone()).collect());
        Some(view! {
            <p class="model-saved">
                {words}
                <IconButton glyph=Glyph::Delete label=label on_press=delete />
            </p>
        })
    };
    move || line(entries.get())
}

/// When the copy of a listed model was last found to be right.
#[component]
pub fn Checked(choice: Choice) -> impl IntoView {
    let engine = use_engine();
    let checked = Memo::new(move |_| {
        engine.cache.with(|report| {
            let entries = report.iter().flat_map(|report| &report.entries);
            // All files of the model were.
            let own = entries.filter(|entry| belongs(entry, &choice)).map(|entry| entry.checked);
            own.reduce(f64::min).filter(|&checked| checked > 0.0)
        })
    });
    let words =
        move |checked| view! { <p class="hint">{t().saved_checked_on(&browser::local_time(checked))}</p> };
    move || checked.get().map(words)
}

/// Whether a blob is one of the files of a listed model.
fn belongs(entry: &CacheEntry, choice: &Choice) -> bool {
    let model = &choice.entry;
    !entry.digest.is_empty()
        && (entry.digest == model.digest || model.layers.iter().any(|layer| layer.digest == entry.digest))
}

/// How much of some blobs is kept.
fn size(entries: &[CacheEntry]) -> String {
    let sum = |of: fn(&CacheEntry) -> u64| entries.iter().map(of).sum();
    let (present, size) = (sum(|entry| entry.present), sum(|entry| entry.size));
    if present >= size { format::bytes(size) } else { t().saved_partly(&format::bytes_of(present, size)) }
}

/// Whether the browser deletes what a page keeps after seven days without a visit. Safari does, and so do all browsers on
/// iPhones and iPads, unless the page was added to the Home Screen or the Dock.
fn deletes_unvisited() -> bool {
    let browser = webgpu_advice::browser(&browser::user_agent());
    matches!(browser, Browser::Safari | Browser::Ios) && !browser::matches_media("(display-mode: standalone)")
}

/// How much room is left, and what is kept that belongs to no listed model by itself.
#[component]
pub fn SavedOthers() -> impl IntoView {
    let engine = use_engine();
    let line = move |entry: CacheEntry| {
        let digest = entry.digest.clone();
        let label = t().saved_delete(&entry.name);
        view! {
            <tr>
                <th scope="row">{entry.name.clone()}</th>
                <td class="numbers">{size(std::slice::from_ref(&entry))}</td>
                <td><code>{format::short_digest(&entry.digest).to_owned()}</code></td>
                <td>{browser::local_time(entry.last_used)}</td>
                <td>{(entry.checked > 0.0).then(|| browser::local_time(entry.checked))}</td>
                <td>
                    <IconButton glyph=Glyph::Delete label=label on_press=move |()| engine.read_cache(vec![digest.clone()]) />
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
            let week = (!report.persisted && deletes_unvisited()).then(|| t().saved_week());
            let empty = report.entries.is_empty();
            let listed = engine.choices.get();
            let is_other = |entry: &CacheEntry| !listed.iter().any(|choice| belongs(entry, choice));
            let others: Vec<_> = report.entries.into_iter().filter(is_other).map(line).collect();
            view! {
                <p class="hint">{space} " " {(!empty).then_some(promise)} " " {week.filter(|_| !empty)}</p>
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
                                        <th scope="col">{t().saved_checked()}</th>
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
