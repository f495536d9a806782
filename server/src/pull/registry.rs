//! A registry of the OCI distribution protocol: manifests, blobs by range, tokens.

use std::{sync::Mutex, time::Duration};

use reqwest::{
    Client, RequestBuilder, Response, StatusCode, Url,
    header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue, RANGE},
};
use serde::Deserialize;

use super::{
    address, challenge,
    error::PullError,
    guard::Guard,
    http::{self, Patience},
};
use crate::{
    catalog::{digest::Digest, name::Name},
    redirects,
};

/// Bytes of a manifest: as many as the list of models reads.
const LARGEST_MANIFEST: usize = 4 << 20;
/// Bytes of an answer with a token.
const LARGEST_TOKEN: usize = 64 << 10;
/// What Ollama's registry and the hub hold, and what others may have instead.
const MANIFESTS: HeaderValue = HeaderValue::from_static(
    "application/vnd.docker.distribution.manifest.v2+json, application/vnd.oci.image.manifest.v1+json",
);

/// The repository of one model.
pub(super) struct Registry {
    client: Client,
    guard: Guard,
    patience: Patience,
    /// Scheme, host and port.
    origin: Url,
    /// `namespace/model`.
    repository: String,
    tag: String,
    name: String,
    token: Mutex<Option<HeaderValue>>,
}

impl Registry {
    pub(super) fn new(origin: Url, name: &Name, patience: Patience) -> Result<Self, PullError> {
        let is_here = address::is_loopback(origin.host_str().unwrap_or_default());
        let guard = Guard::new(&origin);
        Ok(Self {
            client: http::client(is_here, &guard)?,
            guard,
            patience,
            origin,
            repository: format!("{}/{}", name.namespace(), name.model()),
            tag: name.tag().into(),
            name: name.to_string(),
            token: Mutex::new(None),
        })
    }

    /// Host and port, for messages.
    pub(super) fn host(&self) -> String {
        http::host(&self.origin)
    }

    /// The text of the manifest.
    pub(super) async fn manifest(&self) -> Result<Vec<u8>, PullError> {
        let url = self.url(&format!("v2/{}/manifests/{}", self.repository, self.tag))?;
        let headers = HeaderMap::from_iter([(ACCEPT, MANIFESTS)]);
        let response = self.get(url, headers).await?;
        self.text(self.expect(response).await?, LARGEST_MANIFEST, &self.host()).await
    }

    /// The text of an answer that isn't a file.
    pub(super) async fn text(
        &self,
        response: Response,
        most: usize,
        host: &str,
    ) -> Result<Vec<u8>, PullError> {
        http::in_time(self.patience.answer, host, http::body(response, most, host)).await
    }

    /// Time in which a file has to get on.
    pub(super) fn window(&self) -> Duration {
        self.patience.window
    }

    /// Where a blob is.
    pub(super) fn blob(&self, digest: Digest) -> Result<Url, PullError> {
        self.url(&format!("v2/{}/blobs/{digest}", self.repository))
    }

    /// An address on this host. The parts of names are letters, digits, `_`, `-` and `.`, and no part is `..`.
    pub(super) fn url(&self, path: &str) -> Result<Url, PullError> {
        let wrong = |_| PullError::Redirect { host: self.host(), reason: "it isn't an address".into() };
        self.origin.join(path).map_err(wrong)
    }

    /// An answer with the bytes of a file from `at` on, or with all of them, as the server likes.
    pub(super) async fn read(&self, url: Url, at: u64) -> Result<Response, PullError> {
        let mut headers = HeaderMap::new();
        if at > 0
            && let Ok(range) = HeaderValue::from_str(&format!("bytes={at}-"))
        {
            headers.insert(RANGE, range);
        }
        let response = self.get(url, headers).await?;
        match response.status() {
            StatusCode::RANGE_NOT_SATISFIABLE => Ok(response),
            StatusCode::NOT_FOUND => Err(PullError::Manifest {
                host: self.host(),
                reason: "a file that it names isn't there".into(),
            }),
            _ => self.expect(response).await,
        }
    }

    /// The answer to a request, made again with a token if the registry wants one.
    pub(super) async fn get(&self, url: Url, headers: HeaderMap) -> Result<Response, PullError> {
        let response = self.send(url.clone(), &headers).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        // Also when there is a token already: it may have run out during a long download.
        let Some(address) = challenge::token_address(response.headers()) else { return Ok(response) };
        let token = self.fetch_token(address).await?;
        *self.token() = Some(token);
        self.send(url, &headers).await
    }

    /// The answer, if it is one that succeeds.
    pub(super) async fn expect(&self, response: Response) -> Result<Response, PullError> {
        let (name, host) = (self.name.clone(), self.host());
        match response.status() {
            status if status.is_success() => Ok(response),
            StatusCode::NOT_FOUND => Err(PullError::NoSuchModel { name, host }),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(PullError::Private { name, host }),
            status => {
                let message = async { Ok(http::trouble(response, &host).await) };
                let message = http::in_time(self.patience.answer, &host, message).await?;
                Err(PullError::Status { host, status: status.as_u16(), message })
            }
        }
    }

    async fn send(&self, url: Url, headers: &HeaderMap) -> Result<Response, PullError> {
        let mut request = self.client.get(url).headers(headers.clone());
        if let Some(token) = self.token().clone() {
            // The client leaves it out when it is sent on to another host.
            request = request.header(AUTHORIZATION, token);
        }
        self.head(request, &self.host()).await
    }

    /// The head of an answer. Heads of its own that announce it may come without end.
    async fn head(&self, request: RequestBuilder, host: &str) -> Result<Response, PullError> {
        let answer = async { request.send().await.map_err(http::broken(host)) };
        http::in_time(self.patience.answer, host, answer).await
    }

    /// A token for somebody without an account.
    async fn fetch_token(&self, address: Url) -> Result<HeaderValue, PullError> {
        #[derive(Deserialize)]
        struct Token {
            token: Option<String>,
            access_token: Option<String>,
        }

        let host = http::host(&address);
        if redirects::keep_encryption(&self.origin, &address).is_err() {
            let reason = format!("tokens are to be had at {host}, without encryption");
            return Err(PullError::Redirect { host: self.host(), reason });
        }
        if let Err(bad) = self.guard.check(&address) {
            let reason = format!("tokens are to be had at {host}, but {bad}");
            return Err(PullError::Redirect { host: self.host(), reason });
        }
        let response = self.head(self.client.get(address), &host).await?;
        let body = self.text(self.expect(response).await?, LARGEST_TOKEN, &host).await?;
        let unusable = |reason: &str| PullError::Manifest { host: host.clone(), reason: reason.into() };
        let token: Token = serde_json::from_slice(&body)
            .map_err(|_| unusable("its answer to a request for a token isn't one"))?;
        let token = token.token.or(token.access_token).unwrap_or_default();
        let mut value = HeaderValue::from_str(&format!("Bearer {token}"))
            .map_err(|_| unusable("its token has characters that no token has"))?;
        value.set_sensitive(true);
        Ok(value)
    }

    fn token(&self) -> std::sync::MutexGuard<'_, Option<HeaderValue>> {
        self.token.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pull::parse;

    /// A registry elsewhere must not have this program ask what only this machine reaches, nor learn what was answered.
    #[tokio::test]
    async fn a_registry_elsewhere_leads_to_nothing_private() {
        let url = |text: &str| Url::parse(text).expect(text);
        let name = parse("1.1.1.1/n/m").expect("a name");
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        for origin in ["https://1.1.1.1/", "http://1.1.1.1/"] {
            let registry = Registry::new(url(origin), &name, Patience::default()).expect("a client");
            let scheme = registry.origin.scheme().to_owned();
            for host in ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0x7f000001", "10.0.0.1", "localhost"] {
                let realm = url(&format!("{scheme}://{host}:{port}/secret"));
                let error = registry.fetch_token(realm).await.expect_err(host);
                let PullError::Redirect { reason, .. } = &error else { panic!("{host}: {error}") };
                assert!(reason.ends_with("it is an address of a private network"), "{reason}");
            }
        }
        let asked = tokio::time::timeout(Duration::ZERO, listener.accept()).await;
        assert!(asked.is_err(), "nobody was asked");
        // One on this machine may name another there, which answers with nothing here.
        let registry =
            Registry::new(url("http://127.0.0.1:1/"), &name, Patience::default()).expect("a client");
        drop(listener);
        let error = registry.fetch_token(url(&format!("http://localhost:{port}/"))).await.expect_err("gone");
        assert!(matches!(error, PullError::Network { .. }), "{error}");
    }
}
