//! Requests that are passed on: `/api/mcp`.

use std::{
    convert::Infallible,
    future,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, Request, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::post,
};
use futures_util::{StreamExt as _, stream};
use protocol::{RelayProblem, RelayReport, said::Said};
use server::relay::{Limits, Relay};
use tokio::sync::oneshot;

use crate::Server;

/// A host that misbehaves by its paths, and remembers what it was asked.
struct Far {
    /// Host and port.
    address: String,
    asked: Arc<Mutex<Vec<(HeaderMap, Bytes)>>>,
    /// Is ready when an endless answer has been given up.
    given_up: oneshot::Receiver<()>,
}

impl Far {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (gives_up, given_up) = oneshot::channel::<()>();
        let gives_up = Arc::new(Mutex::new(Some(gives_up)));
        let remember = Arc::clone(&asked);
        let echo = async move |headers: HeaderMap, body: Bytes| {
            remember.lock().expect("no panic").push((headers, body));
            let headers = [
                ("content-type", "application/json; charset=utf-8"),
                ("mcp-session-id", "s1"),
                ("set-cookie", "a=b"),
                ("location", "http://127.0.0.1/"),
                ("www-authenticate", "Basic"),
            ];
            (StatusCode::UNAUTHORIZED, headers, "{}")
        };
        let secret = Arc::clone(&asked);
        let router = Router::new()
            .route("/mcp", post(echo))
            .route(
                "/redirect",
                post(async || (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, "/secret")], "{}")),
            )
            .route("/secret", post(async move || secret.lock().expect("no panic").push(Default::default())))
            .route("/page", post(async || ([(header::CONTENT_TYPE, "text/html")], "<script>")))
            .route("/silent", post(async || future::pending::<Response>().await))
            .route(
                "/endless",
                post(async move || {
                    // Dropped with the stream.
                    let gives_up = gives_up.lock().expect("no panic").take();
                    let pieces = stream::repeat(": nothing\n\n").map(move |piece| {
                        let _ends_with_it = &gives_up;
                        Ok::<_, Infallible>(piece)
                    });
                    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(pieces)).into_response()
                }),
            );
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, asked, given_up }
    }

    /// A server that passes requests on to it.
    fn relay(&self, limits: Limits) -> Server {
        let allowed = self.address.parse().expect("a host");
        Server::with_relay(Relay::to(&[allowed], limits).expect("a client"))
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

/// Asks as the page does.
async fn ask(server: &Server, target: &str, also: &[(&str, &str)], body: impl Into<Body>) -> Response {
    let mut request = Request::post("/api/mcp").header(header::HOST, "localhost:3000");
    let usual = [("content-type", "application/json"), ("sec-fetch-site", "same-origin")];
    let is_given = |name: &str| also.iter().any(|(other, _)| *other == name);
    let usual = usual.into_iter().filter(|(name, _)| !is_given(name));
    for (name, value) in usual.chain(also.iter().copied()).chain([("gemtab-target", target)]) {
        request = request.header(name, value);
    }
    server.send(request.body(body.into()).expect("a request")).await
}

/// The code of a refusal.
async fn problem(response: Response) -> (StatusCode, Option<RelayProblem>) {
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.expect("a whole body");
    (status, serde_json::from_slice::<Said<RelayProblem>>(&body).expect("a refusal").code)
}

#[tokio::test]
async fn a_request_is_passed_on_with_what_the_protocol_needs_and_nothing_else() {
    let far = Far::start().await;
    let server = far.relay(Limits::default());
    let report: RelayReport = serde_json::from_slice(&server.get("/api/mcp").await.body).expect("a report");
    assert_eq!(report.hosts, [&*far.address]);
    let headers = [
        ("accept", "application/json"),
        ("mcp-session-id", "s0"),
        ("gemtab-authorization", "Bearer t"),
        ("authorization", "Basic of-a-proxy"),
        ("cookie", "c=d"),
        ("origin", "http://localhost:3000"),
        ("referer", "http://localhost:3000/c/1"),
    ];
    let response = ask(&server, &far.url("/mcp"), &headers, r#"{"id":1}"#).await;
    assert_eq!(response.status(), StatusCode::OK);
    let given = response.headers().clone();
    for (name, value) in
        [("gemtab-status", "401"), ("mcp-session-id", "s1"), ("content-type", "application/json")]
    {
        assert_eq!(given[name], value);
    }
    for gone in ["set-cookie", "location", "www-authenticate"] {
        assert!(!given.contains_key(gone), "{gone}");
    }
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.expect("a whole body");
    assert_eq!(body, "{}");

    let (asked, content) = far.asked.lock().expect("no panic").pop().expect("a request");
    assert_eq!(content, r#"{"id":1}"#);
    let mut names: Vec<_> = asked.keys().map(|name| name.as_str()).collect();
    names.sort_unstable();
    let expected =
        ["accept", "authorization", "content-length", "content-type", "host", "mcp-session-id", "user-agent"];
    assert_eq!(names, expected);
    for (name, value) in
        [("authorization", "Bearer t"), ("accept", "application/json"), ("mcp-session-id", "s0")]
    {
        assert_eq!(asked[name], value);
    }
}

#[tokio::test]
async fn only_hosts_that_were_named_are_asked_and_only_by_the_page() {
    let far = Far::start().await;
    let server = far.relay(Limits { request: 100, ..Limits::default() });
    let url = far.url("/mcp");
    let host = far.address.clone();
    let port = host.rsplit_once(':').expect("a port").1;
    let not_allowed = |host: &str| Some(RelayProblem::NotAllowed { host: host.into() });
    for (target, status, code) in [
        ("http://127.0.0.1:1/", StatusCode::FORBIDDEN, not_allowed("127.0.0.1:1")),
        ("https://169.254.169.254/latest", StatusCode::FORBIDDEN, not_allowed("169.254.169.254")),
        (
            &*format!("http://localhost:{port}/"),
            StatusCode::FORBIDDEN,
            not_allowed(&format!("localhost:{port}")),
        ),
        (&*format!("http://u:p@{host}/"), StatusCode::BAD_REQUEST, Some(RelayProblem::Address)),
        (&*format!("ftp://{host}/"), StatusCode::BAD_REQUEST, Some(RelayProblem::Address)),
        ("/mcp", StatusCode::BAD_REQUEST, Some(RelayProblem::Address)),
    ] {
        assert_eq!(problem(ask(&server, target, &[], "{}").await).await, (status, code), "{target}");
    }
    for header in [("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-site")] {
        let refused = problem(ask(&server, &url, &[header], "{}").await).await;
        assert_eq!(refused, (StatusCode::FORBIDDEN, None), "{header:?}");
    }
    let refused = ask(&server, &url, &[("content-type", "text/plain")], "{}").await;
    assert_eq!(refused.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let refused = problem(ask(&server, &url, &[], "x".repeat(101)).await).await;
    assert_eq!(refused, (StatusCode::PAYLOAD_TOO_LARGE, Some(RelayProblem::TooLong)));
    // A browser that doesn't say where a request comes from still has an origin.
    let request = Request::post("/api/mcp")
        .header("host", "localhost:3000")
        .header("origin", "https://evil.example")
        .header("content-type", "application/json")
        .header("gemtab-target", &url);
    let response = server.send(request.body(Body::from("{}")).expect("a request")).await;
    assert_eq!(problem(response).await, (StatusCode::FORBIDDEN, None));
    assert!(far.asked.lock().expect("no panic").is_empty());

    let none = Server::new(Vec::new());
    assert_eq!(none.get("/api/mcp").await.text(), r#"{"hosts":[]}"#);
    assert_eq!(problem(ask(&none, &url, &[], "{}").await).await, (StatusCode::FORBIDDEN, not_allowed(&host)));
}

#[tokio::test]
async fn a_host_that_answers_encrypted_alone_is_asked_so() {
    let allowed = ["10.0.0.1".parse().expect("a host")];
    let server = Server::with_relay(Relay::to(&allowed, Limits::default()).expect("a client"));
    let plain = problem(ask(&server, "http://10.0.0.1/mcp", &[], "{}").await).await;
    assert_eq!(plain, (StatusCode::BAD_REQUEST, Some(RelayProblem::PlainHttp { host: "10.0.0.1".into() })));
}

#[tokio::test]
async fn a_redirect_is_told_and_not_followed_and_a_page_is_not_passed_on() {
    let far = Far::start().await;
    let server = far.relay(Limits::default());
    for (path, status) in [("/redirect", "307"), ("/page", "200")] {
        let response = ask(&server, &far.url(path), &[], "{}").await;
        assert_eq!(response.headers()["gemtab-status"], status);
        assert!(!response.headers().contains_key("content-type"));
        let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.expect("a whole body");
        assert!(body.is_empty(), "{path}");
    }
    assert!(far.asked.lock().expect("no panic").is_empty());
}

#[tokio::test]
async fn an_endless_answer_ends_at_the_limit_and_when_nobody_reads_it() {
    let far = Far::start().await;
    let server = far.relay(Limits { answer: 100_000, ..Limits::default() });
    let response = ask(&server, &far.url("/endless"), &[], "{}").await;
    let mut pieces = response.into_body().into_data_stream();
    let mut length = 0;
    let broken = loop {
        match pieces.next().await.expect("it has no end") {
            Ok(piece) => length += piece.len(),
            Err(error) => break error,
        }
    };
    assert!(length <= 100_000, "{length} {broken}");
    drop(pieces);
    far.given_up.await.expect_err("the stream was dropped");

    let far = Far::start().await;
    let server = far.relay(Limits::default());
    let response = ask(&server, &far.url("/endless"), &[], "{}").await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    drop(response);
    far.given_up.await.expect_err("the stream was dropped");
}

#[tokio::test]
async fn a_host_that_says_nothing_is_given_up_and_others_wait_their_turn() {
    let far = Far::start().await;
    let server = far.relay(Limits { time: Duration::from_millis(300), at_once: 1, ..Limits::default() });
    let url = far.url("/silent");
    let waits = ask(&server, &url, &[], "{}");
    let other = async {
        // It is its turn when the first one waits.
        tokio::task::yield_now().await;
        ask(&server, &url, &[], "{}").await
    };
    let (late, busy) = tokio::join!(waits, other);
    let host = far.address.clone();
    assert_eq!(
        problem(late).await,
        (StatusCode::GATEWAY_TIMEOUT, Some(RelayProblem::Late { host: host.clone() }))
    );
    assert_eq!(problem(busy).await, (StatusCode::SERVICE_UNAVAILABLE, Some(RelayProblem::Busy)));

    drop(far);
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let host = gone.local_addr().expect("an address").to_string();
    drop(gone);
    let relay = Relay::to(&[host.parse().expect("a host")], Limits::default()).expect("a client");
    let response = ask(&Server::with_relay(relay), &format!("http://{host}/"), &[], "{}").await;
    assert_eq!(problem(response).await, (StatusCode::BAD_GATEWAY, Some(RelayProblem::Unreachable { host })));
}
