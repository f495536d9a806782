//! What reaches a server: `fetch`, through `/api/mcp` of the page's own server.

use js_sys::{Promise, Reflect, Uint8Array};
use protocol::relay;
use serde_json::Value;
use wasm_bindgen::{JsCast as _, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Headers, RequestInit, Response};

use super::client::{Body, Head, Kind, Post, Transport, texts};
use super::{McpError, host_of};
use crate::browser;

const ADDRESS: &str = "/api/mcp";
/// The header that names a session.
const SESSION: &str = "mcp-session-id";

#[wasm_bindgen]
extern "C" {
    /// A `ReadableStreamDefaultReader`.
    type Reader;

    #[wasm_bindgen(method)]
    fn read(this: &Reader) -> Promise;

    /// A `ReadableStream`.
    type Stream;

    #[wasm_bindgen(method, catch, js_name = getReader)]
    fn get_reader(this: &Stream) -> Result<Reader, JsValue>;
}

/// Returns the hosts that the page's server passes requests on to; `None` if it doesn't say.
pub async fn hosts() -> Option<Vec<String>> {
    let report = browser::fetch_json::<Value>(ADDRESS).await.ok()?.value;
    Some(texts(&report["hosts"]))
}

/// A server that is asked through the page's own.
#[derive(Clone, Debug)]
pub struct Relayed {
    /// Its address.
    pub address: String,
    /// Bearer token; empty if there is none.
    pub token: String,
}

/// Ends a request when it is dropped.
struct EndOnDrop(AbortController);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The body of an answer.
pub struct Pieces {
    /// `None` if there is nothing to read.
    reader: Option<Reader>,
    host: String,
    _request: EndOnDrop,
}

impl Relayed {
    fn broken(&self) -> McpError {
        McpError::Unreachable { host: host_of(&self.address).to_owned() }
    }

    async fn ask(&self, post: &Post) -> Result<(Response, EndOnDrop), McpError> {
        let offline = |_: JsValue| McpError::Offline;
        let headers = Headers::new().map_err(offline)?;
        let fixed = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            (relay::TARGET, &*self.address),
        ];
        let own = post.headers.iter().map(|(name, value)| (*name, &**value));
        let token = (!self.token.is_empty()).then(|| format!("Bearer {}", self.token));
        let token = token.iter().map(|token| (relay::AUTHORIZATION, &**token));
        for (name, value) in fixed.into_iter().chain(own).chain(token) {
            // A token that no header can have is as good as none.
            headers.set(name, value).map_err(|_| McpError::Unauthorized)?;
        }
        let end = EndOnDrop(AbortController::new().map_err(offline)?);
        let request = RequestInit::new();
        request.set_method("POST");
        request.set_headers(&headers);
        request.set_body(&JsValue::from_str(&post.body));
        request.set_signal(Some(&end.0.signal()));
        let window = web_sys::window().ok_or(McpError::Offline)?;
        let response =
            JsFuture::from(window.fetch_with_str_and_init(ADDRESS, &request)).await.map_err(offline)?;
        Ok((response.dyn_into().map_err(offline)?, end))
    }
}

impl Transport for Relayed {
    type Body = Pieces;

    async fn post(&self, post: &Post) -> Result<(Head, Pieces), McpError> {
        let (response, end) = self.ask(post).await?;
        if !response.ok() {
            return Err(refused(&response).await);
        }
        let header = |name: &str| response.headers().get(name).ok().flatten();
        let status = header(relay::STATUS).and_then(|status| status.parse().ok()).ok_or(McpError::Offline)?;
        let kind = match header("content-type").as_deref() {
            Some("application/json") => Kind::Json,
            Some("text/event-stream") => Kind::Events,
            _ => Kind::Other,
        };
        let body = Reflect::get(&response, &"body".into()).ok().filter(JsValue::is_object);
        let reader = body.map(|body| body.unchecked_into::<Stream>().get_reader());
        let reader = reader.transpose().map_err(|_| self.broken())?;
        let host = host_of(&self.address).to_owned();
        Ok((Head { status, kind, session: header(SESSION) }, Pieces { reader, host, _request: end }))
    }
}

impl Body for Pieces {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, McpError> {
        let broken = |_: JsValue| McpError::Unreachable { host: self.host.clone() };
        let Some(reader) = &self.reader else { return Ok(None) };
        let next = JsFuture::from(reader.read()).await.map_err(broken)?;
        let field = |name: &str| Reflect::get(&next, &name.into()).unwrap_or_default();
        let piece = field("value").dyn_into::<Uint8Array>().ok().filter(|_| field("done").is_falsy());
        Ok(piece.map(|piece| piece.to_vec()))
    }
}

/// Why the page's server has passed nothing on.
async fn refused(response: &Response) -> McpError {
    let text = match response.text() {
        Ok(text) => JsFuture::from(text).await.ok().and_then(|text| text.as_string()),
        Err(_) => None,
    };
    let said: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
    said.map_or(McpError::Offline, |said| McpError::of_relay(&said["code"]))
}
