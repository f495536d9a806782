//! The messages, and the view that follows them.

use std::time::Duration;

use leptos::{html, prelude::*};

use super::{
    dialogs::FindLine,
    panes::Panes,
    reading::{self, ReadingPlace},
    welcome::Welcome,
};
use crate::{
    browser,
    components::{Glyph, Icon},
    history::{Conversation, ConversationId},
    language::t,
    state::use_chat,
    watch::on_resize,
};

/// So close to the end, in pixels, the view still follows.
const NEAR_END: i32 = 60;
/// How long scrolling rests before it is kept where one reads.
const REST: Duration = Duration::from_millis(200);

/// The messages on screen.
#[component]
pub fn Log() -> impl IntoView {
    let chat = use_chat();
    let path = Memo::new(move |_| {
        chat.conversation.with(|conversation| (conversation.id, conversation.active_path()))
    });
    let empty = Memo::new(move |_| chat.conversation.with(Conversation::is_empty));
    let title = Memo::new(move |_| {
        chat.conversation.with(|conversation| match conversation.title.as_str() {
            "" => t().place_conversation().to_owned(),
            title => title.to_owned(),
        })
    });
    let scroller = NodeRef::<html::Div>::new();
    let messages_node = NodeRef::<html::Div>::new();
    let follows = RwSignal::new(true);
    let top = StoredValue::new(0_i32);
    let height = StoredValue::new(0_i32);
    let to_end = move || {
        if let Some(scroller) = scroller.get_untracked() {
            scroller.set_scroll_top(scroller.scroll_height());
        }
    };
    // Where one reads is kept once scrolling rests.
    let keeps = StoredValue::new(false);
    let keep_place = move || {
        // The page may be gone.
        let Some(scroller) = scroller.try_get_untracked().flatten() else { return };
        keeps.set_value(false);
        let (id, is_empty) = path.with_untracked(|(id, path)| (*id, path.is_empty()));
        if !is_empty {
            let reads = !follows.get_untracked();
            reading::keep(id, reads.then(|| ReadingPlace::now(&scroller)).flatten());
        }
    };
    let scrolled = move |_| {
        let Some(scroller) = scroller.get_untracked() else { return };
        let now = scroller.scroll_top();
        let below = scroller.scroll_height() - now - scroller.client_height();
        // Where the content changed its height, the browser may have moved the view by itself.
        let upwards = now < top.get_value() && scroller.scroll_height() == height.get_value();
        top.set_value(now);
        height.set_value(scroller.scroll_height());
        let near = below <= NEAR_END;
        // What has grown below since the view moved is no reason to stay behind; only the user scrolls upwards.
        if near != follows.get_untracked() && (near || upwards) {
            follows.set(near);
        }
        if !keeps.get_value() {
            keeps.set_value(true);
            browser::after(REST, keep_place);
        }
    };
    let go_to = move |place: ReadingPlace| {
        if let Some(scroller) = scroller.try_get_untracked().flatten() {
            place.go(&scroller);
        }
    };
    // A message of the user and another conversation begin at the end; a growing answer takes the view along.
    Effect::new(move |before: Option<(ConversationId, usize)>| {
        let now = path.with(|(id, path)| (*id, path.len()));
        let is_another = before.is_none_or(|(id, _)| id != now.0);
        if let Some(place) = is_another.then(|| reading::returned_to(now.0)).flatten() {
            follows.set(false);
            chat.needed.set(Some(place.node));
            // Messages around it take their height when they come into view.
            browser::next_frame(move || {
                go_to(place);
                browser::next_frame(move || {
                    go_to(place);
                    chat.needed.try_set(None);
                });
            });
            return now;
        }
        if is_another && now.1 > 0 {
            reading::forget_return();
        }
        if is_another || before.is_none_or(|(_, length)| length < now.1) {
            follows.set(true);
        }
        now
    });
    Effect::new(move |_| {
        path.track();
        if follows.get() && !empty.get() {
            browser::next_frame(to_end);
        }
    });
    // Whatever makes the messages longer or their place lower: words, actions, notices, a longer draft.
    let follow = move || {
        if follows.try_get_untracked() == Some(true) && empty.try_get_untracked() == Some(false) {
            to_end();
        }
    };
    on_resize(messages_node, follow);
    on_resize(scroller, follow);
    view! {
        <FindLine scroller=scroller messages=messages_node follows=follows />
        <div class="log-frame">
            <div class="log" node_ref=scroller on:scroll=scrolled tabindex="0" role="region" aria-label=t().place_conversation()>
                <Show when=move || empty.get() fallback=move || view! { <h1 class="visually-hidden">{title}</h1> }>
                    <Welcome />
                </Show>
                <div node_ref=messages_node>
                    <Panes />
                </div>
            </div>
            <Show when=move || !follows.get() && !empty.get()>
                <button
                    type="button"
                    class="latest button"
                    on:click=move |_| {
                        follows.set(true);
                        to_end();
                        if let Some(scroller) = scroller.get_untracked() {
                            // It is in the page.
                            scroller.focus().ok();
                        }
                    }
                >
                    <Icon glyph=Glyph::ToEnd />
                    {t().log_latest()}
                </button>
            </Show>
        </div>
    }
}
