//! Headers that every answer carries.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::Response,
};

/// What the page may do: everything from this server, nothing from elsewhere, no inline script, no `eval`. WebAssembly
/// needs `wasm-unsafe-eval`; pictures and sound that the visitor adds are `blob:` addresses; `data:` pictures are in
/// style sheets; the frames are those of previews and of the tool JavaScript. `{also}` is the object store, if browsers fetch models from it.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; \
    script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; \
    img-src 'self' blob: data:; \
    media-src 'self' blob:; \
    connect-src 'self'{also}; \
    worker-src 'self'; \
    font-src 'self'; \
    frame-src 'self'; \
    manifest-src 'self'; \
    base-uri 'none'; \
    form-action 'self'; \
    frame-ancestors 'none'";

/// What the document of previews may do, and what it runs: everything that is inline, in an origin of its own, and nothing that
/// has an address. It may be framed by the page alone, and have no frame but those it fills itself.
const PREVIEW_POLICY: &str = "sandbox allow-scripts; \
    default-src 'none'; \
    script-src 'unsafe-inline' 'unsafe-eval'; \
    style-src 'unsafe-inline'; \
    img-src data: blob:; \
    media-src data: blob:; \
    font-src data:; \
    base-uri 'none'; \
    form-action 'none'; \
    frame-ancestors 'self'";

/// What the document that computes may do, and its worker: run scripts in an origin of its own, and nothing that has an address. It
/// may be framed by the page alone, and have no frame.
const SANDBOX_POLICY: &str = "sandbox allow-scripts; \
    default-src 'none'; \
    script-src 'unsafe-inline' 'unsafe-eval'; \
    worker-src blob:; \
    base-uri 'none'; \
    form-action 'none'; \
    frame-ancestors 'self'";

/// No connection of any kind, whoever opens it: also WebRTC, and what a browser opens ahead of a navigation that the policy
/// then refuses. Chromium 156 knows it; other browsers may not.
const CONNECTION_ALLOWLIST: (HeaderName, &str) = (HeaderName::from_static("connection-allowlist"), "()");

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
    // The documents that run what a model has coded have others.
    response.headers_mut().entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    // What says nothing about caching is asked for anew each time.
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
    response
}

/// The documents that run what a model has coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolated {
    /// It shows a page.
    Preview,
    /// It computes.
    Sandbox,
}

/// Adds the headers of such a document.
pub fn isolate(headers: &mut HeaderMap, document: Isolated) {
    let policy = match document {
        Isolated::Preview => PREVIEW_POLICY,
        Isolated::Sandbox => SANDBOX_POLICY,
    };
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    let (name, value) = CONNECTION_ALLOWLIST;
    headers.insert(name, HeaderValue::from_static(value));
}
