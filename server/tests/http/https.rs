//! HTTPS and HTTP/2, with the same limits.

use std::{future, net::SocketAddr};

use axum::http::Request;
use h2::Reason;
use server::{
    catalog::Source,
    connections::{self, Limits, STREAMS},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::oneshot,
    task::JoinHandle,
};

use crate::{
    Server,
    connections::{PATIENT, REQUEST, SOON, large_model, pulling},
    https_support::{Client, connect, endpoint, read},
    support::Store,
};

/// What a client of HTTP/2 takes before it says so, unless it says otherwise.
const WINDOW: u32 = 65_535;

async fn start(server: &Server, limits: Limits) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<()>) {
    let (address, endpoint) = endpoint().await;
    let (stop, stopped) = oneshot::channel();
    let stopped = async {
        if stopped.await.is_err() {
            future::pending().await
        }
    };
    (address, stop, tokio::spawn(connections::serve(endpoint, server.router.clone(), limits, stopped)))
}

/// The address of the blob that a request of HTTP/1.1 names.
fn of_blob(request: &str) -> String {
    format!("https://localhost{}", request.split(' ').nth(1).expect("an address"))
}

#[tokio::test]
async fn both_versions_are_spoken() {
    let server = Server::new(Vec::new());
    let (address, _stop, _) = start(&server, PATIENT).await;
    let client = Client::new(address, WINDOW).await;
    for _ in 0..2 {
        let answer = client.get("https://localhost/favicon.svg").await.expect("an answer");
        assert_eq!(answer.status(), 200);
        assert_eq!(read(answer.into_body()).await.expect("a whole body"), b"<svg/>");
    }

    for protocols in [&[&b"http/1.1"[..]][..], &[]] {
        let mut client = connect(address, protocols).await;
        client.write_all(REQUEST).await.expect("sent");
        let mut begin = [0; 15];
        client.read_exact(&mut begin).await.expect("an answer");
        assert_eq!(&begin, b"HTTP/1.1 200 OK");
    }
}

#[tokio::test]
async fn the_authority_is_checked_like_a_host() {
    let server = Server::new(Vec::new());
    let (address, _stop, _) = start(&server, PATIENT).await;
    let client = Client::new(address, WINDOW).await;
    for (authority, header, status) in [
        ("localhost:3000", None, 200),
        ("127.0.0.1", None, 200),
        ("evil.example", None, 421),
        ("localhost", Some("localhost"), 200),
        ("localhost", Some("evil.example"), 421),
        ("evil.example", Some("localhost"), 421),
        ("user@localhost", None, 400),
    ] {
        let mut request = Request::get(format!("https://{authority}/favicon.svg"));
        if let Some(host) = header {
            request = request.header("host", host);
        }
        let request = request.body(()).expect("a request");
        let mut requests = client.requests.clone().ready().await.expect("it is open");
        let answer = requests.send_request(request, true).expect("sent").0.await;
        // What is no authority at all may also be refused by the protocol.
        match answer {
            Ok(answer) => assert_eq!(answer.status(), status, "{authority} {header:?}"),
            Err(error) => {
                assert_eq!((error.reason(), status), (Some(Reason::PROTOCOL_ERROR), 400), "{authority}");
            }
        }
    }
}

#[tokio::test]
async fn a_blob_arrives_whole_and_in_parts() {
    let (server, _store, request) = large_model(1 << 20);
    let (address, _stop, _) = start(&server, PATIENT).await;
    let client = Client::new(address, WINDOW).await;
    let answer = client.get(&of_blob(&request)).await.expect("an answer");
    assert_eq!(answer.headers()["content-length"], "1048576");
    let whole = read(answer.into_body()).await.expect("a whole body");
    assert_eq!(whole.len(), 1 << 20);

    let part = Request::get(of_blob(&request)).header("range", "bytes=4-99999").body(()).expect("a request");
    let mut requests = client.requests.clone().ready().await.expect("it is open");
    let answer = requests.send_request(part, true).expect("sent").0.await.expect("an answer");
    assert_eq!(answer.status(), 206);
    assert_eq!(read(answer.into_body()).await.expect("a whole body"), &whole[4..100_000]);
}

#[tokio::test]
async fn few_requests_are_answered_at_once() {
    let (server, _store, request) = large_model(1 << 20);
    let (address, _stop, _) = start(&server, PATIENT).await;
    let client = Client::new(address, 1).await;
    let mut answers = Vec::new();
    for _ in 0..STREAMS {
        answers.push(client.get(&of_blob(&request)).await.expect("an answer"));
    }
    assert_eq!(client.requests.current_max_send_streams(), STREAMS as usize);
    // The next one has its turn when another is over.
    let mut next = std::pin::pin!(client.get("https://localhost/favicon.svg"));
    assert!(tokio::time::timeout(SOON, &mut next).await.is_err());
    answers.pop();
    assert_eq!(next.await.expect("an answer").status(), 200);
}

#[tokio::test]
async fn a_client_that_takes_nothing_is_cut_off_though_it_answers_pings() {
    let (server, _store, request) = large_model(1 << 30);
    let (address, _stop, _) = start(&server, Limits { connections: 1, stall: SOON, ..PATIENT }).await;
    let client = Client::new(address, WINDOW).await;
    let answer = client.get(&of_blob(&request)).await.expect("an answer");
    assert_eq!(answer.status(), 200);
    client.connection.await.expect("no panic").ok();
    // The only place is free again.
    let next = Client::new(address, WINDOW).await;
    assert_eq!(next.get("https://localhost/favicon.svg").await.expect("an answer").status(), 200);
}

#[tokio::test]
async fn silent_and_idle_connections_are_closed() {
    let server = Server::new(Vec::new());
    let (address, _stop, _) = start(&server, Limits { head: SOON, ..PATIENT }).await;
    let mut silent = TcpStream::connect(address).await.expect("a connection");
    assert_eq!(silent.read_to_end(&mut Vec::new()).await.expect("it is closed"), 0);

    let mut before_the_preface = connect(address, &[b"h2"]).await;
    before_the_preface.read_to_end(&mut Vec::new()).await.ok();

    let idle = Client::new(address, WINDOW).await;
    idle.connection.await.expect("no panic").ok();
}

#[tokio::test]
async fn half_contents_are_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let none = Server::new(Vec::new());
    for (server, limits, status) in
        [(pulling(&folder), Limits { content: SOON, ..PATIENT }, 408), (none, PATIENT, 403)]
    {
        let (address, _stop, _) = start(&server, limits).await;
        let client = Client::new(address, WINDOW).await;
        let request = Request::post("https://localhost/api/pull")
            .header("content-type", "application/json")
            .body(())
            .expect("a request");
        let mut requests = client.requests.clone().ready().await.expect("it is open");
        let (answer, mut content) = requests.send_request(request, false).expect("sent");
        content.send_data("{\"n".into(), false).expect("sent");
        assert_eq!(answer.await.expect("an answer").status(), status);
    }
}

#[tokio::test]
async fn what_is_no_tls_gets_no_answer() {
    let server = Server::new(Vec::new());
    let (address, _stop, _) = start(&server, PATIENT).await;
    let mut client = TcpStream::connect(address).await.expect("a connection");
    client.write_all(REQUEST).await.expect("sent");
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).await.ok();
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
}

#[tokio::test]
async fn a_head_that_is_too_long_is_refused() {
    let server = Server::new(Vec::new());
    let (address, _stop, _) = start(&server, PATIENT).await;
    let client = Client::new(address, WINDOW).await;
    // The server says what it takes at most, which the client then keeps to: it has to be told first.
    client.get("https://localhost/favicon.svg").await.expect("an answer");
    let long =
        Request::get("https://localhost/").header("x", "x".repeat(32 << 10)).body(()).expect("a request");
    let mut requests = client.requests.clone().ready().await.expect("it is open");
    match requests.send_request(long, true) {
        Ok((answer, _)) => match answer.await {
            Ok(answer) => assert_eq!(answer.status(), 431),
            Err(error) => assert!(error.is_remote() || error.reason().is_some(), "{error}"),
        },
        Err(error) => assert!(error.is_reset() || error.reason().is_some(), "{error}"),
    }
}

#[tokio::test]
async fn an_open_download_ends_before_the_server_does() {
    const SIZE: usize = 16 << 20;
    let (server, _store, request) = large_model(SIZE as u64);
    let (address, stop, serving) = start(&server, PATIENT).await;
    let client = Client::new(address, WINDOW).await;
    let answer = client.get(&of_blob(&request)).await.expect("an answer");
    let idle = Client::new(address, WINDOW).await;
    idle.get("https://localhost/favicon.svg").await.expect("an answer");

    stop.send(()).expect("it serves");
    idle.connection.await.expect("no panic").ok();
    assert_eq!(read(answer.into_body()).await.expect("a whole body").len(), SIZE);
    // It ends, and may do so while the client still says what it took.
    client.connection.await.expect("no panic").ok();
    serving.await.expect("it ends");
}

#[tokio::test]
async fn a_download_that_does_not_end_is_cut_off_with_the_server() {
    let (server, _store, request) = large_model(1 << 30);
    let (address, stop, serving) = start(&server, Limits { shutdown: SOON, ..PATIENT }).await;
    let client = Client::new(address, WINDOW).await;
    let answer = client.get(&of_blob(&request)).await.expect("an answer");
    stop.send(()).expect("it serves");
    serving.await.expect("it ends");
    assert!(read(answer.into_body()).await.is_err());
}

#[tokio::test]
async fn models_are_listed() {
    let store = Store::new();
    store.gemma4("small");
    let server = Server::new(vec![Source::Ollama(store.path().into())]);
    let (address, _stop, _) = start(&server, PATIENT).await;
    let client = Client::new(address, WINDOW).await;
    let answer = client.get("https://localhost/api/models").await.expect("an answer");
    let list = read(answer.into_body()).await.expect("a whole body");
    assert!(String::from_utf8(list).expect("text").contains("gemma4:small"));
}
