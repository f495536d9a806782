//! `/api/mcp`: passing requests on to servers of the Model Context Protocol.
//!
//! | request | what it does |
//! |---|---|
//! | `GET` | says which hosts requests are passed on to, as a [`RelayReport`] |
//! | `POST` | passes its content on to the address in its header `gemtab-target`, and the answer back while it comes |
//!
//! The page's policy lets it connect to no other origin, so it asks here. By default nothing is passed on; `--allow-mcp` names
//! hosts. Names that lead to private addresses are refused once they are resolved, which is when a connection is made, unless they
//! were named as such. No redirect is followed. Of headers only those that the protocol needs pass, in either direction: no
//! cookies, and no `authorization` that the browser has for this server. Time, sizes and the number of requests have limits.
//! Nothing is logged but hosts.

use std::{error::Error, io, iter, net::IpAddr, str::FromStr, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, FromRequest as _, Request, State, rejection::BytesRejection},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
use futures_util::StreamExt as _;
use protocol::{RelayProblem, RelayReport, relay, said::Said};
use reqwest::{
    Client, Url,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect::Policy,
};
use tokio::sync::Semaphore;

use crate::{
    content, host,
    text::printable,
    zone::{Zone, literal},
};

/// Time to reach a host.
const CONNECT: Duration = Duration::from_secs(10);
/// What the protocol's own headers begin with.
const OWN: &str = "mcp-";
/// Marks a name that leads to a private address.
const PRIVATE: &str = "private:";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// A host that requests may be passed on to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// As addresses have it: in lower case, IPv6 in brackets.
    host: String,
    /// `None` for the usual one.
    port: Option<u16>,
    /// Whether it may have a private address.
    is_private: bool,
}

/// The text names no such host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a host is a name or an address, with a port or without, such as mcp.example.com or 127.0.0.1:8080")]
pub struct NotAllowable;

impl FromStr for Allowed {
    type Err = NotAllowable;

    fn from_str(text: &str) -> Result<Self, NotAllowable> {
        let (text, is_marked) = match text.strip_prefix(PRIVATE) {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let is_bare = !text.is_empty() && !text.contains(['/', '?', '#', '@', '\\', '*']);
        let url = Url::parse(&format!("https://{text}/")).ok().filter(|_| is_bare).ok_or(NotAllowable)?;
        let host = url.host_str().ok_or(NotAllowable)?.to_owned();
        let is_near = literal(&host).is_some_and(|address| Zone::of(address) != Zone::Public);
        let is_private = is_marked || is_near || host == LOCALHOST;
        Ok(Self { host, port: url.port(), is_private })
    }
}

const LOCALHOST: &str = "localhost";

/// Whether a host is this machine by its own words.
fn is_loopback(host: &str) -> bool {
    host == LOCALHOST || literal(host).is_some_and(|address| address.is_loopback())
}

impl Allowed {
    fn is(&self, url: &Url) -> bool {
        let same_port = match self.port {
            None => url.port().is_none(),
            port => url.port_or_known_default() == port,
        };
        url.host_str() == Some(&*self.host) && same_port
    }

    /// Whether its name may lead there.
    fn leads_to(&self, address: IpAddr) -> bool {
        match &*self.host {
            LOCALHOST => self.is_private && address.is_loopback(),
            _ => self.is_private || Zone::of(address) == Zone::Public,
        }
    }

    fn shown(&self) -> String {
        self.port.map_or_else(|| self.host.clone(), |port| format!("{}:{port}", self.host))
    }
}

/// How much may be passed on.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time from the request to the end of its answer.
    pub time: Duration,
    /// Bytes of a request.
    pub request: usize,
    /// Bytes of an answer.
    pub answer: usize,
    /// Requests at once.
    pub at_once: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(180), request: 256 << 10, answer: 4 << 20, at_once: 16 }
    }
}

/// Passes requests on. Copies share the limits. By default, nothing is passed on.
#[derive(Clone, Debug, Default)]
pub struct Relay {
    offer: Option<Arc<Offer>>,
}

#[derive(Debug)]
struct Offer {
    allowed: Arc<[Allowed]>,
    limits: Limits,
    turns: Arc<Semaphore>,
    client: Client,
}

/// Why a request isn't passed on.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("Only gemtab's own page may ask for this.")]
    Foreign,
    #[error("The request must be JSON.")]
    Kind,
    #[error("The request's content didn't arrive in time.")]
    LateContent,
    #[error("The request could not be read.")]
    Unreadable,
    #[error("The header gemtab-target must have an address such as https://mcp.example.com/mcp.")]
    Address,
    #[error("{host} must be asked over HTTPS.")]
    PlainHttp { host: String },
    #[error("This server passes nothing on to {host}. To allow it, start it with --allow-mcp {host}.")]
    NotAllowed { host: String },
    #[error("{host} is in a private network. To allow it, start the server with --allow-mcp private:{host}.")]
    Private { host: String },
    #[error("{host} can't be reached.")]
    Unreachable { host: String },
    #[error("{host} didn't answer in time.")]
    Late { host: String },
    #[error("Too many requests are being passed on. Try again.")]
    Busy,
    #[error("The request is too long.")]
    TooLong,
}

impl Relay {
    /// To these hosts.
    ///
    /// # Errors
    /// When this machine has no certificates to check others by.
    pub fn to(allowed: &[Allowed], limits: Limits) -> Result<Self, reqwest::Error> {
        if allowed.is_empty() {
            return Ok(Self::default());
        }
        // Somebody else in this program may have chosen already, which is as good.
        rustls::crypto::ring::default_provider().install_default().ok();
        let allowed: Arc<[Allowed]> = allowed.into();
        let client = Client::builder()
            .user_agent(concat!("gemtab/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT)
            .timeout(limits.time)
            .referer(false)
            .redirect(Policy::none())
            // One would resolve names itself.
            .no_proxy()
            .dns_resolver(Arc::new(Names(Arc::clone(&allowed))))
            .build()?;
        let turns = Arc::new(Semaphore::new(limits.at_once));
        Ok(Self { offer: Some(Arc::new(Offer { allowed, limits, turns, client })) })
    }

    /// The routes.
    pub fn router<S: Clone + Send + Sync + 'static>(self) -> Router<S> {
        let most = self.offer.as_ref().map_or(0, |offer| offer.limits.request);
        let all = get(tell).post(pass).layer(DefaultBodyLimit::max(most));
        Router::new().route("/api/mcp", all).with_state(self)
    }

    async fn pass(self, request: Request) -> Result<Response, Refusal> {
        let (headers, target) = (request.headers(), request.uri());
        let says = headers.contains_key("sec-fetch-site");
        if host::is_of_another_site(headers) || (!says && host::is_foreign(headers, target)) {
            return Err(Refusal::Foreign);
        }
        if kind(headers) != Some(JSON) {
            return Err(Refusal::Kind);
        }
        let url = headers.get(relay::TARGET).and_then(|url| Url::parse(url.to_str().ok()?).ok());
        let url = url.filter(Url::has_host).ok_or(Refusal::Address)?;
        let named = shown(&url);
        let not_allowed = || Refusal::NotAllowed { host: shown(&url) };
        let offer = self.offer.as_ref().ok_or_else(not_allowed)?;
        if !offer.allowed.iter().any(|allowed| allowed.is(&url)) {
            return Err(not_allowed());
        }
        let is_here = url.host_str().is_some_and(is_loopback);
        match url.scheme() {
            "https" => {}
            "http" if is_here => {}
            "http" => return Err(Refusal::PlainHttp { host: named }),
            _ => return Err(Refusal::Address),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::Address);
        }
        let turn = Arc::clone(&offer.turns).try_acquire_owned().map_err(|_| Refusal::Busy)?;
        let passed = passed_on(headers);
        let content = Bytes::from_request(request, &()).await?;
        tracing::debug!("passing a request on to {}", printable(&named));
        let answer = offer.client.post(url).headers(passed).body(content).send().await;
        let answer = answer.map_err(|error| broken(&error, named))?;

        let mut response = Response::new(Body::empty());
        let headers = response.headers_mut();
        headers.insert(relay::STATUS, HeaderValue::from(answer.status().as_u16()));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
        headers.extend(own(answer.headers()));
        // What is neither is nothing that the page reads.
        if let Some(kind) = kind(answer.headers()) {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
            let mut left = offer.limits.answer;
            let pieces = answer.bytes_stream().map(move |piece| {
                // It has its turn until its end.
                let _turn = &turn;
                let piece = piece.map_err(io::Error::other)?;
                left = left.checked_sub(piece.len()).ok_or_else(|| io::Error::other("it is too long"))?;
                Ok::<_, io::Error>(piece)
            });
            *response.body_mut() = Body::from_stream(pieces);
        }
        Ok(response)
    }
}

/// Resolves names to addresses that they may lead to.
struct Names(Arc<[Allowed]>);

/// A name leads to private addresses alone, and may not.
#[derive(Debug, thiserror::Error)]
#[error("it is an address of a private network")]
struct PrivateAddress;

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let allowed = Arc::clone(&self.0);
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let may = |address: IpAddr| {
                let of_name = |it: &&Allowed| it.host.eq_ignore_ascii_case(name.as_str());
                allowed.iter().filter(of_name).any(|it| it.leads_to(address))
            };
            let addresses: Vec<_> = addresses.filter(|address| may(address.ip())).collect();
            if addresses.is_empty() {
                Err(PrivateAddress.into())
            } else {
                Ok(Box::new(addresses.into_iter()) as Addrs)
            }
        })
    }
}

async fn tell(State(relay): State<Relay>) -> Response {
    let hosts = relay.offer.iter().flat_map(|offer| offer.allowed.iter()).map(Allowed::shown).collect();
    ([(header::CACHE_CONTROL, "no-store")], Json(RelayReport { hosts })).into_response()
}

async fn pass(State(relay): State<Relay>, request: Request) -> Response {
    relay.pass(request).await.unwrap_or_else(Refusal::into_response)
}

/// Host and port of an address, for messages.
fn shown(url: &Url) -> String {
    let name = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"))
}

/// Which of the kinds that the protocol has the content is; `None` if it is another.
fn kind(headers: &HeaderMap) -> Option<&'static str> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let kind = kind.split_once(';').map_or(kind, |(kind, _)| kind).trim();
    [JSON, EVENTS].into_iter().find(|known| known.eq_ignore_ascii_case(kind))
}

/// The protocol's own headers.
fn own(headers: &HeaderMap) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    let own = headers.iter().filter(|(name, _)| name.as_str().starts_with(OWN));
    own.map(|(name, value)| (name.clone(), value.clone()))
}

/// Those headers of a request that are passed on.
fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let mut passed: HeaderMap = own(headers).collect();
    passed.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    let both = HeaderValue::from_static("application/json, text/event-stream");
    passed.insert(header::ACCEPT, headers.get(header::ACCEPT).cloned().unwrap_or(both));
    passed.extend(headers.get(relay::AUTHORIZATION).cloned().map(|it| (header::AUTHORIZATION, it)));
    passed
}

/// An error on the way to a host.
fn broken(error: &reqwest::Error, host: String) -> Refusal {
    let mut causes = iter::successors(error.source(), |&outer| outer.source());
    if causes.any(|cause| cause.is::<PrivateAddress>()) {
        Refusal::Private { host }
    } else if error.is_timeout() {
        Refusal::Late { host }
    } else {
        Refusal::Unreachable { host }
    }
}

impl From<BytesRejection> for Refusal {
    fn from(rejection: BytesRejection) -> Self {
        match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Self::TooLong,
            _ if content::is_late(&rejection) => Self::LateContent,
            _ => Self::Unreadable,
        }
    }
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::Foreign | Self::NotAllowed { .. } | Self::Private { .. } => StatusCode::FORBIDDEN,
            Self::Kind => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::LateContent => StatusCode::REQUEST_TIMEOUT,
            Self::Unreadable | Self::Address | Self::PlainHttp { .. } => StatusCode::BAD_REQUEST,
            Self::Unreachable { .. } => StatusCode::BAD_GATEWAY,
            Self::Late { .. } => StatusCode::GATEWAY_TIMEOUT,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
        }
    }

    /// `None` for what no page of this server is told.
    fn code(&self) -> Option<RelayProblem> {
        let own = |host: &str| printable(host).into_owned();
        Some(match self {
            Self::Foreign | Self::Kind | Self::LateContent | Self::Unreadable => return None,
            Self::Address => RelayProblem::Address,
            Self::PlainHttp { host } => RelayProblem::PlainHttp { host: own(host) },
            Self::NotAllowed { host } => RelayProblem::NotAllowed { host: own(host) },
            Self::Private { host } => RelayProblem::Private { host: own(host) },
            Self::Unreachable { host } => RelayProblem::Unreachable { host: own(host) },
            Self::Late { host } => RelayProblem::Late { host: own(host) },
            Self::Busy => RelayProblem::Busy,
            Self::TooLong => RelayProblem::TooLong,
        })
    }

    fn into_response(self) -> Response {
        let said = Said { code: self.code(), english: self.to_string() };
        (self.status(), [(header::CACHE_CONTROL, "no-store")], Json(said)).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(text: &str) -> Allowed {
        text.parse().expect(text)
    }

    fn url(text: &str) -> Url {
        Url::parse(text).expect(text)
    }

    #[test]
    fn a_host_is_named_without_anything_else() {
        for text in
            ["mcp.example.com", "MCP.Example.com:8443", "127.0.0.1:8080", "[::1]:80", "private:a.internal"]
        {
            assert!(text.parse::<Allowed>().is_ok(), "{text}");
        }
        for text in [
            "",
            "https://a.example",
            "a.example/mcp",
            "a@b.example",
            "*.example.com",
            "a b",
            "a:x",
            "private:",
        ] {
            assert_eq!(text.parse::<Allowed>(), Err(NotAllowable), "{text}");
        }
        assert_eq!(allowed("MCP.Example.com:8443").shown(), "mcp.example.com:8443");
    }

    #[test]
    fn a_host_is_that_host_on_that_port() {
        for (named, target, is_it) in [
            ("a.example", "https://a.example/mcp", true),
            ("a.example", "https://A.EXAMPLE:443/mcp?x", true),
            ("a.example", "https://a.example:8443/mcp", false),
            ("a.example", "https://a.example./mcp", false),
            ("a.example", "https://a.example.evil.example/mcp", false),
            ("a.example", "https://a.example@evil.example/mcp", false),
            ("a.example:8443", "https://a.example:8443/", true),
            ("a.example:8443", "https://a.example/", false),
            ("localhost:80", "http://localhost/", true),
            ("127.0.0.1:8080", "http://0x7f.1:8080/", true),
            ("127.0.0.1:8080", "http://localhost:8080/", false),
        ] {
            assert_eq!(allowed(named).is(&url(target)), is_it, "{named} {target}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_to_a_private_address_is_refused_before_anything_is_sent() {
        let unmarked = Allowed { is_private: false, ..allowed("localhost:1") };
        let relay = Relay::to(&[unmarked], Limits::default()).expect("a client");
        let offer = relay.offer.expect("an offer");
        let error = offer.client.post("http://localhost:1/").send().await.expect_err("it is private");
        assert!(matches!(broken(&error, "h".into()), Refusal::Private { .. }), "{error:?}");
    }

    #[test]
    fn a_name_leads_to_private_addresses_only_if_that_was_said() {
        let public = "1.1.1.1";
        for (named, addresses) in [
            ("a.example", &[public][..]),
            ("private:a.internal", &[public, "10.0.0.1", "127.0.0.1"]),
            ("10.0.0.1", &[public, "10.0.0.1", "127.0.0.1"]),
            ("localhost", &["127.0.0.1", "::1"]),
        ] {
            for address in [public, "10.0.0.1", "127.0.0.1", "::1", "169.254.169.254"] {
                let leads = allowed(named).leads_to(address.parse().expect(address));
                let is_private = named.starts_with("private") || named.starts_with("10");
                assert_eq!(leads, is_private || addresses.contains(&address), "{named} {address}");
            }
        }
    }
}
