//! A message with the conversation that it is read from.

use leptos::prelude::*;

use crate::{
    history::{Conversation, ConversationId, NodeId},
    state::ChatStore,
};

/// A message of a loaded conversation, which need not be the one on screen.
#[derive(Clone, Copy)]
pub struct MessageRef {
    /// The conversation, to be read.
    pub conversation: RwSignal<Conversation>,
    /// Its id.
    pub conversation_id: ConversationId,
    /// The message.
    pub node: NodeId,
}

impl MessageRef {
    /// Whether the message is being edited. Only one on screen can be.
    pub fn is_edited(self, chat: ChatStore) -> bool {
        chat.editing.get() == Some(self.node) && chat.conversation.id_untracked() == self.conversation_id
    }
}
