//! HTTP as pulling uses it. Nothing that a server says is trusted before it is checked.
//!
//! `reqwest` and not `oci-client`: resuming needs the status and the headers of an answer to a range, and Ollama's
//! manifests have media types and a configuration of their own. Little of a client for containers would be left.

use std::{error::Error, io, sync::Arc, time::Duration};

use futures_util::StreamExt as _;
use reqwest::{Client, Response, Url};
use serde::Deserialize;
use tokio::time::timeout;

use super::{error::PullError, guard::Guard};
use crate::{
    redirects::{self, BadRedirect},
    text::shorten,
};

/// Time to reach a server.
const CONNECT: Duration = Duration::from_secs(30);
/// Time without a byte after which a connection counts as broken.
const STALLED: Duration = Duration::from_secs(60);
/// Bytes of an answer that says what went wrong.
const LONGEST_TROUBLE: usize = 16 << 10;

/// How long a server may take. Without an end, one that sends a little now and then would keep the only download busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Until the head of an answer has come, and until all of one that isn't a file has.
    pub answer: Duration,
    /// Time in which at least 64 KiB of a file have to come.
    pub window: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { answer: Duration::from_secs(60), window: Duration::from_secs(60) }
    }
}

/// Waits for an answer, or a part of it, of this host.
pub(super) async fn in_time<T>(
    limit: Duration,
    host: &str,
    answer: impl Future<Output = Result<T, PullError>>,
) -> Result<T, PullError> {
    let late = || PullError::Network { host: host.into(), reason: LATE.into() };
    timeout(limit, answer).await.map_err(|_| late())?
}

const LATE: &str = "it didn't answer in time";

/// A client. One for servers of this machine asks no proxy.
pub(super) fn client(is_here: bool, guard: &Guard) -> Result<Client, PullError> {
    let resolver = Arc::new(guard.clone());
    let guard = guard.clone();
    let rule = move |from: &Url, to: &Url| {
        redirects::keep_encryption(from, to)?;
        guard.check(to)
    };
    // Somebody else in this program may have chosen already, which is as good.
    rustls::crypto::ring::default_provider().install_default().ok();
    let mut builder = Client::builder()
        .user_agent(concat!("gemtab/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .read_timeout(STALLED)
        .referer(false)
        .redirect(redirects::policy(rule))
        .dns_resolver(resolver);
    if is_here {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| PullError::Tls { reason: reason(&error) })
}

/// Host and port of an address, for messages.
pub(super) fn host(url: &Url) -> String {
    let name = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"))
}

/// An error on the way to a server.
pub(super) fn broken(host: &str) -> impl Fn(reqwest::Error) -> PullError {
    move |error| {
        let (host, reason) = (host.to_owned(), reason(&error));
        if error.is_redirect() || chain(&error).any(|inner| inner.is::<BadRedirect>()) {
            PullError::Redirect { host, reason }
        } else if chain(&error).any(is_of_tls) {
            PullError::Certificate { host, reason }
        } else {
            PullError::Network { host, reason }
        }
    }
}

/// The innermost reason: the outer ones say that there is one, and show addresses with secrets in them.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return LATE.into();
    }
    chain(error).last().map_or_else(|| "the request failed".into(), |inner| shorten(&inner.to_string()))
}

/// What is behind an error, the innermost last.
fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |&outer| outer.source())
}

/// Whether it is an error of TLS, by itself or packed into errors of input and output.
fn is_of_tls(error: &(dyn Error + 'static)) -> bool {
    let packed = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    error.is::<rustls::Error>() || packed.is_some_and(|inner| is_of_tls(inner))
}

/// The body of an answer, if it has at most `most` bytes. Ends at once when the length says otherwise.
pub(super) async fn body(response: Response, most: usize, host: &str) -> Result<Vec<u8>, PullError> {
    let too_long =
        || PullError::Manifest { host: host.into(), reason: format!("it is longer than {most} bytes") };
    if response.content_length().is_some_and(|length| length > most as u64) {
        return Err(too_long());
    }
    let mut body = Vec::new();
    let mut stream = response.bytes_stream();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(broken(host))?;
        if body.len() + chunk.len() > most {
            return Err(too_long());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// What a registry says when it refuses: `{"errors":[{"message":…}]}`, and on the hub `{"error":…}`.
pub(super) async fn trouble(response: Response, host: &str) -> String {
    #[derive(Deserialize)]
    struct Trouble {
        #[serde(default)]
        error: String,
        #[serde(default)]
        errors: Vec<One>,
    }
    #[derive(Deserialize)]
    struct One {
        #[serde(default)]
        message: String,
    }

    let name = response.status().canonical_reason().unwrap_or("no reason given");
    let said = match body(response, LONGEST_TROUBLE, host).await {
        Ok(text) => serde_json::from_slice::<Trouble>(&text).ok(),
        Err(_) => None,
    };
    let words = said.and_then(|said| {
        let first = said.errors.into_iter().map(|one| one.message);
        [said.error].into_iter().chain(first).find(|words| !words.is_empty())
    });
    words.map_or_else(|| name.into(), |words| shorten(&words))
}

#[cfg(test)]
mod tests {
    use axum::{Router, response::Redirect, routing::get};

    use super::*;

    #[tokio::test]
    async fn a_registry_elsewhere_redirects_to_nothing_private() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let here = format!("http://{}", listener.local_addr().expect("an address"));
        let router = Router::new()
            .route("/", get(Redirect::temporary(&format!("{here}/secret"))))
            .route("/secret", get("a secret"));
        tokio::spawn(async move { axum::serve(listener, router).await });
        for (registry, is_followed) in [("https://1.1.1.1/", false), ("http://127.0.0.1:1/", true)] {
            // What is at the registry's address doesn't matter: this server plays it.
            let guard = Guard::new(&Url::parse(registry).expect(registry));
            match client(true, &guard).expect("a client").get(&here).send().await {
                Ok(response) => assert!(is_followed, "{registry}: {:?}", response.text().await),
                Err(error) => assert!(!is_followed && error.is_redirect(), "{registry}: {error}"),
            }
        }
    }
}
