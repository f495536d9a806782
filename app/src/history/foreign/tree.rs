//! A conversation of another program, and the tree that is made of it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use protocol::{Finish, Role};
use serde_json::{Map, Value};

use super::super::conversation::Node;
use super::super::title::{one_line, shorten};
use super::super::{Conversation, ConversationId, Filing, Message, NodeId, Options, TitleSource};
use super::{Skipped, SkippedCounts, array, count_all};

/// Most characters of a title or of a model's name.
const NAME_LENGTH: usize = 200;

/// A conversation as another program names and orders it.
#[derive(Debug, Default)]
pub(super) struct Imported {
    /// What tells it from all others of that program.
    pub id: String,
    /// Its title; empty for none.
    pub title: String,
    /// When it was begun, in milliseconds since 1970; 0 if that is not known.
    pub created: u64,
    /// When it was last changed.
    pub updated: u64,
    /// Instructions to the model.
    pub system: String,
    /// Where it was in the other program's list.
    pub filing: Filing,
    /// The messages, in the order of the file.
    pub entries: Vec<Entry>,
    /// The last message that was on screen, by its id.
    pub shown: Option<String>,
}

/// An entry of a conversation. One without a message passes its place on to those that follow it.
#[derive(Debug)]
pub(super) struct Entry {
    /// What tells it from the others of its conversation.
    pub id: String,
    /// The entry before it; `None` for a first one. One that does not exist counts as none.
    pub parent: Option<String>,
    /// What is said; `None` if it is left out.
    pub message: Option<Message>,
}

/// Puts entries that were fields of an object, and so in no order, in the one in which those before them name them under `field`.
pub(super) fn order_by(entries: &mut [Entry], nodes: &Map<String, Value>, field: &str) {
    let named = nodes.values().flat_map(|node| array(node, field).iter().enumerate());
    let places: HashMap<&str, usize> = named.filter_map(|(at, id)| Some((id.as_str()?, at))).collect();
    entries.sort_by_key(|entry| places.get(entry.id.as_str()).copied());
}

impl Imported {
    /// The conversation; `None` if nothing is said in it. Answers of no named model are those of `program`. Entries that no first
    /// one leads to are counted.
    pub(super) fn build(self, program: &str, now: u64, skipped: &mut SkippedCounts) -> Option<Conversation> {
        let id = ConversationId(hash(&self.id));
        let mut conversation = Conversation::new(id, Options::default(), self.created);
        let known: HashMap<&str, usize> =
            self.entries.iter().enumerate().map(|(index, entry)| (entry.id.as_str(), index)).collect();
        let mut followers: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        for (index, entry) in self.entries.iter().enumerate() {
            // Of two with one id, the last counts.
            if known.get(entry.id.as_str()) == Some(&index) {
                let parent = entry.parent.as_deref().and_then(|parent| known.get(parent).copied());
                followers.entry(parent).or_default().push(index);
            }
        }
        // The message that each entry became, or that comes before it.
        let mut placed: BTreeMap<usize, Option<NodeId>> = BTreeMap::new();
        let mut open: Vec<(usize, Option<NodeId>, bool)> =
            followers.get(&None).into_iter().flatten().rev().map(|&index| (index, None, false)).collect();
        // The last message that was placed after each.
        let mut last: HashMap<Option<NodeId>, NodeId> = HashMap::new();
        while let Some((index, parent, joins)) = open.pop() {
            let entry = &self.entries[index];
            let node = match (&entry.message, parent) {
                (None, _) => parent,
                // Parts of one answer, between which a tool was called.
                (Some(message), Some(before)) if joins && conversation.append(before, message) => parent,
                (Some(message), _) => {
                    let before = last.get(&parent).copied();
                    let id = conversation.place(entry, message.clone(), (parent, before), program);
                    last.insert(parent, id);
                    Some(id)
                }
            };
            placed.insert(index, node);
            let after = followers.get(&Some(index)).map_or(&[][..], Vec::as_slice);
            let joins = after.len() == 1 && (joins || entry.message.is_some());
            open.extend(after.iter().rev().map(|&index| (index, node, joins)));
        }
        count_all(skipped, Skipped::Broken, self.entries.len() - placed.len());
        conversation.order();
        let shown =
            self.shown.as_deref().and_then(|id| known.get(id)).and_then(|index| *placed.get(index)?);
        if let Some(shown) = shown {
            // It was just placed.
            conversation.show(shown).ok();
        }
        let (title, source) = (name(&self.title), TitleSource::User);
        (conversation.title, conversation.title_source) = (title, source);
        if let Some(&first) = conversation.roots.first() {
            conversation.name_after(first);
        }
        let times = || conversation.nodes().map(|(_, node)| node.message.created).filter(|&at| at > 0);
        let (first, last) = (times().min(), times().max());
        if conversation.created == 0 {
            conversation.created = first.unwrap_or(now);
        }
        conversation.updated = self.updated.max(last.unwrap_or(0)).max(conversation.created);
        (conversation.system, conversation.filing) = (self.system, self.filing);
        (!conversation.is_empty()).then_some(conversation)
    }
}

impl Conversation {
    /// Adds an entry's message after its parent, and beside the variant that the file has before it. Its id follows from the time
    /// and from what the file calls it; of variants of one time, from the order of the file.
    fn place(
        &mut self,
        entry: &Entry,
        mut message: Message,
        (parent, variant): (Option<NodeId>, Option<NodeId>),
        program: &str,
    ) -> NodeId {
        message.model = name(&message.model);
        if message.role == Role::Assistant {
            // One without an end would count as cut off.
            message.finish = Some(Finish::EndOfTurn);
            if message.model.is_empty() {
                message.model = program.to_owned();
            }
        }
        if message.created == 0 {
            let before = parent.and_then(|parent| self.message(parent)).map(|before| before.created);
            message.created = before.unwrap_or(self.created);
        }
        let mut id = NodeId::at(message.created, hash(&entry.id) as u64);
        let variant = variant.filter(|&it| self.message(it).is_some_and(|it| it.created == message.created));
        id.0 = id.0.max(parent.max(variant).map_or(0, |before| before.0 + 1));
        while self.nodes.contains_key(&id) {
            id.0 += 1;
        }
        let message = Arc::new(message);
        self.nodes.insert(id, Node { parent, children: Vec::new(), active: None, message });
        id
    }

    /// Appends an answer to the one before it. Returns whether both are answers.
    fn append(&mut self, before: NodeId, message: &Message) -> bool {
        let Some(first) = self.message_mut(before).filter(|first| first.role == Role::Assistant) else {
            return false;
        };
        if message.role != Role::Assistant {
            return false;
        }
        for (whole, part) in [(&mut first.text, &message.text), (&mut first.thought, &message.thought)] {
            if !whole.is_empty() && !part.is_empty() {
                whole.push_str("\n\n");
            }
            whole.push_str(part);
        }
        true
    }

    /// Makes the lists of what follows each message, and shows the last of each.
    fn order(&mut self) {
        let places: Vec<_> = self.nodes.iter().map(|(&id, node)| (id, node.parent)).collect();
        for (id, parent) in places {
            match parent.and_then(|parent| self.nodes.get_mut(&parent)) {
                Some(parent) => {
                    parent.children.push(id);
                    parent.active = Some(id);
                }
                None => {
                    self.roots.push(id);
                    self.active_root = Some(id);
                }
            }
        }
    }
}

/// A title or a name on one line.
fn name(text: &str) -> String {
    shorten(one_line(text).trim(), NAME_LENGTH)
}

/// 128 bits of a text: FNV-1a, the same on every machine and in every version.
fn hash(text: &str) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    text.bytes().fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}
