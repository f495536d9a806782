//! Metrics for those who run the server, in OpenMetrics' text format, which Prometheus reads.
//!
//! They say nothing of users: requests are told apart by what kind of thing was asked for, never by its address or name.
//! They have a port of their own. Behind a proxy every request comes from this machine, so on the main port no check of
//! the client's address would keep visitors out.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Instant,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::get,
};
use hyper::body::{Frame, SizeHint};
use prometheus_client::{
    encoding::{EncodeLabelSet, text},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};

use crate::{
    bucket::Failures,
    headers::{self, Policy},
    host::{self, Hosts},
};

/// Upper bounds of the histogram, in seconds: from a file in the cache to a list that is made of a slow disk.
const SECONDS: [f64; 8] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0];

/// What kind of thing was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Kind {
    class: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    class: &'static str,
    status: &'static str,
}

/// The figures of one server. Copies share them.
#[derive(Clone, Debug)]
pub struct Metrics {
    requests: Family<Outcome, Counter>,
    sent: Family<Kind, Counter>,
    seconds: Family<Kind, Histogram, fn() -> Histogram>,
    connections: Gauge,
    store_failures: Failures,
    registry: Arc<Registry>,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("gemtab");
        let requests = Family::default();
        registry.register("requests", "Requests, by what was asked for and how it ended", requests.clone());
        let sent = Family::default();
        let help = "Content that clients have taken, without headers";
        registry.register_with_unit("sent", help, Unit::Bytes, sent.clone());
        let histogram: fn() -> Histogram = || Histogram::new(SECONDS);
        let seconds = Family::new_with_constructor(histogram);
        let help = "Time from a request's head to that of its answer";
        registry.register_with_unit("response_head", help, Unit::Seconds, seconds.clone());
        let connections = Gauge::default();
        registry.register("connections", "Connections that are open", connections.clone());
        let store_failures = Failures::default();
        let help = "Requests to the object store that failed, by what was asked for";
        registry.register("store_failures", help, store_failures.clone());
        Self { requests, sent, seconds, connections, store_failures, registry: registry.into() }
    }
}

impl Metrics {
    /// The number of open connections, to be kept by whoever accepts them.
    #[must_use]
    pub fn connections(&self) -> Gauge {
        self.connections.clone()
    }

    /// What the object store failed to answer, to be counted by whoever asks it.
    #[must_use]
    pub fn store_failures(&self) -> Failures {
        self.store_failures.clone()
    }

    /// Counts what goes through `router`.
    pub fn of(&self, router: Router) -> Router {
        router.layer(middleware::from_fn_with_state(self.clone(), measure))
    }

    /// `GET /metrics`, for requests that name one of `hosts`.
    pub fn router(&self, hosts: Hosts) -> Router {
        let registry = Arc::clone(&self.registry);
        Router::new()
            .route("/metrics", get(async move || encode(&registry)))
            .layer(middleware::from_fn_with_state(hosts, host::check))
            .layer(middleware::map_response_with_state(Policy::default(), headers::secure))
    }
}

fn encode(registry: &Registry) -> Response {
    let mut text = String::new();
    match text::encode(&mut text, registry) {
        Ok(()) => {
            let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")], text).into_response()
        }
        Err(error) => {
            tracing::error!("the metrics could not be written: {error}");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// The class of an address, one of few whatever a client asks for. Being asked for health counts nowhere: it would drown
/// the rest.
fn class(path: &str) -> Option<&'static str> {
    match path {
        "/healthz" => None,
        "/api/models" => Some("catalogue"),
        "/api/pull" => Some("pull"),
        _ if path.starts_with("/api/blobs/") => Some("blob"),
        _ if app::has_page(path) => Some("page"),
        // Also what isn't there.
        _ => Some("asset"),
    }
}

fn status_class(status: StatusCode) -> &'static str {
    match status.as_u16() {
        ..200 => "1xx",
        200..300 => "2xx",
        300..400 => "3xx",
        400..500 => "4xx",
        500.. => "5xx",
    }
}

async fn measure(State(metrics): State<Metrics>, request: Request, next: Next) -> Response {
    let Some(class) = class(request.uri().path()) else { return next.run(request).await };
    let begin = Instant::now();
    let response = next.run(request).await;
    metrics.seconds.get_or_create(&Kind { class }).observe(begin.elapsed().as_secs_f64());
    let outcome = Outcome { class, status: status_class(response.status()) };
    metrics.requests.get_or_create(&outcome).inc();
    let sent = metrics.sent.get_or_create_owned(&Kind { class });
    response.map(|body| Body::new(CountedBody { body, sent }))
}

/// An answer's content, counted as the client takes it.
struct CountedBody {
    body: Body,
    sent: Counter,
}

impl hyper::body::Body for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
        {
            self.sent.inc_by(data.len() as u64);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
