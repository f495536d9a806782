//! The thin server: it renders the page, sends its files, lists the models of this machine and sends their bytes.
//!
//! It never sees a prompt. What it may read is bounded twice: the built site, and the files that listed models name.

pub mod blobs;
pub mod catalog;
pub mod config;
pub mod headers;
pub mod listen;
pub mod range;
pub mod site;

#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod testing;

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::State,
    http::{StatusCode, header},
    middleware,
    response::{IntoResponse as _, Response},
    routing::{any, get},
};
use tower_http::trace::TraceLayer;

use self::{catalog::Library, site::Site};

/// All that the server answers.
pub fn router(site: &Site, library: Arc<Library>) -> Router {
    Router::new()
        .route("/api/models", get(models))
        .route("/api/blobs/{digest}", get(blobs::serve))
        .route("/api/{*path}", any(no_such_address))
        .merge(site.router())
        .layer(middleware::map_response(headers::secure))
        .layer(TraceLayer::new_for_http())
        .with_state(library)
}

/// `GET /api/models`: the list, made anew each time, so that a model that was just pulled is there.
async fn models(State(library): State<Arc<Library>>) -> Response {
    match tokio::task::spawn_blocking(move || library.catalog()).await {
        Ok(catalog) => ([(header::CACHE_CONTROL, "no-store")], Json(catalog)).into_response(),
        Err(error) => {
            tracing::error!("the models could not be listed: {error}");
            (StatusCode::INTERNAL_SERVER_ERROR, "The models could not be listed.").into_response()
        }
    }
}

/// An address under `/api` that is none gets no page.
async fn no_such_address() -> Response {
    (StatusCode::NOT_FOUND, "There is no such address.").into_response()
}
