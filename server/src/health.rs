//! `GET /healthz`: whether requests should be sent here, for whatever starts and watches servers.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};

/// Whether the server goes on. All copies are of one server.
#[derive(Clone, Debug, Default)]
pub struct Health {
    is_ending: Arc<AtomicBool>,
}

impl Health {
    /// From now on answers that the server ends: to those whose connection is still open.
    pub fn end(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
    }

    /// What to answer.
    #[must_use]
    pub fn answer(&self) -> Response {
        let answer = if self.is_ending.load(Ordering::Relaxed) {
            (StatusCode::SERVICE_UNAVAILABLE, "ending")
        } else {
            (StatusCode::OK, "ok")
        };
        (answer.0, [(header::CACHE_CONTROL, "no-store")], answer.1).into_response()
    }
}
