//! Folders, pins, the archive, and deleting everything.

use pollster::block_on;

use super::super::records::{Table, Value, Write};
use super::super::{AnswerPair, ContextStart, Filing, Folder, PresetId, TitleSource};
use super::*;

fn folder(store: &HistoryStore, name: &str, instructions: &str) -> Folder {
    let folder = Folder { instructions: instructions.to_owned(), ..Folder::new(name, 1) };
    block_on(store.put_named(std::slice::from_ref(&folder))).unwrap();
    folder
}

#[test]
fn conversations_are_filed_in_the_store_and_in_the_list() {
    block_on(async {
        let store = store();
        let work = folder(&store, "Work", "");
        for id in 1..=120 {
            keep(&store, &answered(id).0).await;
        }
        let ids: Vec<_> = (1..=121).map(ConversationId).collect();
        store.file(&ids, |id, it| (it.folder, it.pinned) = (Some(work.id), id.0 == 7)).await.unwrap();
        let list = store.list().await.unwrap();
        assert_eq!(list.len(), 120, "one that doesn't exist is not made");
        assert!(
            list.iter().all(|it| it.filing.folder == Some(work.id) && it.filing.pinned == (it.id.0 == 7))
        );
        let stored = loaded(&store, ConversationId(7)).await.unwrap();
        assert_eq!((stored.filing.pinned, stored.updated), (true, 4), "it keeps its place in time");
        store.delete_named::<Folder>(work.id).await.unwrap();
        assert_eq!(store.named::<Folder>().await, Ok(Vec::new()));
        store.change_named(work.id, |folder: &mut Folder| folder.name.clear()).await.unwrap();
        assert_eq!(store.named::<Folder>().await, Ok(Vec::new()), "one that was deleted stays so");
    });
}

#[test]
fn folders_are_ordered_by_name_and_those_that_cannot_be_read_stay() {
    block_on(async {
        let store = store();
        for name in ["work", "Älteres", "Home"] {
            folder(&store, name, "");
        }
        let unknown = |key: &str| Write::Put(Table::Named, key.to_owned(), Value::Text("{".to_owned()));
        store.backend.commit(vec![unknown("folder-x"), unknown("preset-1")]).await.unwrap();
        let names: Vec<_> = store.named::<Folder>().await.unwrap().into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["Home", "work", "Älteres"]);
        store.delete_all().await.unwrap();
        assert_eq!(store.backend.keys(Table::Named).await, Ok(Vec::new()), "everything goes");
    });
}

#[test]
fn everything_is_deleted_but_settings_and_open_adapters() {
    block_on(async {
        let store = store();
        let key = store.put_attachment(vec![1]).await.unwrap();
        let adapter = store.put_attachment(vec![2]).await.unwrap();
        let (mut conversation, ..) = answered(1);
        conversation.add_user("look", vec![Attachment { key, ..picture(0) }], 5).unwrap();
        keep(&store, &conversation).await;
        let draft = Draft { text: "half".to_owned(), ..Draft::default() };
        store.set_draft(None, "a", &draft, 0).await.unwrap();
        store.set_setting("theme", &"dark").await.unwrap();
        let opened = super::super::OpenedAdapter {
            model: "m".to_owned(),
            key: "k".to_owned(),
            on: true,
            scale: 1.0,
            from: super::super::OpenedFrom::Files(vec![("a".to_owned(), adapter)]),
        };
        store.set_opened_adapters("m", vec![opened]).await.unwrap();
        folder(&store, "Work", "");
        store.delete_all().await.unwrap();
        for table in [Table::Conversations, Table::Summaries, Table::Drafts, Table::Named] {
            assert_eq!(store.backend.keys(table).await, Ok(Vec::new()), "{table:?}");
        }
        assert_eq!(store.attachment(key).await, Ok(None));
        assert_eq!(store.attachment(adapter).await, Ok(Some(vec![2])));
        assert_eq!(store.setting("theme").await, Ok(Some("dark".to_owned())));
    });
}

#[test]
fn what_two_tabs_file_and_name_is_joined() {
    let (base, question, answer) = answered(1);
    let folder = Some(super::super::FolderId(9));
    let pair = |other| AnswerPair { preferred: answer, other: NodeId(other) };
    let base = Conversation { pairs: vec![pair(1), pair(2)], ..base };
    let (mut ours, mut theirs) = (base.clone(), base.clone());
    ours.filing = Filing { pinned: true, ..Filing::default() };
    ours.pairs = vec![pair(2), pair(3)];
    ours.context_start = ContextStart { at: Some(question), summary: "Before.".to_owned() };
    assert!(ours.take_title("By the model"));
    theirs.filing = Filing { folder, archived: true, ..Filing::default() };
    theirs.pairs.push(pair(4));
    theirs.preset = Some(PresetId(5));
    theirs.rename("By hand");
    for (a, b) in [(&ours, &theirs), (&theirs, &ours)] {
        let both = Conversation::merge(&base, a, b).unwrap();
        assert_eq!(both.filing, Filing { folder, pinned: true, archived: true });
        let others: BTreeSet<_> = both.pairs.iter().map(|pair| pair.other.0).collect();
        assert_eq!(others, [2, 3, 4].into(), "what one side has taken away is gone");
        assert_eq!((both.title.as_str(), both.title_source), ("By hand", TitleSource::User));
        assert_eq!((both.preset, &both.context_start), (Some(PresetId(5)), &ours.context_start));
    }
}

#[test]
fn an_archive_has_folders_and_where_conversations_are() {
    block_on(async {
        let (from, to) = (store(), store());
        let (work, other) = (folder(&from, "Work", "Be brief."), folder(&from, "Other", ""));
        let (mut first, ..) = answered(1);
        first.filing = Filing { folder: Some(work.id), pinned: true, archived: false };
        keep(&from, &first).await;
        keep(&from, &answered(2).0).await;
        let all = exported(&from).await;
        let mut one = String::new();
        from.export(&[first.id], |_| None, |piece| one.push_str(&piece)).await.unwrap();
        assert_eq!(Archive::from_json(one.as_bytes()).unwrap().folders, std::slice::from_ref(&work));
        to.import(all.as_bytes()).await.unwrap();
        assert_eq!(to.named::<Folder>().await.unwrap(), [other, work.clone()]);
        assert_eq!(loaded(&to, first.id).await, Some(first.clone()));
        // What was changed here since stays.
        to.change_named(work.id, |folder: &mut Folder| folder.name = "Office".to_owned()).await.unwrap();
        let report = to.import(all.as_bytes()).await.unwrap();
        assert_eq!((report.known, to.named::<Folder>().await.unwrap()[0].name.as_str()), (2, "Office"));
    });
}

#[test]
fn records_of_both_older_versions_say_whose_title_it_is() {
    block_on(async {
        let store = store();
        let id = "0123456789abcdef0123456789abcdef";
        let conversation = |title: &str| {
            format!(
                r#"{{"id":"{id}","title":"{title}","created":1,"updated":2,"roots":[0],"active_root":0,
                "nodes":{{"0":{{"message":{{"role":"user","text":"Hi","created":1}}}}}}}}"#
            )
        };
        let second =
            |title: &str| format!(r#"{{"version":2,"revision":5,"conversation":{}}}"#, conversation(title));
        for (record, source) in [
            (conversation("Hi"), TitleSource::FirstMessage),
            (conversation("Mine"), TitleSource::User),
            (second("Hi"), TitleSource::FirstMessage),
            (second("Mine"), TitleSource::User),
        ] {
            let put = Write::Put(Table::Conversations, id.to_owned(), Value::Text(record.clone()));
            store.backend.commit(vec![put]).await.unwrap();
            let read = loaded(&store, id.parse().unwrap()).await.unwrap();
            assert_eq!((read.title_source, read.filing), (source, Filing::default()), "{record}");
            keep(&store, &read).await;
            assert_eq!(loaded(&store, read.id).await, Some(read), "written in this version it is the same");
        }
    });
}

#[test]
fn a_copy_is_in_the_same_folder_and_neither_pinned_nor_put_away() {
    let (mut it, question, answer) = answered(1);
    let folder = Some(super::super::FolderId(9));
    it.filing = Filing { folder, pinned: true, archived: true };
    it.context_start = ContextStart { at: Some(answer), summary: String::new() };
    let copy = it.duplicate(ConversationId(2), 9);
    assert_eq!(
        (copy.filing, &copy.context_start),
        (Filing { folder, ..Filing::default() }, &it.context_start)
    );
    let fork = it.fork(answer, ConversationId(3), 9).unwrap();
    assert_eq!((fork.filing, fork.context_start.at), (copy.filing, fork.leaf()));
    assert_eq!(it.fork(question, ConversationId(4), 9).unwrap().context_start.at, None);
}
