//! Export and import.

use pollster::block_on;

use super::*;

#[test]
fn an_import_adds_joins_and_knows_what_is_here() {
    block_on(async {
        let (from, to) = (store(), store());
        let key = from.put_attachment(vec![0, 255]).await.unwrap();
        let (mut conversation, ..) = answered(1);
        conversation.add_user("look", vec![Attachment { key, ..picture(0) }, picture(9)], 5).unwrap();
        keep(&from, &conversation).await;
        let old = exported(&from).await;
        let report = to.import(old.as_bytes()).await.unwrap();
        assert_eq!((report.added.as_slice(), report.known), (&[conversation.id][..], 0));
        assert_eq!((report.attachments, report.missing_attachments), (1, 1));
        assert_eq!(loaded(&to, conversation.id).await, Some(conversation.clone()));
        assert_eq!(to.attachment(key).await, Ok(Some(vec![0, 255])));

        let again = to.import(old.as_bytes()).await.unwrap();
        assert_eq!((again.added.len(), again.merged.len(), again.known), (0, 0, 1), "it is all here");
        assert_eq!(to.list().await.unwrap().len(), 1);

        // Both have gone on: each side's messages are there in the end.
        let there = conversation.add_user("from there", Vec::new(), 6).unwrap();
        keep(&from, &conversation).await;
        let mut here = loaded(&to, conversation.id).await.unwrap();
        let own = here.add_user("from here", Vec::new(), 7).unwrap();
        keep(&to, &here).await;
        let newer = exported(&from).await;
        let report = to.import(newer.as_bytes()).await.unwrap();
        assert_eq!((report.added.len(), report.merged.as_slice()), (0, &[conversation.id][..]));
        let joined = loaded(&to, conversation.id).await.unwrap();
        assert_eq!((joined.len(), joined.check()), (5, Ok(())));
        assert!(joined.message(there).is_some() && joined.message(own).is_some());
        assert_eq!(joined.leaf(), Some(own), "what is on screen stays");
        let report = to.import(old.as_bytes()).await.unwrap();
        assert_eq!((report.merged.len(), report.known), (0, 1), "an older export has nothing new");
    });
}

#[test]
fn another_conversation_of_the_same_name_is_imported_as_a_copy() {
    block_on(async {
        let store = store();
        let (here, question, _) = answered(1);
        keep(&store, &here).await;
        let mut other = empty(1);
        other.add_user("Hello", Vec::new(), 2).unwrap();
        let (node, mut moved) = other.nodes().map(|(id, node)| (id, node.clone())).next().unwrap();
        // The answer's name here is a first message there.
        let answer = here.active_path()[1];
        moved.parent = None;
        other.nodes.remove(&node);
        other.nodes.insert(answer, moved);
        (other.roots, other.active_root) = (vec![answer], Some(answer));
        assert_ne!(question, answer);
        let archive = Archive { conversations: vec![other], ..Archive::new(1) };
        let report = store.import(archive.to_json().as_bytes()).await.unwrap();
        assert!(report.added.len() == 1 && report.added[0] != here.id, "{report:?}");
        assert_eq!(loaded(&store, here.id).await, Some(here));
        assert_eq!(store.list().await.unwrap().len(), 2);
    });
}

#[test]
fn an_export_is_written_in_pieces_and_has_what_is_at_hand() {
    block_on(async {
        let store = store();
        let ((first, ..), (mut second, ..)) = (answered(1), answered(2));
        keep(&store, &first).await;
        keep(&store, &second).await;
        second.title = "Not saved yet".to_owned();
        let (mut pieces, at_hand) = (Vec::new(), second.clone());
        let live = |id| (id == at_hand.id).then(|| at_hand.clone());
        store.export(&[first.id, second.id], live, |piece| pieces.push(piece)).await.unwrap();
        assert!(pieces.len() > 3);
        let archive = Archive::from_json(pieces.concat().as_bytes()).unwrap();
        assert_eq!(archive.conversations, [first, second]);
    });
}

#[test]
fn exports_of_the_first_version_are_imported() {
    block_on(async {
        let store = store();
        let json = r#"{"format":"gemtab-history","version":1,"exported":1,"conversations":[
            {"id":"0123456789abcdef0123456789abcdef","created":1,"updated":2,"next":1,"roots":[0],"active_root":0,
             "nodes":{"0":{"message":{"role":"user","text":"Hi","created":1}}}}],"attachments":{}}"#;
        let marked = format!("\u{feff}{json}");
        assert_eq!(store.import(marked.as_bytes()).await.unwrap().added.len(), 1);
        assert_eq!(store.import(json.as_bytes()).await.unwrap().known, 1);
    });
}

#[test]
fn a_new_conversation_is_dated_by_its_first_message() {
    let mut conversation = Conversation::new(ConversationId(1), Options::default(), 0);
    conversation.add_user("Hello", Vec::new(), 1_700_000_000_000).unwrap();
    assert_eq!(conversation.created, 1_700_000_000_000);
}

#[test]
fn titles_and_messages_of_a_file_are_bounded() {
    let archive = |title: &str, text: String| {
        let mut conversation = Conversation::new(ConversationId(1), Options::default(), 0);
        conversation.add_user(text, Vec::new(), 1).unwrap();
        conversation.title = title.to_owned();
        Archive { conversations: vec![conversation], ..Archive::new(1) }
    };
    let read = Archive::from_json(archive("a\u{202e}b", "Hello".to_owned()).to_json().as_bytes()).unwrap();
    assert_eq!(read.conversations[0].title, "ab");
    let size = MAX_MESSAGE_BYTES + 1;
    let json = archive("Long", "a".repeat(size)).to_json();
    let error = ImportError::Message { title: "Long".to_owned(), size: size as u64 };
    assert_eq!(Archive::from_json(json.as_bytes()), Err(error));
}

#[test]
fn files_that_are_not_utf_8_are_refused_with_the_place() {
    // Ours, and an export of another program.
    for (json, column) in [(&b"{\"format\": \"gemtab-history\", \"x\": \"\xe4\"}"[..], 36), (b"[\xff]", 2)] {
        match Archive::from_json(json) {
            Err(ImportError::Json { line: 1, column: found, .. }) => assert_eq!(found, column),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_file_that_is_too_large_is_refused_unread() {
    block_on(async {
        let store = store();
        let (here, ..) = answered(1);
        keep(&store, &here).await;
        // Zeros that nobody reads take no memory.
        let file = vec![0; usize::try_from(MAX_IMPORT_BYTES).unwrap() + 1];
        let size = file.len() as u64;
        assert_eq!(store.import(&file).await, Err(ImportError::TooLarge { size }));
        assert_eq!(loaded(&store, here.id).await, Some(here));
        assert_eq!(store.list().await.unwrap().len(), 1);
    });
}
