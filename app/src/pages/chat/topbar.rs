//! The line above the conversation: the model, the context, the drawer.

use leptos::prelude::*;

use crate::{
    components::{Glyph, IconButton, ModelButton, RailButton},
    history::Conversation,
    language::t,
    state::{models::ModelState, use_chat, use_engine, use_ui},
};

/// The line.
#[component]
pub fn TopBar() -> impl IntoView {
    let (ui, engine, chat) = (use_ui(), use_engine(), use_chat());
    let context = Memo::new(move |_| {
        let size = engine.model.with(|model| match model {
            ModelState::Ready { context, .. } => Some(*context),
            _ => None,
        });
        let last = chat.conversation.with(|conversation| {
            let path = conversation.active_path();
            path.iter().rev().find_map(|&node| conversation.message(node)?.timings)
        });
        let size = size.or(last.map(|timings| timings.context_size)).filter(|&size| size > 0)?;
        let used = last.map_or(0, |timings| timings.context_used);
        let answer = chat.answer;
        let here = answer.place.with(|place| {
            place.is_some_and(|place| chat.conversation.with(|it| it.id == place.conversation))
        });
        Some((
            if here { used_so_far(used, answer.read.get(), answer.tokens.get()).min(size) } else { used },
            size,
        ))
    });
    let changed = Memo::new(move |_| chat.conversation.with(Conversation::has_own_settings));
    let known = Memo::new(move |_| context.with(Option::is_some));
    let words = move || context.get().map(|(used, size)| t().context_used(used.into(), size.into()));
    let short = move || context.get().map(|(used, size)| t().context_short(used.into(), size.into()));
    let share = move || context.get().map_or(0.0, |(used, size)| f64::from(used) * 100.0 / f64::from(size));
    view! {
        <header class="topbar">
            <RailButton />
            <ModelButton />
            // It stays the same while it counts, and so does what the press opens.
            <Show when=move || known.get()>
                <button
                    type="button"
                    class="context numbers"
                    class=("nearly-full", move || share() >= 80.0)
                    title=words
                    popovertarget="context-more"
                >
                    <span class="visually-hidden">{words}</span>
                    <svg class="context-ring" viewBox="0 0 20 20" aria-hidden="true">
                        <circle cx="10" cy="10" r="8" />
                        <circle cx="10" cy="10" r="8" pathLength="100" stroke-dasharray=move || format!("{:.1} 100", share()) />
                    </svg>
                </button>
                <div id="context-more" popover="auto" class="figures-more numbers">{short}</div>
            </Show>
            <span class="sliders" class:changed=move || changed.get()>
            <IconButton
                glyph=Glyph::Sliders
                label=Signal::derive(move || if changed.get() { t().drawer_changed() } else { t().palette_drawer() }.to_owned())
                on_press=move |()| ui.drawer.update(|open| *open = !*open)
            />
            </span>
        </header>
    }
}

/// Tokens of the context that a running answer takes: those of its prompt, of which `read` says how many there are in all, and
/// its own. Until that is known, those of the answer `before`.
fn used_so_far(before: u32, (_, prompt): (u32, u32), answer: u32) -> u32 {
    if prompt == 0 { before } else { prompt.saturating_add(answer) }
}

#[cfg(test)]
mod tests {
    use super::used_so_far;

    #[test]
    fn the_context_fills_while_an_answer_is_written() {
        assert_eq!(used_so_far(90, (0, 0), 0), 90, "the prompt is not known yet");
        assert_eq!(used_so_far(90, (10, 120), 0), 120);
        assert_eq!(used_so_far(90, (120, 120), 7), 127);
        assert_eq!(used_so_far(900, (30, 30), 2), 32, "an earlier question in other words");
    }
}
