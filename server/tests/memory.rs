//! What connections hold in memory whose clients do not read.

#[path = "support/mod.rs"]
mod support;

use std::{future, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    routing::{any, get},
};
use peak_alloc::PeakAlloc;
use server::{
    blobs,
    catalog::{Library, Source},
    connections::{self, Limits, MEMORY_PER_CONNECTION},
};
use support::Store;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpSocket, TcpStream},
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

#[tokio::test]
async fn a_client_that_does_not_read_costs_what_is_stated() {
    let store = Store::new();
    let request = store.large(1 << 30);
    let library = Arc::new(Library::new(vec![Source::Ollama(store.path().into())]));
    let router = Router::new()
        .route("/api/blobs/{digest}", get(blobs::serve))
        .route("/ping", any(|| async { "pong" }))
        .with_state(library);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    // Long enough for all clients to be stuck at one time, on a busy machine too.
    let limits = Limits { connections: CLIENTS, stall: Duration::from_secs(2), ..Limits::default() };
    tokio::spawn(connections::serve(listener, router, limits, future::pending()));
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
    let each = (MEMORY.peak_usage() - before) / CLIENTS;
    assert!(each <= MEMORY_PER_CONNECTION, "{each} bytes for each connection");
    assert!(each > blobs::CHUNK as usize / 2, "{each} bytes: the clients were not stuck");
}
