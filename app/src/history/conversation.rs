//! The tree of a conversation, and what the user can do with it.
//!
//! Siblings are variants of one turn: an edited question, a regenerated answer. Each node remembers which of its
//! children was last shown, so that going back to a variant brings back what followed it. The messages on screen are
//! the *active path*: from the shown root along the shown children to a leaf.

use std::collections::BTreeMap;
use std::sync::Arc;

use protocol::{AnswerFormat, Finish, Role, Sampling, Timings, ToolCall};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    AnswerError, AnswerPair, Attachment, AttachmentKey, ContextStart, ConversationId, Filing, Message,
    NodeId, PresetId, TitleSource, title_of,
};

/// An operation that makes no sense for the tree as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeOpError {
    /// There is no such message.
    NoSuchNode {
        /// The message.
        node: NodeId,
    },
    /// The message is of another role than the operation needs.
    WrongRole {
        /// The message.
        node: NodeId,
        /// Its role.
        found: Role,
        /// The role that the operation is for.
        expected: Role,
    },
    /// All ids are used up.
    Full,
}

/// A conversation: its settings and its tree of messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// Its name.
    pub id: ConversationId,
    /// What it is called; empty until the first message.
    #[serde(default)]
    pub title: String,
    /// Who made the title.
    #[serde(default)]
    pub title_source: TitleSource,
    /// Whether nothing of it is kept, and no other tab sees it.
    #[serde(skip)]
    pub temporary: bool,
    /// Where it is in the list.
    #[serde(default, skip_serializing_if = "Filing::is_default")]
    pub filing: Filing,
    /// When it was begun, in milliseconds since 1970.
    pub created: u64,
    /// When it was last changed, in milliseconds since 1970.
    pub updated: u64,
    /// Instructions to the model; empty for none.
    #[serde(default)]
    pub system: String,
    /// How its answers are made.
    #[serde(default)]
    pub options: Options,
    /// The preset that it took over last; `None` for none. One that does not exist counts as none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<PresetId>,
    /// Answers that were compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<AnswerPair>,
    /// Where the model begins to read it.
    #[serde(default, skip_serializing_if = "ContextStart::is_default")]
    pub context_start: ContextStart,
    /// The messages.
    #[serde(default)]
    pub(super) nodes: BTreeMap<NodeId, Node>,
    /// The variants of the first message, oldest first.
    #[serde(default)]
    pub(super) roots: Vec<NodeId>,
    /// The variant of the first message that is shown.
    #[serde(default)]
    pub(super) active_root: Option<NodeId>,
}

/// The largest limit of a thought, in tokens.
pub const MAX_THOUGHT: u32 = 262_144;

/// How the answers of a conversation are made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// The model last used, by the name the user types; empty for the default.
    pub model: String,
    /// How tokens are drawn; `None` for what the model recommends.
    pub sampling: Option<Sampling>,
    /// Context length in tokens; 0 for the default.
    pub context: u32,
    /// Whether the model may think first.
    pub thinking: bool,
    /// Most tokens of a thought; 0 for as many as it takes.
    pub max_thought: u32,
    /// Most tokens of an answer; 0 for as many as the context holds.
    pub max_tokens: u32,
    /// Texts that end an answer.
    pub stop: Vec<String>,
    /// Names of the tools that are on. Those that are unknown stay.
    pub tools: Vec<String>,
    /// What answers must be.
    pub format: AnswerFormat,
}

impl Options {
    /// Returns whether answers may only be what tools and a format allow.
    #[must_use]
    pub fn is_constrained(&self) -> bool {
        !self.tools.is_empty() || self.format != AnswerFormat::Text
    }
}

/// A message in the tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// The message before it; `None` for a first message.
    #[serde(default)]
    pub(super) parent: Option<NodeId>,
    /// The messages that follow it, oldest first: variants of one turn.
    #[serde(default)]
    pub(super) children: Vec<NodeId>,
    /// Which of them is shown.
    #[serde(default)]
    pub(super) active: Option<NodeId>,
    /// The message. Shared, so that a copy of a conversation copies no text.
    #[serde(serialize_with = "write_shared", deserialize_with = "read_shared")]
    pub message: Arc<Message>,
}

fn write_shared<S: Serializer>(message: &Arc<Message>, serializer: S) -> Result<S::Ok, S::Error> {
    message.as_ref().serialize(serializer)
}

fn read_shared<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Message>, D::Error> {
    Message::deserialize(deserializer).map(Arc::new)
}

impl Node {
    /// The message before this one; `None` for a first message.
    #[must_use]
    pub fn parent(&self) -> Option<NodeId> {
        self.parent
    }

    /// The variants of the message after this one, oldest first.
    #[must_use]
    pub fn children(&self) -> &[NodeId] {
        &self.children
    }
}

impl Conversation {
    /// An empty conversation.
    #[must_use]
    pub fn new(id: ConversationId, options: Options, now: u64) -> Self {
        Self {
            id,
            title: String::new(),
            title_source: TitleSource::default(),
            temporary: false,
            filing: Filing::default(),
            created: now,
            updated: now,
            system: String::new(),
            options,
            preset: None,
            pairs: Vec::new(),
            context_start: ContextStart::default(),
            nodes: BTreeMap::new(),
            roots: Vec::new(),
            active_root: None,
        }
    }

    /// Whether it has instructions, or settings that are not the model's. Thinking is not one of them: its switch is in sight.
    #[must_use]
    pub fn has_own_settings(&self) -> bool {
        let Options {
            model: _,
            sampling,
            context,
            thinking: _,
            max_thought,
            max_tokens,
            stop,
            tools: _,
            format: _,
        } = &self.options;
        !self.system.trim().is_empty()
            || sampling.is_some()
            || *context != 0
            || *max_thought != 0
            || *max_tokens != 0
            || !stop.is_empty()
            || self.options.is_constrained()
    }

    /// Whether nothing was said yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many messages there are, in all branches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A message with its place in the tree.
    #[must_use]
    pub fn node(&self, node: NodeId) -> Option<&Node> {
        self.nodes.get(&node)
    }

    /// A message.
    #[must_use]
    pub fn message(&self, node: NodeId) -> Option<&Message> {
        self.nodes.get(&node).map(|node| &*node.message)
    }

    /// A message, shared with the conversation.
    #[must_use]
    pub fn shared_message(&self, node: NodeId) -> Option<Arc<Message>> {
        self.nodes.get(&node).map(|node| Arc::clone(&node.message))
    }

    /// A message, to be changed in place. For what streams in; the user's edits make branches instead.
    pub fn message_mut(&mut self, node: NodeId) -> Option<&mut Message> {
        self.nodes.get_mut(&node).map(|node| Arc::make_mut(&mut node.message))
    }

    /// All messages, in the order in which they were made.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().map(|(&id, node)| (id, node))
    }

    /// The messages on screen, first to last.
    #[must_use]
    pub fn active_path(&self) -> Vec<NodeId> {
        let mut path = Vec::new();
        let mut next = self.active_root;
        while let Some((id, node)) = next.and_then(|id| Some((id, self.nodes.get(&id)?))) {
            path.push(id);
            next = node.active;
        }
        path
    }

    /// The answers on screen that have not ended: they are being written, or the page went away.
    #[must_use]
    pub fn unfinished(&self) -> Vec<NodeId> {
        let mut path = self.active_path();
        path.retain(|&node| {
            self.message(node).is_some_and(|it| {
                it.role == Role::Assistant && it.finish.is_none() && it.error.is_none() && !it.edited
            })
        });
        path
    }

    /// The last message on screen.
    #[must_use]
    pub fn leaf(&self) -> Option<NodeId> {
        self.active_path().pop()
    }

    /// Whether nothing is shown after a message.
    #[must_use]
    pub fn ends_with(&self, node: NodeId) -> bool {
        self.nodes.get(&node).is_some_and(|node| node.active.is_none())
    }

    /// The messages from the first to this one; empty when there is no such message.
    #[must_use]
    pub fn path_to(&self, node: NodeId) -> Vec<NodeId> {
        let mut path = Vec::new();
        let mut next = Some(node);
        while let Some((id, node)) = next.and_then(|id| Some((id, self.nodes.get(&id)?))) {
            path.push(id);
            next = node.parent;
        }
        path.reverse();
        path
    }

    /// The variants of a message, itself included, oldest first.
    #[must_use]
    pub fn siblings(&self, node: NodeId) -> &[NodeId] {
        match self.nodes.get(&node) {
            None => &[],
            Some(Node { parent: None, .. }) => &self.roots,
            Some(Node { parent: Some(parent), .. }) => {
                self.nodes.get(parent).map_or(&[], |parent| parent.children.as_slice())
            }
        }
    }

    /// Which variant a message is, counted from 1, and of how many: the `2/3` beside it.
    #[must_use]
    pub fn variant(&self, node: NodeId) -> (usize, usize) {
        let siblings = self.siblings(node);
        let position = siblings.iter().position(|&sibling| sibling == node);
        (position.map_or(0, |position| position + 1), siblings.len())
    }

    /// Adds what the user says after the last message on screen, and names the conversation after it if it is the
    /// first.
    ///
    /// # Errors
    /// When all ids are used up.
    pub fn add_user(
        &mut self,
        text: impl Into<String>,
        attachments: Vec<Attachment>,
        now: u64,
    ) -> Result<NodeId, TreeOpError> {
        let message = Message { text: text.into(), attachments, ..Message::empty(Role::User, now) };
        if self.is_empty() && self.created == 0 {
            self.created = now;
        }
        let node = self.insert(self.leaf(), message, now)?;
        self.name_after(node);
        Ok(node)
    }

    /// Adds an empty answer after a message of the user or of a tool, to be filled by [`Self::push_text`] and its
    /// like. It becomes the variant on screen. Also the way to regenerate: see [`Self::regenerate`].
    ///
    /// # Errors
    /// When there is no such message, or it is an answer itself.
    pub fn add_answer(
        &mut self,
        after: NodeId,
        model: impl Into<String>,
        now: u64,
    ) -> Result<NodeId, TreeOpError> {
        let found = self.message(after).ok_or(TreeOpError::NoSuchNode { node: after })?.role;
        if found == Role::Assistant {
            return Err(TreeOpError::WrongRole { node: after, found, expected: Role::User });
        }
        let message = Message { model: model.into(), ..Message::empty(Role::Assistant, now) };
        self.show(after)?;
        self.insert(Some(after), message, now)
    }

    /// Adds what a tool answered to a call, or why it failed, after the answer with the call or another result.
    ///
    /// # Errors
    /// When there is no such message, or it is not the model's.
    pub fn add_tool_result(
        &mut self,
        after: NodeId,
        call: &ToolCall,
        text: impl Into<String>,
        failed: bool,
        now: u64,
    ) -> Result<NodeId, TreeOpError> {
        let found = self.message(after).ok_or(TreeOpError::NoSuchNode { node: after })?.role;
        if found == Role::User {
            return Err(TreeOpError::WrongRole { node: after, found, expected: Role::Assistant });
        }
        let (tool, call) = (call.name.clone(), call.id.clone());
        let message = Message { text: text.into(), tool, call, failed, ..Message::empty(Role::Tool, now) };
        self.show(after)?;
        self.insert(Some(after), message, now)
    }

    /// Adds an empty variant of an answer, to be filled anew. The old one stays a variant.
    ///
    /// # Errors
    /// When there is no such message, or it is not an answer.
    pub fn regenerate(
        &mut self,
        answer: NodeId,
        model: impl Into<String>,
        now: u64,
    ) -> Result<NodeId, TreeOpError> {
        let node = self.expect_role(answer, Role::Assistant)?;
        let parent = node.parent;
        let message = Message { model: model.into(), ..Message::empty(Role::Assistant, now) };
        self.show(answer)?;
        self.insert(parent, message, now)
    }

    /// Adds a variant of what the user said, with nothing after it yet. The old one stays, with all that follows it.
    ///
    /// # Errors
    /// When there is no such message, or it is not the user's.
    pub fn edit_user(
        &mut self,
        node: NodeId,
        text: impl Into<String>,
        attachments: Vec<Attachment>,
        now: u64,
    ) -> Result<NodeId, TreeOpError> {
        let parent = self.expect_role(node, Role::User)?.parent;
        let message = Message { text: text.into(), attachments, ..Message::empty(Role::User, now) };
        self.show(node)?;
        self.insert(parent, message, now)
    }

    /// Adds a variant of an answer in the user's own words, so that the conversation can go on from it. The
    /// model's answer stays, with all that follows it.
    ///
    /// # Errors
    /// When there is no such message, or it is not an answer.
    pub fn edit_answer(
        &mut self,
        node: NodeId,
        text: impl Into<String>,
        now: u64,
    ) -> Result<NodeId, TreeOpError> {
        let old = self.expect_role(node, Role::Assistant)?;
        let parent = old.parent;
        let message = Message {
            text: text.into(),
            edited: true,
            timings: None,
            error: None,
            created: now,
            ..Message::clone(&old.message)
        };
        self.show(node)?;
        self.insert(parent, message, now)
    }

    /// The user's last message on screen; `None` if there is none.
    #[must_use]
    pub fn last_question(&self) -> Option<NodeId> {
        let is_user = |node: &NodeId| self.message(*node).is_some_and(|message| message.role == Role::User);
        self.active_path().into_iter().rev().find(is_user)
    }

    /// Has an answer that was cut off, or edited, go on where it ends.
    ///
    /// # Errors
    /// When there is no such message, or it is not an answer.
    pub fn continue_answer(&mut self, node: NodeId, now: u64) -> Result<NodeId, TreeOpError> {
        self.expect_role(node, Role::Assistant)?;
        if let Some(message) = self.message_mut(node) {
            (message.finish, message.error) = (None, None);
        }
        self.updated = now;
        self.show(node)?;
        Ok(node)
    }

    /// Appends to an answer. A message deleted meanwhile takes nothing.
    pub fn push_text(&mut self, answer: NodeId, text: &str) {
        if let Some(message) = self.message_mut(answer) {
            message.text.push_str(text);
        }
    }

    /// Appends to an answer's thought. A message deleted meanwhile takes nothing.
    pub fn push_thought(&mut self, answer: NodeId, text: &str) {
        if let Some(message) = self.message_mut(answer) {
            message.thought.push_str(text);
        }
    }

    /// Appends a call of a tool to an answer. A message deleted meanwhile takes nothing.
    pub fn push_call(&mut self, answer: NodeId, call: ToolCall) {
        if let Some(message) = self.message_mut(answer) {
            message.calls.push(call);
        }
    }

    /// Ends an answer. A message deleted meanwhile takes nothing.
    pub fn finish(&mut self, answer: NodeId, finish: Finish, timings: Timings, now: u64) {
        if let Some(message) = self.message_mut(answer) {
            message.finish = Some(finish);
            message.timings = Some(timings);
            self.updated = now;
        }
    }

    /// Ends an answer with what went wrong. What was written stays.
    pub fn fail(&mut self, answer: NodeId, error: impl Into<AnswerError>, now: u64) {
        if let Some(message) = self.message_mut(answer) {
            message.error = Some(error.into());
            self.updated = now;
        }
    }

    /// Brings a message on screen, with all that leads to it and what was last shown after it.
    ///
    /// # Errors
    /// When there is no such message.
    pub fn show(&mut self, node: NodeId) -> Result<(), TreeOpError> {
        let path = self.path_to(node);
        let Some(&root) = path.first() else { return Err(TreeOpError::NoSuchNode { node }) };
        self.active_root = Some(root);
        for pair in path.windows(2) {
            if let (Some(parent), Some(&child)) = (self.nodes.get_mut(&pair[0]), pair.get(1)) {
                parent.active = Some(child);
            }
        }
        Ok(())
    }

    /// Shows the variant this many after the message (before it when negative), and stops at the first and the last.
    /// Returns the variant now shown.
    ///
    /// # Errors
    /// When there is no such message.
    pub fn switch(&mut self, node: NodeId, by: isize) -> Result<NodeId, TreeOpError> {
        let siblings = self.siblings(node);
        let position = siblings.iter().position(|&sibling| sibling == node);
        let position = position.ok_or(TreeOpError::NoSuchNode { node })?;
        let target = position.saturating_add_signed(by).min(siblings.len() - 1);
        let target = siblings[target];
        self.show(target)?;
        Ok(target)
    }

    /// A new conversation that goes on from a message: it has the messages up to that one, and no other branch.
    ///
    /// # Errors
    /// When there is no such message.
    pub fn fork(&self, at: NodeId, id: ConversationId, now: u64) -> Result<Self, TreeOpError> {
        let path = self.path_to(at);
        if path.is_empty() {
            return Err(TreeOpError::NoSuchNode { node: at });
        }
        let mut fork = Self::new(id, self.options.clone(), now);
        fork.title.clone_from(&self.title);
        fork.title_source = self.title_source;
        fork.temporary = self.temporary;
        fork.filing.folder = self.filing.folder;
        fork.system.clone_from(&self.system);
        fork.preset = self.preset;
        fork.context_start.summary.clone_from(&self.context_start.summary);
        let mut parent = None;
        for (id, node) in path.iter().filter_map(|id| Some((*id, self.nodes.get(id)?))) {
            parent = Some(fork.insert(parent, Message::clone(&node.message), now)?);
            if self.context_start.at == Some(id) {
                fork.context_start.at = parent;
            }
        }
        Ok(fork)
    }

    /// A copy under another name, branches and all.
    #[must_use]
    pub fn duplicate(&self, id: ConversationId, now: u64) -> Self {
        let filing = Filing { folder: self.filing.folder, ..Filing::default() };
        Self { id, filing, created: now, updated: now, ..self.clone() }
    }

    /// Keys of everything attached, in all branches; a key may come more than once.
    pub fn attachment_keys(&self) -> impl Iterator<Item = AttachmentKey> {
        self.nodes.values().flat_map(|node| node.message.attachments.iter().map(|attachment| attachment.key))
    }

    fn expect_role(&self, node: NodeId, expected: Role) -> Result<&Node, TreeOpError> {
        let found = self.nodes.get(&node).ok_or(TreeOpError::NoSuchNode { node })?;
        if found.message.role != expected {
            return Err(TreeOpError::WrongRole { node, found: found.message.role, expected });
        }
        Ok(found)
    }

    fn insert(&mut self, parent: Option<NodeId>, message: Message, now: u64) -> Result<NodeId, TreeOpError> {
        let last = self.nodes.last_key_value().map(|(&last, _)| last);
        let id = NodeId::after(last, now).ok_or(TreeOpError::Full)?;
        match parent {
            None => {
                self.roots.push(id);
                self.active_root = Some(id);
            }
            Some(parent) => {
                let node = self.nodes.get_mut(&parent).ok_or(TreeOpError::NoSuchNode { node: parent })?;
                node.children.push(id);
                node.active = Some(id);
            }
        }
        self.nodes
            .insert(id, Node { parent, children: Vec::new(), active: None, message: Arc::new(message) });
        self.updated = now;
        Ok(id)
    }

    pub(super) fn name_after(&mut self, node: NodeId) {
        if let (true, Some(message)) = (self.title.is_empty(), self.message(node)) {
            (self.title, self.title_source) = (title_of(message), TitleSource::FirstMessage);
        }
    }
}
