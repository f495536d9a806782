//! Accepting connections, with a bound on how many there are, how long each may be silent, and what it holds in memory.
//!
//! A connection whose client does not read holds at most [`MEMORY_PER_CONNECTION`]; 256 of them hold 176 MiB.
//!
//! A client that takes a little now and then keeps its place for as long as it likes. Behind a proxy all have one address, so
//! places aren't counted by address here.
//!
//! hyper accepts a bare line feed at the end of a header line, as RFC 9112 allows (section 2.2), and has no option against it. A
//! proxy in front must not pass such requests on unchanged.

use std::{future, io, pin::pin, sync::Arc, time::Duration};

use axum::Router;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
    service::TowerToHyperService,
};
use prometheus_client::metrics::gauge::Gauge;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;

use crate::{
    activity::{Activity, Silence, TrackedService},
    disk::CHUNK,
    linger::Lingering,
    tls,
};

/// The most that hyper keeps of what was read and not yet understood, and of what was not yet sent before it asks for
/// more. A request's head that is longer is refused.
const BUFFER: usize = 32 << 10;

/// Requests of one connection of HTTP/2 that are answered at once. Browsers ask for six with HTTP/1.1.
pub const STREAMS: u32 = 8;

/// Bytes of a file that are read at once for HTTP/2. hyper holds two such pieces for each request: for all that a connection
/// answers at once, as much as one [`CHUNK`].
pub const PIECE: usize = CHUNK as usize / 2 / STREAMS as usize;

/// What a client of HTTP/2 may send before it is read: the least that there is. Requests have little content here, or none.
const WINDOW: u32 = 65_535;

/// The most that rustls keeps of what was encrypted and not yet sent. It is rustls' own default.
const TLS_BUFFER: usize = 64 << 10;

/// The most memory that a connection holds while its client does not read, but for the system's socket buffers: the
/// buffers, two pieces of a file, since hyper asks for the next one when less than [`BUFFER`] is left of the first, and what its
/// tasks consist of.
pub const MEMORY_PER_CONNECTION: usize = 2 * BUFFER + TLS_BUFFER + 2 * CHUNK as usize + (64 << 10);

/// What connections are allowed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at once. Further ones wait in the system's queue until one of these ends.
    pub connections: usize,
    /// Time until a request's head is whole, from the beginning of the connection or the end of the last answer. An idle
    /// connection is closed after it, too.
    pub head: Duration,
    /// Time until a request's content is whole, from when the server waits for it.
    pub content: Duration,
    /// Time for which a client may take nothing of an answer.
    pub stall: Duration,
    /// Time that open downloads have to finish when the server shuts down. The rest is cut off.
    pub shutdown: Duration,
}

impl Default for Limits {
    /// A connection needs a descriptor for its socket and one for the file that it is sent: half of the 1,024 that a
    /// process commonly has.
    fn default() -> Self {
        Self {
            connections: 256,
            head: Duration::from_secs(10),
            content: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            shutdown: Duration::from_secs(30),
        }
    }
}

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Whether the server is shutting down.
type ShuttingDown = watch::Receiver<bool>;

const STALLED: &str = "the client took nothing for too long";

/// A port, and how connections to it are encrypted.
pub struct Endpoint {
    /// The open port.
    pub listener: TcpListener,
    /// The certificate and key for HTTPS. Without them it is HTTP/1.1, not encrypted.
    pub tls: Option<TlsAcceptor>,
    /// The number of connections that are open.
    pub open: Gauge,
}

impl From<TcpListener> for Endpoint {
    fn from(listener: TcpListener) -> Self {
        Self { listener, tls: None, open: Gauge::default() }
    }
}

/// A connection's place among those that there may be, and in their number.
struct Place {
    _permit: OwnedSemaphorePermit,
    open: Gauge,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.open.dec();
    }
}

/// Serves until `stop` is ready, then lets running answers end for as long as the limits allow.
pub async fn serve(
    endpoint: impl Into<Endpoint>,
    router: Router,
    limits: Limits,
    stop: impl Future<Output = ()>,
) {
    let endpoint = endpoint.into();
    let http = Arc::new(Http::new(endpoint.tls.clone(), router, limits));
    let places = Arc::new(Semaphore::new(limits.connections));
    let ending = watch::Sender::new(false);
    let mut tasks = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        let (stream, place) = tokio::select! {
            accepted = accept(&endpoint, &places) => accepted,
            Some(_) = tasks.join_next() => continue,
            () = &mut stop => break,
        };
        let (http, ending) = (Arc::clone(&http), ending.subscribe());
        tasks.spawn(async move {
            let _held = place;
            // What can fail here is the client's doing: it went away, was silent, or sent something else than HTTP.
            if let Err(error) = http.serve_connection(stream, ending).await {
                tracing::debug!("a connection ended early: {error}");
            }
        });
    }
    drop(endpoint);
    ending.send_replace(true);
    let all = async { while tasks.join_next().await.is_some() {} };
    if timeout(limits.shutdown, all).await.is_err() {
        tracing::warn!("{} connections were cut off", tasks.len());
        tasks.shutdown().await;
    }
}

/// What the connections of a port have in common.
struct Http {
    tls: Option<TlsAcceptor>,
    http1: auto::Builder<TokioExecutor>,
    http2: auto::Builder<TokioExecutor>,
    router: TowerToHyperService<Router>,
    limits: Limits,
}

impl Http {
    fn new(tls: Option<TlsAcceptor>, router: Router, limits: Limits) -> Self {
        // The version is agreed on with TLS. Guessing it from what a client sends first has no time limit.
        let mut http1 = auto::Builder::new(TokioExecutor::new()).http1_only();
        http1.http1().timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(BUFFER);
        let mut http2 = auto::Builder::new(TokioExecutor::new()).http2_only();
        http2
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS)
            .max_header_list_size(BUFFER as u32 / 2)
            .initial_connection_window_size(WINDOW)
            .initial_stream_window_size(WINDOW)
            .max_send_buf_size(BUFFER / STREAMS as usize);
        Self { tls, http1, http2, router: TowerToHyperService::new(router), limits }
    }

    /// Serves one connection to its end. When the server ends, it takes no further request.
    async fn serve_connection(&self, stream: TcpStream, mut ending: ShuttingDown) -> Result<(), Error> {
        // Heads of answers and their first bytes are small; nothing is gained by waiting for more to send.
        stream.set_nodelay(true).ok();
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.limits.stall));
        let stream = Box::pin(stream);
        let Some(tls) = &self.tls else { return self.answer(TokioIo::new(stream), false, ending).await };
        let stream = tokio::select! {
            stream = timeout(self.limits.head, tls.accept(stream)) => stream??,
            _ = ending.wait_for(|is_ending| *is_ending) => return Ok(()),
        };
        if stream.get_ref().1.alpn_protocol() == Some(tls::HTTP2) {
            self.answer(TokioIo::new(Lingering::new(stream)), true, ending).await
        } else {
            self.answer(TokioIo::new(stream), false, ending).await
        }
    }

    async fn answer<S>(&self, stream: S, is_http2: bool, mut ending: ShuttingDown) -> Result<(), Error>
    where
        S: hyper::rt::Read + hyper::rt::Write + Unpin + 'static,
    {
        let Limits { head, content, stall, .. } = self.limits;
        let activity = Activity::default();
        let silence = async |idle| match is_http2 {
            true => activity.silence(idle, stall).await,
            // hyper and the socket's time limit see to it.
            false => future::pending().await,
        };
        let http = if is_http2 { &self.http2 } else { &self.http1 };
        let router = TrackedService::new(self.router.clone(), activity.clone(), content);
        let mut connection = pin!(http.serve_connection(stream, router));
        let limit = tokio::select! {
            result = connection.as_mut() => return result,
            silence = silence(head) => match silence {
                Silence::Idle => head,
                Silence::Stalled => return Err(STALLED.into()),
            },
            _ = ending.wait_for(|is_ending| *is_ending) => stall,
        };
        connection.as_mut().graceful_shutdown();
        tokio::select! {
            result = connection => result,
            _ = silence(limit) => Err(STALLED.into()),
        }
    }
}

/// The next connection, once there is a place for it.
async fn accept(endpoint: &Endpoint, places: &Arc<Semaphore>) -> (TcpStream, Place) {
    /// For other connections to end, where the system has no descriptor left.
    const PAUSE: Duration = Duration::from_millis(200);

    loop {
        let permit = match Arc::clone(places).acquire_owned().await {
            Ok(permit) => permit,
            // Nobody closes the semaphore.
            Err(_) => std::future::pending().await,
        };
        match endpoint.listener.accept().await {
            Ok((stream, _)) => {
                endpoint.open.inc();
                return (stream, Place { _permit: permit, open: endpoint.open.clone() });
            }
            Err(error) if is_of_the_client(&error) => {}
            Err(error) => {
                tracing::warn!("a connection could not be accepted: {error}");
                sleep(PAUSE).await;
            }
        }
    }
}

/// Whether a connection was gone again before it was accepted.
fn is_of_the_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};

    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
