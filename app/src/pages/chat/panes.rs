//! The messages of the conversation on screen. A long conversation is built, and taken apart again, a few messages at a
//! time, so that switching to and from it never blocks the page.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use leptos::{ev, leptos_dom::helpers::request_idle_callback_with_handle, prelude::*};

use super::message::MessageView;
use crate::{
    history::{Conversation, ConversationId, NodeId},
    language::t,
    state::{chat::ChatStore, use_stores},
};

/// How many of the last messages are built at once: more than a view holds.
const AT_ONCE: usize = 16;
/// How many are built or removed each time that the browser is idle.
const AT_A_TIME: usize = 16;

/// A message of an open conversation.
#[derive(Clone, Copy)]
pub struct Place {
    /// The conversation, to be read.
    pub open: RwSignal<Conversation>,
    /// Its id.
    pub conversation: ConversationId,
    /// The message.
    pub node: NodeId,
}

impl Place {
    /// Whether the message is being edited. Only one on screen is.
    pub fn is_edited(self, chat: ChatStore) -> bool {
        chat.editing.get() == Some(self.node) && chat.conversation.id_untracked() == self.conversation
    }
}

/// One conversation: the one on screen, or one that was, while its messages are removed.
#[derive(Clone)]
struct Pane {
    key: u32,
    open: ArcRwSignal<Conversation>,
    on_screen: ArcRwSignal<bool>,
    /// How many of its last messages are in the page; `usize::MAX` for all, later ones too.
    built: ArcRwSignal<usize>,
}

impl Pane {
    fn new(open: ArcRwSignal<Conversation>) -> Self {
        static KEYS: AtomicU32 = AtomicU32::new(0);
        Self {
            key: KEYS.fetch_add(1, Ordering::Relaxed),
            open,
            on_screen: ArcRwSignal::new(true),
            built: ArcRwSignal::new(AT_ONCE),
        }
    }

    /// The number of messages on the active path.
    fn length(&self) -> usize {
        self.open.with_untracked(|open| open.active_path().len())
    }

    /// How many messages are in the page.
    fn in_page(&self) -> usize {
        self.built.get_untracked().min(self.length())
    }

    /// Builds or removes some messages. Gives whether more is to be done.
    fn step(&self) -> bool {
        let built = self.in_page();
        if self.on_screen.get_untracked() {
            let rest = self.length() - built;
            self.built.set(if rest > AT_A_TIME { built + AT_A_TIME } else { usize::MAX });
            rest > AT_A_TIME
        } else {
            self.built.set(built.saturating_sub(AT_A_TIME));
            built > AT_A_TIME
        }
    }
}

/// The conversation on screen; hidden beside it those that have left and are not taken apart yet.
#[component]
pub fn Panes() -> impl IntoView {
    let chat = use_stores().chat;
    let panes = RwSignal::new(vec![Pane::new(chat.conversation.open_untracked())]);
    // One turn at a time, for all panes.
    let working = StoredValue::new(false);
    let work = move || {
        if working.get_value() {
            return;
        }
        working.set_value(true);
        when_idle(move || {
            let Some(now) = panes.try_get_untracked() else { return false };
            // What is on screen comes first.
            let busy = now
                .iter()
                .rev()
                .find(|pane| !pane.on_screen.get_untracked() || pane.built.get_untracked() < usize::MAX);
            let Some(pane) = busy else {
                working.set_value(false);
                return false;
            };
            if !pane.step() && !pane.on_screen.get_untracked() {
                let key = pane.key;
                panes.update(|panes| panes.retain(|pane| pane.key != key));
            }
            true
        });
    };
    Effect::new(move |_| {
        let open = chat.conversation.open();
        panes.update(|panes| {
            // What is short goes at once.
            panes.retain(|pane| pane.open == open || pane.in_page() > AT_ONCE);
            for pane in &*panes {
                pane.on_screen.set(pane.open == open);
            }
            match panes.iter().position(|pane| pane.open == open) {
                Some(at) => {
                    let back = panes.remove(at);
                    panes.push(back);
                }
                None => panes.push(Pane::new(open)),
            }
        });
        work();
    });
    Effect::new(move |_| {
        let all = move || {
            panes.with_untracked(|panes| {
                if let Some(pane) = panes.last() {
                    pane.built.set(usize::MAX);
                }
            });
        };
        let print = window_event_listener(ev::beforeprint, move |_| all());
        on_cleanup(move || print.remove());
    });
    view! {
        <For each=move || panes.get() key=|pane| pane.key children=|pane| view! { <Messages pane=pane /> } />
    }
}

/// The messages of one conversation.
#[component]
fn Messages(pane: Pane) -> impl IntoView {
    let Pane { open, on_screen, built, .. } = pane;
    let open = RwSignal::from(open);
    let conversation = open.with_untracked(|open| open.id);
    let path = Memo::new(move |_| open.with(Conversation::active_path));
    let nodes = move || {
        path.with(|path| {
            let before = path.len().saturating_sub(built.get());
            path.iter().skip(before).copied().collect::<Vec<_>>()
        })
    };
    view! {
        // The log itself is quiet: the live region says the answer sentence by sentence.
        <div class="messages" hidden=move || !on_screen.get() role="log" aria-live="off" aria-label=t().log_messages()>
            <For
                each=nodes
                key=|node| *node
                children=move |node| view! { <MessageView place=Place { open, conversation, node } /> }
            />
        </div>
    }
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
