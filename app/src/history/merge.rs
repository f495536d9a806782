//! Joining what two tabs, or a file and this browser, made of one conversation.
//!
//! Both sides began from a conversation that both knew, the *base*: what one side alone has changed since is taken from
//! that side. So nothing needs to be stamped, and a message that one side lacks is either new on the other or deleted here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::conversation::Node;
use super::{AnswerPair, Conversation, Filing, Message, NodeId, Options, TitleSource, TreeError};

impl Conversation {
    /// What `ours` and `theirs` have become of `base`, in one conversation. Of what both have changed, ours stays. A deleted
    /// message stays deleted unless the other side has said something after it. What is on screen is as in ours.
    ///
    /// # Errors
    /// When they do not belong together: messages of one name hang in different places.
    pub fn merge(base: &Self, ours: &Self, theirs: &Self) -> Result<Self, TreeError> {
        let (mut added, mut nodes) = (BTreeSet::new(), BTreeMap::new());
        for side in [ours, theirs] {
            for &new in side.nodes.keys().filter(|id| !base.nodes.contains_key(id)) {
                let mut next = Some(new);
                // All that leads to a new message is needed.
                while let Some(id) = next.filter(|&id| added.insert(id)) {
                    next = side.nodes.get(&id).and_then(|node| node.parent);
                }
            }
        }
        for (&id, node) in ours.nodes.iter().chain(&theirs.nodes) {
            let both = ours.nodes.get(&id).zip(theirs.nodes.get(&id));
            if both.is_none() && !added.contains(&id) {
                continue;
            }
            let message = match both {
                Some((ours, theirs)) if ours.parent != theirs.parent => {
                    return Err(TreeError::Parent { node: id });
                }
                Some((ours, theirs)) => {
                    let before = base.nodes.get(&id).map(|node| &node.message);
                    choose(before, &ours.message, &theirs.message)
                }
                None => Arc::clone(&node.message),
            };
            nodes.entry(id).or_insert(Node {
                parent: node.parent,
                children: Vec::new(),
                active: None,
                message,
            });
        }
        let (title, title_source) = merge_title(base, ours, theirs);
        let mut merged = Self {
            id: ours.id,
            title,
            title_source,
            temporary: ours.temporary,
            filing: merge_filing(base.filing, ours.filing, theirs.filing),
            created: [ours.created, theirs.created].into_iter().filter(|&at| at > 0).min().unwrap_or(0),
            updated: ours.updated.max(theirs.updated),
            system: pick(&base.system, &ours.system, &theirs.system),
            options: merge_options(&base.options, &ours.options, &theirs.options),
            preset: pick(&base.preset, &ours.preset, &theirs.preset),
            pairs: merge_pairs(&base.pairs, &ours.pairs, &theirs.pairs),
            context_start: pick(&base.context_start, &ours.context_start, &theirs.context_start),
            nodes,
            roots: Vec::new(),
            active_root: None,
        };
        merged.connect(ours, theirs);
        merged.check()?;
        Ok(merged)
    }

    /// Makes the lists of children, oldest first, and shows in each place what `ours` shows there, or else `theirs`.
    fn connect(&mut self, ours: &Self, theirs: &Self) {
        let parents: Vec<_> = self.nodes.iter().map(|(&id, node)| (id, node.parent)).collect();
        for (id, parent) in parents {
            match parent {
                None => self.roots.push(id),
                // Without its parent it stays detached, which the check then says.
                Some(parent) => {
                    if let Some(parent) = self.nodes.get_mut(&parent) {
                        parent.children.push(id);
                    }
                }
            }
        }
        let shown = |among: &[NodeId], ours: Option<NodeId>, theirs: Option<NodeId>| {
            let mut wanted = ours.into_iter().chain(theirs);
            wanted.find(|id| among.contains(id)).or(among.last().copied())
        };
        self.active_root = shown(&self.roots, ours.active_root, theirs.active_root);
        for (id, node) in &mut self.nodes {
            let active = |side: &Self| side.nodes.get(id).and_then(|node| node.active);
            node.active = shown(&node.children, active(ours), active(theirs));
        }
    }
}

fn pick<T: Clone + PartialEq>(base: &T, ours: &T, theirs: &T) -> T {
    if ours == base { theirs.clone() } else { ours.clone() }
}

/// The title that was changed; where both were, the one that the user has written, else ours.
fn merge_title(base: &Conversation, ours: &Conversation, theirs: &Conversation) -> (String, TitleSource) {
    let of = |it: &Conversation| (it.title.clone(), it.title_source);
    let (base, ours, theirs) = (of(base), of(ours), of(theirs));
    let written = theirs.1 == TitleSource::User && ours.1 != TitleSource::User && theirs != base;
    if written { theirs } else { pick(&base, &ours, &theirs) }
}

fn merge_filing(base: Filing, ours: Filing, theirs: Filing) -> Filing {
    Filing {
        folder: pick(&base.folder, &ours.folder, &theirs.folder),
        pinned: pick(&base.pinned, &ours.pinned, &theirs.pinned),
        archived: pick(&base.archived, &ours.archived, &theirs.archived),
    }
}

/// Those that either side has, without those that the other has taken away.
fn merge_pairs(base: &[AnswerPair], ours: &[AnswerPair], theirs: &[AnswerPair]) -> Vec<AnswerPair> {
    let kept = ours.iter().filter(|pair| theirs.contains(pair) || !base.contains(pair));
    let new = theirs.iter().filter(|pair| !ours.contains(pair) && !base.contains(pair));
    kept.chain(new).copied().collect()
}

fn merge_options(base: &Options, ours: &Options, theirs: &Options) -> Options {
    Options {
        model: pick(&base.model, &ours.model, &theirs.model),
        sampling: pick(&base.sampling, &ours.sampling, &theirs.sampling),
        context: pick(&base.context, &ours.context, &theirs.context),
        thinking: pick(&base.thinking, &ours.thinking, &theirs.thinking),
        max_thought: pick(&base.max_thought, &ours.max_thought, &theirs.max_thought),
        max_tokens: pick(&base.max_tokens, &ours.max_tokens, &theirs.max_tokens),
        stop: pick(&base.stop, &ours.stop, &theirs.stop),
        tools: pick(&base.tools, &ours.tools, &theirs.tools),
        format: pick(&base.format, &ours.format, &theirs.format),
    }
}

/// The one that was changed; where both were, the one that has ended, or the longer.
fn choose(base: Option<&Arc<Message>>, ours: &Arc<Message>, theirs: &Arc<Message>) -> Arc<Message> {
    let same = |a: &Arc<Message>, b: &Arc<Message>| Arc::ptr_eq(a, b) || a == b;
    let weight = |it: &Message| (it.finish.is_some() || it.error.is_some(), it.text.len() + it.thought.len());
    let take_theirs = !same(ours, theirs)
        && match base {
            Some(base) if same(base, ours) => true,
            Some(base) if same(base, theirs) => false,
            _ => weight(theirs) > weight(ours),
        };
    Arc::clone(if take_theirs { theirs } else { ours })
}
