//! The keys that do something.

use leptos::prelude::*;

use crate::{
    language::t,
    state::{settings::SendKey, use_settings},
};

/// The list of keyboard shortcuts.
#[component]
pub fn Shortcuts() -> impl IntoView {
    let settings = use_settings();
    let rows = move || {
        let (send_key, single) = settings.value.with(|settings| (settings.send_key, settings.single_keys));
        let (send, line) = match send_key {
            SendKey::Enter => (&[t().key_enter()][..], &[t().key_shift(), t().key_enter()][..]),
            SendKey::Modified => (&[t().key_ctrl(), t().key_enter()][..], &[t().key_enter()][..]),
        };
        let always: [(&[&str], &str); 7] = [
            (&[t().key_ctrl(), "K"], t().shortcuts_palette()),
            (&[t().key_ctrl(), "B"], t().shortcuts_rail()),
            (send, t().shortcuts_send()),
            (line, t().shortcuts_line()),
            (&["↑"], t().shortcuts_edit()),
            (&[t().key_esc()], t().shortcuts_stop()),
            (&[t().key_tab()], t().shortcuts_tab()),
        ];
        let single: &[(&[&str], &str)] =
            if single { &[(&["/"], t().shortcuts_field()), (&["?"], t().shortcuts_list())] } else { &[] };
        always.iter().chain(single).map(|&(keys, words)| row(keys, words)).collect::<Vec<_>>()
    };
    view! {
        <dl class="pairs">{rows}</dl>
        <p class="hint">{t().shortcuts_hint()}</p>
    }
}

fn row(keys: &[&'static str], words: &'static str) -> AnyView {
    let keys: Vec<_> = keys.iter().map(|&key| view! { <kbd>{key}</kbd> }).collect();
    view! { <div><dt>{words}</dt><dd>{keys}</dd></div> }.into_any()
}
