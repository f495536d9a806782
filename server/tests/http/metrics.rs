//! What is counted, and that nothing of users is in it.

use std::{future, time::Duration};

use axum::{body::Body, http::Request};
use server::{
    catalog::Source,
    connections::{self, Endpoint},
    host::Hosts,
    metrics::Metrics,
};
use tokio::{
    io::AsyncWriteExt as _,
    net::{TcpListener, TcpStream},
};
use tower::ServiceExt as _;

use crate::{
    Server,
    connections::{PATIENT, REQUEST, one_answer},
    support::{Gguf, Store, digest},
};

pub async fn read(metrics: &Metrics, host: &str) -> (u16, String) {
    let hosts = Hosts::new([127, 0, 0, 1].into(), []);
    let request = Request::get("/metrics").header("host", host).body(Body::empty()).expect("a request");
    let response = metrics.router(hosts).oneshot(request).await.expect("an answer");
    let status = response.status().as_u16();
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.expect("a whole body");
    (status, String::from_utf8(body.into()).expect("text"))
}

/// The value of a line of the metrics.
pub fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
}

#[tokio::test]
async fn requests_and_bytes_are_counted_by_kind_and_status() {
    let store = Store::new();
    let content = store.gemma4("secret-name");
    let metrics = Metrics::default();
    let mut server = Server::new(vec![Source::Ollama(store.path().into())]);
    server.router = metrics.of(server.router);

    let blob = format!("/api/blobs/{}", digest(&content));
    assert_eq!(server.get(&blob).await.status, 200);
    assert_eq!(server.ask("GET", &blob, &[("range", "bytes=0-9")]).await.status, 206);
    assert_eq!(server.ask("HEAD", &blob, &[]).await.status, 200);
    assert_eq!(server.get("/api/models").await.status, 200);
    assert_eq!(server.get("/api/pull").await.status, 200);
    assert_eq!(server.get("/c/5ec4e70000000000000000000000c0de").await.status, 200);
    assert_eq!(server.get("/favicon.svg").await.status, 200);
    assert_eq!(server.get("/secret-file").await.status, 404);
    assert_eq!(server.ask_with("GET", "/", &[("host", "secret.example")]).await.status, 421);
    assert_eq!(server.get("/healthz").await.status, 200);

    let (_, text) = read(&metrics, "localhost").await;
    let requests = |class, status| {
        value(&text, &format!("gemtab_requests_total{{class=\"{class}\",status=\"{status}\"}}"))
    };
    assert_eq!(requests("blob", "2xx"), Some("3"), "{text}");
    assert_eq!(requests("catalogue", "2xx"), Some("1"), "{text}");
    assert_eq!(requests("pull", "2xx"), Some("1"), "{text}");
    assert_eq!(requests("page", "2xx"), Some("1"), "{text}");
    assert_eq!(requests("page", "4xx"), Some("1"), "{text}");
    assert_eq!(requests("asset", "2xx"), Some("1"), "{text}");
    assert_eq!(requests("asset", "4xx"), Some("1"), "{text}");
    assert_eq!(text.matches("gemtab_requests_total{").count(), 7, "{text}");
    let sent = value(&text, "gemtab_sent_bytes_total{class=\"blob\"}");
    assert_eq!(sent, Some((content.len() + 10).to_string().as_str()), "{text}");
    let timed = value(&text, "gemtab_response_head_seconds_count{class=\"blob\"}");
    assert_eq!(timed, Some("3"), "{text}");
    assert!(text.ends_with("# EOF\n"), "{text}");
    for hidden in ["secret", "5ec4e7", "gemma4", "sha256", "127.0.0.1", "localhost", "/c/"] {
        assert!(!text.contains(hidden), "{hidden} is in {text}");
    }
}

#[tokio::test]
async fn only_what_the_client_took_is_counted() {
    let store = Store::new();
    let metrics = Metrics::default();
    let large = Gguf::gemma4().data(&[1; 1 << 20]).build();
    store.model("gemma4", "large", serde_json::json!({}), &[store.layer("model", &large)]);
    let mut server = Server::new(vec![Source::Ollama(store.path().into())]);
    server.router = metrics.of(server.router);
    let path = format!("/api/blobs/{}", digest(&large));
    let request = Request::get(path).header("host", "localhost").body(Body::empty()).expect("a request");
    let response = server.send(request).await;
    assert_eq!(response.status(), 200);
    drop(response);
    let (_, text) = read(&metrics, "localhost").await;
    assert_eq!(value(&text, "gemtab_sent_bytes_total{class=\"blob\"}"), Some("0"), "{text}");
}

#[tokio::test]
async fn open_connections_are_counted() {
    let server = Server::new(Vec::new());
    let metrics = Metrics::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let endpoint = Endpoint { open: metrics.connections(), ..Endpoint::from(listener) };
    tokio::spawn(connections::serve(endpoint, server.router.clone(), PATIENT, future::pending()));
    let mut clients = Vec::new();
    for _ in 0..2 {
        let mut client = TcpStream::connect(address).await.expect("a connection");
        client.write_all(REQUEST).await.expect("sent");
        one_answer(&mut client).await;
        clients.push(client);
    }
    let (_, text) = read(&metrics, "localhost").await;
    assert_eq!(value(&text, "gemtab_connections"), Some("2"), "{text}");
    drop(clients);
    while metrics.connections().get() != 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn metrics_are_only_for_who_names_an_expected_host() {
    let metrics = Metrics::default();
    assert_eq!(read(&metrics, "127.0.0.1:9464").await.0, 200);
    assert_eq!(read(&metrics, "evil.example").await.0, 421);
    // They are not among what visitors may ask for.
    assert_eq!(Server::new(Vec::new()).get("/metrics").await.status, 404);
}
