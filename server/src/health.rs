//! `GET /healthz`: whether requests should be sent here, for whatever starts and watches servers.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};

use crate::disk::Disk;

/// Whether the server is up. Copies share it.
#[derive(Clone, Debug, Default)]
pub struct Health {
    is_shutting_down: Arc<AtomicBool>,
}

impl Health {
    /// From now on requests on connections that are still open are told that the server is shutting down.
    pub fn shut_down(&self) {
        self.is_shutting_down.store(true, Ordering::Relaxed);
    }

    /// What to answer. Reads that don't end are a reason to start the server anew.
    pub async fn answer(&self, disk: &Disk) -> Response {
        let answer = if self.is_shutting_down.load(Ordering::Relaxed) {
            (StatusCode::SERVICE_UNAVAILABLE, "shutting down")
        } else if disk.is_stuck().await {
            (StatusCode::SERVICE_UNAVAILABLE, "the disk doesn't answer")
        } else {
            (StatusCode::OK, "ok")
        };
        (answer.0, [(header::CACHE_CONTROL, "no-store")], answer.1).into_response()
    }
}
