//! The tree, the archive and the store, natively.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

mod filing;
mod presets;
mod reading;
mod tabs;
mod transfer;

use std::collections::BTreeSet;

use pollster::block_on;
use proptest::prelude::*;
use protocol::{AnswerFormat, Content, Finish, Media, Role, Sampling, Timings, TokenBudget, ToolCall};

use super::backend::Memory;
use super::records::{Table, Value, Write};
use super::{
    Archive, Attachment, AttachmentKey, AttachmentKind, Conversation, ConversationId, Draft, GRACE_MS,
    HistoryStore, ImportError, JAVASCRIPT, MAX_IMPORT_BYTES, MAX_MESSAGE_BYTES, Message, Moment, NodeId,
    Options, Persistence, Saved, StoreError, StoredConversation, Summary, TreeError, TreeOpError,
};

fn empty(id: u128) -> Conversation {
    Conversation::new(ConversationId(id), Options::default(), 1)
}

/// A question with an answer.
fn answered(id: u128) -> (Conversation, NodeId, NodeId) {
    let mut conversation = empty(id);
    let question = conversation.add_user("What is a tree?", Vec::new(), 2).unwrap();
    let answer = conversation.add_answer(question, "demo", 3).unwrap();
    conversation.push_text(answer, "A graph ");
    conversation.push_text(answer, "without a circle.");
    conversation.finish(answer, Finish::EndOfTurn, Timings::default(), 4);
    (conversation, question, answer)
}

#[test]
fn the_last_question_is_the_last_on_screen() {
    let (mut conversation, question, answer) = answered(1);
    assert_eq!(empty(2).last_question(), None);
    assert_eq!(conversation.last_question(), Some(question));
    let next = conversation.add_user("And a forest?", Vec::new(), 5).unwrap();
    assert_eq!(conversation.last_question(), Some(next));
    conversation.show(answer).unwrap();
    conversation.delete_branch(next, 6).unwrap();
    assert_eq!(conversation.last_question(), Some(question));
}

fn picture(key: u128) -> Attachment {
    Attachment {
        size: 3,
        ..Attachment::new(AttachmentKind::Image, "cat.png", "image/png", AttachmentKey(key))
    }
}

/// A picture as the engine takes it.
fn seen(key: u128) -> Content {
    Content::Image { media: Media { key, place: 0 }, budget: TokenBudget::Auto }
}

fn store() -> HistoryStore {
    HistoryStore::in_memory(StoreError::Unavailable { reason: "a test".to_owned() })
}

/// Keeps what another tab does not change meanwhile, and returns what is stored then.
async fn keep(store: &HistoryStore, conversation: &Conversation) -> StoredConversation {
    let base = store.load(conversation.id).await.unwrap();
    match store.save(conversation, base.as_ref()).await.unwrap() {
        Saved::Written(stored) => stored,
        other => panic!("{other:?}"),
    }
}

async fn loaded(store: &HistoryStore, id: ConversationId) -> Option<Conversation> {
    store.load(id).await.unwrap().map(|stored| stored.conversation)
}

async fn exported(store: &HistoryStore) -> String {
    let ids: Vec<_> = store.list().await.unwrap().into_iter().map(|summary| summary.id).collect();
    let mut json = String::new();
    assert_eq!(store.export(&ids, |_| None, |piece| json.push_str(&piece)).await, Ok(0));
    json
}

#[test]
fn a_question_and_its_answer() {
    let (conversation, question, answer) = answered(1);
    assert_eq!(conversation.active_path(), [question, answer]);
    assert_eq!(conversation.message(answer).unwrap().text, "A graph without a circle.");
    assert_eq!(conversation.title, "What is a tree?");
    assert_eq!(conversation.updated, 4);
    assert_eq!(conversation.check(), Ok(()));
}

#[test]
fn regenerating_keeps_the_old_answer() {
    let (mut conversation, question, first) = answered(1);
    let second = conversation.regenerate(first, "demo", 5).unwrap();
    assert_eq!(conversation.active_path(), [question, second]);
    assert_eq!(conversation.variant(second), (2, 2));
    assert_eq!(conversation.switch(second, -1), Ok(first));
    assert_eq!(conversation.active_path(), [question, first]);
    assert_eq!(conversation.switch(first, -1), Ok(first), "stops at the first");
    assert_eq!(conversation.switch(first, 9), Ok(second), "stops at the last");
}

#[test]
fn editing_a_question_makes_a_branch() {
    let (mut conversation, question, answer) = answered(1);
    let follow = conversation.add_user("More?", Vec::new(), 5).unwrap();
    let edited = conversation.edit_user(question, "What is a leaf?", Vec::new(), 6).unwrap();
    assert_eq!(conversation.active_path(), [edited]);
    assert_eq!(conversation.siblings(edited), [question, edited]);
    conversation.show(question).unwrap();
    assert_eq!(conversation.active_path(), [question, answer, follow], "what followed comes back");
    assert_eq!(conversation.title, "What is a tree?", "the title stays");
}

#[test]
fn editing_an_answer_makes_a_variant() {
    let (mut conversation, question, answer) = answered(1);
    let edited = conversation.edit_answer(answer, "A plant.", 5).unwrap();
    assert_eq!(conversation.active_path(), [question, edited]);
    let message = conversation.message(edited).unwrap();
    assert!(message.edited && message.model == "demo" && message.timings.is_none());
    assert_eq!(conversation.message(answer).unwrap().text, "A graph without a circle.");
}

#[test]
fn an_answer_that_was_cut_off_goes_on_as_the_same_message() {
    let (mut conversation, question, answer) = answered(1);
    conversation.finish(answer, Finish::Cancelled, Timings::default(), 5);
    assert_eq!(conversation.continue_answer(answer, 6), Ok(answer));
    let message = conversation.message(answer).unwrap();
    assert_eq!((message.finish, message.text.as_str()), (None, "A graph without a circle."));
    assert!(conversation.continue_answer(question, 7).is_err());
}

#[test]
fn deleting_a_branch_shows_its_neighbour() {
    let (mut conversation, question, first) = answered(1);
    let second = conversation.regenerate(first, "demo", 5).unwrap();
    let third = conversation.regenerate(first, "demo", 6).unwrap();
    conversation.show(second).unwrap();
    conversation.add_user("And?", Vec::new(), 7).unwrap();
    conversation.delete_branch(second, 8).unwrap();
    assert_eq!(conversation.active_path(), [question, first]);
    conversation.delete_branch(first, 9).unwrap();
    assert_eq!(conversation.active_path(), [question, third]);
    conversation.delete_branch(question, 10).unwrap();
    assert!(conversation.is_empty() && conversation.active_path().is_empty());
    assert_eq!(conversation.check(), Ok(()));
    assert_eq!(conversation.delete_branch(question, 11), Err(TreeOpError::NoSuchNode { node: question }));
}

#[test]
fn operations_are_for_their_roles() {
    let (mut conversation, question, answer) = answered(1);
    let wrong = |node, found, expected| Err(TreeOpError::WrongRole { node, found, expected });
    assert_eq!(conversation.regenerate(question, "", 5), wrong(question, Role::User, Role::Assistant));
    assert_eq!(conversation.edit_user(answer, "", Vec::new(), 5), wrong(answer, Role::Assistant, Role::User));
    assert_eq!(conversation.add_answer(answer, "", 5), wrong(answer, Role::Assistant, Role::User));
    assert_eq!(conversation.add_answer(NodeId(9), "", 5), Err(TreeOpError::NoSuchNode { node: NodeId(9) }));
}

#[test]
fn a_fork_has_one_branch_and_a_duplicate_has_all() {
    let (mut conversation, _, first) = answered(1);
    let second = conversation.regenerate(first, "demo", 5).unwrap();
    let fork = conversation.fork(first, ConversationId(2), 6).unwrap();
    assert_eq!((fork.len(), fork.check()), (2, Ok(())));
    assert_eq!(fork.message(fork.leaf().unwrap()), conversation.message(first));
    let copy = conversation.duplicate(ConversationId(3), 6);
    assert_eq!((copy.len(), copy.leaf()), (3, Some(second)));
}

#[test]
fn an_empty_title_is_made_again() {
    let (mut conversation, ..) = answered(1);
    conversation.rename(" Trees ");
    assert_eq!(conversation.title, "Trees");
    conversation.rename("");
    assert_eq!(conversation.title, "What is a tree?");
}

#[test]
fn the_engine_reads_the_path() {
    let (mut conversation, question, answer) = answered(1);
    conversation.system = "Be brief.".to_owned();
    conversation.push_thought(answer, "Hm.");
    let silent = conversation.regenerate(answer, "demo", 5).unwrap();
    let user = conversation.add_user("Look", vec![picture(7)], 6).unwrap();
    let prompt = conversation.prompt(user, &|_| Some(seen(1)));
    let roles: Vec<_> = prompt.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::User], "an answer that says nothing is left out");
    assert_eq!(prompt[2].content, [seen(1), Content::Text("Look".to_owned())]);
    let prompt = conversation.prompt(answer, &|_| None);
    assert_eq!(prompt[2].thought, "", "thoughts of earlier answers are not repeated");
    let call = ToolCall { id: "1-9".to_owned(), name: "sum".to_owned(), arguments: "{}".to_owned() };
    conversation.push_call(silent, call.clone());
    conversation.push_thought(silent, "Add.");
    let result = conversation.add_tool_result(silent, &call, "3", false, 7).unwrap();
    let prompt = conversation.prompt(result, &|_| None);
    assert_eq!((prompt[2].thought.as_str(), prompt[3].tool.as_str()), ("Add.", "sum"));
    assert_eq!(prompt[3].call, prompt[2].calls[0].id);
    assert_eq!(conversation.generate_options(&Sampling::default()).sampling, Sampling::default());
    assert_eq!(conversation.path_to(result), [question, silent, result]);
}

#[test]
fn calls_and_results_are_kept_and_older_ones_are_read() {
    block_on(async {
        let (here, there) = (store(), store());
        let (mut conversation, question, _) = answered(1);
        conversation.options.tools = vec!["calculate".to_owned(), "of a newer page".to_owned()];
        conversation.options.format = AnswerFormat::Schema("{}".to_owned());
        let answer = conversation.add_answer(question, "demo", 6).unwrap();
        let call = ToolCall { id: "1-9".to_owned(), name: "sum".to_owned(), arguments: "{}".to_owned() };
        conversation.push_call(answer, call.clone());
        conversation.finish(answer, Finish::ToolCall, Timings::default(), 7);
        conversation.add_tool_result(answer, &call, "no", true, 8).unwrap();
        keep(&here, &conversation).await;
        assert_eq!(loaded(&here, conversation.id).await, Some(conversation.clone()));
        there.import(exported(&here).await.as_bytes()).await.unwrap();
        assert_eq!(loaded(&there, conversation.id).await, Some(conversation.clone()));
        assert!(conversation.to_markdown().contains("`sum({})`\n\n## sum\n\nno"));
    });
    let message = r#"{"role":"assistant","calls":[{"name":"sum","arguments":"{}"}],"created":1}"#;
    let message: Message = serde_json::from_str(message).unwrap();
    assert_eq!(message.calls[0].id, "");
}

#[test]
fn a_chart_stays_with_its_call_and_is_a_table_elsewhere() {
    let (mut conversation, question, _) = answered(1);
    let answer = conversation.add_answer(question, "demo", 6).unwrap();
    let call = ToolCall { id: "1-9".to_owned(), name: JAVASCRIPT.to_owned(), arguments: "{}".to_owned() };
    conversation.push_call(answer, call.clone());
    let chart = r#"{"type":"bar","title":"A*","x":["a|b",2],"series":[{"name":"<n>","values":[1.5,-2]}]}"#;
    let text = format!(r#"{{"result":"```","console":"c","charts":[{chart}]}}"#);
    let result = conversation.add_tool_result(answer, &call, text, false, 8).unwrap();
    let prompt = conversation.prompt(result, &|_| None);
    let [Content::Text(read)] = &*prompt.last().unwrap().content else { panic!("a text") };
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(json(read), json(r#"{"charts":"1 shown to the user","console":"c","result":"```"}"#));
    let markdown = conversation.to_markdown();
    let expected = "````\n```\n````\n\n```\nc\n```\n\n**A\\***\n\n|  | \\<n\\> |\n| --- | --- |\n| a\\|b | 1.5 |\n| 2 | -2 |\n";
    assert!(markdown.ends_with(expected), "{markdown}");
    let html = conversation.to_html(&std::collections::HashMap::new());
    assert!(html.contains("a|b</td>") && html.contains("&lt;n&gt;</th>"), "{html}");
}

#[test]
fn markdown_has_what_is_on_screen() {
    let (mut conversation, _, answer) = answered(1);
    conversation.regenerate(answer, "demo", 5).unwrap();
    conversation.show(answer).unwrap();
    conversation.push_thought(answer, "One\nTwo");
    assert_eq!(
        conversation.to_markdown(),
        "# What is a tree?\n\n## You\n\nWhat is a tree?\n\n## demo\n\n> One\n> Two\n\nA graph without a circle.\n"
    );
}

#[test]
fn html_has_what_is_on_screen_and_no_markup_of_it() {
    let (mut conversation, _, answer) = answered(1);
    conversation.rename("{{body}} <b>");
    conversation.push_thought(answer, "*One*");
    let picture = Attachment::new(AttachmentKind::Image, "a \"tree\".png", "image/png", AttachmentKey(1));
    let pictures = [(picture.key, b"tree".to_vec())].into();
    let gone = Attachment { name: "gone.png".into(), key: AttachmentKey(2), ..picture.clone() };
    conversation.add_user("And this?", vec![picture, gone], 7).unwrap();
    let html = conversation.to_html(&pictures);
    for part in [
        "<p><img alt=\"a &quot;tree&quot;.png\" src=\"data:image/png;base64,dHJlZQ==\"></p>",
        "<p><em>Attached: gone.png</em></p>",
        "<title>{{body}} &lt;b&gt;</title>",
        "<h2 dir=\"auto\">You</h2>\n<p class=\"question\" dir=\"auto\">What is a tree?</p>",
        "<blockquote dir=\"auto\">\n<p><em>One</em></p>\n</blockquote>",
        "<p>A graph without a circle.</p>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert_eq!(html.matches("<body>").count(), 1);
}

#[test]
fn the_store_keeps_lists_and_deletes() {
    block_on(async {
        let store = store();
        assert!(matches!(store.persistence(), Persistence::UntilClosed { .. }));
        let ((first, ..), (mut second, ..)) = (answered(1), answered(2));
        second.updated = 9;
        keep(&store, &first).await;
        keep(&store, &second).await;
        let ids: Vec<_> = store.list().await.unwrap().into_iter().map(|summary| summary.id).collect();
        assert_eq!(ids, [second.id, first.id], "the one changed last comes first");
        assert_eq!(loaded(&store, first.id).await, Some(first.clone()));
        store.delete(&[first.id]).await.unwrap();
        assert_eq!(loaded(&store, first.id).await, None);
        assert_eq!(store.list().await.unwrap().len(), 1);
    });
}

#[test]
fn attachments_go_with_the_last_that_names_them() {
    block_on(async {
        let store = store();
        let key = store.put_attachment(vec![1, 2, 3]).await.unwrap();
        let mut conversation = empty(1);
        let node = conversation.add_user("", vec![Attachment { key, ..picture(0) }], 2).unwrap();
        assert_eq!(conversation.title, "cat.png");
        keep(&store, &conversation).await;
        let copy = conversation.duplicate(ConversationId(2), 3);
        keep(&store, &copy).await;
        conversation.delete_branch(node, 4).unwrap();
        keep(&store, &conversation).await;
        assert_eq!(store.attachment(key).await, Ok(Some(vec![1, 2, 3])), "the copy names it still");
        store.delete(&[copy.id]).await.unwrap();
        let bytes = store.attachment(key).await;
        assert_eq!(bytes, Ok(Some(vec![1, 2, 3])), "the deletion may be undone");
        let loose = store.put_attachment(vec![4]).await.unwrap();
        let drafted = store.put_attachment(vec![5]).await.unwrap();
        let draft =
            Draft { attachments: vec![Attachment { key: drafted, ..picture(0) }], ..Draft::default() };
        store.set_draft(None, "tab", &draft, 0).await.unwrap();
        assert_eq!(store.sweep_attachments(1_000).await, Ok(0), "found loose for the first time");
        assert_eq!(store.sweep_attachments(999 + GRACE_MS).await, Ok(0));
        assert_eq!(store.sweep_attachments(1_000 + GRACE_MS).await, Ok(2));
        assert_eq!(store.attachment(key).await, Ok(None));
        assert_eq!(store.attachment(loose).await, Ok(None));
        assert!(store.attachment(drafted).await.unwrap().is_some());
    });
}

#[test]
fn an_attachment_that_is_named_again_is_not_loose_any_more() {
    block_on(async {
        let store = store();
        let key = store.put_attachment(vec![1]).await.unwrap();
        assert_eq!(store.sweep_attachments(0).await, Ok(0));
        let mut conversation = empty(1);
        conversation.add_user("", vec![Attachment { key, ..picture(0) }], 2).unwrap();
        keep(&store, &conversation).await;
        assert_eq!(store.sweep_attachments(GRACE_MS).await, Ok(0));
        store.delete(&[conversation.id]).await.unwrap();
        assert_eq!(store.sweep_attachments(2 * GRACE_MS).await, Ok(0), "loose since just now");
        assert_eq!(store.sweep_attachments(3 * GRACE_MS).await, Ok(1));
    });
}

#[test]
fn pictures_of_a_video_have_their_times_before_them() {
    let part = |key: u128, millis| Attachment {
        moment: Some(Moment { video: "v".to_owned(), millis }),
        ..picture(key)
    };
    let mut conversation = empty(1);
    let user = conversation.add_user("What happens?", vec![part(1, 500), part(2, 61_500)], 2).unwrap();
    let prompt = conversation.prompt(user, &|attachment| Some(seen(attachment.key.0)));
    let text = |text: &str| Content::Text(text.to_owned());
    assert_eq!(prompt[0].content, [text("00:00 "), seen(1), text(" 01:01 "), seen(2), text("What happens?")]);
    let keys: Vec<_> = conversation.attachments_to(user).iter().map(|it| it.key.0).collect();
    assert_eq!(keys, [1, 2]);
}

fn tabs(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn each_tab_has_its_own_draft_and_takes_over_what_a_closed_one_has_left() {
    block_on(async {
        let store = store();
        let text = |text: &str| Draft { text: text.to_owned(), ..Draft::default() };
        let key = store.put_attachment(vec![1]).await.unwrap();
        let long = Draft { attachments: vec![Attachment { key, ..picture(0) }], ..text("long") };
        store.set_draft(None, "a", &long, 1).await.unwrap();
        store.set_draft(None, "b", &text("hi"), 2).await.unwrap();
        store.set_draft(None, "b", &Draft::default(), 3).await.unwrap();
        let both = async || tabs(&["a", "b"]);
        assert_eq!(store.draft(None, "a", both).await, Ok(long.clone()));
        assert_eq!(store.draft(None, "b", both).await, Ok(Draft::default()), "the other is open");
        store.sweep_attachments(0).await.unwrap();
        assert_eq!(store.sweep_attachments(GRACE_MS).await, Ok(0), "a draft of any tab names it");
        store.set_draft(None, "b", &text("later"), 4).await.unwrap();
        store.change_draft(None, "b", 5, |draft| draft.text.push('!')).await.unwrap();
        let new = async || tabs(&["c"]);
        assert_eq!(store.draft(None, "c", new).await, Ok(text("later!")), "the latest");
        assert_eq!(store.draft(None, "c", new).await, Ok(text("later!")));
        assert_eq!(store.draft(None, "d", async || tabs(&["c", "d"])).await, Ok(long));
        assert_eq!(store.draft(None, "a", async || tabs(&["a", "c", "d"])).await, Ok(Draft::default()));
    });
}

#[test]
fn a_draft_of_an_older_page_is_taken_over() {
    block_on(async {
        let store = store();
        let old = Value::Text("{\"text\":\"half\"}".to_owned());
        store.backend.commit(vec![Write::Put(Table::Drafts, "new".to_owned(), old)]).await.unwrap();
        let open = async || tabs(&["a"]);
        assert_eq!(store.draft(None, "a", open).await.unwrap().text, "half");
        assert_eq!(store.draft(None, "a", open).await.unwrap().text, "half");
        let settings = Options::default();
        store.set_tab_setting("examples", "a", Some(&settings), 1).await.unwrap();
        let left = store.tab_setting("examples", "b", async || tabs(&["b"])).await;
        assert_eq!(left, Ok(Some(settings)));
    });
}

#[test]
fn drafts_and_settings() {
    block_on(async {
        let store = store();
        let draft = Draft { text: "not yet".to_owned(), ..Draft::default() };
        store.set_draft(Some(ConversationId(1)), "tab", &draft, 0).await.unwrap();
        assert_eq!(store.draft(Some(ConversationId(1)), "tab", async || tabs(&["tab"])).await, Ok(draft));
        assert_eq!(store.draft(None, "tab", async || tabs(&["tab"])).await, Ok(Draft::default()));
        store.set_setting("theme", &"dark").await.unwrap();
        assert_eq!(store.setting::<String>("theme").await, Ok(Some("dark".to_owned())));
        assert_eq!(store.setting::<u32>("theme").await, Ok(None), "of another shape");
        assert_eq!(store.setting::<String>("none").await, Ok(None));
    });
}

#[test]
fn full_storage_is_said_and_loses_nothing() {
    block_on(async {
        let memory = Memory::default();
        memory.faults(|faults| faults.limit = Some(4000));
        let store = HistoryStore::over(memory, StoreError::Unavailable { reason: "a test".to_owned() });
        let (mut conversation, _, answer) = answered(1);
        let base = keep(&store, &conversation).await;
        let before = conversation.clone();
        conversation.push_text(answer, &"x".repeat(5000));
        assert_eq!(store.save(&conversation, Some(&base)).await, Err(StoreError::Full));
        assert_eq!(loaded(&store, before.id).await, Some(before));
    });
}

#[test]
fn a_bad_import_says_where_and_changes_nothing() {
    block_on(async {
        let store = store();
        let (good, ..) = answered(1);
        let (mut bad, ..) = answered(2);
        bad.roots.push(NodeId(7));
        let mut archive = Archive::new(1);
        archive.conversations = vec![good, bad];
        let json = archive.to_json();
        let refused = |json: String| {
            let store = store.clone();
            async move { store.import(json.as_bytes()).await.unwrap_err() }
        };
        let error = refused(json.clone()).await;
        assert!(
            matches!(&error, ImportError::Tree { index: 1, fault: TreeError::Missing { .. }, .. }),
            "{error:?}"
        );
        assert!(matches!(refused("{\n  oops".to_owned()).await, ImportError::Json { line: 2, .. }));
        let missing = refused(json.replacen("\"updated\"", "\"updatet\"", 1)).await;
        assert!(
            matches!(&missing, ImportError::Json { line, reason, .. } if *line > 2 && reason.contains("updated")),
            "{missing:?}"
        );
        let newer = refused(json.replace("\"version\": 6", "\"version\": 7")).await;
        assert_eq!(newer, ImportError::Version { found: 7 });
        assert!(matches!(refused("7".to_owned()).await, ImportError::Json { line: 1, .. }));
        for other in ["[]", "{}", "{\"format\": \"other\"}"] {
            assert!(matches!(refused(other.to_owned()).await, ImportError::Format { .. }), "{other}");
        }
        assert_eq!(store.list().await, Ok(Vec::new()), "nothing was imported");
    });
}

#[test]
fn broken_trees_are_refused() {
    let (whole, question, answer) = answered(1);
    let broken = |change: &dyn Fn(&mut Conversation)| {
        let mut conversation = whole.clone();
        change(&mut conversation);
        conversation.check()
    };
    assert_eq!(broken(&|it| it.roots.clear()), Err(TreeError::Active { parent: None }));
    assert_eq!(
        broken(&|it| (it.roots, it.active_root) = (Vec::new(), None)),
        Err(TreeError::Detached { node: question })
    );
    assert_eq!(
        broken(&|it| it.nodes.get_mut(&answer).unwrap().parent = None),
        Err(TreeError::Parent { node: answer })
    );
    assert_eq!(broken(&|it| it.roots.push(question)), Err(TreeError::Twice { node: question }));
    assert_eq!(broken(&|it| it.roots.push(NodeId(7))), Err(TreeError::Missing { node: NodeId(7) }));
    assert_eq!(
        broken(&|it| it.message_mut(question).unwrap().role = Role::System),
        Err(TreeError::System { node: question })
    );
}

/// Something the user or the engine does; numbers choose a message.
#[derive(Clone, Debug)]
enum Step {
    User(String),
    Answer(usize),
    Regenerate(usize),
    EditUser(usize),
    EditAnswer(usize),
    ToolResult(usize),
    Switch(usize, isize),
    Show(usize),
    Delete(usize),
    Push(usize),
    Fork(usize),
}

fn any_step() -> impl Strategy<Value = Step> {
    let node = 0_usize..24;
    prop_oneof![
        "[a-z ]{0,8}".prop_map(Step::User),
        node.clone().prop_map(Step::Answer),
        node.clone().prop_map(Step::Regenerate),
        node.clone().prop_map(Step::EditUser),
        node.clone().prop_map(Step::EditAnswer),
        node.clone().prop_map(Step::ToolResult),
        (node.clone(), -3_isize..4).prop_map(|(node, by)| Step::Switch(node, by)),
        node.clone().prop_map(Step::Show),
        node.clone().prop_map(Step::Delete),
        node.clone().prop_map(Step::Push),
        node.prop_map(Step::Fork),
    ]
}

fn apply(conversation: &mut Conversation, step: Step, now: u64) {
    let pick = |index: usize| {
        let ids: Vec<_> = conversation.nodes().map(|(id, _)| id).collect();
        ids.get(index % ids.len().max(1)).copied().unwrap_or(NodeId(index as u64))
    };
    // Steps that make no sense are refused, and must then change nothing that matters.
    match step {
        Step::User(text) => drop(conversation.add_user(text, Vec::new(), now)),
        Step::Answer(node) => drop(conversation.add_answer(pick(node), "m", now)),
        Step::Regenerate(node) => drop(conversation.regenerate(pick(node), "m", now)),
        Step::EditUser(node) => drop(conversation.edit_user(pick(node), "e", vec![picture(1)], now)),
        Step::EditAnswer(node) => drop(conversation.edit_answer(pick(node), "e", now)),
        Step::ToolResult(node) => {
            let call = ToolCall { id: "1-1".into(), name: "t".into(), arguments: "{}".into() };
            conversation.add_tool_result(pick(node), &call, "r", false, now).ok();
        }
        Step::Switch(node, by) => drop(conversation.switch(pick(node), by)),
        Step::Show(node) => drop(conversation.show(pick(node))),
        Step::Delete(node) => drop(conversation.delete_branch(pick(node), now)),
        Step::Push(node) => conversation.push_text(pick(node), "p"),
        Step::Fork(node) => {
            if let Ok(fork) = conversation.fork(pick(node), conversation.id, now) {
                assert_eq!(fork.check(), Ok(()));
                *conversation = fork;
            }
        }
    }
}

proptest! {
    #[test]
    fn any_steps_leave_a_whole_tree(steps in proptest::collection::vec(any_step(), 0..40)) {
        let mut conversation = empty(1);
        for (now, step) in steps.into_iter().enumerate() {
            let before = conversation.len();
            let deletes = matches!(step, Step::Delete(_) | Step::Fork(_));
            apply(&mut conversation, step, now as u64);
            prop_assert_eq!(conversation.check(), Ok(()));
            prop_assert!(deletes || conversation.len() >= before, "nothing is lost");
        }
        let path = conversation.active_path();
        prop_assert_eq!(path.is_empty(), conversation.is_empty());
        if let Some(&leaf) = path.last() {
            prop_assert_eq!(conversation.path_to(leaf), path);
        }
        let mut archive = Archive::new(7);
        archive.conversations.push(conversation);
        archive.attachments.insert(AttachmentKey(1), vec![1, 2]);
        prop_assert_eq!(Archive::from_json(archive.to_json().as_bytes()), Ok(archive));
    }

    #[test]
    fn no_text_panics_the_import(text in any::<String>(), cut in 0_usize..2000) {
        Archive::from_json(text.as_bytes()).ok();
        let mut archive = Archive::new(7);
        archive.conversations.push(answered(1).0);
        let json = archive.to_json();
        let part: String = json.chars().take(cut).collect();
        prop_assert!(Archive::from_json(part.as_bytes()).is_err() || cut >= json.chars().count());
    }
}

#[test]
fn broken_archives_are_refused() {
    let mut archive = Archive::new(7);
    archive.conversations.push(answered(1).0);
    archive.conversations.push(empty(2));
    archive.attachments.insert(AttachmentKey(1), vec![1, 2, 3]);
    crate::fuzz::fuzz("archive", &[archive.to_json().into_bytes()], |bytes| {
        let archive = Archive::from_json(bytes);
        let is_whole = |archive: &Archive| archive.conversations.iter().all(|it| it.check().is_ok());
        archive.inspect(|archive| assert!(is_whole(archive))).is_ok()
    });
}

#[test]
fn a_file_is_named_after_its_conversation() {
    let named = |title: &str| {
        let mut conversation = Conversation::new(ConversationId(1), Options::default(), 0);
        conversation.title = title.to_owned();
        conversation.file_name("2026-11-28", "md")
    };
    assert_eq!(named("Norway in May?"), "norway-in-may-2026-11-28.md");
    assert_eq!(named("../../etc: <Größe>"), "etc-größe-2026-11-28.md");
    assert_eq!(named(&"word ".repeat(40)).chars().count(), 60 - 1 + "-2026-11-28.md".len());
    assert_eq!(named("!?"), "gemtab-2026-11-28.md");
    assert_eq!(named(""), "conversation-2026-11-28.md");
}

#[test]
fn settings_of_its_own_are_noticed() {
    let of = |options| Conversation::new(ConversationId(1), options, 1);
    assert!(!of(Options::default()).has_own_settings());
    let usual = Options { model: "gemma4:e2b".into(), thinking: true, ..Options::default() };
    assert!(!of(usual).has_own_settings(), "these are in sight");
    let sampling = Some(protocol::Sampling::default());
    for options in [
        Options { sampling, ..Options::default() },
        Options { context: 4096, ..Options::default() },
        Options { max_tokens: 9, ..Options::default() },
        Options { stop: vec!["End".into()], ..Options::default() },
        Options { tools: vec!["calculate".into()], ..Options::default() },
        Options { format: AnswerFormat::Json, ..Options::default() },
    ] {
        assert!(of(options.clone()).has_own_settings(), "{options:?}");
    }
    let mut instructed = of(Options::default());
    instructed.system = " \n".into();
    assert!(!instructed.has_own_settings(), "blank");
    instructed.system = "Be brief.".into();
    assert!(instructed.has_own_settings());
}
