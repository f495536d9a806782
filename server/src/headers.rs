//! Headers that every answer carries.

use axum::{
    http::{HeaderName, HeaderValue, header},
    response::Response,
};

/// What the page may do: everything from this server, nothing from elsewhere, no inline script, no `eval`. WebAssembly
/// needs `wasm-unsafe-eval`; pictures and sound that the visitor adds are `blob:` addresses; `data:` pictures are in
/// style sheets.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; \
    script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; \
    img-src 'self' blob: data:; \
    media-src 'self' blob:; \
    connect-src 'self'; \
    worker-src 'self'; \
    font-src 'self'; \
    manifest-src 'self'; \
    base-uri 'none'; \
    form-action 'self'; \
    frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    // Other sites get no handle on the page's window and cannot embed what this server sends.
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    // Pictures and speech are the visitor's to give; the page asks first.
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(self), microphone=(self), display-capture=(), geolocation=(), payment=(), usb=()",
    ),
];

/// Adds the headers.
pub async fn secure(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    // What says nothing about caching is asked for anew each time.
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
    response
}
