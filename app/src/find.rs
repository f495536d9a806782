//! Where the words of a search stand in a conversation.

use protocol::Role;

use crate::content::{plain_markdown, plain_passages};
use crate::history::{Conversation, Message, NodeId, Query};

/// A place at which a word was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The message.
    pub node: NodeId,
    /// Which of the places in the message's text. After these come the names of its attachments.
    pub index: usize,
}

/// All places of a conversation at which a word stands, in the order in which its messages follow one another; after each
/// version of a message, what follows that one.
#[must_use]
pub fn hits(conversation: &Conversation, query: &Query) -> Vec<Hit> {
    let mut hits = Vec::new();
    let roots = conversation.nodes().filter(|(_, node)| node.parent().is_none()).map(|(id, _)| id);
    let mut ahead: Vec<_> = roots.collect();
    ahead.reverse();
    while let Some(node) = ahead.pop() {
        let Some(it) = conversation.node(node) else { continue };
        hits.extend((0..count(&it.message, query)).map(|index| Hit { node, index }));
        ahead.extend(it.children().iter().rev());
    }
    hits
}

/// The place to go to first: the first on screen, else the first in another version of a message.
#[must_use]
pub fn first(hits: &[Hit], conversation: &Conversation) -> Option<usize> {
    let path = conversation.active_path();
    let shown = hits.iter().position(|hit| path.contains(&hit.node));
    shown.or((!hits.is_empty()).then_some(0))
}

fn count(message: &Message, query: &Query) -> usize {
    let named = message.attachments.iter().filter(|it| !query.ranges(&it.name).is_empty()).count();
    // To read a text as it is shown takes longer than to see that nothing is in it.
    if query.ranges(&message.text).is_empty() && !message.text.contains(['*', '_', '`', '~', '\\', '&']) {
        return named;
    }
    let text = match message.role {
        Role::User => plain_passages(&message.text),
        Role::Assistant => plain_markdown(&message.text),
        Role::Tool => message.text.clone(),
        Role::System => return 0,
    };
    query.ranges(&text).len() + named
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Attachment, AttachmentKey, AttachmentKind, ConversationId, Options};
    use protocol::{Finish, Timings};

    fn conversation() -> Conversation {
        Conversation::new(ConversationId(1), Options::default(), 1)
    }

    fn answer(conversation: &mut Conversation, text: &str) -> NodeId {
        let after = conversation.leaf().expect("has a question");
        let node = conversation.add_answer(after, "m", 3).expect("added");
        conversation.push_text(node, text);
        conversation.finish(node, Finish::EndOfTurn, Timings::default(), 4);
        node
    }

    fn found(conversation: &Conversation, words: &str) -> Vec<Hit> {
        hits(conversation, &Query::new(words).expect("words"))
    }

    #[test]
    fn each_place_counts_as_it_is_shown() {
        let mut it = conversation();
        let question = it.add_user("Is Bergen in Norway? `bergen`", Vec::new(), 2).expect("added");
        let said = answer(&mut it, "**Ber**gen is. [Read](https://bergen.no) on.\n\n```\nbergen\n```");
        let hit = |node, index| Hit { node, index };
        assert_eq!(
            found(&it, "bergen"),
            [hit(question, 0), hit(question, 1), hit(said, 0), hit(said, 1)],
            "words with marks in them, and no address"
        );
        assert_eq!(found(&it, "norway read"), [hit(question, 0), hit(said, 0)], "each of several words");
        assert_eq!(found(&it, "oslo"), []);
    }

    #[test]
    fn other_versions_count_too_and_those_on_screen_come_first() {
        let mut it = conversation();
        let question = it.add_user("Where?", Vec::new(), 2).expect("added");
        let before = answer(&mut it, "In Bergen.");
        let again = it.edit_user(question, "Where, in Bergen?", Vec::new(), 5).expect("edited");
        let hits = found(&it, "bergen");
        assert_eq!(hits.iter().map(|hit| hit.node).collect::<Vec<_>>(), [before, again]);
        assert_eq!(first(&hits, &it), Some(1));
        it.show(question).expect("there");
        assert_eq!(first(&hits, &it), Some(0));
        let hits = found(&it, "question");
        assert_eq!(first(&hits, &it), None);
    }

    #[test]
    fn names_of_attachments_count() {
        let mut it = conversation();
        let attachment = Attachment::new(AttachmentKind::Image, "bergen.png", "image/png", AttachmentKey(7));
        let node = it.add_user("What is it?", vec![attachment], 2).expect("added");
        assert_eq!(found(&it, "bergen"), [Hit { node, index: 0 }]);
    }
}
