//! The client against answers as servers of both kinds give them.

use std::cell::RefCell;
use std::collections::VecDeque;

use pollster::block_on;

use super::*;

/// Gives answers in their order, and keeps what it was sent.
#[derive(Default)]
struct Script {
    answers: RefCell<VecDeque<(Head, Vec<Vec<u8>>)>>,
    sent: RefCell<Vec<Post>>,
}

struct Pieces {
    left: VecDeque<Vec<u8>>,
    /// Repeats the last one without end.
    is_endless: bool,
}

impl Body for Pieces {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, McpError> {
        match self.left.pop_front() {
            Some(piece) if self.is_endless => {
                self.left.push_back(piece.clone());
                Ok(Some(piece))
            }
            piece => Ok(piece),
        }
    }
}

impl Transport for &Script {
    type Body = Pieces;

    async fn post(&self, post: &Post) -> Result<(Head, Pieces), McpError> {
        self.sent.borrow_mut().push(post.clone());
        let (head, pieces) = self.answers.borrow_mut().pop_front().expect("an answer");
        let is_endless = pieces.first().is_some_and(|piece| piece.starts_with(b":endless"));
        Ok((head, Pieces { left: pieces.into(), is_endless }))
    }
}

impl Script {
    fn json(self, status: u16, body: &str) -> Self {
        self.with(Head { status, kind: Kind::Json, session: None }, body)
    }

    fn events(self, body: &str) -> Self {
        self.with(Head { status: 200, kind: Kind::Events, session: None }, body)
    }

    fn nothing(self, status: u16) -> Self {
        self.with(Head { status, kind: Kind::Other, session: None }, "")
    }

    fn session(self, id: &str, body: &str) -> Self {
        self.with(Head { status: 200, kind: Kind::Events, session: Some(id.into()) }, body)
    }

    /// In pieces of a few bytes.
    fn with(self, head: Head, body: &str) -> Self {
        let size = if body.starts_with(":endless") { body.len() } else { 7 };
        let pieces = body.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
        self.answers.borrow_mut().push_back((head, pieces));
        self
    }

    /// The methods that it was sent, each with the value of a header.
    fn heard(&self, header: &str) -> Vec<(String, Option<String>)> {
        let sent = self.sent.borrow();
        let heard = sent.iter().map(|post| {
            let message: Value = serde_json::from_str(&post.body).expect("JSON");
            let value = post.headers.iter().find(|(name, _)| *name == header).map(|(_, value)| value.clone());
            (message["method"].as_str().unwrap_or_default().to_owned(), value)
        });
        heard.collect()
    }
}

const DISCOVERED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}}"#;
const INITIALIZED: &str = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"b\",\"version\":\"1\"}}}\n\n";

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_server_without_sessions_is_told_the_version_in_every_request() {
    let script = Script::default()
        .json(200, DISCOVERED)
        .json(200, r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","tools":[{"name":"a"}],"nextCursor":"x"}}"#)
        .events("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n: still here\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[{\"name\":\"b\"}]}}\n\n")
        .json(200, r#"{"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","content":[]}}"#);
    let mut client = Client::new(&script, None);
    assert_eq!(block_on(client.list()), Ok(vec![json!({"name": "a"}), json!({"name": "b"})]));
    assert!(block_on(client.call("größe", json!({"a": 1}))).is_ok());
    assert_eq!(client.session, Some(Session::Modern));
    let listed = ("tools/list".to_owned(), some(MODERN));
    let called = ("tools/call".to_owned(), some(MODERN));
    let expected = [("server/discover".to_owned(), some(MODERN)), listed.clone(), listed, called];
    assert_eq!(script.heard("mcp-protocol-version"), expected);
    assert_eq!(script.heard("mcp-method")[3].1, some("tools/call"));
    assert_eq!(script.heard("mcp-name")[3].1, some("=?base64?Z3LDtsOfZQ==?="));
    let sent = script.sent.borrow();
    let page: Value = serde_json::from_str(&sent[2].body).expect("JSON");
    assert_eq!(
        (&page["params"]["cursor"], &page["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"]),
        (&json!("x"), &json!(MODERN))
    );
    let call: Value = serde_json::from_str(&sent[3].body).expect("JSON");
    assert_eq!((&call["id"], &call["params"]["arguments"]), (&json!(4), &json!({"a": 1})));
}

#[test]
fn any_other_server_is_initialized_and_its_session_is_named() {
    for refused in [
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: no valid session ID provided"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"","data":{"supported":["2025-06-18"]}}}"#,
        "no JSON",
    ] {
        let script = Script::default().json(400, refused).session("s1", INITIALIZED).nothing(202);
        let script = script.events("data: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[]}}\n\n");
        // The session is over, and there is another.
        let script =
            script.nothing(404).session("s2", &INITIALIZED.replace("\"id\":2", "\"id\":5")).nothing(202);
        let script = script.json(200, r#"{"jsonrpc":"2.0","id":6,"result":{"content":[]}}"#);
        let mut client = Client::new(&script, None);
        assert_eq!(block_on(client.list()), Ok(Vec::new()), "{refused}");
        assert!(block_on(client.call("a", json!({}))).is_ok(), "{refused}");
        let heard = script.heard("mcp-session-id");
        let heard: Vec<_> = heard.iter().map(|(method, id)| (&**method, id.as_deref())).collect();
        assert_eq!(
            heard,
            [
                ("server/discover", None),
                ("initialize", None),
                ("notifications/initialized", Some("s1")),
                ("tools/list", Some("s1")),
                ("tools/call", Some("s1")),
                ("initialize", None),
                ("notifications/initialized", Some("s2")),
                ("tools/call", Some("s2")),
            ]
        );
        assert_eq!(script.heard("mcp-protocol-version")[3].1, some(LEGACY));
        assert!(script.sent.borrow()[3..].iter().all(|post| !post.body.contains("_meta")));
    }
}

#[test]
fn what_is_known_of_a_server_is_not_asked_again() {
    let script = Script::default().json(200, r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#);
    assert!(block_on(Client::new(&script, Some(Session::Modern)).call("a", json!({}))).is_ok());
    assert_eq!(script.heard("mcp-name"), [("tools/call".to_owned(), some("a"))]);
}

#[test]
fn hostile_answers_are_refused() {
    let known = || Some(Session::Modern);
    let endless = format!(":endless {}\n\n", "x".repeat(1_000));
    let huge = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":"{}"}}}}"#, "x".repeat(MOST_BYTES));
    let refused = |message: &str| McpError::Refused { message: message.into() };
    for (script, error) in [
        (Script::default().events(&endless), McpError::TooMuch),
        (Script::default().json(200, &huge), McpError::TooMuch),
        (Script::default().nothing(307), McpError::Redirected),
        (Script::default().nothing(401), McpError::Unauthorized),
        (Script::default().nothing(200), McpError::NotProtocol),
        (Script::default().nothing(500), McpError::Status { status: "500".into() }),
        (Script::default().json(200, "<html>"), McpError::NotProtocol),
        (Script::default().json(200, "[]"), McpError::NotProtocol),
        // It answers what wasn't asked.
        (Script::default().json(200, r#"{"id":7,"result":{}}"#), McpError::NotProtocol),
        (Script::default().json(200, r#"{"id":1,"result":"text"}"#), McpError::NotProtocol),
        (
            Script::default().events("data: {\"id\":1,\"method\":\"sampling/createMessage\"}\n\n"),
            McpError::NotProtocol,
        ),
        (
            Script::default().json(400, r#"{"id":1,"error":{"code":1,"message":"no such tool"}}"#),
            refused("no such tool"),
        ),
        (Script::default().json(200, r#"{"id":1,"error":{}}"#), refused("")),
    ] {
        assert_eq!(
            block_on(Client::new(&script, known()).call("a", json!({}))),
            Err(error.clone()),
            "{error:?}"
        );
    }
    // Pages without end.
    let page =
        |id: usize| format!(r#"{{"id":{id},"result":{{"tools":[{{"name":"{id}"}}],"nextCursor":"more"}}}}"#);
    let script = (1..=MOST_PAGES).fold(Script::default(), |script, id| script.json(200, &page(id)));
    assert_eq!(block_on(Client::new(&script, known()).list()).map(|tools| tools.len()), Ok(MOST_PAGES));
}

#[test]
fn a_server_that_speaks_no_known_version_is_told_apart() {
    let other = r#"{"id":1,"error":{"code":-32022,"message":"","data":{"supported":["2030-01-01"]}}}"#;
    let discovered = DISCOVERED.replace(MODERN, "2030-01-01");
    let initialized = INITIALIZED.replace(LEGACY, "2024-11-05");
    for script in [
        Script::default().json(400, other),
        Script::default().json(200, &discovered),
        Script::default().nothing(404).events(&initialized),
    ] {
        let mut client = Client::new(&script, None);
        assert_eq!(block_on(client.list()), Err(McpError::NoVersion));
        assert_eq!(client.session, None);
    }
    let script = Script::default().nothing(404).nothing(404);
    assert_eq!(block_on(Client::new(&script, None).list()), Err(McpError::Status { status: "404".into() }));
}
