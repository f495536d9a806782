//! The readers: a bare HTTP/1.1, so that they take little of the processor.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use futures_util::future::try_join_all;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    sync::Barrier,
    time::{sleep_until, timeout},
};

/// Bytes of a range: what the page asks for at once.
const RANGE: u64 = 8 << 20;
/// Bytes that a slow reader takes in a second.
pub const RATE: u64 = 64 << 10;
/// Bytes that it takes at once.
const SIP: usize = 16 << 10;
/// Bytes that a fast reader takes at once.
const GULP: usize = 64 << 10;
/// Time for all to connect.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who reads for how long.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub readers: usize,
    pub slow: usize,
    pub duration: Duration,
}

/// A file on a server.
#[derive(Clone, Debug)]
pub struct Place {
    pub address: SocketAddr,
    pub path: String,
}

/// What one reader got.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    bytes: u64,
    first: Duration,
}

/// What all got.
#[derive(Debug)]
pub struct Outcome {
    fast: Vec<Reader>,
    slow: Vec<Reader>,
    duration: Duration,
}

impl Outcome {
    /// Bytes that all got.
    pub fn bytes(&self) -> u64 {
        self.fast.iter().chain(&self.slow).map(|reader| reader.bytes).sum()
    }

    /// MB/s of all together.
    pub fn throughput(&self) -> f64 {
        self.bytes() as f64 / 1e6 / self.duration.as_secs_f64()
    }

    /// What the fast readers got: the least, the mean, the most.
    pub fn fast(&self) -> [u64; 3] {
        let bytes = || self.fast.iter().map(|reader| reader.bytes);
        let mean = bytes().sum::<u64>() / (self.fast.len() as u64).max(1);
        [bytes().min().unwrap_or_default(), mean, bytes().max().unwrap_or_default()]
    }

    /// Bytes a second that the slowest of the slow readers got.
    pub fn slowest_slow(&self) -> f64 {
        let least = self.slow.iter().map(|reader| reader.bytes).min().unwrap_or_default();
        least as f64 / self.duration.as_secs_f64()
    }

    /// The longest time until a reader's first byte.
    pub fn latest_first_byte(&self) -> Duration {
        self.fast.iter().chain(&self.slow).map(|reader| reader.first).max().unwrap_or_default()
    }
}

/// Connects all, then lets all read at once.
pub async fn run(load: Load, place: Place, size: u64) -> Result<Outcome> {
    let begin = Arc::new(Barrier::new(load.readers + load.slow));
    let spawn = |seed: usize, is_slow| {
        let (place, begin) = (place.clone(), Arc::clone(&begin));
        async move { tokio::spawn(read(place, size, seed as u64, is_slow, begin, load.duration)).await? }
    };
    let fast = try_join_all((0..load.readers).map(|seed| spawn(seed, false)));
    let slow = try_join_all((load.readers..load.readers + load.slow).map(|seed| spawn(seed, true)));
    let (fast, slow) = tokio::try_join!(fast, slow)?;
    Ok(Outcome { fast, slow, duration: load.duration })
}

async fn read(
    place: Place,
    size: u64,
    seed: u64,
    is_slow: bool,
    begin: Arc<Barrier>,
    duration: Duration,
) -> Result<Reader> {
    let connecting = timeout(PATIENCE, connect(place.address, is_slow)).await;
    let mut stream = connecting.context("the server accepts no more connections")??;
    begin.wait().await;
    let started = Instant::now();
    let mut reader = Reader { bytes: 0, first: duration };
    // Until the time is over, wherever that is.
    match timeout(duration, ranges(&mut stream, &place, size, seed, is_slow, started, &mut reader)).await {
        Err(_) => Ok(reader),
        Ok(ended) => ended.map(|()| reader),
    }
}

async fn connect(address: SocketAddr, is_slow: bool) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    if is_slow {
        // The server is to notice.
        socket.set_recv_buffer_size(SIP as u32)?;
    }
    Ok(socket.connect(address).await?)
}

/// Asks for one range after the other, without an end.
async fn ranges(
    stream: &mut TcpStream,
    place: &Place,
    size: u64,
    seed: u64,
    is_slow: bool,
    started: Instant,
    reader: &mut Reader,
) -> Result<()> {
    let mut buffer = vec![0; if is_slow { SIP } else { GULP }];
    let places = (size / RANGE).max(1);
    let mut turn = seed;
    loop {
        // Readers are at different places, and never in step.
        turn = turn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let first = (turn >> 33) % places * RANGE;
        let last = (first + RANGE).min(size) - 1;
        let Place { address, path } = place;
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nRange: bytes={first}-{last}\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut left = last + 1 - first;
        left -= head(stream, &mut buffer, &format!("bytes {first}-{last}/{size}")).await?;
        reader.first = reader.first.min(started.elapsed());
        reader.bytes += last + 1 - first - left;
        while left > 0 {
            let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let read = stream.read(&mut buffer[..most]).await?;
            ensure!(read > 0, "an answer ended {left} bytes early");
            left -= read as u64;
            reader.bytes += read as u64;
            if is_slow {
                // By the clock, so that pauses that were too long don't add up.
                let due = Duration::from_secs_f64(reader.bytes as f64 / RATE as f64);
                sleep_until((started + due).into()).await;
            }
        }
    }
}

/// Reads and checks the head of an answer, and gives the number of bytes of content that came with it.
async fn head(stream: &mut TcpStream, buffer: &mut [u8], range: &str) -> Result<u64> {
    let mut filled = 0;
    loop {
        let read = stream.read(&mut buffer[filled..]).await?;
        ensure!(read > 0, "the connection was closed before an answer");
        filled += read;
        if let Some(end) = buffer[..filled].windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).to_lowercase();
            if !head.starts_with("http/1.1 206") || !head.contains(&format!("content-range: {range}")) {
                bail!("not the range {range}: {head}");
            }
            return Ok((filled - end - 4) as u64);
        }
        ensure!(filled < buffer.len(), "a head of more than {filled} bytes");
    }
}
