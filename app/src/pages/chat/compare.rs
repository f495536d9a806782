//! Two answers to the last question side by side: with the adapters as they are set, and without.

use leptos::{prelude::*, task::spawn_local};
use protocol::{Failure, RequestId};

use crate::{
    components::FailureBox,
    content::Markdown,
    failures,
    language::t,
    state::{use_adapters, use_chat, use_engine, use_ui},
};

/// One of the two answers.
#[derive(Clone, Copy, Default)]
struct Side {
    text: RwSignal<String>,
    done: RwSignal<bool>,
}

/// Both answers.
#[component]
pub fn CompareContent() -> impl IntoView {
    let (adapters, chat, engine, ui) = (use_adapters(), use_chat(), use_engine(), use_ui());
    let (with, without) = (Side::default(), Side::default());
    let failure = RwSignal::new(None::<Failure>);
    let running = StoredValue::new(None::<RequestId>);
    spawn_local(async move {
        // The same draw for both, so that what differs is the adapter's.
        let seed = js_sys::Math::random().to_bits() & 0xffff_ffff;
        for (side, scales) in [(with, adapters.scales()), (without, adapters.scales_off())] {
            let add = |text: &str| {
                side.text.try_update(|all| all.push_str(text));
            };
            if let Err(error) = chat.answer_apart(scales, seed, running, add).await {
                ui.say(failures::sentence(&error));
                failure.try_set(Some(error));
                return;
            }
            side.done.try_set(true);
        }
    });
    // Who closes the dialog wants no more of it.
    on_cleanup(move || {
        if let Some(id) = running.try_get_value().flatten() {
            engine.cancel(id);
        }
    });
    let pane = |title: &'static str, side: Side| {
        view! {
            <section class="compare-pane" aria-label=title aria-busy=move || (!side.done.get() && failure.with(Option::is_none)).to_string()>
                <h3>{title}</h3>
                <Show when=move || side.text.with(String::is_empty) && !side.done.get() && failure.with(Option::is_none)>
                    <p class="hint">{t().compare_waiting()}</p>
                </Show>
                <Markdown text=side.text />
            </section>
        }
    };
    view! {
        {move || failure.get().map(|failure| view! { <FailureBox failure=failure /> })}
        <div class="compare-panes">
            {pane(t().compare_with(), with)}
            {pane(t().compare_without(), without)}
        </div>
        <p class="hint">{t().compare_hint()}</p>
    }
}
