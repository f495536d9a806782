//! A server that plays a registry and the hub, and misbehaves as it is told.

use std::{
    collections::{HashMap, VecDeque},
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use futures_util::{StreamExt as _, stream};
use serde_json::json;

use super::Model;
use crate::support::digest;

/// How a request for a file goes wrong.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The connection breaks after so many bytes of the answer.
    Cut(usize),
    /// It gets stuck after so many bytes.
    Stall(usize),
    /// Everything is sent, whatever was asked for.
    IgnoreRange,
    /// Another range is sent than the one that was asked for.
    OtherRange,
    /// One byte is another one.
    WrongByte,
    /// One byte too many is announced and sent.
    Longer,
    /// Nothing is announced, and bytes come without end.
    Endless,
    /// One byte comes after the other, with a moment between them.
    Drip,
    /// This status and no file.
    Status(u16),
    /// It is elsewhere.
    Redirect(String),
}

/// A request for a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    pub path: String,
    pub range: Option<String>,
    pub authorization: Option<String>,
}

/// The server, which runs for as long as the test.
pub struct Fake {
    /// Host and port.
    pub address: String,
    state: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    address: String,
    answers: HashMap<String, (StatusCode, Vec<u8>)>,
    faults: HashMap<String, VecDeque<Fault>>,
    /// What requests need, if they need anything.
    token: Option<String>,
    asked: Vec<Asked>,
}

impl Fake {
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let state = Arc::new(Mutex::new(Shared { address: address.clone(), ..Shared::default() }));
        let router = Router::new().fallback(answer).with_state(Arc::clone(&state));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, state }
    }

    /// Serves a model as `library/tiny:latest`, and gives its name.
    pub async fn with(model: &Model) -> (Self, String) {
        let fake = Self::start().await;
        fake.add("library/tiny", "latest", model);
        let name = format!("{}/library/tiny", fake.address);
        (fake, name)
    }

    pub fn add(&self, repository: &str, tag: &str, model: &Model) {
        let manifest = model.manifest().to_string();
        self.answer(&format!("/v2/{repository}/manifests/{tag}"), 200, manifest.as_bytes());
        for content in model.blobs() {
            self.answer(&format!("/v2/{repository}/blobs/{}", digest(content)), 200, content);
        }
    }

    pub fn answer(&self, path: &str, status: u16, body: &[u8]) {
        let status = StatusCode::from_u16(status).expect("a status");
        self.shared().answers.insert(path.into(), (status, body.into()));
    }

    /// The next requests for this content go wrong.
    pub fn fail(&self, content: &[u8], faults: impl IntoIterator<Item = Fault>) {
        self.shared().faults.entry(digest(content)).or_default().extend(faults);
    }

    /// From now on, requests need this token.
    pub fn need_token(&self, token: &str) {
        self.shared().token = Some(token.into());
    }

    /// The requests whose paths end with this.
    pub fn asked(&self, end: &str) -> Vec<Asked> {
        self.shared().asked.iter().filter(|asked| asked.path.ends_with(end)).cloned().collect()
    }

    /// The ranges that were asked for of this content.
    pub fn ranges(&self, content: &[u8]) -> Vec<Option<String>> {
        self.asked(&digest(content)).into_iter().map(|asked| asked.range).collect()
    }

    fn shared(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.state.lock().expect("no panic")
    }
}

async fn answer(State(state): State<Arc<Mutex<Shared>>>, request: Request) -> Response {
    let mut shared = state.lock().expect("no panic");
    let text = |name| Some(request.headers().get(name)?.to_str().ok()?.to_owned());
    let path = request.uri().path().to_owned();
    let (range, authorization) = (text(header::RANGE), text(header::AUTHORIZATION));
    shared.asked.push(Asked {
        path: path.clone(),
        range: range.clone(),
        authorization: authorization.clone(),
    });
    if path == "/token" {
        let scope = request.uri().query().unwrap_or_default();
        assert_eq!(scope, "service=fake&scope=repository%3Alibrary%2Ftiny%3Apull");
        return axum::Json(json!({"token": shared.token})).into_response();
    }
    if let Some(token) = &shared.token
        && authorization != Some(format!("Bearer {token}"))
    {
        let challenge = format!(
            "Bearer realm=\"http://{}/token\",service=\"fake\",scope=\"repository:library/tiny:pull\"",
            shared.address
        );
        return (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, challenge)]).into_response();
    }
    let Some((status, body)) = shared.answers.get(&path).cloned() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if status != StatusCode::OK {
        return (status, body).into_response();
    }
    let fault = shared.faults.get_mut(&digest(&body)).and_then(VecDeque::pop_front);
    drop(shared);
    file(body, range.as_deref(), fault)
}

fn file(mut body: Vec<u8>, range: Option<&str>, fault: Option<Fault>) -> Response {
    let size = body.len();
    let begin = range.map(|range| range.trim_start_matches("bytes=").trim_end_matches('-'));
    let mut begin: usize = begin.map_or(0, |begin| begin.parse().expect("a number"));
    match &fault {
        Some(Fault::Status(status)) => {
            return StatusCode::from_u16(*status).expect("a status").into_response();
        }
        Some(Fault::Redirect(place)) => {
            return (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, place.clone())]).into_response();
        }
        Some(Fault::IgnoreRange) => begin = 0,
        Some(Fault::OtherRange) => begin += 1,
        Some(Fault::WrongByte) => body[size - 1] ^= 1,
        Some(Fault::Longer) => body.push(0),
        _ => {}
    }
    let status = if begin > 0 { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let mut answer = Response::builder().status(status);
    if begin > 0 {
        answer = answer.header(header::CONTENT_RANGE, format!("bytes {begin}-{}/{size}", size - 1));
    }
    let rest = body.split_off(begin);
    if !matches!(fault, Some(Fault::Endless)) {
        answer = answer.header(header::CONTENT_LENGTH, rest.len());
    }
    let piece = |bytes: &[u8]| Ok::<_, io::Error>(Bytes::copy_from_slice(bytes));
    let body = match fault {
        Some(Fault::Cut(after)) => {
            let broken = stream::once(async { Err(io::Error::other("told to")) });
            Body::from_stream(stream::iter([piece(&rest[..after])]).chain(broken))
        }
        Some(Fault::Stall(after)) => {
            Body::from_stream(stream::iter([piece(&rest[..after])]).chain(stream::pending()))
        }
        Some(Fault::Drip) => {
            Body::from_stream(stream::unfold(rest.into_iter(), move |mut rest| async move {
                tokio::time::sleep(Duration::from_millis(1)).await;
                Some((piece(&[rest.next()?]), rest))
            }))
        }
        Some(Fault::Endless) => Body::from_stream(stream::repeat_with(move || piece(&rest))),
        _ => Body::from(rest),
    };
    answer.body(body).expect("an answer")
}
