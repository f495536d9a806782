//! The conversations at hand and a store that fails: nothing is lost.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::sync::{Arc, Mutex};

use leptos::prelude::*;
use pollster::block_on;

use super::{Elsewhere, Library};
use crate::history::{
    Conversation, ConversationId, HistoryStore, Memory, Options, StoreError, StoredConversation,
};

fn library(memory: &Memory) -> Library {
    let library = Library::default();
    library.store.set_value(Some(store(memory)));
    library
}

fn store(memory: &Memory) -> HistoryStore {
    HistoryStore::over(memory.clone(), StoreError::Unavailable { reason: "a test".to_owned() })
}

fn blank(id: u128) -> Conversation {
    Conversation::new(ConversationId(id), Options::default(), 1)
}

fn stored(memory: &Memory, id: u128) -> Option<StoredConversation> {
    block_on(store(memory).load(ConversationId(id))).unwrap()
}

fn texts(conversation: &Conversation) -> Vec<String> {
    let path = conversation.active_path();
    path.into_iter().map(|node| conversation.message(node).unwrap().text.clone()).collect()
}

fn say(library: Library, id: u128, text: &str) {
    library.change(ConversationId(id), |it| it.add_user(text, Vec::new(), 2).map(|_| ())).unwrap().unwrap();
}

/// Runs a test within what signals need.
fn with_owner(test: impl FnOnce()) {
    let owner = Owner::new();
    owner.set();
    test();
}

/// The user's work: two conversations, a rename, a deletion that is undone and one that is not. Storage may fail at any
/// moment. Saving is tried as often as the page would.
fn work(library: Library) {
    let settle = || {
        block_on(library.settle());
    };
    library.add(blank(1));
    say(library, 1, "one");
    settle();
    library.add(blank(2));
    say(library, 2, "two");
    settle();
    library.release(|_| false);
    block_on(library.rename(ConversationId(1), "First".to_owned()));
    settle();
    if block_on(library.hold(ConversationId(1))).is_ok_and(|it| it.is_some()) {
        say(library, 1, "three");
    }
    settle();
    if let Some(removed) = block_on(library.delete(&[ConversationId(2)])) {
        block_on(library.restore(removed));
    }
    settle();
    library.add(blank(3));
    say(library, 3, "to be deleted");
    settle();
    block_on(library.delete(&[ConversationId(3)]));
    settle();
}

#[test]
fn whichever_operation_fails_nothing_is_lost() {
    with_owner(|| {
        let memory = Memory::default();
        work(library(&memory));
        let operations = memory.faults(|faults| faults.operations);
        assert!(operations > 10, "{operations}");
        let failed = StoreError::Failed { reason: "UnknownError: Internal error.".to_owned() };
        for error in [failed, StoreError::Full] {
            for n in 0..operations {
                let memory = Memory::default();
                memory.faults(|faults| faults.fails = Some((n, error.clone())));
                let library = library(&memory);
                work(library);
                // The page tries again.
                block_on(library.settle());
                assert_eq!(library.unsaved.get_untracked(), None, "{n}: it is saved in the end");
                let first =
                    stored(&memory, 1).unwrap_or_else(|| panic!("{n}: the first is lost")).conversation;
                // A rename or a message may have been refused, in words, when its conversation could not be read.
                let refused = library.trouble.get_untracked().is_some();
                assert!(texts(&first).starts_with(&["one".to_owned()]), "{n}");
                assert!(
                    refused || (first.title == "First" && texts(&first) == ["one", "three"]),
                    "{n}: {first:?}"
                );
                let second = stored(&memory, 2).unwrap_or_else(|| panic!("{n}: the second is lost"));
                assert_eq!(texts(&second.conversation), ["two"], "{n}");
                assert!(refused || stored(&memory, 3).is_none(), "{n}: what was deleted stays deleted");
            }
        }
    });
}

#[test]
fn what_could_not_be_saved_stays_at_hand_and_is_saved_once_there_is_room() {
    with_owner(|| {
        let memory = Memory::default();
        let library = library(&memory);
        library.add(blank(1));
        say(library, 1, "kept");
        assert!(block_on(library.settle()));
        memory.faults(|faults| faults.limit = Some(0));
        say(library, 1, "not yet");
        library.add(blank(2));
        say(library, 2, "nor this");
        assert!(!block_on(library.settle()));
        let unsaved = library.unsaved.get_untracked().unwrap();
        assert_eq!((unsaved.ids.len(), unsaved.error), (2, StoreError::Full));
        // The user goes elsewhere and comes back.
        library.release(|_| false);
        let now = block_on(library.hold(ConversationId(1))).unwrap().unwrap();
        assert_eq!(texts(&now.get_untracked()), ["kept", "not yet"]);
        block_on(library.refresh());
        assert_eq!(library.list.with_untracked(Vec::len), 2, "both are in the list");
        let mut json = String::new();
        block_on(library.export(&unsaved.ids, |piece| json.push_str(&piece))).unwrap();
        assert!(json.contains("not yet") && json.contains("nor this"));
        memory.faults(|faults| faults.limit = None);
        assert!(block_on(library.settle()));
        assert_eq!(library.unsaved.get_untracked(), None);
        assert_eq!(texts(&stored(&memory, 1).unwrap().conversation), ["kept", "not yet"]);
        assert_eq!(texts(&stored(&memory, 2).unwrap().conversation), ["nor this"]);
    });
}

#[test]
fn a_deleted_conversation_takes_no_late_change_and_comes_back_whole() {
    with_owner(|| {
        let memory = Memory::default();
        let library = library(&memory);
        library.add(blank(1));
        say(library, 1, "one");
        block_on(library.settle());
        say(library, 1, "not saved yet");
        let removed = block_on(library.delete(&[ConversationId(1)])).unwrap();
        assert_eq!(
            library.change(ConversationId(1), |_| ()),
            None,
            "an answer that still runs changes nothing"
        );
        block_on(library.settle());
        assert_eq!(stored(&memory, 1), None);
        block_on(library.restore(removed));
        block_on(library.settle());
        assert_eq!(texts(&stored(&memory, 1).unwrap().conversation), ["one", "not saved yet"]);
    });
}

#[test]
fn two_tabs_follow_each_other() {
    with_owner(|| {
        let memory = Memory::default();
        let (a, b) = (library(&memory), library(&memory));
        let of_a = a.add(blank(1));
        say(a, 1, "one");
        block_on(a.settle());
        let of_b = block_on(b.hold(ConversationId(1))).unwrap().unwrap();
        // Both change it before either has heard of the other.
        say(a, 1, "from a");
        b.change(ConversationId(1), |it| it.title = "Named in b".to_owned()).unwrap();
        block_on(b.settle());
        block_on(a.settle());
        assert_eq!(of_a.with_untracked(|it| it.title.clone()), "Named in b");
        b.reread(|_| true);
        block_on(b.settle());
        assert_eq!(texts(&of_b.get_untracked()), ["one", "from a"]);
        // One deletes it; the other does not bring it back, but can.
        block_on(a.delete(&[ConversationId(1)])).unwrap();
        let lost = Arc::new(Mutex::new(None));
        let taken = Arc::clone(&lost);
        b.listen(move |what| {
            if let Elsewhere::Deleted(removed) = what {
                *taken.lock().unwrap() = Some(*removed);
            }
        });
        b.change(ConversationId(1), |it| it.system = "late".to_owned()).unwrap();
        block_on(b.settle());
        assert_eq!(stored(&memory, 1), None);
        let lost = lost.lock().unwrap().take().unwrap();
        block_on(b.restore(lost));
        block_on(b.settle());
        assert_eq!(stored(&memory, 1).unwrap().conversation.system, "late");
    });
}

#[test]
fn a_change_copies_no_other_text() {
    with_owner(|| {
        let memory = Memory::default();
        let library = library(&memory);
        let now = library.add(blank(1));
        say(library, 1, "one");
        say(library, 1, "two");
        block_on(library.settle());
        // What is drawn and what was saved last are copies.
        let before = now.get_untracked();
        say(library, 1, "three");
        library.change(ConversationId(1), |it| it.rename("Numbers")).unwrap();
        block_on(library.settle());
        let two = before.active_path()[1];
        library.change(ConversationId(1), |it| it.message_mut(two).unwrap().text.push('!')).unwrap();
        let after = now.get_untracked();
        assert_eq!(texts(&after), ["one", "two!", "three"]);
        assert_eq!(texts(&before), ["one", "two"], "a copy stays as it was");
        let shared = |node| {
            let [before, after] = [&before, &after].map(|it| it.shared_message(node).unwrap());
            Arc::ptr_eq(&before, &after)
        };
        assert_eq!(before.active_path().into_iter().map(shared).collect::<Vec<_>>(), [true, false]);
    });
}

#[test]
fn texts_that_were_searched_do_not_stay_in_memory() {
    with_owner(|| {
        let memory = Memory::default();
        let library = library(&memory);
        library.add(blank(1));
        say(library, 1, "a red circle");
        block_on(library.settle());
        block_on(library.refresh());
        let search = |words: &str| {
            library.query.set(words.to_owned());
            block_on(library.search());
            library.searches.number()
        };
        let kept = || library.index.with_value(std::collections::BTreeMap::len);
        search("red");
        let before = search("");
        assert_eq!((kept(), library.found.get_untracked()), (1, None));
        search("circle");
        library.forget_texts(before);
        assert_eq!(kept(), 1, "it is searched again");
        library.forget_texts(search(""));
        assert_eq!(kept(), 0);
    });
}

#[test]
fn a_save_of_another_tab_reads_one_line_of_the_list() {
    with_owner(|| {
        let memory = Memory::default();
        let (a, b) = (library(&memory), library(&memory));
        for id in [1, 2, 3] {
            a.add(blank(id));
            say(a, id, "one");
        }
        block_on(a.settle());
        block_on(b.refresh());
        block_on(a.rename(ConversationId(2), "Second".to_owned()));
        block_on(a.settle());
        let before = memory.faults(|faults| faults.operations);
        block_on(b.refresh_one(ConversationId(2)));
        assert_eq!(memory.faults(|faults| faults.operations) - before, 1);
        let titles = b.list.with_untracked(|list| list.iter().map(|it| it.title.clone()).collect::<Vec<_>>());
        assert_eq!(titles.iter().filter(|title| *title == "Second").count(), 1, "{titles:?}");
        assert_eq!(titles.len(), 3);
        block_on(b.delete(&[ConversationId(2)])).unwrap();
        block_on(b.refresh_one(ConversationId(2)));
        assert_eq!(b.list.with_untracked(Vec::len), 2, "what was deleted does not come back");
    });
}

#[test]
fn a_conversation_is_read_for_its_first_search_and_after_a_change() {
    with_owner(|| {
        let memory = Memory::default();
        let before = library(&memory);
        for (id, text) in [(1, "a red circle"), (2, "a blue square"), (3, "a red square")] {
            before.add(blank(id));
            say(before, id, text);
        }
        block_on(before.settle());

        let library = library(&memory);
        let read = || memory.faults(|faults| std::mem::take(&mut faults.conversations_read));
        let search = |words: &str| {
            library.query.set(words.to_owned());
            block_on(library.search());
            let found = library.found.get_untracked().unwrap();
            let mut ids: Vec<_> = found.into_iter().map(|summary| summary.id.0).collect();
            ids.sort_unstable();
            ids
        };
        read();
        block_on(library.refresh());
        assert_eq!(read(), 0, "the list needs no conversation");
        assert_eq!((search("red"), read()), (vec![1, 3], 3));
        assert_eq!((search("red sq"), read()), (vec![3], 0));
        assert_eq!((search("circle"), read()), (vec![1], 0));

        block_on(library.hold(ConversationId(2))).unwrap().unwrap();
        say(library, 2, "and a circle");
        block_on(library.settle());
        library.release(|_| false);
        read();
        assert_eq!((search("circle"), read()), (vec![1, 2], 1), "only what was changed is read again");
        assert_eq!((search("square"), read()), (vec![2, 3], 0));
    });
}
