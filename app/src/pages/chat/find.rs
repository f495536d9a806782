//! The line that goes from one place to the next at which something was found in the conversation.

use leptos::{html, prelude::*};

use super::marks;
use crate::{
    browser,
    components::{Glyph, Icon, IconButton},
    find::{self, Hit},
    history::Query,
    language::t,
    state::{use_chat, use_find, use_ui},
    watch::on_resize,
};

/// The line.
#[component]
pub fn FindBar(
    /// What scrolls.
    scroller: NodeRef<html::Div>,
    /// The messages.
    messages: NodeRef<html::Div>,
    /// Whether the view follows what is written.
    follows: RwSignal<bool>,
) -> impl IntoView {
    let (find, chat, ui) = (use_find(), use_chat(), use_ui());
    let query = Memo::new(move |_| find.words.with(|words| Query::new(words)));
    let hits = Memo::new(move |_| {
        query.with(|query| {
            let Some(query) = query else { return Vec::new() };
            chat.conversation.with(|conversation| find::hits(conversation, query))
        })
    });
    // A conversation that was found by its title alone has nothing to go to.
    if query.with_untracked(Option::is_some) && hits.with_untracked(Vec::is_empty) {
        Effect::new(move |_| find.end());
        return ().into_any();
    }
    let current = Memo::new(move |_| {
        hits.with(|hits| {
            let gone_to = find.at.get().and_then(|at| hits.iter().position(|hit| *hit == at));
            gone_to.or_else(|| chat.conversation.with(|conversation| find::first(hits, conversation)))
        })
    });
    let hit =
        move || current.get_untracked().and_then(|at| hits.with_untracked(|hits| hits.get(at).copied()));
    let mark = move || {
        query
            .try_get_untracked()
            .flatten()
            .and_then(|query| hits.try_with_untracked(|hits| marks::mark(hits, hit(), &query)).flatten())
    };
    let words = move || {
        let count = hits.with(Vec::len) as u64;
        match current.get() {
            Some(at) => t().find_place(at as u64 + 1, count),
            None if query.with(Option::is_none) => String::new(),
            None => t().rail_nothing_found().to_owned(),
        }
    };
    // To the place: it is brought on screen, said, and marked.
    Effect::new(move |_| {
        find.went.track();
        let words = untrack(words);
        if !words.is_empty() {
            ui.say(words);
        }
        let Some(hit) = hit() else { return };
        chat.bring_on_screen(hit.node);
        find.shown.set(Some(hit));
        chat.needed.set(Some(hit.node));
        follows.set(false);
        // What is not drawn yet is drawn first; the messages around a place take their height when it comes into view.
        browser::next_frame(move || {
            if let Some(message) = marks::message(hit.node) {
                message.scroll_into_view();
            }
            browser::next_frame(move || {
                if let (Some(range), Some(scroller)) = (mark(), scroller.try_get_untracked().flatten()) {
                    center(&range, &scroller);
                    // Where nothing is below, there is nothing to jump to.
                    let below = scroller.scroll_height() - scroller.scroll_top() - scroller.client_height();
                    follows.try_set(below <= 0);
                }
            });
        });
    });
    // What is drawn later, or anew, is marked as well.
    Effect::new(move |_| {
        hits.with(|_| ());
        browser::next_frame(move || {
            mark();
        });
    });
    on_resize(messages, move || {
        mark();
    });
    let of = find.of.get_untracked();
    on_cleanup(move || {
        marks::clear();
        find.shown.try_set(None);
        chat.needed.try_set(None);
        // Another conversation is on screen.
        if find.of.try_get_untracked() == Some(of) {
            find.end();
        }
    });
    let input = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        // It would bring the keyboard of a phone up.
        if let Some(input) = input.get().filter(|_| !browser::matches_media("(pointer: coarse)")) {
            // It has just been put into the page.
            input.focus().ok();
        }
    });
    let go = move |by: isize| {
        if let Some(at) = current.get_untracked() {
            hits.with_untracked(|hits: &Vec<Hit>| find.go(hits, at, by));
        }
    };
    let close = move || {
        find.end();
        browser::focus_somewhere();
    };
    let key = move |event: web_sys::KeyboardEvent| {
        if browser::is_composing(&event) {
            return;
        }
        match event.key().as_str() {
            "Enter" => go(if event.shift_key() { -1 } else { 1 }),
            "Escape" => {
                event.stop_propagation();
                close();
            }
            _ => return,
        }
        event.prevent_default();
    };
    let none = Signal::derive(move || current.get().is_none());
    view! {
        <search class="find" aria-label=t().find_title()>
            <Icon glyph=Glyph::Search />
            <input
                type="search"
                aria-label=t().find_title()
                placeholder=t().find_title()
                dir="auto"
                node_ref=input
                prop:value=find.words
                on:input=move |event| find.look_for(event_target_value(&event))
                on:keydown=key
            />
            // The live region says it.
            <span class="find-count muted numbers">{words}</span>
            <IconButton glyph=Glyph::Up label=t().find_previous() disabled=none on_press=move |()| go(-1) />
            <IconButton glyph=Glyph::Down label=t().find_next() disabled=none on_press=move |()| go(1) />
            <IconButton glyph=Glyph::Close label=t().find_close() on_press=move |()| close() />
        </search>
    }
    .into_any()
}

/// Scrolls so that a place is in the middle.
fn center(range: &web_sys::Range, scroller: &web_sys::HtmlElement) {
    // Long lines of code scroll by themselves.
    let element = range.start_container().ok().and_then(|node| node.parent_element());
    if let Some(element) = element {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        options.set_inline(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
    let (place, view) = (range.get_bounding_client_rect(), scroller.get_bounding_client_rect());
    let by = (place.top() + place.bottom() - view.top() - view.bottom()) / 2.0;
    scroller.set_scroll_top(scroller.scroll_top() + by as i32);
}
