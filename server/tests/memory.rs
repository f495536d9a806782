//! What connections hold in memory whose clients do not read.

#[path = "support/mod.rs"]
mod support;

#[path = "support/https.rs"]
mod https;

use std::{future, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    routing::{any, get},
};
use https::Client;
use peak_alloc::PeakAlloc;
use prometheus_client::metrics::gauge::Gauge;
use server::{
    blobs,
    catalog::Source,
    connections::{self, Endpoint, Limits, MEMORY_PER_CONNECTION, STREAMS},
    disk::CHUNK,
    library::Library,
};
use support::Store;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpSocket, TcpStream},
    time::sleep,
};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const CLIENTS: usize = 32;

const PING: &[u8] = b"GET /ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// A client that the system keeps no large buffers for.
async fn connect(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("a small buffer");
    socket.connect(address).await.expect("a connection")
}

async fn ping(address: SocketAddr) {
    let mut client = connect(address).await;
    client.write_all(PING).await.expect("sent");
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.ends_with("pong"), "{answer}");
}

/// Serves clients that get stuck.
async fn serve(endpoint: Endpoint, router: Router) -> (SocketAddr, Gauge) {
    let address = endpoint.listener.local_addr().expect("an address");
    let open = endpoint.open.clone();
    // Long enough for all clients to be stuck at one time, on a busy machine too.
    let limits = Limits { connections: CLIENTS, stall: Duration::from_secs(2), ..Limits::default() };
    tokio::spawn(connections::serve(endpoint, router, limits, future::pending()));
    (address, open)
}

/// Waits until the server has closed all connections, and so freed what they held.
async fn all_closed(open: Gauge) {
    while open.get() != 0 {
        sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_costs_what_is_stated() {
    let store = Store::new();
    let request = store.large(1 << 30);
    // One for each part, or the next would read into the buffers of the one before.
    let router = || {
        let library = Arc::new(Library::new(vec![Source::Ollama(store.path().into())]));
        Router::new()
            .route("/api/blobs/{digest}", get(blobs::serve))
            .route("/ping", any(|| async { "pong" }))
            .with_state(library)
    };

    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let (address, open) = serve(listener.into(), router()).await;
    ping(address).await;
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let mut client = connect(address).await;
        client.write_all(request.as_bytes()).await.expect("sent");
        clients.push(client);
    }
    for client in &clients {
        client.readable().await.expect("an answer begins");
    }
    // All places are taken until the first of these clients has been stuck for long enough.
    ping(address).await;
    check(before);
    drop(clients);
    all_closed(open).await;

    let (_, endpoint) = https::endpoint().await;
    let (address, open) = serve(endpoint, router()).await;
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let mut client = https::connect(address, &[b"http/1.1"]).await;
        client.write_all(request.as_bytes()).await.expect("sent");
        clients.push(client);
    }
    for client in &clients {
        client.get_ref().0.readable().await.expect("an answer begins");
    }
    // Has its place when the first of them has none.
    https::connect(address, &[b"http/1.1"]).await;
    check(before);
    drop(clients);
    all_closed(open).await;

    // HTTP/2: each client asks as often as it may, and takes one byte of each answer.
    let (_, endpoint) = https::endpoint().await;
    let (address, _) = serve(endpoint, router()).await;
    let blob = format!("https://localhost{}", request.split(' ').nth(1).expect("an address"));
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let client = Client::new(address, 1).await;
        let mut answers = Vec::new();
        for _ in 0..STREAMS {
            answers.push(client.get(&blob).await.expect("an answer"));
        }
        clients.push((client, answers));
    }
    // All are stuck when the first is cut off.
    for (client, _) in clients {
        client.connection.await.expect("no panic").ok();
    }
    check(before);
}

/// Whether what the connections held at most, since there were `before` bytes, is what is stated. What their clients hold
/// for TLS and HTTP/2 is counted, too.
fn check(before: usize) {
    let each = (MEMORY.peak_usage() - before) / CLIENTS;
    assert!(each <= MEMORY_PER_CONNECTION, "{each} bytes for each connection");
    assert!(each > CHUNK as usize / 2, "{each} bytes: the clients were not stuck");
}
