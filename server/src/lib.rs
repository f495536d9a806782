//! The thin server: it renders the page, sends its files, lists the models of this machine and sends their bytes.
//!
//! It never sees a prompt. What it may read is bounded twice: the built site, and the files that listed models name, on
//! this machine or in an object store ([`bucket`]). It only writes into Ollama's store, when a model is pulled: with the
//! command [`pull`], or on a visitor's request ([`pull::api`]); and its command `publish` into the object store. Where
//! `--allow-mcp` names hosts, it passes the page's requests on to them ([`relay`]).

pub mod activity;
pub mod blobs;
pub mod bucket;
pub mod catalog;
pub mod conditions;
pub mod config;
pub mod connections;
pub mod content;
pub mod disk;
pub mod files;
pub mod headers;
pub mod health;
pub mod host;
pub mod library;
pub mod linger;
pub mod listen;
pub mod metrics;
pub mod pieces;
pub mod pull;
pub mod range;
pub mod redirects;
pub mod regular;
pub mod relay;
pub mod site;
pub mod text;
pub mod tls;
pub mod zone;

#[cfg(test)]
#[path = "../../frontend/engine/tests/hostile/counting.rs"]
mod counting;
#[cfg(test)]
#[path = "../../frontend/engine/tests/hostile/fuzz.rs"]
mod fuzz;
#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod testing;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    http::{StatusCode, header},
    middleware,
    response::{IntoResponse as _, Response},
    routing::{any, get},
};
use tower_http::trace::TraceLayer;

use self::{
    bucket::Bucket, headers::Policy, health::Health, host::Hosts, library::Library, pull::api::Pulls,
    relay::Relay, site::Site, text::printable,
};

/// All that the server answers.
pub fn router(
    site: &Site,
    library: Arc<Library>,
    hosts: Hosts,
    health: Health,
    pulls: Pulls,
    relay: Relay,
) -> Router {
    let policy = Policy::new(library.bucket().and_then(Bucket::origin));
    Router::new()
        .route(
            "/healthz",
            get(async move |State(library): State<Arc<Library>>| health.answer(&library.disk()).await),
        )
        .route("/api/models", get(models))
        .merge(pulls.router(Arc::clone(&library)))
        .merge(relay.router())
        .route("/api/blobs/{digest}", get(blobs::serve))
        .route("/api/{*path}", any(no_such_address))
        .merge(site.router())
        .layer(middleware::from_fn_with_state(hosts, host::check))
        .layer(middleware::map_response_with_state(policy, headers::secure))
        .layer(TraceLayer::new_for_http().make_span_with(span))
        .with_state(library)
}

/// What log lines about a request begin with.
fn span(request: &Request) -> tracing::Span {
    let address = request.uri().to_string();
    tracing::debug_span!("request", method = %request.method(), uri = %printable(&address))
}

/// `GET /api/models`: the list, a moment old at most, so that a model that was just pulled is there.
async fn models(State(library): State<Arc<Library>>) -> Response {
    let json = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    match library.json().await {
        Ok(list) => (json, list).into_response(),
        Err(error) => {
            tracing::error!("{error}");
            (StatusCode::INTERNAL_SERVER_ERROR, "The models could not be listed.").into_response()
        }
    }
}

/// An address under `/api` that is none gets no page.
async fn no_such_address() -> Response {
    (StatusCode::NOT_FOUND, "There is no such address.").into_response()
}
