//! The messages of the conversation on screen. Those of a long conversation are rendered, and removed again, a few at a
//! time, so that switching to and from it never blocks the page.
//! A conversation that leaves the screen is hidden first: removing 1,000 messages at once takes 0.2 s. All of them are rendered
//! before the page prints.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use leptos::{ev, leptos_dom::helpers::request_idle_callback, prelude::*};

use super::{dialogs, message::MessageView, message_ref::MessageRef};
use crate::{
    browser,
    history::{Conversation, NodeId},
    language::t,
    state::use_chat,
    watch::on_window,
};

/// How many of the last messages are rendered at once: more than a view holds.
const AT_ONCE: usize = 16;
/// How many are rendered or removed each time the browser is idle.
const AT_A_TIME: usize = 16;

/// One conversation: the one on screen, or one that was, while its messages are removed.
#[derive(Clone)]
struct Pane {
    key: u32,
    conversation: ArcRwSignal<Conversation>,
    on_screen: ArcRwSignal<bool>,
    /// How many of its last messages are rendered; `usize::MAX` for all, later ones too.
    rendered: ArcRwSignal<usize>,
}

impl Pane {
    fn new(conversation: ArcRwSignal<Conversation>) -> Self {
        static KEYS: AtomicU32 = AtomicU32::new(0);
        Self {
            key: KEYS.fetch_add(1, Ordering::Relaxed),
            conversation,
            on_screen: ArcRwSignal::new(true),
            rendered: ArcRwSignal::new(AT_ONCE),
        }
    }

    /// The number of messages on the active path.
    fn length(&self) -> usize {
        self.conversation.with_untracked(|conversation| conversation.active_path().len())
    }

    /// How many messages are rendered now.
    fn count(&self) -> usize {
        self.rendered.get_untracked().min(self.length())
    }

    /// Whether a message is still to be rendered.
    fn lacks(&self, node: NodeId) -> bool {
        let path = self.conversation.with_untracked(Conversation::active_path);
        path.iter().rev().position(|&it| it == node).is_some_and(|at| at >= self.count())
    }

    /// Renders or removes some messages. Returns whether more are left.
    fn step(&self) -> bool {
        let count = self.count();
        if self.on_screen.get_untracked() {
            let rest = self.length() - count;
            self.rendered.set(if rest > AT_A_TIME { count + AT_A_TIME } else { usize::MAX });
            rest > AT_A_TIME
        } else {
            self.rendered.set(count.saturating_sub(AT_A_TIME));
            count > AT_A_TIME
        }
    }
}

/// The conversation on screen and, hidden, those that were left and whose messages are still being removed.
#[component]
pub fn Panes() -> impl IntoView {
    let chat = use_chat();
    let panes = RwSignal::new(vec![Pane::new(chat.conversation.handle_untracked())]);
    // One turn at a time, for all panes.
    let working = StoredValue::new(false);
    let work = move || {
        if working.get_value() {
            return;
        }
        working.set_value(true);
        when_idle(move || {
            let Some(all) = panes.try_get_untracked() else { return false };
            let is_busy =
                |pane: &&Pane| !pane.on_screen.get_untracked() || pane.rendered.get_untracked() < usize::MAX;
            // The one on screen comes first.
            let Some(pane) = all.iter().rev().find(is_busy) else {
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
        let now = chat.conversation.handle();
        panes.update(|panes| {
            // A short one is removed at once.
            panes.retain(|pane| pane.conversation == now || pane.count() > AT_ONCE);
            let shown = panes.iter().position(|pane| pane.conversation == now);
            // The one on screen is the last.
            let shown = shown.map_or_else(|| Pane::new(now), |at| panes.remove(at));
            for pane in &*panes {
                pane.on_screen.set(false);
            }
            shown.on_screen.set(true);
            panes.push(shown);
        });
        work();
    });
    Effect::new(move |_| {
        let Some(node) = chat.needed.get() else { return };
        // The pane of a conversation that has just come on screen is made first.
        let _now = chat.conversation.handle();
        panes.with_untracked(|panes| {
            if let Some(pane) = panes.last().filter(|pane| pane.lacks(node)) {
                pane.rendered.set(usize::MAX);
            }
        });
    });
    on_window(ev::beforeprint, move |_| {
        panes.with_untracked(|panes| {
            if let Some(pane) = panes.last() {
                pane.rendered.set(usize::MAX);
            }
        });
    });
    view! {
        <For each=move || panes.get() key=|pane| pane.key children=|pane| view! { <Messages pane=pane /> } />
    }
}

/// The messages of one conversation.
#[component]
fn Messages(pane: Pane) -> impl IntoView {
    let Pane { conversation, on_screen, rendered, .. } = pane;
    let conversation = RwSignal::from(conversation);
    let conversation_id = conversation.with_untracked(|conversation| conversation.id);
    let path = Memo::new(move |_| conversation.with(Conversation::active_path));
    // Where nothing is above, no line is needed.
    let start = Memo::new(move |_| {
        let of = |path: &Vec<NodeId>| conversation.with(|conversation| conversation.start_on(path));
        path.with(of).filter(|&start| start > 0)
    });
    // `None` stands for the line at which the model begins to read.
    let nodes = move || {
        path.with(|path| {
            let before = path.len().saturating_sub(rendered.get());
            let mut nodes: Vec<_> = path.iter().skip(before).copied().map(Some).collect();
            if let Some(start) = start.get().and_then(|start| start.checked_sub(before)) {
                nodes.insert(start, None);
            }
            nodes
        })
    };
    view! {
        // The log itself is quiet: the live region says the answer sentence by sentence.
        <div class="messages" hidden=move || !on_screen.get() role="log" aria-live="off" aria-label=t().log_messages()>
            <For
                each=nodes
                key=|node| *node
                children=move |node| match node {
                    Some(node) => view! { <MessageView it=MessageRef { conversation, conversation_id, node } /> }.into_any(),
                    None => dialogs::reading_start(conversation),
                }
            />
        </div>
    }
}

/// Runs `act` each time the browser is idle, until it returns false.
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
    if request_idle_callback(turn.clone()).is_err() {
        browser::after(Duration::ZERO, turn);
    }
}
