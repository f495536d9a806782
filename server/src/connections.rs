//! Accepting connections, with a bound on how many there are, how long each may be silent, and what it holds in memory.
//!
//! A connection whose client does not read holds at most [`MEMORY_PER_CONNECTION`]; 256 of them hold 96 MiB.
//!
//! hyper accepts a bare line feed at the end of a header line, as RFC 9112 allows (section 2.2), and has no option against it. A
//! proxy in front must not pass such requests on unchanged.

use std::{
    io,
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
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

use crate::blobs::CHUNK;

/// The most that hyper keeps of what was read and not yet understood, and of what was not yet sent before it asks for
/// more. A request's head that is longer is refused.
const BUFFER: usize = 32 << 10;

/// The most memory that a connection holds while its client does not read, but for the system's socket buffers: both
/// buffers, one piece of a file, and what its tasks consist of.
pub const MEMORY_PER_CONNECTION: usize = 2 * BUFFER + CHUNK as usize + (64 << 10);

type Connection = http1::Connection<TokioIo<Pin<Box<TimeoutStream<TcpStream>>>>, TowerToHyperService<Router>>;

/// What connections are allowed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at once. Further ones wait in the system's queue until one of these ends.
    pub connections: usize,
    /// Time until a request's head is whole, from the beginning of the connection or the end of the last answer. An idle
    /// connection is closed after it, too.
    pub head: Duration,
    /// Time for which a client may take nothing of an answer.
    pub stall: Duration,
    /// Time that open downloads have once the server is to end. What is still open after it is cut off.
    pub farewell: Duration,
}

impl Default for Limits {
    /// A connection needs a descriptor for its socket and one for the file that it is sent: half of the 1,024 that a
    /// process commonly has.
    fn default() -> Self {
        Self {
            connections: 256,
            head: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            farewell: Duration::from_secs(30),
        }
    }
}

/// Where connections come in.
#[derive(Debug)]
pub struct Door {
    /// The open port.
    pub listener: TcpListener,
    /// The number of connections that are open.
    pub open: Gauge,
}

impl From<TcpListener> for Door {
    fn from(listener: TcpListener) -> Self {
        Self { listener, open: Gauge::default() }
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
pub async fn serve(door: impl Into<Door>, router: Router, limits: Limits, stop: impl Future<Output = ()>) {
    let door = door.into();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(BUFFER);
    let service = TowerToHyperService::new(router);
    let places = Arc::new(Semaphore::new(limits.connections));
    let ending = watch::Sender::new(false);
    let mut tasks = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        let (stream, place) = tokio::select! {
            accepted = accept(&door, &places) => accepted,
            Some(_) = tasks.join_next() => continue,
            () = &mut stop => break,
        };
        // Heads of answers and their first bytes are small; nothing is gained by waiting for more to send.
        stream.set_nodelay(true).ok();
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.stall));
        let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service.clone());
        let ending = ending.subscribe();
        tasks.spawn(async move {
            let _held = place;
            // What can fail here is the client's doing: it went away, was silent, or sent something else than HTTP.
            if let Err(error) = talk(connection, ending).await {
                tracing::debug!("a connection ended early: {error}");
            }
        });
    }
    drop(door);
    ending.send_replace(true);
    let all = async { while tasks.join_next().await.is_some() {} };
    if timeout(limits.farewell, all).await.is_err() {
        tracing::warn!("{} connections were cut off", tasks.len());
        tasks.shutdown().await;
    }
}

/// Serves one connection to its end. When the server ends, it takes no further request.
async fn talk(connection: Connection, mut ending: watch::Receiver<bool>) -> hyper::Result<()> {
    let mut connection = pin!(connection);
    tokio::select! {
        result = connection.as_mut() => return result,
        _ = ending.wait_for(|is_ending| *is_ending) => {}
    }
    connection.as_mut().graceful_shutdown();
    connection.await
}

/// The next connection, once there is a place for it.
async fn accept(door: &Door, places: &Arc<Semaphore>) -> (TcpStream, Place) {
    /// For other connections to end, where the system has no descriptor left.
    const PAUSE: Duration = Duration::from_millis(200);

    loop {
        let permit = match Arc::clone(places).acquire_owned().await {
            Ok(permit) => permit,
            // Nobody closes the semaphore.
            Err(_) => std::future::pending().await,
        };
        match door.listener.accept().await {
            Ok((stream, _)) => {
                door.open.inc();
                return (stream, Place { _permit: permit, open: door.open.clone() });
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
