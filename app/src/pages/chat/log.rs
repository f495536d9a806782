//! The messages, and the view that follows them.

use std::time::Duration;

use leptos::{ev, html, leptos_dom::helpers::request_idle_callback_with_handle, prelude::*};
use leptos_use_resize_observer::use_resize_observer;

use super::{message::MessageView, welcome::Welcome};
use crate::{
    components::{Glyph, Icon},
    history::{Conversation, ConversationId, NodeId},
    language::t,
    state::use_stores,
};

/// So close to the end, in pixels, the view still follows.
const NEAR_END: i32 = 60;

/// So many messages, more than a view holds, are drawn at once when a conversation comes on screen.
const AT_ONCE: usize = 16;
/// So many earlier ones follow each time the browser has nothing else to do.
const AT_A_TIME: usize = 16;

/// A path through a conversation.
type Path = Memo<(ConversationId, Vec<NodeId>)>;

/// How many of the last messages are drawn: in the end all of them, and on paper too.
fn drawn(path: Path) -> Signal<usize> {
    let drawn = RwSignal::new((None, AT_ONCE));
    let all = move || drawn.update(|(_, drawn)| *drawn = usize::MAX);
    Effect::new(move |before: Option<ConversationId>| {
        let id = path.with(|(id, _)| *id);
        if before != Some(id) {
            drawn.set((Some(id), AT_ONCE));
            when_idle(move || {
                let Some(length) = path.try_with_untracked(|(_, path)| path.len()) else { return false };
                drawn
                    .try_update(|(of, drawn)| {
                        if *of != Some(id) {
                            return false;
                        }
                        *drawn = if *drawn < length { drawn.saturating_add(AT_A_TIME) } else { usize::MAX };
                        *drawn < usize::MAX
                    })
                    .unwrap_or_default()
            });
        }
        id
    });
    Effect::new(move |_| {
        let print = window_event_listener(ev::beforeprint, move |_| all());
        on_cleanup(move || print.remove());
    });
    // Another conversation has come on screen before the effect has run.
    Signal::derive(move || {
        drawn.with(|(of, drawn)| if *of == Some(path.with(|(id, _)| *id)) { *drawn } else { AT_ONCE })
    })
}

/// Does something when the browser is idle, again and again until it gives false.
fn when_idle(act: impl Fn() -> bool + Clone + 'static) {
    let turn = {
        let act = act.clone();
        move || {
            if act() {
                when_idle(act.clone());
            }
        }
    };
    // Not every browser says when it is idle.
    if request_idle_callback_with_handle(turn.clone()).is_err() {
        set_timeout(turn, Duration::ZERO);
    }
}

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
    let to_end = move || {
        if let Some(scroller) = scroller.get_untracked() {
            scroller.set_scroll_top(scroller.scroll_height());
        }
    };
    let scrolled = move |_| {
        let Some(scroller) = scroller.get_untracked() else { return };
        let now = scroller.scroll_top();
        let below = scroller.scroll_height() - now - scroller.client_height();
        let upwards = now < top.get_value();
        top.set_value(now);
        let near = below <= NEAR_END;
        // What has grown below since the view moved is no reason to stay behind; only a person scrolls upwards.
        if near != follows.get_untracked() && (near || upwards) {
            follows.set(near);
        }
    };
    // A message of the person's brings the view to the end; a growing answer takes it along.
    Effect::new(move |before: Option<usize>| {
        let length = path.with(|(_, path)| path.len());
        if before.is_none_or(|before| length > before) {
            follows.set(true);
        }
        length
    });
    Effect::new(move |_| {
        path.track();
        if follows.get() && !empty.get() {
            request_animation_frame(to_end);
        }
    });
    // Whatever makes the messages longer or their place lower: words, actions, notices, a longer draft.
    let follow = move || {
        if follows.try_get_untracked() == Some(true) && empty.try_get_untracked() == Some(false) {
            to_end();
        }
    };
    use_resize_observer(messages_node, move |_, _| follow());
    use_resize_observer(scroller, move |_, _| follow());
    let drawn = drawn(path);
    let messages = move || {
        path.with(|(conversation, path)| {
            let shown = path.iter().skip(path.len().saturating_sub(drawn.get()));
            shown.map(|&node| (*conversation, node)).collect::<Vec<_>>()
        })
    };
    view! {
        <div class="log-frame">
            <div class="log" node_ref=scroller on:scroll=scrolled tabindex="0" role="region" aria-label=t().place_conversation()>
                <Show when=move || empty.get() fallback=move || view! { <h1 class="visually-hidden">{title}</h1> }>
                    <Welcome />
                </Show>
                // The log itself is quiet: the live region says the answer sentence by sentence.
                <div class="messages" node_ref=messages_node role="log" aria-live="off" aria-label=t().log_messages()>
                    <For
                        each=messages
                        key=|(conversation, node)| format!("{conversation}-{node}")
                        children=|(_, node)| view! { <MessageView node=node /> }
                    />
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
