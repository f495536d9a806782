//! The documents of a conversation: which ones there are, what the model has of them, what an answer names.

use std::collections::HashMap;

use documents::{Given, Place, Share};

use super::{Attachment, AttachmentKey, AttachmentKind, Conversation, NodeId};

/// A document that the model has not as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenDocument {
    /// Its number, from 1.
    pub number: u32,
    /// The document.
    pub attachment: Attachment,
    /// The passages that the model has; `None` if the document is new to it.
    pub known: Option<Vec<u32>>,
}

impl Conversation {
    /// The documents up to a message, that one included. They are numbered from 1 in this order, wherever the model begins to
    /// read: answers name the numbers.
    #[must_use]
    pub fn documents_to(&self, until: NodeId) -> Vec<Attachment> {
        let mut documents: Vec<Attachment> = Vec::new();
        let messages = self.path_to(until).into_iter().filter_map(|node| self.message(node));
        for attachment in messages.flat_map(|message| &message.attachments) {
            let is_known = |key: AttachmentKey| documents.iter().any(|it| it.key == key);
            if attachment.kind == AttachmentKind::Document && !is_known(attachment.key) {
                documents.push(attachment.clone());
            }
        }
        documents
    }

    /// Whether it is still to be chosen what of its documents the model gets with a message.
    #[must_use]
    pub fn wants_documents(&self, question: NodeId) -> bool {
        self.message(question).is_some_and(|message| message.given.is_none())
            && !self.open_documents(question).is_empty()
    }

    /// The documents up to a message of which the model may get something with it.
    #[must_use]
    pub fn open_documents(&self, until: NodeId) -> Vec<OpenDocument> {
        let mut open = Vec::new();
        let (messages, read) = (self.read_to(until), self.attachments_to(until));
        for (number, attachment) in (1..).zip(self.documents_to(until)) {
            if !read.iter().any(|it| it.key == attachment.key) {
                continue;
            }
            let mut shares = self.given_to(&messages).flat_map(|given| shares_of(given, number)).peekable();
            if shares.peek().is_some_and(|first| first.given == first.of) {
                continue;
            }
            let known = shares.peek().is_some();
            let passages = shares.flat_map(|share| &share.passages).map(|(passage, _)| *passage);
            open.push(OpenDocument { number, attachment, known: known.then(|| passages.collect()) });
        }
        open
    }

    /// About the tokens of documents in the messages up to this one.
    #[must_use]
    pub fn given_tokens(&self, until: NodeId) -> u32 {
        self.given_to(&self.read_to(until)).map(|given| given.tokens).sum()
    }

    /// The passages that the model had for an answer: the document and the place, by the numbers of document and passage.
    #[must_use]
    pub fn passages_for(&self, answer: NodeId) -> HashMap<(u32, u32), (AttachmentKey, Place)> {
        let mut passages = HashMap::new();
        let path = self.path_to(answer);
        for (number, attachment) in (1..).zip(self.documents_to(answer)) {
            for share in self.given_to(&path).flat_map(|given| shares_of(given, number)) {
                let places = share.passages.iter();
                passages
                    .extend(places.map(|(passage, place)| ((number, *passage), (attachment.key, *place))));
            }
        }
        passages
    }

    /// The documents of which something was left out for an answer, each with how much of it was given and how much there is.
    #[must_use]
    pub fn left_out_for(&self, answer: NodeId) -> Vec<(Attachment, Share)> {
        let question = self.node(answer).and_then(super::Node::parent);
        let given = question.and_then(|question| self.message(question)?.given.as_ref());
        let shares = given.map(|given| given.shares.as_slice()).unwrap_or_default();
        let mut parts = shares.iter().filter(|share| share.given < share.of).peekable();
        if parts.peek().is_none() {
            return Vec::new();
        }
        let documents = self.documents_to(answer);
        parts.filter_map(|share| Some((documents.get(index(share)?)?.clone(), share.clone()))).collect()
    }

    fn given_to<'a>(&'a self, messages: &'a [NodeId]) -> impl Iterator<Item = &'a Given> {
        messages.iter().filter_map(|&node| self.message(node)?.given.as_ref())
    }
}

fn shares_of(given: &Given, document: u32) -> impl Iterator<Item = &Share> {
    given.shares.iter().filter(move |share| share.document == document)
}

/// The place of a share's document among those of the conversation.
fn index(share: &Share) -> Option<usize> {
    usize::try_from(share.document.checked_sub(1)?).ok()
}

#[cfg(test)]
mod tests {
    use documents::Unit;

    use super::*;
    use crate::history::{ConversationId, Options};

    fn document(key: u128) -> Attachment {
        Attachment::new(AttachmentKind::Document, format!("{key}.pdf"), "application/pdf", AttachmentKey(key))
    }

    fn share(document: u32, passages: &[u32], of: u32) -> Share {
        Share {
            document,
            passages: passages.iter().map(|number| (*number, Place::Page(number * 10))).collect(),
            unit: Unit::Pages,
            given: passages.len() as u32,
            of,
        }
    }

    fn give(conversation: &mut Conversation, node: NodeId, shares: Vec<Share>) {
        let given = Given { text: "<document>".into(), tokens: 7, shares };
        conversation.message_mut(node).expect("a message").given = Some(given);
    }

    #[test]
    fn documents_are_numbered_along_a_branch_and_open_until_they_are_given_whole() {
        let mut conversation = Conversation::new(ConversationId(1), Options::default(), 1);
        let first = conversation.add_user("One?", vec![document(7), document(8)], 1).expect("added");
        let keys = |all: &[OpenDocument]| {
            all.iter().map(|it| (it.number, it.attachment.key.0, it.known.clone())).collect::<Vec<_>>()
        };
        assert_eq!(keys(&conversation.open_documents(first)), [(1, 7, None), (2, 8, None)]);
        give(&mut conversation, first, vec![share(1, &[1, 2], 2), share(2, &[3], 9)]);
        let answer = conversation.add_answer(first, "m", 2).expect("added");
        let second = conversation.add_user("Two?", vec![document(9), document(7)], 3).expect("added");
        let open = conversation.open_documents(second);
        assert_eq!(keys(&open), [(2, 8, Some(vec![3])), (3, 9, None)], "the first is given whole");
        give(&mut conversation, second, vec![share(2, &[4], 9), share(3, &[1], 1)]);
        assert_eq!(conversation.given_tokens(second), 14);

        let last = conversation.add_answer(second, "m", 4).expect("added");
        let passages = conversation.passages_for(last);
        assert_eq!(passages.get(&(2, 4)), Some(&(AttachmentKey(8), Place::Page(40))));
        assert_eq!(passages.len(), 5);
        assert!(!conversation.passages_for(answer).contains_key(&(3, 1)), "what came later");
        let left_out = |answer| {
            let all = conversation.left_out_for(answer).into_iter();
            all.map(|(it, share)| (it.key.0, share.given, share.of)).collect::<Vec<_>>()
        };
        assert_eq!((left_out(answer), left_out(last)), (vec![(8, 1, 9)], vec![(8, 1, 9)]));
    }
}
