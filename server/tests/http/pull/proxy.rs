//! A connection to a registry that breaks, or gets stuck, after some bytes.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Notify,
};

/// What happens when the bytes are used up. It happens once.
#[derive(Clone, Copy)]
pub enum Then {
    Cut,
    Stall,
}

/// Passes on everything, and remembers requests.
pub struct Proxy {
    /// Host and port.
    pub address: String,
    state: Arc<State>,
}

struct State {
    /// Bytes that are passed on to the client until something happens.
    left: AtomicU64,
    then: Then,
    requests: Mutex<Vec<u8>>,
    happened: Notify,
}

impl Proxy {
    pub async fn start(to: &str, left: u64, then: Then) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let state =
            Arc::new(State { left: left.into(), then, requests: Mutex::default(), happened: Notify::new() });
        let (to, shared) = (to.to_owned(), Arc::clone(&state));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&to).await.expect("the registry");
                tokio::spawn(pass(client, server, Arc::clone(&shared)));
            }
        });
        Self { address, state }
    }

    /// Waits until the bytes are used up.
    pub async fn happened(&self) {
        self.state.happened.notified().await;
    }

    /// The `Range` headers that were sent, in order.
    pub fn ranges(&self) -> Vec<String> {
        let requests = self.state.requests.lock().expect("no panic");
        let text = String::from_utf8_lossy(&requests).to_lowercase();
        text.lines().filter_map(|line| Some(line.strip_prefix("range: ")?.to_owned())).collect()
    }
}

async fn pass(client: TcpStream, server: TcpStream, state: Arc<State>) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let up = async {
        while let Some(bytes) = chunk(&mut from_client).await {
            state.requests.lock().expect("no panic").extend_from_slice(&bytes);
            if to_server.write_all(&bytes).await.is_err() {
                return;
            }
        }
    };
    let down = async {
        while let Some(bytes) = chunk(&mut from_server).await {
            let left = state.left.load(Ordering::Relaxed);
            let passed = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            if to_client.write_all(&bytes[..passed]).await.is_err() {
                return;
            }
            if passed < bytes.len() {
                state.left.store(u64::MAX, Ordering::Relaxed);
                state.happened.notify_one();
                match state.then {
                    Then::Cut => return,
                    Then::Stall => std::future::pending().await,
                }
            }
            if left != u64::MAX {
                state.left.fetch_sub(passed as u64, Ordering::Relaxed);
            }
        }
    };
    tokio::select! {
        () = up => {}
        () = down => {}
    }
}

async fn chunk(from: &mut (impl AsyncRead + Unpin)) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 1 << 14];
    let read = from.read(&mut bytes).await.ok().filter(|read| *read > 0)?;
    bytes.truncate(read);
    Some(bytes)
}
