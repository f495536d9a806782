//! A block of code with its language and what can be done with it.

use std::sync::Arc;

use leptos::prelude::*;

use super::coded::{CodeActions, PreviewKind};
use super::highlight::{Line, highlight, label};

use crate::{browser, language::t};

/// Longer code is folded to so many lines when a message is drawn. The style sheet has them, too.
const SHOWN_LINES: usize = 24;
/// How long the button says that it copied, in milliseconds.
const COPIED_MS: u64 = 2000;

/// A line that is drawn again only if it changed.
#[derive(Clone, PartialEq)]
struct SharedLine(Arc<Line>);

/// Code, coloured by its language. While it grows only the lines that change are drawn again.
#[component]
pub fn CodeBlock(
    /// The language by any of its names; empty for none.
    #[prop(into)]
    language: Signal<String>,
    /// The code.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    let lines = Memo::new(move |_| {
        let lines = language.with(|language| text.with(|text| highlight(language, text)));
        lines.into_iter().map(|line| SharedLine(Arc::new(line))).collect::<Vec<_>>()
    });
    let count = Memo::new(move |_| lines.with(Vec::len));
    // What grows while it is read stays open.
    let folded = RwSignal::new(count.get_untracked() > SHOWN_LINES);
    let is_long = Memo::new(move |_| count.get() > SHOWN_LINES);
    let wraps = RwSignal::new(false);
    let name = move || language.with(|language| label(language).to_owned());
    view! {
        <figure class="code-block" class:folded=folded class:wraps=wraps dir="ltr">
            <figcaption class="code-head">
                <span class="code-language">{name}</span>
                {actions(language, text)}
                <button
                    type="button"
                    class="copy-button"
                    aria-pressed=move || wraps.get().to_string()
                    on:click=move |_| wraps.update(|wraps| *wraps = !*wraps)
                >
                    {t().code_wrap()}
                </button>
                <CopyButton text=text />
            </figcaption>
            // Focusable, so that the keyboard can scroll it.
            <pre class="code-body" tabindex="0">
                <code>
                    <For
                        each=move || 0..count.get()
                        key=|index| *index
                        children=move |index| {
                            let line = Memo::new(move |_| lines.with(|lines| lines.get(index).cloned()));
                            let last = move || index + 1 == count.get();
                            view! {
                                {move || line.get().map(|line| tokens(&line.0))}
                                {move || if last() { "" } else { "\n" }}
                            }
                        }
                    />
                </code>
            </pre>
            <Show when=move || is_long.get()>
                <button
                    type="button"
                    class="copy-button code-more"
                    aria-expanded=move || (!folded.get()).to_string()
                    on:click=move |_| folded.update(|folded| *folded = !*folded)
                >
                    {move || match folded.get() {
                        true => t().code_all(count.get() as u64),
                        false => t().show_less().to_owned(),
                    }}
                </button>
            </Show>
        </figure>
    }
}

/// What can be done with the code of an answer: to see what it makes, and to keep it as a file.
fn actions(language: Signal<String>, text: Signal<String>) -> Option<impl IntoView> {
    let CodeActions { preview, download } = use_context()?;
    let kind =
        Memo::new(move |_| language.with(|language| text.with(|text| PreviewKind::of(language, text))));
    let shown = move || {
        let kind = kind.get()?;
        let press = move |_| preview.run((kind, text.get_untracked()));
        Some(view! { <button type="button" class="copy-button" on:click=press>{t().code_preview()}</button> })
    };
    let keep = move |_| download.run((language.get_untracked(), text.get_untracked()));
    Some(view! {
        {shown}
        <button type="button" class="copy-button" on:click=keep>{t().code_download()}</button>
    })
}

fn tokens(line: &Line) -> Vec<AnyView> {
    let token = |token: &super::highlight::Token| {
        let text = token.text.clone();
        match token.kind.class() {
            Some(class) => view! { <span class=class>{text}</span> }.into_any(),
            None => text.into_any(),
        }
    };
    line.iter().map(token).collect()
}

/// A button that copies a text and says that it did.
#[component]
pub fn CopyButton(
    /// What it copies.
    #[prop(into)]
    text: Signal<String>,
    /// What it says.
    #[prop(default = t().copy())]
    label: &'static str,
) -> impl IntoView {
    let said = RwSignal::new(label);
    let copy = move |_| {
        let text = text.get_untracked();
        leptos::task::spawn_local(async move {
            let done = browser::copy_text(&text).await;
            // The button may be gone by then.
            said.try_set(if done { t().code_copied() } else { t().code_not_copied() });
            let reset = move || {
                said.try_set(label);
            };
            browser::after(std::time::Duration::from_millis(COPIED_MS), reset);
        });
    };
    view! {
        <button type="button" class="copy-button" on:click=copy>
            <span aria-live="polite">{said}</span>
        </button>
    }
}
