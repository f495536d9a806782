//! The messages, and the view that follows them.

use leptos::{html, prelude::*};

use super::{panes::Panes, welcome::Welcome};
use crate::{
    browser,
    components::{Glyph, Icon},
    history::{Conversation, ConversationId},
    language::t,
    state::use_stores,
    watch::on_resize,
};

/// So close to the end, in pixels, the view still follows.
const NEAR_END: i32 = 60;

/// The messages on screen.
#[component]
pub fn Log() -> impl IntoView {
    let stores = use_stores();
    let chat = stores.chat;
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
    let scrolled = move |_| {
        let Some(scroller) = scroller.get_untracked() else { return };
        let now = scroller.scroll_top();
        let below = scroller.scroll_height() - now - scroller.client_height();
        // Where the content changed its height, the browser may have moved the view by itself.
        let upwards = now < top.get_value() && scroller.scroll_height() == height.get_value();
        top.set_value(now);
        height.set_value(scroller.scroll_height());
        let near = below <= NEAR_END;
        // What has grown below since the view moved is no reason to stay behind; only a person scrolls upwards.
        if near != follows.get_untracked() && (near || upwards) {
            follows.set(near);
        }
    };
    // A message of the user and another conversation begin at the end; a growing answer takes the view along.
    Effect::new(move |before: Option<(ConversationId, usize)>| {
        let now = path.with(|(id, path)| (*id, path.len()));
        if before.is_none_or(|(id, length)| id != now.0 || length < now.1) {
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
    .into_any()
}
