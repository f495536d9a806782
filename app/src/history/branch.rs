//! Deleting messages, and putting them back.

use std::collections::BTreeMap;

use super::conversation::Node;
use super::{Conversation, NodeId, TreeOpError};

/// What a deletion took out of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// The message that was deleted; the others followed it.
    top: NodeId,
    /// Whether it was the variant on screen.
    shown: bool,
    nodes: BTreeMap<NodeId, Node>,
}

impl Branch {
    /// How many messages it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has no messages, which no deletion leaves.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether it has this message.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.nodes.contains_key(&node)
    }
}

impl Conversation {
    /// Deletes a message and all that follows it in every branch, and returns what was deleted, for [`Self::put_back`]. A
    /// neighbouring variant, if there is one, takes its place on screen. Other variants stay.
    ///
    /// # Errors
    /// When there is no such message.
    pub fn delete_branch(&mut self, node: NodeId, now: u64) -> Result<Branch, TreeOpError> {
        let (position, _) = self.variant(node);
        let Some(parent) = self.nodes.get(&node).map(|node| node.parent) else {
            return Err(TreeOpError::NoSuchNode { node });
        };
        let (siblings, active) = match parent.and_then(|parent| self.nodes.get_mut(&parent)) {
            Some(parent) => (&mut parent.children, &mut parent.active),
            None => (&mut self.roots, &mut self.active_root),
        };
        siblings.retain(|&sibling| sibling != node);
        let shown = *active == Some(node);
        if shown {
            // The one before, as the count beside the message then moves by one only.
            *active = siblings.get(position.saturating_sub(2)).or(siblings.first()).copied();
        }
        let mut nodes = BTreeMap::new();
        let mut doomed = vec![node];
        while let Some(id) = doomed.pop() {
            if let Some(node) = self.nodes.remove(&id) {
                doomed.extend(&node.children);
                nodes.insert(id, node);
            }
        }
        self.updated = now;
        Ok(Branch { top: node, shown, nodes })
    }

    /// Puts back what [`Self::delete_branch`] took, among what was said since. It is shown again if it was.
    ///
    /// # Errors
    /// When the message before it was deleted too.
    pub fn put_back(&mut self, branch: &Branch, now: u64) -> Result<(), TreeOpError> {
        let Some(top) = branch.nodes.get(&branch.top) else { return Ok(()) };
        if self.nodes.contains_key(&branch.top) {
            return Ok(());
        }
        let siblings = match top.parent {
            None => &mut self.roots,
            Some(parent) => {
                let parent = self.nodes.get_mut(&parent).ok_or(TreeOpError::NoSuchNode { node: parent })?;
                &mut parent.children
            }
        };
        siblings.push(branch.top);
        siblings.sort_unstable();
        let first = siblings.len() == 1;
        self.nodes.extend(branch.nodes.iter().map(|(&id, node)| (id, node.clone())));
        self.updated = now;
        if branch.shown || first { self.show(branch.top) } else { Ok(()) }
    }
}
