//! `/api/pull`: downloading models on a visitor's request.
//!
//! | request | what it does |
//! |---|---|
//! | `GET` | reports on the download |
//! | `POST` with a [`PullRequest`] | starts one; 409 while another is running |
//! | `DELETE` | stops it; what was downloaded so far is kept |
//!
//! Each is answered by a [`PullReport`], or by why it is refused, a [`Said<PullProblem>`](Said). One download runs at a time, and every visitor who may ask for one sees it. The server
//! only connects to Ollama's registry, Hugging Face and the registries of `--pull-from`, so it can't be used to reach other
//! hosts. Browsers don't let pages of other origins send the last two requests;
//! those that say in `Sec-Fetch-Site` that one does are refused.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, FromRequest as _, Request, State, rejection::JsonRejection},
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
use protocol::{Pull, PullProblem, PullReport, PullRequest, PullStage, said::Said};
use tokio::task::AbortHandle;

use super::{Event, NotAnAddress, Puller, is_hub, parse};
use crate::{
    catalog::name::{DEFAULT_HOST, Name},
    content, host,
    library::Library,
    text::printable,
};

/// Maximum size of a request, in bytes.
const LARGEST_REQUEST: usize = 4096;

/// Headers that proxies add to the requests that they pass on.
const FORWARDED: [&str; 11] = [
    "cdn-loop",
    "client-ip",
    "fastly-client-ip",
    "fly-client-ip",
    "forwarded",
    "true-client-ip",
    "via",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-proxyuser-ip",
    "x-real-ip",
];
/// What the names of others begin with.
const FORWARDED_PREFIXES: [&str; 8] =
    ["cf-", "tailscale-", "x-amzn-", "x-appengine-", "x-azure-", "x-envoy-", "x-forwarded-", "x-original-"];

/// Downloads on visitors' requests. Copies share them. By default, there are none.
#[derive(Clone, Debug, Default)]
pub struct Pulls {
    offer: Option<Arc<Offer>>,
    /// Whether requests through a proxy count.
    forwarded: bool,
    /// Lists what was downloaded.
    library: Option<Arc<Library>>,
}

#[derive(Debug)]
struct Offer {
    puller: Puller,
    store: PathBuf,
    registries: Vec<String>,
    current: Mutex<Option<Current>>,
}

/// The download that is running, or the last one.
#[derive(Debug)]
struct Current {
    id: u64,
    name: Name,
    stage: PullStage,
    count: Count,
    task: Option<AbortHandle>,
}

/// Bytes of a download over all of its files.
#[derive(Debug, Default)]
struct Count {
    /// Of files before the present one.
    before: u64,
    /// Of the present file: where this download began, and where it is.
    file: (u64, u64),
    total: u64,
}

/// Why a download does not begin.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error(
        "This server doesn't download models for visitors from other machines. To allow it, start the server with \
         --allow-pull."
    )]
    NotOffered,
    #[error("Only gemtab's own page may ask for this.")]
    Foreign,
    #[error("The request's content didn't arrive in time.")]
    Late,
    #[error(transparent)]
    Name(#[from] NotAnAddress),
    #[error("Models from {0} can't be downloaded here. Start the server with --pull-from {0} to allow it.")]
    Registry(String),
    #[error("{0} is being downloaded. Wait for it to finish, or stop it.")]
    Busy(Name),
}

impl Pulls {
    /// Downloads into `store`, from Ollama's registry, Hugging Face and these registries.
    #[must_use]
    pub fn into(puller: Puller, store: PathBuf, registries: Vec<String>) -> Self {
        let offer = Offer { puller, store, registries, current: Mutex::default() };
        Self { offer: Some(Arc::new(offer)), ..Self::default() }
    }

    /// Whether requests through a proxy may ask for downloads.
    #[must_use]
    pub fn forwarded(self, forwarded: bool) -> Self {
        Self { forwarded, ..self }
    }

    /// What a request may ask for. One through a proxy on this machine may come from anywhere. Of a proxy that adds nothing, only
    /// browsers let us know.
    fn of(self, headers: &HeaderMap, target: &Uri) -> Self {
        let of_a_proxy = |name: &str| {
            FORWARDED.contains(&name) || FORWARDED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        };
        let is_forwarded =
            headers.keys().any(|name| of_a_proxy(name.as_str())) || host::is_foreign(headers, target);
        if is_forwarded && !self.forwarded { Self::default() } else { self }
    }

    /// The routes. What is downloaded appears in `library`.
    pub fn router<S: Clone + Send + Sync + 'static>(self, library: Arc<Library>) -> Router<S> {
        let all = get(tell).post(begin).delete(stop).layer(DefaultBodyLimit::max(LARGEST_REQUEST));
        Router::new().route("/api/pull", all).with_state(Self { library: Some(library), ..self })
    }

    /// Whether visitors may have models downloaded.
    #[must_use]
    pub fn is_offered(&self) -> bool {
        self.offer.is_some()
    }

    fn report(&self) -> PullReport {
        let Some(offer) = &self.offer else { return PullReport::default() };
        let pull = offer.current().as_ref().map(|it| Pull {
            id: it.id,
            name: it.name.to_string(),
            stage: it.stage.clone(),
        });
        PullReport { offered: true, free: free(&offer.store), pull }
    }

    fn begin(&self, text: &str) -> Result<(), Refusal> {
        let offer = self.offer.as_ref().ok_or(Refusal::NotOffered)?;
        let name = parse(text.trim())?;
        if !offer.may_ask(name.host()) {
            return Err(Refusal::Registry(name.host().to_owned()));
        }
        let mut current = offer.current();
        if let Some(running) = current.as_ref().filter(|running| !running.stage.is_over()) {
            return Err(Refusal::Busy(running.name.clone()));
        }
        tracing::info!("downloading {name} on a visitor's request");
        let id = next_id(current.as_ref().map(|last| last.id));
        let task =
            tokio::spawn(run(Arc::clone(offer), id, name.clone(), self.library.clone())).abort_handle();
        let stage = PullStage::Asking;
        *current = Some(Current { id, name, stage, count: Count::default(), task: Some(task) });
        Ok(())
    }

    fn stop(&self) {
        let Some(offer) = &self.offer else { return };
        if let Some(current) = offer.current().as_mut().filter(|current| !current.stage.is_over()) {
            if let Some(task) = current.task.take() {
                task.abort();
            }
            current.stage = PullStage::Stopped;
        }
    }
}

impl Offer {
    fn current(&self) -> MutexGuard<'_, Option<Current>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn may_ask(&self, host: &str) -> bool {
        let named = |it: &String| it.eq_ignore_ascii_case(host);
        host.eq_ignore_ascii_case(DEFAULT_HOST) || is_hub(host) || self.registries.iter().any(named)
    }

    /// Changes how far a download is, unless it was stopped meanwhile. Another one may be running by then: a task that is
    /// aborted on another thread still goes on to where it waits.
    fn change(&self, id: u64, change: impl FnOnce(&mut Current)) {
        let mut current = self.current();
        if let Some(current) = current.as_mut().filter(|it| it.id == id && !it.stage.is_over()) {
            change(current);
        }
    }
}

/// A number for a download. A page may still know those of a server that ran before, so they go on with the time.
fn next_id(last: Option<u64>) -> u64 {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    (since_1970.as_millis() as u64).max(last.map_or(0, |last| last + 1))
}

async fn run(offer: Arc<Offer>, id: u64, name: Name, library: Option<Arc<Library>>) {
    let hear = |event: Event| offer.change(id, |current| current.hear(event));
    let pulled = offer.puller.pull(&name, &hear).await;
    // Before the page hears that it is there, and asks for the list.
    if let Some(library) = library {
        library.changed();
    }
    let stage = match pulled {
        Ok(()) => PullStage::Done,
        Err(error) => {
            tracing::warn!("{name} could not be downloaded: {error}");
            PullStage::Failed(error.said())
        }
    };
    offer.change(id, |current| current.stage = stage);
}

impl Current {
    fn hear(&mut self, event: Event) {
        let count = &mut self.count;
        let mut why = None;
        match event {
            Event::Planned { bytes, .. } => count.total = count.done().saturating_add(bytes),
            Event::Checking { at, size, .. } => {
                self.stage = PullStage::Checking { done: at, total: size };
                return;
            }
            Event::Begun { at, .. } => {
                count.before = count.done();
                count.file = (at, at);
            }
            Event::Received { at, .. } => count.file.1 = at,
            Event::Waiting { reason, .. } => why = Some(reason),
            Event::Verified { .. } => {}
            Event::Joining { .. } => {
                self.stage = PullStage::Joining;
                return;
            }
        }
        self.stage = PullStage::Running { done: count.done(), total: count.total, waiting: why };
    }
}

impl Count {
    fn done(&self) -> u64 {
        // A server that could only begin anew may be behind where it began.
        self.before + self.file.1.saturating_sub(self.file.0)
    }
}

/// Bytes that may be written into a folder, which may have to be created first.
fn free(folder: &Path) -> Option<u64> {
    folder.ancestors().find(|it| it.is_dir()).and_then(|it| fs4::available_space(it).ok())
}

async fn tell(State(pulls): State<Pulls>, target: Uri, headers: HeaderMap) -> Response {
    answer(StatusCode::OK, &pulls.of(&headers, &target))
}

async fn begin(State(pulls): State<Pulls>, request: Request) -> Response {
    if host::is_of_another_site(request.headers()) {
        return Refusal::Foreign.into_response();
    }
    let pulls = pulls.of(request.headers(), request.uri());
    if !pulls.is_offered() {
        // Nothing is read from whom it isn't offered to.
        return Refusal::NotOffered.into_response();
    }
    let begun = match Json::<PullRequest>::from_request(request, &()).await {
        Ok(Json(request)) => pulls.begin(&request.name),
        Err(rejection) if content::is_late(&rejection) => Err(Refusal::Late),
        Err(rejection) => return answer_rejected(&rejection),
    };
    match begun {
        Ok(()) => answer(StatusCode::ACCEPTED, &pulls),
        Err(refusal) => refusal.into_response(),
    }
}

async fn stop(State(pulls): State<Pulls>, target: Uri, headers: HeaderMap) -> Response {
    if host::is_of_another_site(&headers) {
        return Refusal::Foreign.into_response();
    }
    let pulls = pulls.of(&headers, &target);
    pulls.stop();
    answer(StatusCode::OK, &pulls)
}

fn answer(status: StatusCode, pulls: &Pulls) -> Response {
    (status, [(header::CACHE_CONTROL, "no-store")], Json(pulls.report())).into_response()
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotOffered | Self::Foreign | Self::Registry(_) => StatusCode::FORBIDDEN,
            Self::Late => StatusCode::REQUEST_TIMEOUT,
            Self::Name(_) => StatusCode::BAD_REQUEST,
            Self::Busy(_) => StatusCode::CONFLICT,
        }
    }

    /// `None` for what no page of this server is told.
    fn code(&self) -> Option<PullProblem> {
        Some(match self {
            Self::NotOffered => PullProblem::NotOffered,
            Self::Foreign => return None,
            Self::Late => PullProblem::Late,
            Self::Name(name) => name.code(),
            Self::Registry(host) => PullProblem::Registry { host: printable(host).into_owned() },
            Self::Busy(name) => PullProblem::Busy { model: name.to_string() },
        })
    }

    fn into_response(self) -> Response {
        refuse(self.status(), self.code(), self.to_string())
    }
}

/// An answer to a request that can't be read: the page sends none but with a name that is much too long.
fn answer_rejected(rejection: &JsonRejection) -> Response {
    let is_long = rejection.status() == StatusCode::PAYLOAD_TOO_LARGE;
    refuse(rejection.status(), is_long.then_some(PullProblem::Name), rejection.body_text())
}

fn refuse(status: StatusCode, code: Option<PullProblem>, english: String) -> Response {
    (status, [(header::CACHE_CONTROL, "no-store")], Json(Said { code, english })).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::digest::sha256;

    #[test]
    fn bytes_are_counted_over_files_and_without_what_was_there() {
        let digest = sha256(&b""[..]).expect("a digest");
        let mut current = Current {
            id: 1,
            name: parse("gemma4:e2b").expect("a name"),
            stage: PullStage::Asking,
            count: Count::default(),
            task: None,
        };
        let begun = |at| Event::Begun { digest, kind: "model".into(), at, size: 100 };
        let received = |at| Event::Received { digest, at, size: 100 };
        let checking = Event::Checking { kind: "model".into(), at: 30, size: 40 };
        current.hear(Event::Planned { files: 2, bytes: 160 });
        current.hear(checking);
        assert_eq!(current.stage, PullStage::Checking { done: 30, total: 40 });
        let events = [begun(40), received(60), received(100), begun(0), received(30)];
        for event in events {
            current.hear(event);
        }
        assert_eq!(current.stage, PullStage::Running { done: 90, total: 160, waiting: None });
        let reason =
            Said { code: Some(PullProblem::Network { host: "h".into() }), english: "It broke.".into() };
        current.hear(Event::Waiting { reason: reason.clone(), wait: std::time::Duration::ZERO });
        let waiting = Some(reason);
        assert_eq!(current.stage, PullStage::Running { done: 90, total: 160, waiting });
    }

    #[test]
    fn only_registries_that_are_named_are_asked() {
        let folder = tempfile::tempdir().expect("a folder");
        let pulls =
            Pulls::into(Puller::new(folder.path()), folder.path().into(), vec!["R.example:5000".into()]);
        let offer = pulls.offer.as_ref().expect("an offer");
        for host in ["registry.ollama.ai", "hf.co", "huggingface.co", "HF.co", "r.example:5000"] {
            assert!(offer.may_ask(host), "{host}");
        }
        for host in ["localhost", "127.0.0.1:80", "169.254.169.254", "r.example", "hf.co.evil.example"] {
            let refused = pulls.begin(&format!("{host}/n/m"));
            assert!(matches!(refused, Err(Refusal::Registry(_))), "{host}: {refused:?}");
        }
        assert!(matches!(pulls.begin("../m"), Err(Refusal::Name(_))));
        assert!(matches!(Pulls::default().begin("gemma4"), Err(Refusal::NotOffered)));
    }

    /// Aborting a task doesn't keep it from doing what it is about to do on another thread.
    #[tokio::test]
    async fn a_download_that_was_stopped_changes_nothing_of_the_next_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let registries = vec!["127.0.0.1:1".to_owned()];
        let pulls = Pulls::into(Puller::new(folder.path()), folder.path().into(), registries);
        let offer = pulls.offer.as_ref().expect("an offer");
        let begin = || {
            pulls.begin("127.0.0.1:1/n/m").expect("begun");
            offer.current().as_ref().expect("a download").id
        };
        let first = begin();
        pulls.stop();
        let second = begin();
        assert!(first < second);
        offer.change(first, |current| current.stage = PullStage::Done);
        let stage = || offer.current().as_ref().expect("a download").stage.clone();
        assert_eq!(stage(), PullStage::Asking);
        offer.change(second, |current| current.stage = PullStage::Done);
        assert_eq!(stage(), PullStage::Done);
    }
}
