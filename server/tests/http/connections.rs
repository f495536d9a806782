//! Connections whose clients are silent, slow or many.

use std::{future, net::SocketAddr, time::Duration};

use server::{
    catalog::Source,
    connections::{self, Limits},
    pull::{Puller, api::Pulls},
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::oneshot,
    task::JoinHandle,
};

use crate::{Server, support::Store};

const NEVER: Duration = Duration::from_secs(3600);
pub const SOON: Duration = Duration::from_millis(30);

pub const PATIENT: Limits =
    Limits { connections: 64, head: NEVER, content: NEVER, stall: NEVER, shutdown: NEVER };

pub const REQUEST: &[u8] = b"GET /favicon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// A server on a port of its own, until the sender says so or is dropped.
async fn start(server: &Server, limits: Limits) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (stop, stopped) = oneshot::channel();
    let stopped = async {
        if stopped.await.is_err() {
            future::pending().await
        }
    };
    let router = server.router.clone();
    (address, stop, tokio::spawn(connections::serve(listener, router, limits, stopped)))
}

async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.expect("a connection")
}

/// What the server sends until it closes the connection.
async fn to_the_end(client: &mut TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    match client.read_to_end(&mut all).await {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
    }
    all
}

/// Reads until `<svg/>`, the end of the answer to [`REQUEST`].
pub async fn one_answer(client: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    while !answer.ends_with(b"<svg/>") {
        answer.push(client.read_u8().await.expect("the whole answer"));
    }
    String::from_utf8(answer).expect("text")
}

#[tokio::test]
async fn silent_and_idle_connections_and_half_heads_are_closed() {
    let server = Server::new(Vec::new());
    let (address, _stop, _) = start(&server, Limits { head: SOON, ..PATIENT }).await;
    let mut silent = connect(address).await;
    assert_eq!(to_the_end(&mut silent).await, b"");

    let mut half = connect(address).await;
    half.write_all(&REQUEST[..30]).await.expect("sent");
    let answer = to_the_end(&mut half).await;
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 408"), "{answer:?}");

    let mut idle = connect(address).await;
    idle.write_all(REQUEST).await.expect("sent");
    assert!(one_answer(&mut idle).await.starts_with("HTTP/1.1 200"));
    assert_eq!(to_the_end(&mut idle).await, b"");
}

/// A server that downloads models for visitors, into this folder.
pub fn pulling(folder: &TempDir) -> Server {
    let pulls = Pulls::into(Puller::new(folder.path()), folder.path().into(), Vec::new());
    Server::with_pulls([127, 0, 0, 1], &[], Vec::new(), pulls)
}

/// The head of a request with nine bytes of content, and three of them.
const HALF_CONTENT: &[u8] =
    b"POST /api/pull HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
    Content-Length: 9\r\n\r\n{\"n";

#[tokio::test]
async fn half_contents_are_answered_and_their_connections_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits { connections: 1, content: SOON, ..PATIENT };
    let (address, _stop, _) = start(&pulling(&folder), limits).await;
    for sent in [HALF_CONTENT, &HALF_CONTENT[..HALF_CONTENT.len() - 3]] {
        // The only place is free again for the second one.
        let mut half = connect(address).await;
        half.write_all(sent).await.expect("sent");
        let answer = to_the_end(&mut half).await;
        assert!(answer.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&answer));
    }
}

#[tokio::test]
async fn content_that_nobody_wants_is_not_waited_for() {
    let (address, _stop, _) = start(&Server::new(Vec::new()), PATIENT).await;
    let mut half = connect(address).await;
    half.write_all(HALF_CONTENT).await.expect("sent");
    let answer = to_the_end(&mut half).await;
    assert!(answer.starts_with(b"HTTP/1.1 403"), "{}", String::from_utf8_lossy(&answer));
}

#[tokio::test]
async fn a_connection_serves_many_requests() {
    let server = Server::new(Vec::new());
    let (address, _stop, _) = start(&server, PATIENT).await;
    let mut client = connect(address).await;
    for _ in 0..3 {
        client.write_all(REQUEST).await.expect("sent");
        assert!(one_answer(&mut client).await.starts_with("HTTP/1.1 200"));
    }
}

#[tokio::test]
async fn further_connections_wait_for_a_place() {
    let server = Server::new(Vec::new());
    let (address, _stop, _) = start(&server, Limits { connections: 2, head: SOON, ..PATIENT }).await;
    let silent = [connect(address).await, connect(address).await];
    let mut third = connect(address).await;
    third.write_all(REQUEST).await.expect("sent");
    assert!(one_answer(&mut third).await.starts_with("HTTP/1.1 200"));
    // It had its place from one of the two, which were therefore closed before.
    assert!(silent.iter().any(|client| matches!(client.try_read(&mut [0]), Ok(0))));
}

/// A server with a model of `size` bytes, and the request for it.
pub fn large_model(size: u64) -> (Server, Store, String) {
    let store = Store::new();
    let request = store.large(size);
    (Server::new(vec![Source::Ollama(store.path().into())]), store, request)
}

/// A client that the system keeps no large buffers for.
async fn connect_narrowly(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("a small buffer");
    socket.connect(address).await.expect("a connection")
}

#[tokio::test]
async fn a_client_that_does_not_read_is_cut_off() {
    const SIZE: u64 = 1 << 30;
    let (server, _store, request) = large_model(SIZE);
    let (address, _stop, _) = start(&server, Limits { connections: 1, stall: SOON, ..PATIENT }).await;
    let mut stuck = connect_narrowly(address).await;
    stuck.write_all(request.as_bytes()).await.expect("sent");
    // The only place is free again once the first client was cut off.
    let mut next = connect(address).await;
    next.write_all(REQUEST).await.expect("sent");
    assert!(one_answer(&mut next).await.starts_with("HTTP/1.1 200"));
    assert!((to_the_end(&mut stuck).await.len() as u64) < SIZE);
}

#[tokio::test]
async fn running_transfers_end_with_the_server() {
    let (server, _store, request) = large_model(1 << 30);
    let (address, stop, serving) = start(&server, Limits { shutdown: SOON, ..PATIENT }).await;
    let mut stuck = connect_narrowly(address).await;
    stuck.write_all(request.as_bytes()).await.expect("sent");
    stuck.readable().await.expect("an answer begins");
    let mut idle = connect(address).await;
    idle.write_all(REQUEST).await.expect("sent");
    one_answer(&mut idle).await;

    stop.send(()).expect("it serves");
    assert_eq!(to_the_end(&mut idle).await, b"");
    serving.await.expect("it ends");
    // The client never read: that its connection is closed is the server's doing.
    assert!((to_the_end(&mut stuck).await.len() as u64) < 1 << 30);
}

#[tokio::test]
async fn nobody_is_let_in_while_the_last_downloads_end() {
    let (server, _store, request) = large_model(16 << 20);
    let (address, stop, serving) = start(&server, PATIENT).await;
    let mut client = connect_narrowly(address).await;
    client.write_all(request.as_bytes()).await.expect("sent");
    client.readable().await.expect("an answer begins");
    let mut idle = connect(address).await;
    idle.write_all(REQUEST).await.expect("sent");
    one_answer(&mut idle).await;

    stop.send(()).expect("it serves");
    assert_eq!(to_the_end(&mut idle).await, b"");
    let refused = TcpStream::connect(address).await.expect_err("the port is closed");
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    assert!(to_the_end(&mut client).await.len() > 16 << 20);
    serving.await.expect("it ends");
}

#[tokio::test]
async fn an_answer_that_has_begun_is_finished_when_the_server_ends() {
    let (server, _store, request) = large_model(16 << 20);
    let (address, stop, serving) = start(&server, PATIENT).await;
    let mut client = connect_narrowly(address).await;
    client.write_all(request.as_bytes()).await.expect("sent");
    client.readable().await.expect("an answer begins");
    stop.send(()).expect("it serves");
    assert!(to_the_end(&mut client).await.len() > 16 << 20);
    serving.await.expect("it ends");
}

#[tokio::test]
async fn a_head_that_is_too_long_is_refused() {
    let server = Server::new(Vec::new());
    let (address, _stop, _) = start(&server, PATIENT).await;
    let mut client = connect(address).await;
    let long = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(64 << 10));
    // The server may close while this is still being sent.
    client.write_all(long.as_bytes()).await.ok();
    let answer = to_the_end(&mut client).await;
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 431"), "{}", String::from_utf8_lossy(&answer));
}
