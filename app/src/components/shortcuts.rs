//! The keys that do something, in a dialog.

use leptos::prelude::*;

use super::Dialog;
use crate::state::{settings::SendKey, use_stores};

/// The list of keyboard shortcuts.
#[component]
pub fn ShortcutsDialog() -> impl IntoView {
    let open = use_stores().ui.shortcuts;
    view! {
        <Dialog open=open title="Keyboard shortcuts" class="shortcuts">
            <Shortcuts />
        </Dialog>
    }
}

#[component]
fn Shortcuts() -> impl IntoView {
    let settings = use_stores().settings;
    let rows = move || {
        let (send_key, single) = settings.value.with(|settings| (settings.send_key, settings.single_keys));
        let (send, line) = match send_key {
            SendKey::Enter => (&["Enter"][..], &["Shift", "Enter"][..]),
            SendKey::Modified => (&["Ctrl", "Enter"][..], &["Enter"][..]),
        };
        let always: [(&[&str], &str); 6] = [
            (&["Ctrl", "K"], "Go to a conversation, a model or a page, or run a command"),
            (send, "Send the message"),
            (line, "Start a new line"),
            (&["↑"], "Edit your last message, when the field is empty"),
            (&["Esc"], "Stop the answer, or close what is open"),
            (&["Tab"], "Go to the next control"),
        ];
        let single: &[(&[&str], &str)] =
            if single { &[(&["/"], "Go to the message field"), (&["?"], "Show this list")] } else { &[] };
        always.iter().chain(single).map(|&(keys, words)| row(keys, words)).collect::<Vec<_>>()
    };
    view! {
        <dl class="pairs">{rows}</dl>
        <p class="hint">"On a Mac, use ⌘ instead of Ctrl. Keys without Ctrl can be turned off in Settings."</p>
    }
}

fn row(keys: &[&'static str], words: &'static str) -> AnyView {
    let keys: Vec<_> = keys.iter().map(|&key| view! { <kbd>{key}</kbd> }).collect();
    view! { <div><dt>{words}</dt><dd>{keys}</dd></div> }.into_any()
}
