//! Whether a tree is one. Conversations from a file or from an older version are not trusted.

use std::collections::BTreeSet;

use protocol::Role;

use super::{Conversation, NodeId};

/// What is wrong with a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeError {
    /// A message is named that does not exist.
    Missing {
        /// The message.
        node: NodeId,
    },
    /// A message is in two places.
    Twice {
        /// The message.
        node: NodeId,
    },
    /// A message names another parent than the message it hangs on.
    Parent {
        /// The message.
        node: NodeId,
    },
    /// A message hangs nowhere.
    Detached {
        /// The message.
        node: NodeId,
    },
    /// What is shown is not among the variants.
    Active {
        /// The message before; `None` for the first message.
        parent: Option<NodeId>,
    },
    /// A message of a role that cannot be in a tree.
    System {
        /// The message.
        node: NodeId,
    },
}

impl Conversation {
    /// Whether the tree is whole: each message in exactly one place, one shown variant in each place.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), TreeError> {
        let mut seen = BTreeSet::new();
        check_active(None, &self.roots, self.active_root)?;
        let mut open: Vec<(Option<NodeId>, NodeId)> = self.roots.iter().map(|&root| (None, root)).collect();
        while let Some((parent, id)) = open.pop() {
            let node = self.nodes.get(&id).ok_or(TreeError::Missing { node: id })?;
            if !seen.insert(id) {
                return Err(TreeError::Twice { node: id });
            }
            if node.parent != parent {
                return Err(TreeError::Parent { node: id });
            }
            if node.message.role == Role::System {
                return Err(TreeError::System { node: id });
            }
            check_active(Some(id), &node.children, node.active)?;
            open.extend(node.children.iter().map(|&child| (Some(id), child)));
        }
        match self.nodes.keys().find(|id| !seen.contains(id)) {
            Some(&node) => Err(TreeError::Detached { node }),
            None => Ok(()),
        }
    }
}

fn check_active(
    parent: Option<NodeId>,
    variants: &[NodeId],
    active: Option<NodeId>,
) -> Result<(), TreeError> {
    let right = match active {
        None => variants.is_empty(),
        Some(active) => variants.contains(&active),
    };
    if right { Ok(()) } else { Err(TreeError::Active { parent }) }
}
