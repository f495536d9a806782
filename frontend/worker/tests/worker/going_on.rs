//! Answers that go on from a beginning, and counts of what is being written.

use std::cell::Cell;
use std::rc::Rc;

use protocol::{
    Begun, Cause, Control, Finish, Message, Outcome, Progress, Request, RequestId, Role, Timings, ToWorker,
};
use worker::Host;

use crate::desk::{Desk, asks, go_on};

const QUESTION: &str = "Count from 1 to 9.";

/// The end of a request to answer, and the text that it brought.
fn answered(
    desk: &Desk,
    host: &Rc<Host>,
    id: u64,
    begun: Option<Begun>,
    most: u32,
) -> (Finish, String, Timings) {
    host.receive(go_on(id, QUESTION, begun, most), Vec::new());
    let Ok(Outcome::Done { finish, timings, .. }) = desk.end_of(id) else { panic!("no answer") };
    (finish, desk.text_of(id), timings)
}

fn begun(answer: &str) -> Option<Begun> {
    Some(Begun { thought: String::new(), answer: answer.to_owned() })
}

#[test]
fn an_answer_that_was_cut_off_goes_on_as_if_it_had_not_been() {
    let (desk, host) = Desk::loaded();
    let (finish, whole, all) = answered(&desk, &host, 2, None, 0);
    assert_eq!(finish, Finish::EndOfTurn);
    assert!(all.decode_tokens > 12, "{whole}");

    // At its limit, several times over.
    let (mut said, mut id, mut tokens) = (String::new(), 3, 0);
    loop {
        let from = (!said.is_empty()).then(|| begun(&said)).flatten();
        let (finish, text, timings) = answered(&desk, &host, id, from, 5);
        said.push_str(&text);
        tokens += timings.decode_tokens;
        id += 1;
        if finish != Finish::MaxTokens {
            assert_eq!(finish, Finish::EndOfTurn);
            break;
        }
        // Only what is new is counted.
        assert_eq!(timings.decode_tokens, 5);
    }
    assert_eq!((said, tokens), (whole.clone(), all.decode_tokens));
    assert!(id > 5);

    // In another tab, which has nothing but the text: cut after any character.
    let (desk, host) = Desk::loaded();
    for (id, end) in (10..).zip([1, 7, whole.len() / 2, whole.len() - 2]) {
        let (finish, text, timings) = answered(&desk, &host, id, begun(&whole[..end]), 0);
        assert_eq!((finish, format!("{}{text}", &whole[..end])), (Finish::EndOfTurn, whole.clone()));
        assert!(timings.prompt_tokens > all.prompt_tokens);
    }
}

#[test]
fn an_answer_that_was_stopped_goes_on_as_if_it_had_not_been() {
    let (desk, host) = Desk::loaded();
    let (_, whole, _) = answered(&desk, &host, 2, None, 0);
    let (stopping, seen) = (Rc::clone(&host), Cell::new(0));
    desk.react(move |event| {
        if matches!(event.as_progress(), Some((RequestId(3), Progress::Text { .. }))) {
            seen.set(seen.get() + 1);
            if seen.get() == 2 {
                stopping.receive(ToWorker::control(RequestId(3), Control::Cancel), Vec::new());
            }
        }
    });
    let (finish, said, _) = answered(&desk, &host, 3, None, 0);
    assert_eq!(finish, Finish::Cancelled);
    assert!(!said.is_empty() && said.len() < whole.len(), "{said}");
    let (_, rest, timings) = answered(&desk, &host, 4, begun(&said), 0);
    assert_eq!(said + &rest, whole);
    // What was drawn is still in the cache.
    assert!(timings.cached_tokens + 2 >= timings.prompt_tokens, "{timings:?}");
}

#[test]
fn an_edited_answer_goes_on_from_what_it_says_now() {
    let (desk, host) = Desk::loaded();
    let (_, whole, _) = answered(&desk, &host, 2, None, 0);
    let (finish, rest, _) = answered(&desk, &host, 3, begun("1, 2, 3, 4, 5, 6, 7"), 0);
    assert_eq!(finish, Finish::EndOfTurn);
    assert!(rest.starts_with(", 8"), "{whole} / {rest}");
}

#[test]
fn a_thought_that_was_cut_off_goes_on_and_one_that_has_ended_stays_so() {
    let (desk, host) = Desk::loaded();
    let thought = Begun { thought: "1 to 9.".into(), answer: "1, 2, 3".into() };
    let (finish, rest, _) = answered(&desk, &host, 2, Some(thought), 0);
    assert_eq!(finish, Finish::EndOfTurn);
    assert!(rest.starts_with(", 4"), "{rest}");
}

fn count(id: u64, messages: &[Message]) -> ToWorker {
    ToWorker::request(
        RequestId(id),
        Request::Count { messages: messages.to_vec(), thinking: false, tools: Vec::new() },
    )
}

#[test]
fn a_draft_is_counted_as_it_is_read_and_each_count_replaces_the_one_before() {
    let (desk, host) = Desk::loaded();
    let mut conversation = asks("My name is Ada.");
    conversation.push(Message::text(Role::Assistant, "Hello Ada!"));
    let mut drafts = (2..).zip(["H", "Hello", "Hello again, I am <|turn> Ada"]).map(|(id, draft)| {
        let mut messages = conversation.clone();
        messages.push(Message::text(Role::User, draft));
        (id, messages)
    });
    let mut last = None;
    for (id, messages) in drafts.by_ref() {
        host.receive(count(id, &messages), Vec::new());
        last = Some((id, messages));
    }
    for id in 2..4 {
        let Err(failure) = desk.end_of(id) else { panic!("it was counted") };
        assert_eq!(failure.cause(), Cause::Cancelled);
    }
    let (id, messages) = last.expect("drafts");
    let Ok(Outcome::Counted { tokens, .. }) = desk.end_of(id) else { panic!("not counted") };
    let options = protocol::GenerateOptions { max_tokens: 1, ..Default::default() };
    host.receive(ToWorker::request(RequestId(9), Request::Generate { messages, options }), Vec::new());
    let Ok(Outcome::Done { timings, .. }) = desk.end_of(9) else { panic!("no answer") };
    assert_eq!(tokens, timings.prompt_tokens);
}
