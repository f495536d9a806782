//! Serving the page of the benchmark, its files and the model, and speaking with it: it asks for what to do and posts
//! what came of it, so no browser needs to be driven from outside.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::Value;

/// How long a page waits for something to do before it asks again.
const WAIT: Duration = Duration::from_secs(20);
/// Most bytes of what a page posts.
const MAX_BYTES: u64 = 1 << 20;

/// The server. It runs until the program ends.
pub struct Server {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    site: PathBuf,
    model: PathBuf,
    pages: Mutex<HashMap<String, Page>>,
}

/// The server's ends of what goes to and fro.
struct Page {
    orders: Arc<Mutex<Receiver<Value>>>,
    words: Sender<Value>,
}

/// The other ends.
pub struct Line {
    /// What the page is to do.
    pub orders: Sender<Value>,
    /// What it says.
    pub words: Receiver<Value>,
}

impl Server {
    /// Serves the files of a folder, and the model as `/model`, to this machine.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(site: &Path, model: &Path) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot serve the page")?;
        let port = listener.local_addr()?.port();
        let shared =
            Arc::new(Shared { site: site.to_owned(), model: model.to_owned(), pages: Mutex::default() });
        let server = Self { port, shared: Arc::clone(&shared) };
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                // A browser that breaks off is no trouble of ours.
                thread::spawn(move || shared.answer(&stream).ok());
            }
        });
        Ok(server)
    }

    /// A page of this name: its address, and the line to it.
    pub fn page(&self, name: &str) -> (String, Line) {
        let (orders, taken) = channel();
        let (words, heard) = channel();
        let page = Page { orders: Arc::new(Mutex::new(taken)), words };
        lock(&self.shared.pages).insert(name.to_owned(), page);
        let address = format!("http://localhost:{}/bench.html?{name}", self.port);
        (address, Line { orders, words: heard })
    }
}

fn lock<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The part of a request that matters here.
#[derive(Debug, Default)]
struct Asked {
    post: bool,
    path: String,
    range: Option<String>,
    length: u64,
}

impl Asked {
    fn read(stream: &mut BufReader<&TcpStream>) -> io::Result<Self> {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let mut asked = Self { post: words.next() == Some("POST"), ..Self::default() };
        let target = words.next().unwrap_or_default();
        asked.path = target.split('?').next().unwrap_or_default().to_owned();
        loop {
            line.clear();
            if stream.read_line(&mut line)? == 0 || line.trim().is_empty() {
                return Ok(asked);
            }
            let Some((name, value)) = line.split_once(':') else { continue };
            match name.to_ascii_lowercase().as_str() {
                "range" => asked.range = Some(value.trim().to_owned()),
                "content-length" => asked.length = value.trim().parse().unwrap_or(0),
                _ => {}
            }
        }
    }
}

impl Shared {
    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        let mut reader = BufReader::new(stream);
        let asked = Asked::read(&mut reader)?;
        if let Some(page) = asked.path.strip_prefix("/next/") {
            let order = self.next(page);
            let body = order.map(|order| order.to_string());
            return send(stream, if body.is_some() { "200 OK" } else { "204 No Content" }, "json", body);
        }
        if let Some(page) = asked.path.strip_prefix("/say/").filter(|_| asked.post) {
            let mut body = Vec::new();
            reader.take(asked.length.min(MAX_BYTES)).read_to_end(&mut body)?;
            let words = serde_json::from_slice(&body).unwrap_or(Value::Null);
            if let Some(page) = lock(&self.pages).get(page) {
                page.words.send(words).ok();
            }
            return send(stream, "204 No Content", "json", None);
        }
        match self.file(&asked.path).filter(|path| path.is_file()) {
            Some(path) => send_file(stream, &path, asked.range.as_deref()),
            None => send(stream, "404 Not Found", "txt", None),
        }
    }

    fn next(&self, page: &str) -> Option<Value> {
        let orders = Arc::clone(&lock(&self.pages).get(page)?.orders);
        let order = lock(&orders).recv_timeout(WAIT);
        order.ok()
    }

    /// The file behind an address; none where it leads out of the folder.
    fn file(&self, path: &str) -> Option<PathBuf> {
        if path == "/model" {
            return Some(self.model.clone());
        }
        let path = Path::new(path.trim_start_matches('/'));
        let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        inside.then(|| self.site.join(path))
    }
}

fn head(stream: &TcpStream, status: &str, extension: &str, length: u64, more: &str) -> io::Result<()> {
    let kind = match extension {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "txt" => "text/plain",
        _ => "application/octet-stream",
    };
    // Without the first two no page has shared memory, and wllama no threads.
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nCross-Origin-Opener-Policy: same-origin\r\n\
         Cross-Origin-Embedder-Policy: require-corp\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Cache-Control: no-store\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{more}\r\n"
    )
}

fn send(mut stream: &TcpStream, status: &str, extension: &str, body: Option<String>) -> io::Result<()> {
    let body = body.unwrap_or_default();
    head(stream, status, extension, body.len() as u64, "")?;
    stream.write_all(body.as_bytes())
}

fn send_file(mut stream: &TcpStream, path: &Path, range: Option<&str>) -> io::Result<()> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let part = match range {
        Some(range) => match parse(range, size) {
            Some(part) => part,
            None => return send(stream, "416 Range Not Satisfiable", "txt", None),
        },
        None => 0..size,
    };
    let length = part.end - part.start;
    if range.is_some() {
        let named = format!("Content-Range: bytes {}-{}/{size}\r\n", part.start, part.end - 1);
        head(stream, "206 Partial Content", extension, length, &named)?;
    } else {
        head(stream, "200 OK", extension, length, "")?;
    }
    file.seek(SeekFrom::Start(part.start))?;
    io::copy(&mut file.take(length), &mut stream).map(|_| ())
}

/// The one range that `bytes=A-B` or `bytes=A-` names.
fn parse(range: &str, size: u64) -> Option<Range<u64>> {
    let (start, end) = range.strip_prefix("bytes=")?.split_once('-')?;
    let start: u64 = start.parse().ok()?;
    let end = if end.is_empty() { size } else { end.parse::<u64>().ok()?.checked_add(1)?.min(size) };
    (start < end).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_lie_within_the_file() {
        assert_eq!(parse("bytes=0-3", 10), Some(0..4));
        assert_eq!(parse("bytes=4-", 10), Some(4..10));
        assert_eq!(parse("bytes=4-99", 10), Some(4..10));
        for bad in ["bytes=10-", "bytes=5-4", "bytes=-4", "4-5", "bytes=0-18446744073709551615x"] {
            assert_eq!(parse(bad, 10), None, "{bad}");
        }
    }

    #[test]
    fn files_of_the_folder_are_served_and_no_others() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.txt"), "0123456789").expect("a file");
        let model = folder.path().join("a.txt");
        let server = Server::start(folder.path(), &model).expect("a server");
        let get = |path: &str, more: &str| {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).expect("a connection");
            write!(stream, "GET {path} HTTP/1.1\r\n{more}\r\n").expect("sent");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("an answer");
            answer
        };
        assert!(get("/a.txt", "").ends_with("\r\n\r\n0123456789"));
        let part = get("/model", "range: bytes=2-4\r\n");
        assert!(part.starts_with("HTTP/1.1 206") && part.ends_with("\r\n\r\n234"), "{part}");
        assert!(part.contains("Content-Range: bytes 2-4/10\r\n"), "{part}");
        for path in ["/b.txt", "/../a.txt", "//etc/passwd", "/"] {
            assert!(get(path, "").starts_with("HTTP/1.1 404"), "{path}");
        }
    }

    #[test]
    fn a_page_gets_orders_and_is_heard() {
        let server = Server::start(Path::new("."), Path::new("model")).expect("a server");
        let (address, line) = server.page("one");
        assert!(address.ends_with("/bench.html?one"), "{address}");
        line.orders.send(serde_json::json!({ "id": 1 })).expect("taken");
        let ask = |text: &str| {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).expect("a connection");
            stream.write_all(text.as_bytes()).expect("sent");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("an answer");
            answer
        };
        assert!(ask("GET /next/one HTTP/1.1\r\n\r\n").ends_with("{\"id\":1}"));
        ask("POST /say/one HTTP/1.1\r\ncontent-length: 11\r\n\r\n{\"done\": 1}");
        assert_eq!(line.words.recv().expect("words")["done"], 1);
    }
}
