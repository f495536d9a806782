//! HTTPS, on both sides.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use axum::{
    body::Bytes,
    http::{Request, Response},
};
use h2::{RecvStream, client};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use server::{connections::Endpoint, tls};
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    task::JoinHandle,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

pub fn file(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "tls", name].iter().collect()
}

/// A port that speaks HTTPS.
pub async fn endpoint() -> (SocketAddr, Endpoint) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let tls = tls::acceptor(&file("certificate.pem"), &file("key.pem")).expect("they belong together");
    (address, Endpoint { tls: Some(tls), ..Endpoint::from(listener) })
}

/// Connects, and offers to speak these.
pub async fn connect(address: SocketAddr, protocols: &[&[u8]]) -> TlsStream<TcpStream> {
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(file("certificate.pem")).expect("a certificate"))
        .expect("a root");
    let mut config = ClientConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    // The system keeps no large buffers for it.
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("a small buffer");
    let stream = socket.connect(address).await.expect("a connection");
    let name = ServerName::try_from("localhost").expect("a name");
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.expect("the certificate is accepted")
}

/// A client of HTTP/2 that answers whatever the protocol asks it.
pub struct Client {
    pub requests: client::SendRequest<Bytes>,
    /// Ends with the connection.
    pub connection: JoinHandle<Result<(), h2::Error>>,
}

impl Client {
    /// Takes `window` bytes of each answer before it is read.
    pub async fn new(address: SocketAddr, window: u32) -> Self {
        let stream = connect(address, &[b"h2", b"http/1.1"]).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        let mut builder = client::Builder::new();
        builder.initial_window_size(window);
        let (requests, connection) = builder.handshake(stream).await.expect("HTTP/2");
        Self { requests, connection: tokio::spawn(connection) }
    }

    /// Asks, and waits for the head of the answer.
    pub async fn get(&self, address: &str) -> Result<Response<RecvStream>, h2::Error> {
        let request = Request::get(address).body(()).expect("a request");
        self.requests.clone().ready().await?.send_request(request, true)?.0.await
    }
}

/// Reads to the end.
pub async fn read(mut body: RecvStream) -> Result<Vec<u8>, h2::Error> {
    let mut all = Vec::new();
    while let Some(piece) = body.data().await.transpose()? {
        body.flow_control().release_capacity(piece.len())?;
        all.extend(piece);
    }
    Ok(all)
}
