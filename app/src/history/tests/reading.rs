//! What the model reads of a conversation that is longer than its context.

use std::cell::RefCell;

use documents::{Given, Share, Unit};
use pollster::block_on;
use protocol::{Content, Role, ToolCall};

use super::super::{ContextStart, first_that_fits};
use super::{Attachment, AttachmentKey, AttachmentKind, Conversation, NodeId, empty, picture};

/// Turns of a question and an answer: q0, a0, q1, a1 and so on.
fn turns(count: usize) -> (Conversation, Vec<[NodeId; 2]>) {
    let mut conversation = empty(1);
    let mut nodes = Vec::new();
    for turn in 0..count {
        let question = conversation.add_user(format!("q{turn}"), Vec::new(), 2).unwrap();
        let answer = conversation.add_answer(question, "demo", 3).unwrap();
        conversation.push_text(answer, &format!("a{turn}"));
        nodes.push([question, answer]);
    }
    (conversation, nodes)
}

fn start(at: NodeId, summary: &str) -> ContextStart {
    ContextStart { at: Some(at), summary: summary.to_owned() }
}

/// The texts of a prompt, which has each role in its turn.
fn read(conversation: &Conversation, until: NodeId) -> Vec<String> {
    let prompt = conversation.prompt(until, &|_| None);
    let spoken: Vec<_> = prompt.iter().map(|message| message.role).filter(|&it| it != Role::System).collect();
    assert!(spoken.windows(2).all(|pair| pair[0] != pair[1]), "{spoken:?}");
    let text = |content: &Content| match content {
        Content::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    prompt.iter().map(|message| message.content.iter().map(text).collect()).collect()
}

#[test]
fn what_is_before_the_start_is_left_out_unless_it_is_pinned() {
    let (mut conversation, nodes) = turns(5);
    conversation.system = "Be brief.".to_owned();
    let last = nodes[4][0];
    let all = read(&conversation, last);
    conversation.context_start = start(nodes[3][0], " ");
    assert_eq!(read(&conversation, last), ["Be brief.", "q3", "a3", "q4"]);
    conversation.context_start = start(nodes[3][1], "");
    assert_eq!(read(&conversation, last), ["Be brief.", "q3", "a3", "q4"], "a turn is never torn apart");
    for [question, answer] in [nodes[1], nodes[3]] {
        conversation.message_mut(answer).unwrap().pinned = true;
        conversation.message_mut(question).unwrap().pinned = false;
    }
    let pinned = ["Be brief.", "q1", "a1", "q3", "a3", "q4"];
    assert_eq!(read(&conversation, last), pinned, "a pinned answer brings its question");
    conversation.message_mut(nodes[1][1]).unwrap().pinned = false;
    conversation.message_mut(nodes[1][0]).unwrap().pinned = true;
    assert_eq!(read(&conversation, last), pinned, "and a pinned question its answer");

    conversation.context_start.summary = "Of trees.".to_owned();
    let with_summary = "Be brief.\n\n<summary of=\"earlier messages\">\nOf trees.\n</summary>";
    assert_eq!(read(&conversation, last)[..2], [with_summary, "q1"]);
    conversation.system.clear();
    assert!(read(&conversation, last)[0].starts_with("<summary"), "also without a system prompt");
    conversation.system = "Be brief.".to_owned();

    assert_eq!(read(&conversation, nodes[2][0]), all[..6], "the start comes later");
    let [question, _] = nodes[3];
    let edited = conversation.edit_user(question, "Q3", Vec::new(), 9).unwrap();
    assert_eq!(read(&conversation, edited)[5..], ["q2", "a2", "Q3"], "the start is in another branch");
    conversation.delete_branch(question, 9).unwrap();
    assert_eq!(read(&conversation, edited)[5..], ["q2", "a2", "Q3"], "it was deleted");
    conversation.context_start = ContextStart { at: None, summary: "Of trees.".to_owned() };
    assert_eq!(read(&conversation, edited)[0], "Be brief.", "a summary of nothing");
}

#[test]
fn calls_and_attachments_go_with_their_turn() {
    let (mut conversation, nodes) = turns(2);
    let call = ToolCall { id: "1-9".to_owned(), name: "sum".to_owned(), arguments: "{}".to_owned() };
    let [_, answer] = nodes[1];
    conversation.message_mut(nodes[0][0]).unwrap().attachments = vec![picture(1)];
    conversation.push_call(answer, call.clone());
    let result = conversation.add_tool_result(answer, &call, "3", false, 7).unwrap();
    let after = conversation.add_answer(result, "demo", 8).unwrap();
    conversation.push_text(after, "Three.");
    let last = conversation.add_user("q2", vec![picture(2)], 9).unwrap();
    assert_eq!(conversation.later_starts(last), [nodes[1][0], last]);
    conversation.context_start = start(result, "");
    assert_eq!(read(&conversation, last), ["q1", "a1", "3", "Three.", "q2"]);
    assert_eq!(conversation.later_starts(last), [last]);
    let keys = |conversation: &Conversation| {
        conversation.attachments_to(last).iter().map(|it| it.key.0).collect::<Vec<_>>()
    };
    assert_eq!(keys(&conversation), [2]);
    conversation.context_start = start(last, "");
    conversation.message_mut(nodes[0][1]).unwrap().pinned = true;
    assert_eq!(read(&conversation, last), ["q0", "a0", "q2"]);
    assert_eq!((keys(&conversation), conversation.later_starts(last)), (vec![1, 2], Vec::new()));
}

#[test]
fn documents_keep_their_numbers_and_are_not_given_from_what_is_left_out() {
    let (mut conversation, nodes) = turns(3);
    let document = |key| Attachment::new(AttachmentKind::Document, "a", "text/plain", AttachmentKey(key));
    for (turn, key) in [(0, 7), (1, 8)] {
        let share =
            Share { document: turn as u32 + 1, passages: Vec::new(), unit: Unit::Pages, given: 1, of: 2 };
        let question = conversation.message_mut(nodes[turn][0]).unwrap();
        question.attachments = vec![document(key)];
        question.given = Some(Given { text: "<document>".into(), tokens: 5, shares: vec![share] });
    }
    let last = nodes[2][0];
    let open = |it: &Conversation| it.open_documents(last).iter().map(|it| it.number).collect::<Vec<_>>();
    assert_eq!((open(&conversation), conversation.given_tokens(last)), (vec![1, 2], 10));
    conversation.context_start = start(nodes[1][0], "");
    assert_eq!((open(&conversation), conversation.given_tokens(last)), (vec![2], 5));
    assert_eq!(conversation.documents_to(last).len(), 2);
    assert_eq!(conversation.left_out_for(nodes[1][1])[0].0.key.0, 8);
}

#[test]
fn the_first_start_that_fits_is_found_with_few_counts() {
    let starts: Vec<_> = (1..=100).map(NodeId).collect();
    let counted = RefCell::new(0);
    // Each start takes 10 tokens fewer than the one before it.
    let count = async |NodeId(at): NodeId| {
        *counted.borrow_mut() += 1;
        Some(1010 - 10 * u32::try_from(at).unwrap())
    };
    let first = |most| block_on(first_that_fits(&starts, most, count));
    assert_eq!(first(500), Some(NodeId(51)));
    assert_eq!(first(509), Some(NodeId(51)));
    assert_eq!(first(5000), Some(NodeId(1)));
    assert_eq!(first(0), Some(NodeId(100)), "the last question is never left out");
    assert!(*counted.borrow() <= 28, "{}", counted.borrow());
    assert_eq!(block_on(first_that_fits(&[], 9, count)), None);
    assert_eq!(block_on(first_that_fits(&starts, 9, async |_| None)), None, "nothing is known");
}
