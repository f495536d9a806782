//! `fetch` of ranges, from a worker.

use std::ops::Range;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use wasm_bindgen::{JsCast as _, JsValue};

use super::error_text;
use crate::bytes::http::{Body, HttpSource, Reply, Transport, TransportError, range_header};
use crate::bytes::{Bytes, CancelToken, LocalBoxFuture};

/// A connection without data for this long counts as broken.
const STALL: Duration = Duration::from_secs(30);

/// Returns a file of `len` bytes on the page's own server. `cancel` stops every read of it.
pub fn http_source(url: &str, len: u64, cancel: CancelToken) -> HttpSource<FetchTransport> {
    HttpSource::new(FetchTransport { url: url.to_owned() }, len, cancel)
}

/// Requests for one address of the page's own origin.
#[derive(Clone, Debug)]
pub struct FetchTransport {
    url: String,
}

/// Aborts a request when it is dropped, to save traffic.
struct AbortOnDrop(web_sys::AbortController);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct FetchBody {
    reader: web_sys::ReadableStreamDefaultReader,
    _request: AbortOnDrop,
}

impl FetchTransport {
    async fn fetch(&self, range: Range<u64>, if_range: Option<String>) -> Result<Reply, TransportError> {
        let headers = web_sys::Headers::new().map_err(broken)?;
        headers.set("Range", &range_header(&range)).map_err(broken)?;
        if let Some(tag) = if_range {
            headers.set("If-Range", &tag).map_err(broken)?;
        }
        let request = AbortOnDrop(web_sys::AbortController::new().map_err(broken)?);
        let init = web_sys::RequestInit::new();
        init.set_headers_headers(&headers);
        init.set_signal(Some(&request.0.signal()));
        // The server may send the browser on to an object store. Where else nothing is fetched from, its policy says.
        init.set_mode(web_sys::RequestMode::Cors);
        // Weights are kept by `store` or not at all: the HTTP cache would only evict everything else.
        init.set_cache(web_sys::RequestCache::NoStore);

        let scope: web_sys::WorkerGlobalScope = js_sys::global().unchecked_into();
        let response = in_time(scope.fetch_with_str_and_init(&self.url, &init)).await?;
        let response: web_sys::Response = response.unchecked_into();
        let header = |name| response.headers().get(name).ok().flatten();
        let stream = response
            .body()
            .ok_or_else(|| TransportError { reason: "an answer without a body".to_owned() })?;
        let reader = web_sys::ReadableStreamDefaultReader::new(&stream).map_err(broken)?;
        Ok(Reply {
            status: response.status(),
            content_range: header("Content-Range"),
            etag: header("ETag"),
            body: Box::new(FetchBody { reader, _request: request }),
        })
    }
}

impl Transport for FetchTransport {
    fn request(
        &self,
        range: Range<u64>,
        if_range: Option<String>,
    ) -> LocalBoxFuture<'_, Result<Reply, TransportError>> {
        self.fetch(range, if_range).boxed_local()
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'_, ()> {
        TimeoutFuture::new(millis(duration)).boxed_local()
    }
}

impl FetchBody {
    async fn next_piece(&mut self) -> Result<Option<Bytes>, TransportError> {
        let next: js_sys::IteratorNext = in_time(self.reader.read()).await?.unchecked_into();
        if next.done() {
            return Ok(None);
        }
        let piece: js_sys::Uint8Array = next.value().unchecked_into();
        Ok(Some(piece.into()))
    }
}

impl Body for FetchBody {
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Option<Bytes>, TransportError>> {
        self.next_piece().boxed_local()
    }
}

/// Returns the result of a promise, or an error after [`STALL`].
async fn in_time(promise: js_sys::Promise) -> Result<JsValue, TransportError> {
    let value = wasm_bindgen_futures::JsFuture::from(promise);
    match select(value, TimeoutFuture::new(millis(STALL))).await {
        Either::Left((value, _)) => value.map_err(broken),
        Either::Right(_) => {
            Err(TransportError { reason: format!("nothing came for {} seconds", STALL.as_secs()) })
        }
    }
}

fn millis(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}

fn broken(error: JsValue) -> TransportError {
    TransportError { reason: error_text(&error) }
}
