//! A block of code with its language and a button to copy it.

use std::sync::Arc;

use leptos::prelude::*;

use super::highlight::{Line, highlight, label};

use crate::{browser, language::t};

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
    let name = move || language.with(|language| label(language).to_owned());
    view! {
        <figure class="code-block" dir="ltr">
            <figcaption class="code-head">
                <span class="code-language">{name}</span>
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
        </figure>
    }
    .into_any()
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
            let done = clipboard::write(&text).await;
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
    .into_any()
}

/// The clipboard of a browser.
#[cfg(target_arch = "wasm32")]
mod clipboard {
    use wasm_bindgen::JsCast as _;
    use web_sys::{HtmlDocument, HtmlTextAreaElement};

    /// Copies a text; gives whether it worked.
    pub(super) async fn write(text: &str) -> bool {
        let Some(window) = web_sys::window() else { return false };
        // Absent where the page is not served securely.
        let clipboard = js_sys::Reflect::get(&window.navigator(), &"clipboard".into());
        if clipboard.is_ok_and(|clipboard| clipboard.is_object()) {
            let promise = window.navigator().clipboard().write_text(text);
            if wasm_bindgen_futures::JsFuture::from(promise).await.is_ok() {
                return true;
            }
        }
        select_and_copy(text).unwrap_or(false)
    }

    /// The old way: a hidden field, selected. Works where the clipboard is refused.
    fn select_and_copy(text: &str) -> Option<bool> {
        let document = web_sys::window()?.document()?;
        let focused = document.active_element();
        let field: HtmlTextAreaElement = document.create_element("textarea").ok()?.dyn_into().ok()?;
        field.set_value(text);
        field.set_class_name("copy-field");
        field.set_attribute("aria-hidden", "true").ok()?;
        let body = document.body()?;
        body.append_child(&field).ok()?;
        field.select();
        let copied =
            document.dyn_ref::<HtmlDocument>().and_then(|document| document.exec_command("copy").ok());
        body.remove_child(&field).ok()?;
        if let Some(focused) = focused.and_then(|focused| focused.dyn_into::<web_sys::HtmlElement>().ok()) {
            focused.focus().ok();
        }
        copied
    }
}

/// There is no clipboard on a server.
#[cfg(not(target_arch = "wasm32"))]
mod clipboard {
    #[expect(clippy::unused_async, reason = "the same signature as in the browser")]
    pub(super) async fn write(_: &str) -> bool {
        false
    }
}
