//! Headers that every answer carries.

use axum::{
    extract::State,
    http::{HeaderName, HeaderValue, header},
    response::Response,
};

/// What the page may do: everything from this server, nothing from elsewhere, no inline script, no `eval`. WebAssembly
/// needs `wasm-unsafe-eval`; pictures and sound that the visitor adds are `blob:` addresses; `data:` pictures are in
/// style sheets. `{also}` is the object store, if browsers fetch models from it.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; \
    script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; \
    img-src 'self' blob: data:; \
    media-src 'self' blob:; \
    connect-src 'self'{also}; \
    worker-src 'self'; \
    font-src 'self'; \
    manifest-src 'self'; \
    base-uri 'none'; \
    form-action 'self'; \
    frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    // A browser would look up the host of a link that the pointer passes over. A model writes links, and their hosts could tell
    // what it has read.
    (header::X_DNS_PREFETCH_CONTROL, "off"),
    // Other sites get no handle on the page's window and cannot embed what this server sends.
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    // Pictures and speech are the visitor's to give; the page asks first.
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(self), microphone=(self), display-capture=(), geolocation=(), payment=(), usb=()",
    ),
];

/// The content security policy.
#[derive(Clone, Debug)]
pub struct Policy(HeaderValue);

impl Default for Policy {
    /// Nothing from elsewhere.
    fn default() -> Self {
        Self::new(None)
    }
}

impl Policy {
    /// The page may also fetch from `origin`.
    #[must_use]
    pub fn new(origin: Option<&str>) -> Self {
        let with = |also: &str| HeaderValue::from_str(&CONTENT_SECURITY_POLICY.replace("{also}", also));
        // An origin is a scheme, a host and a port, of characters that a header may have.
        let policy = with(&origin.map(|origin| format!(" {origin}")).unwrap_or_default());
        Self(policy.unwrap_or(HeaderValue::from_static("default-src 'none'")))
    }
}

/// Adds the headers.
pub async fn secure(State(Policy(policy)): State<Policy>, mut response: Response) -> Response {
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    // What says nothing about caching is asked for anew each time.
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
    response
}
