//! Two tabs with one store, old records, and records that cannot be read.

use pollster::block_on;
use protocol::{Finish, Timings};

use super::super::records::{Table, Value, Write};
use super::*;

/// What a tab makes of a save: what is on its screen then, and what it knows to be stored.
async fn saved(store: &HistoryStore, ours: &Conversation, base: &StoredConversation) -> StoredConversation {
    match store.save(ours, Some(base)).await.unwrap() {
        Saved::Written(stored) | Saved::Merged(stored) => stored,
        Saved::Gone => panic!("it is gone"),
    }
}

#[test]
fn what_two_tabs_add_is_kept_of_both() {
    block_on(async {
        let store = store();
        let (conversation, question, answer) = answered(1);
        let base = keep(&store, &conversation).await;
        let (mut a, mut b) = (base.conversation.clone(), base.conversation.clone());
        // One tab answers once more, the other sends the next message; both rename it or change its settings.
        let again = a.regenerate(answer, "demo", 10).unwrap();
        a.push_text(again, "A plant");
        a.title = "Trees".to_owned();
        let next = b.add_user("And a leaf?", Vec::new(), 10).unwrap();
        b.options.thinking = true;
        b.system = "Be brief.".to_owned();
        assert_ne!(again, next, "tabs give different names");
        let known_to_a = saved(&store, &a, &base).await;
        let known_to_b = saved(&store, &b, &base).await;
        let both = known_to_b.conversation;
        assert_eq!(both.check(), Ok(()));
        assert_eq!(both.len(), 4);
        assert_eq!(both.message(again).unwrap().text, "A plant");
        assert_eq!(both.active_path(), [question, answer, next], "the tab that joins keeps what it shows");
        assert_eq!((both.title.as_str(), both.system.as_str()), ("Trees", "Be brief."));
        assert!(both.options.thinking);
        // The first tab goes on without having heard of it.
        a.push_text(again, ".");
        a.finish(again, Finish::EndOfTurn, Timings::default(), 11);
        let all = saved(&store, &a, &known_to_a).await.conversation;
        assert_eq!((all.len(), all.message(again).unwrap().text.as_str()), (4, "A plant."));
        assert_eq!(all.message(next).unwrap().text, "And a leaf?");
        assert_eq!(loaded(&store, all.id).await, Some(all));
    });
}

#[test]
fn a_deleted_message_stays_deleted_unless_something_was_said_after_it() {
    let (base, question, answer) = answered(1);
    let (mut ours, mut theirs) = (base.clone(), base.clone());
    ours.delete_branch(answer, 5).unwrap();
    theirs.title = "Trees".to_owned();
    let merged = Conversation::merge(&base, &ours, &theirs).unwrap();
    assert_eq!((merged.active_path(), merged.title.as_str()), (vec![question], "Trees"));
    assert_eq!(Conversation::merge(&base, &theirs, &ours).unwrap().active_path(), [question]);
    let next = theirs.add_user("And a leaf?", Vec::new(), 6).unwrap();
    let merged = Conversation::merge(&base, &ours, &theirs).unwrap();
    assert_eq!(merged.active_path(), [question, answer, next], "what was said after it needs it");
}

#[test]
fn a_deleted_conversation_does_not_come_back_by_a_late_save() {
    block_on(async {
        let store = store();
        let (conversation, _, answer) = answered(1);
        let base = keep(&store, &conversation).await;
        store
            .set_draft(Some(conversation.id), "a", &Draft { text: "half".to_owned(), ..Draft::default() }, 0)
            .await
            .unwrap();
        let deleted = store.delete(&[conversation.id]).await.unwrap();
        let mut late = conversation.clone();
        late.push_text(answer, " More.");
        assert_eq!(store.save(&late, Some(&base)).await, Ok(Saved::Gone));
        assert_eq!((loaded(&store, late.id).await, store.list().await), (None, Ok(Vec::new())));
        store.restore(&deleted).await.unwrap();
        assert_eq!(loaded(&store, late.id).await, Some(conversation.clone()));
        let open = async || ["a".to_owned()].into();
        assert_eq!(store.draft(Some(conversation.id), "a", open).await.unwrap().text, "half");
        assert!(
            matches!(store.save(&late, Some(&base)).await, Ok(Saved::Written(_))),
            "as if nothing had been"
        );
    });
}

#[test]
fn a_deleted_message_is_put_back_among_what_was_said_since() {
    let (mut conversation, question, answer) = answered(1);
    let follow = conversation.add_user("More?", Vec::new(), 5).unwrap();
    let branch = conversation.delete_branch(answer, 6).unwrap();
    assert_eq!((branch.len(), branch.contains(follow)), (2, true));
    let other = conversation.add_answer(question, "demo", 7).unwrap();
    conversation.put_back(&branch, 8).unwrap();
    assert_eq!(conversation.check(), Ok(()));
    assert_eq!(conversation.active_path(), [question, answer, follow], "it is on screen as before");
    assert_eq!(conversation.siblings(answer), [answer, other], "and what was said since is there");
    conversation.put_back(&branch, 9).unwrap();
    assert_eq!(conversation.len(), 4, "once");
    let first = conversation.delete_branch(question, 10).unwrap();
    assert_eq!(conversation.put_back(&branch, 11), Err(TreeOpError::NoSuchNode { node: question }));
    conversation.put_back(&first, 12).unwrap();
    assert_eq!((conversation.len(), conversation.check()), (4, Ok(())));
}

#[test]
fn records_of_the_first_version_are_read_and_those_of_a_newer_one_left_alone() {
    block_on(async {
        let store = store();
        let id = ConversationId(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        let old = r#"{"id":"0123456789abcdef0123456789abcdef","title":"Old","created":1,"updated":2,"nodes":{
            "0":{"parent":null,"children":[1],"active":1,"message":{"role":"user","text":"Hi","created":1}},
            "1":{"parent":0,"message":{"role":"assistant","text":"Hello","created":2}}},
            "roots":[0],"active_root":0,"next":2}"#;
        let put =
            |text: &str| vec![Write::Put(Table::Conversations, id.to_string(), Value::Text(text.to_owned()))];
        store.backend.commit(put(old)).await.unwrap();
        let base = store.load(id).await.unwrap().unwrap();
        let mut conversation = base.conversation.clone();
        assert_eq!(conversation.active_path(), [NodeId(0), NodeId(1)]);
        conversation.add_user("Still there?", Vec::new(), 3).unwrap();
        assert!(matches!(store.save(&conversation, Some(&base)).await, Ok(Saved::Written(_))));
        assert_eq!(loaded(&store, id).await, Some(conversation.clone()));

        let newer = r#"{"version":99,"revision":1,"conversation":{"what":"nobody knows"}}"#;
        store.backend.commit(put(newer)).await.unwrap();
        let refused = StoreError::Newer { key: id.to_string(), version: 99 };
        assert_eq!(store.load(id).await, Err(refused.clone()));
        assert_eq!(store.save(&conversation, Some(&base)).await, Err(refused));
        assert_eq!(store.raw(id).await, Ok(Some(newer.as_bytes().to_vec())), "it is as it was");
    });
}

#[test]
fn a_record_that_cannot_be_read_is_listed_and_keeps_all_attachments() {
    block_on(async {
        let store = store();
        let key = store.put_attachment(vec![1]).await.unwrap();
        let mut conversation = empty(1);
        conversation.add_user("look", vec![Attachment { key, ..picture(0) }], 2).unwrap();
        keep(&store, &conversation).await;
        let (id, torn) = (conversation.id, "{\"version\":2,\"revisio");
        let put = |table| Write::Put(table, id.to_string(), Value::Text(torn.to_owned()));
        store.backend.commit(vec![put(Table::Conversations), put(Table::Summaries)]).await.unwrap();
        assert_eq!(store.list().await, Ok(vec![Summary::of_unreadable(id)]));
        assert!(matches!(store.load(id).await, Err(StoreError::Broken { .. })));
        assert!(matches!(store.save(&conversation, None).await, Err(StoreError::Broken { .. })));
        assert_eq!(store.raw(id).await, Ok(Some(torn.as_bytes().to_vec())));
        assert_eq!(store.sweep_attachments(0).await, Ok(0));
        assert_eq!(store.sweep_attachments(GRACE_MS).await, Ok(0));
        assert_eq!(store.attachment(key).await, Ok(Some(vec![1])), "the record may name it");
        let deleted = store.delete(&[id]).await.unwrap();
        assert_eq!(store.list().await, Ok(Vec::new()));
        store.restore(&deleted).await.unwrap();
        assert_eq!(store.raw(id).await, Ok(Some(torn.as_bytes().to_vec())));
        store.delete(&[id]).await.unwrap();
        store.sweep_attachments(GRACE_MS).await.unwrap();
        assert_eq!(store.sweep_attachments(2 * GRACE_MS).await, Ok(1), "now nothing can name it");
    });
}

proptest! {
    /// Whatever two tabs do at once, neither loses what it has added, and both end with the same messages.
    #[test]
    fn tabs_that_save_in_turns_lose_nothing(
        began in proptest::collection::vec(any_step(), 0..12),
        turns in proptest::collection::vec((any::<bool>(), any_step()), 0..30),
    ) {
        block_on(async {
            let store = store();
            let mut conversation = empty(1);
            for (now, step) in began.into_iter().filter(|step| !matches!(step, Step::Fork(_))).enumerate() {
                apply(&mut conversation, step, now as u64);
            }
            let base = keep(&store, &conversation).await;
            let mut tabs = [(conversation.clone(), base.clone()), (conversation, base)];
            let mut deleted = std::collections::BTreeSet::new();
            let mut added = std::collections::BTreeSet::new();
            for (now, (second, step)) in turns.into_iter().enumerate() {
                if matches!(step, Step::Fork(_)) {
                    continue;
                }
                let (ours, base) = &mut tabs[usize::from(second)];
                let before: std::collections::BTreeSet<_> = ours.nodes().map(|(id, _)| id).collect();
                apply(ours, step, 1000 + now as u64);
                let after: std::collections::BTreeSet<_> = ours.nodes().map(|(id, _)| id).collect();
                added.extend(after.difference(&before).copied());
                deleted.extend(before.difference(&after).copied());
                // Every third change is not saved at once, so that both have something of their own.
                if now % 3 != 0 {
                    let stored = saved(&store, ours, base).await;
                    *ours = stored.conversation.clone();
                    *base = stored;
                }
            }
            for (ours, base) in tabs.iter_mut().chain([]) {
                *base = saved(&store, ours, base).await;
                *ours = base.conversation.clone();
            }
            let all = loaded(&store, ConversationId(1)).await.unwrap();
            prop_assert_eq!(all.check(), Ok(()));
            for id in added.difference(&deleted) {
                prop_assert!(all.node(*id).is_some(), "{} is lost", id);
            }
            Ok(())
        })?;
    }
}
