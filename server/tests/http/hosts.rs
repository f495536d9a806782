//! The `Host` of a request.

use axum::http::{HeaderValue, Request};

use crate::Server;

const PATHS: [&str; 4] = ["/", "/api/models", "/api/blobs/x", "/favicon.svg"];

/// The status of each path for a request with this one `Host`.
async fn statuses(server: &Server, host: &str) -> Vec<u16> {
    let mut statuses = Vec::new();
    for path in PATHS {
        statuses.push(server.ask_with("GET", path, &[("host", host)]).await.status.as_u16());
    }
    statuses
}

#[tokio::test]
async fn on_loopback_only_the_names_of_this_machine_are_answered() {
    let server = Server::at([127, 0, 0, 1], &["chat.example.org"], Vec::new());
    for host in [
        "localhost",
        "localhost:3000",
        "LOCALHOST",
        "127.0.0.1:3000",
        "[::1]:80",
        "[::1]",
        "chat.example.org:443",
    ] {
        assert_eq!(statuses(&server, host).await, [200, 200, 404, 200], "{host}");
    }
    for host in [
        "evil.example",
        "evil.example:3000",
        "localhost.evil.example",
        "192.168.1.2",
        "127.0.0.1.evil.example",
    ] {
        assert_eq!(statuses(&server, host).await, [421; 4], "{host}");
    }
}

#[tokio::test]
async fn elsewhere_addresses_are_answered_and_names_must_be_given() {
    let server = Server::at([0, 0, 0, 0], &["chat.example.org"], Vec::new());
    for host in ["192.168.1.2:3000", "[2001:db8::1]:3000", "localhost", "chat.example.org"] {
        assert_eq!(statuses(&server, host).await, [200, 200, 404, 200], "{host}");
    }
    assert_eq!(statuses(&server, "evil.example").await, [421; 4]);
}

#[tokio::test]
async fn a_request_has_one_host() {
    let server = Server::new(Vec::new());
    for path in PATHS {
        for headers in [
            &[][..],
            &[("host", "")],
            &[("host", "localhost"), ("host", "localhost")],
            &[("host", "localhost"), ("host", "evil.example")],
            &[("host", "localhost, evil.example")],
            &[("host", "localhost/")],
            &[("host", "user@localhost")],
            &[("host", "localhost:port")],
        ] {
            let answer = server.ask_with("GET", path, headers).await;
            assert_eq!(answer.status, 400, "{path} {headers:?}");
        }
    }
    let bytes = HeaderValue::from_bytes(b"localhost\xff").expect("a value");
    let request = Request::get("/").header("host", bytes).body(axum::body::Body::empty()).expect("a request");
    assert_eq!(server.send(request).await.status(), 400);
}

#[tokio::test]
async fn a_target_with_a_host_must_name_an_expected_one_too() {
    let server = Server::new(Vec::new());
    let ask = |target| server.ask_with("GET", target, &[("host", "localhost")]);
    assert_eq!(ask("http://localhost:3000/api/models").await.status, 200);
    assert_eq!(ask("http://evil.example/api/models").await.status, 421);
    assert_eq!(ask("http://user@localhost/api/models").await.status, 400);
}

#[tokio::test]
async fn who_is_refused_learns_why_and_nothing_else() {
    let server = Server::new(Vec::new());
    let answer = server.ask_with("GET", "/", &[("host", "chat.example.org:8080")]).await;
    assert_eq!(
        answer.text(),
        "This server doesn't go by the name chat.example.org. If it should, start it with --allow-host \
         chat.example.org."
    );
    assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
}
