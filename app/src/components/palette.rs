//! The palette: conversations, models and actions by name, from the keyboard.

use std::sync::Arc;

use leptos::{html, prelude::*, task::spawn_local};
use protocol::Role;

use super::transfer::{export_one, pick_archive};
use super::transfer_acts::Format;
use super::{Glyph, Icon};
use crate::{
    browser,
    history::NodeId,
    language::t,
    place::{Place, use_place},
    state::{NamedDialog, Stores, models::Choice, recording::RecordingPhase, settings::Theme, use_stores},
};

/// Lines shown at most: all commands, and some conversations.
const SHOWN: usize = 40;

/// Something that the palette can do.
#[derive(Clone)]
struct Command {
    glyph: Glyph,
    words: String,
    kind: &'static str,
    run: Run,
}

/// What a command does. A `Callback` would go with the palette, which is closed by then.
type Run = Arc<dyn Fn() + Send + Sync>;

/// The field, and what it finds.
#[component]
pub fn PaletteContent() -> impl IntoView {
    let stores = use_stores();
    let open = stores.ui.palette;
    let query = RwSignal::new(String::new());
    let at = RwSignal::new(0_usize);
    let in_chat = matches!(use_place().get_untracked(), Place::Chat(_));
    let all = StoredValue::new(commands(stores, in_chat));
    let found = Memo::new(move |_| {
        query.with(|query| {
            all.with_value(|all| {
                let matching = all.iter().enumerate().filter(|(_, command)| matches(&command.words, query));
                matching.map(|(index, _)| index).take(SHOWN).collect::<Vec<_>>()
            })
        })
    });
    let input = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(input) = input.get() {
            browser::next_frame(move || {
                // It has just been put into the page.
                input.focus().ok();
            });
        }
    });
    let run = move |index: usize| {
        open.set(false);
        let command = all.with_value(|all| all.get(index).cloned());
        if let Some(command) = command {
            // Once the palette has given the focus back.
            browser::after(std::time::Duration::from_millis(20), move || (command.run)());
        }
    };
    let key = move |event: web_sys::KeyboardEvent| {
        if browser::is_composing(&event) {
            return;
        }
        let count = found.with_untracked(Vec::len);
        match event.key().as_str() {
            "ArrowDown" if count > 0 => at.update(|at| *at = (*at + 1) % count),
            "ArrowUp" if count > 0 => at.update(|at| *at = (*at + count - 1) % count),
            "Enter" => {
                if let Some(&index) =
                    found.with_untracked(|found| found.get(at.get_untracked()).copied()).as_ref()
                {
                    run(index);
                }
            }
            _ => return,
        }
        event.prevent_default();
    };
    let none = Memo::new(move |_| found.with(Vec::is_empty));
    Effect::new(move |_| {
        if none.get() {
            stores.ui.say(t().palette_none());
        }
    });
    // The selected line stays in view.
    Effect::new(move |_| {
        let id = found.with(|found| found.get(at.get()).map(|index| line_id(*index)));
        let line = id.and_then(|id| document().get_element_by_id(&id));
        if let Some(line) = line {
            let options = web_sys::ScrollIntoViewOptions::new();
            options.set_block(web_sys::ScrollLogicalPosition::Nearest);
            line.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
    let line = move |index: usize| {
        let command = all.with_value(|all| all.get(index).cloned())?;
        let place = move || found.with(|found| found.iter().position(|&it| it == index));
        let selected = move || place() == Some(at.get());
        Some(view! {
            <li
                id=line_id(index)
                role="option"
                class="command"
                aria-selected=move || selected().to_string()
                on:click=move |_| run(index)
            >
                <Icon glyph=command.glyph />
                <span class="command-words" dir="auto">{command.words}</span>
                <span class="muted">{command.kind}</span>
            </li>
        })
    };
    view! {
        <input
            type="text"
            class="palette-input"
            role="combobox"
            aria-label=t().palette_title()
            aria-expanded="true"
            aria-controls="commands"
            aria-activedescendant=move || {
                found.with(|found| found.get(at.get()).map(|index| line_id(*index)))
            }
            placeholder=t().palette_placeholder()
            autocomplete="off"
            dir="auto"
            node_ref=input
            prop:value=query
            on:input=move |event| {
                query.set(event_target_value(&event));
                at.set(0);
            }
            on:keydown=key
        />
        <ul id="commands" class="commands" role="listbox" aria-label=t().palette_results()>
            <For each=move || found.get() key=|index| *index children=line />
        </ul>
        <p class="muted palette-none">{move || found.with(Vec::is_empty).then_some(t().palette_none())}</p>
    }
}

fn line_id(index: usize) -> String {
    format!("command-{index}")
}

/// Whether all words of the query are in the text; upper and lower case count the same.
fn matches(text: &str, query: &str) -> bool {
    let text = text.to_lowercase();
    query.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

fn commands(stores: Stores, in_chat: bool) -> Vec<Command> {
    let Stores { ui, library, settings, engine, chat, .. } = stores;
    let go = move |place: Place| -> Run { Arc::new(move || ui.go(&place.path())) };
    let action = |glyph, words: &str, run: Run| Command {
        glyph,
        words: words.to_owned(),
        kind: t().palette_action(),
        run,
    };
    let mut all = vec![
        action(Glyph::Plus, t().place_new(), Arc::new(move || chat.start(None, false))),
        action(Glyph::Temporary, t().rail_new_temporary(), Arc::new(move || chat.start(None, true))),
        action(Glyph::Models, t().choose_model(), Arc::new(move || ui.picker.set(true))),
        action(Glyph::Sliders, t().palette_drawer(), Arc::new(move || ui.drawer.set(true))),
    ];
    for (glyph, words, dialog) in [
        (Glyph::Edit, t().presets_title(), NamedDialog::Presets),
        (Glyph::Document, t().prompts_title(), NamedDialog::Prompts),
    ] {
        all.push(action(glyph, words, Arc::new(move || ui.named.set(Some(dialog.clone())))));
    }
    if chat.answer.is_running_untracked() {
        all.insert(0, action(Glyph::Stop, t().palette_stop(), Arc::new(move || chat.stop())));
    }
    if in_chat {
        all.extend(of_conversation(stores).into_iter().map(|(glyph, words, run)| action(glyph, words, run)));
    }
    all.extend([
        action(Glyph::Info, t().shortcuts_title(), Arc::new(move || ui.shortcuts.set(true))),
        action(Glyph::Import, t().palette_import(), Arc::new(move || pick_archive(stores))),
    ]);
    // Each by its own name, and none that is in force: the words never switch to anything else.
    let theme = settings.value.with_untracked(|settings| settings.theme);
    for other in [Theme::Light, Theme::Dark, Theme::System] {
        if other != theme {
            let words = match other {
                Theme::Light => t().palette_light(),
                Theme::Dark => t().palette_dark(),
                Theme::System => t().palette_system(),
            };
            let change = Arc::new(move || settings.change(|settings| settings.theme = other));
            all.push(action(Glyph::Theme, words, change));
        }
    }
    let places = [
        (Glyph::Models, t().place_models(), Place::Models),
        (Glyph::Tune, t().place_tune(), Place::Tune),
        (Glyph::Diagnostics, t().place_diagnostics(), Place::Diagnostics),
        (Glyph::Settings, t().place_settings(), Place::Settings),
    ];
    for (glyph, words, place) in places {
        all.push(Command { glyph, words: words.to_owned(), kind: t().palette_place(), run: go(place) });
    }
    all.extend(library.list.get_untracked().into_iter().map(|summary| Command {
        glyph: Glyph::Chat,
        words: if summary.title.is_empty() { t().untitled().to_owned() } else { summary.title },
        kind: t().place_conversation(),
        run: go(Place::Chat(Some(summary.id))),
    }));
    let usable = |choice: &Choice| choice.entry.chats();
    all.extend(engine.choices.get_untracked().into_iter().filter(usable).map(|choice| Command {
        glyph: Glyph::Models,
        words: choice.entry.name.clone(),
        kind: t().palette_model(),
        run: Arc::new(move || chat.choose(choice.clone())),
    }));
    all
}

/// What can be done with the conversation on screen and its next message.
fn of_conversation(stores: Stores) -> Vec<(Glyph, &'static str, Run)> {
    let Stores { ui, chat, recording, voice, .. } = stores;
    let mut found: Vec<(Glyph, &'static str, Run)> = Vec::new();
    let (id, last) = chat.conversation.with_untracked(|conversation| {
        let last = conversation.active_path().last().copied();
        let is_answer =
            |&node: &NodeId| conversation.message(node).is_some_and(|it| it.role == Role::Assistant);
        (conversation.id, last.map(|node| (node, is_answer(&node))))
    });
    if let Some((answer, true)) = last
        && !chat.busy()
        && !untrack(|| chat.is_answered_elsewhere())
    {
        found.push((Glyph::Again, t().regenerate(), Arc::new(move || chat.regenerate(answer))));
    }
    let senses = untrack(|| chat.senses());
    found.push((Glyph::Plus, t().attach(), Arc::new(move || ui.pick_files.ask(()))));
    if senses.no_hearing.is_none() && recording.phase.get_untracked() == RecordingPhase::Idle {
        found.push((Glyph::Microphone, t().record(), Arc::new(move || recording.start())));
        found.push((Glyph::Dictate, t().dictate(), Arc::new(move || voice.dictate())));
        found.push((Glyph::Voice, t().talk(), Arc::new(move || voice.talk.set(true))));
    }
    let thinking = chat.conversation.with_untracked(|conversation| conversation.options.thinking);
    let words = if thinking { t().palette_think_off() } else { t().palette_think() };
    let think = move || chat.edit(|conversation| conversation.options.thinking = !thinking);
    found.push((Glyph::Think, words, Arc::new(think)));
    if last.is_some() {
        let find = stores.find;
        found.push((Glyph::Search, t().find_title(), Arc::new(move || find.begin(id, String::new()))));
        for (glyph, words, format) in [
            (Glyph::Export, t().palette_export_json(), Format::Json),
            (Glyph::Copy, t().palette_export_markdown(), Format::Markdown),
            (Glyph::Code, t().palette_export_html(), Format::Html),
            (Glyph::Document, t().palette_print(), Format::Print),
        ] {
            found.push((glyph, words, Arc::new(move || export_one(stores, id, format))));
        }
        found.push((Glyph::Plus, t().palette_duplicate(), Arc::new(move || spawn_local(chat.duplicate(id)))));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn every_word_must_be_there() {
        assert!(matches("New conversation", "CONV new"));
        assert!(!matches("New conversation", "new model"));
        assert!(matches("anything", "  "));
    }
}
