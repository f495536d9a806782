//! Counting the tokens of a conversation while its last message is written.

use engine::template::{KnownCounts, Message, RenderOptions, Role, Variant, render};

use crate::models::{pebble, tokenizer};

#[test]
fn a_count_is_that_of_the_ids_and_reads_only_what_is_new() {
    for tokenizer in [tokenizer(), pebble()] {
        let long = "All men by nature desire to know. ".repeat(200);
        let mut known = KnownCounts::default();
        for (turn, draft) in ["W", "Who", "Who said <|turn> that? 🦉"].into_iter().enumerate() {
            let said = [(Role::User, long.as_str()), (Role::Assistant, "Aristotle."), (Role::User, draft)];
            let messages: Vec<Message> =
                said.into_iter().map(|(role, text)| Message::new(role, text.to_owned())).collect();
            let prompt = render(&messages, &[], &RenderOptions::new(Variant::Small));
            let count = prompt.count(tokenizer, &mut known).expect("all tokens are there");
            assert_eq!(count, prompt.encode(tokenizer).expect("all tokens are there").len());
            let most = if turn == 0 { 2 * long.len() } else { draft.len() + 32 };
            assert!(known.bytes_read() <= most, "{} of {most}", known.bytes_read());
        }
        assert!(known.bytes_read() > 0);
    }
}
