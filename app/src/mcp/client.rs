//! What is said to a server: JSON-RPC, a request at a time.
//!
//! Servers of 2026-07-28 know no sessions: every request says its version, and the first one finds out whether the server is such.
//! Any other is initialized as 2025-06-18 has it, and may give a session, which later requests name.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Map, Value, json};

use super::McpError;
use super::events::Events;

/// The version without sessions.
const MODERN: &str = "2026-07-28";
/// The version that other servers are offered, and those that they may answer with.
const LEGACY: &str = "2025-06-18";
const LEGACY_KNOWN: [&str; 3] = ["2025-11-25", LEGACY, "2025-03-26"];
/// The most bytes of an answer.
const MOST_BYTES: usize = 1 << 20;
/// The most pages of a list.
const MOST_PAGES: usize = 8;
/// Codes of a server that knows [`MODERN`] and refuses a request.
const HEADER_MISMATCH: i64 = -32_020;
const MISSING_CAPABILITY: i64 = -32_021;
/// Code of a server that knows other versions.
const OTHER_VERSION: i64 = -32_022;

/// What is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// The protocol's own headers.
    pub headers: Vec<(&'static str, String)>,
    /// JSON.
    pub body: String,
}

/// The head of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its status.
    pub status: u16,
    /// What its body is.
    pub kind: Kind,
    /// The session that it gives.
    pub session: Option<String>,
}

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A JSON text.
    Json,
    /// A stream of events.
    Events,
    /// Something else, or nothing.
    Other,
}

/// What reaches a server.
pub trait Transport {
    /// The body of an answer.
    type Body: Body;

    /// Sends a request, and returns the head of its answer and what reads its body. Dropping that ends the answer.
    async fn post(&self, post: &Post) -> Result<(Head, Self::Body), McpError>;
}

/// The body of an answer.
pub trait Body {
    /// Returns the next piece; `None` at the end.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, McpError>;
}

/// What is known of how a server wants to be spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Session {
    /// Every request stands for itself.
    Modern,
    /// The server was initialized.
    Legacy {
        /// Its version.
        version: String,
        /// What it gave.
        id: Option<String>,
    },
}

/// Speaks with one server.
#[derive(Debug)]
pub struct Client<T> {
    transport: T,
    /// `None` before anything was said.
    pub session: Option<Session>,
    last: u64,
}

/// Why a request has no result.
#[derive(Debug, PartialEq, Eq)]
enum Trouble {
    Error(McpError),
    /// There is no message in the answer.
    Status(u16),
    /// The server has refused.
    Rpc {
        code: i64,
        message: String,
        supported: Vec<String>,
        status: u16,
    },
}

impl From<McpError> for Trouble {
    fn from(error: McpError) -> Self {
        Self::Error(error)
    }
}

impl From<Trouble> for McpError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Error(error) => error,
            Trouble::Status(200..=299) => Self::NotProtocol,
            Trouble::Status(status) => Self::Status { status: status.to_string() },
            Trouble::Rpc { code: OTHER_VERSION, .. } => Self::NoVersion,
            Trouble::Rpc { message, .. } => Self::Refused { message },
        }
    }
}

impl<T: Transport> Client<T> {
    /// Goes on with what is known of the server.
    pub fn new(transport: T, session: Option<Session>) -> Self {
        Self { transport, session, last: 0 }
    }

    /// Returns the server's tools, as it says them.
    ///
    /// # Errors
    /// Why they can't be had.
    pub async fn list(&mut self) -> Result<Vec<Value>, McpError> {
        let (mut tools, mut cursor) = (Vec::new(), None);
        for _ in 0..MOST_PAGES {
            let params = cursor.map_or_else(|| json!({}), |cursor: Value| json!({ "cursor": cursor }));
            let mut page = self.ask("tools/list", params).await?;
            match page["tools"].take() {
                Value::Array(more) => tools.extend(more),
                _ => return Err(McpError::NotProtocol),
            }
            cursor = Some(page["nextCursor"].take())
                .filter(|cursor| cursor.as_str().is_some_and(|it| !it.is_empty()));
            if cursor.is_none() {
                break;
            }
        }
        Ok(tools)
    }

    /// Calls a tool. Dropping the future ends the wait.
    ///
    /// # Errors
    /// Why there is no result.
    pub async fn call(&mut self, name: &str, arguments: Value) -> Result<Value, McpError> {
        self.ask("tools/call", json!({ "name": name, "arguments": arguments })).await
    }

    async fn ask(&mut self, method: &str, params: Value) -> Result<Value, McpError> {
        let session = match self.session.clone() {
            Some(session) => session,
            None => self.negotiate().await?,
        };
        let has_session = matches!(&session, Session::Legacy { id: Some(_), .. });
        match self.exchange(Some(&session), method, params.clone()).await {
            // The session is over.
            Err(Trouble::Status(404) | Trouble::Rpc { status: 404, .. }) if has_session => {
                let session = self.initialize().await?;
                Ok(self.exchange(Some(&session), method, params).await?.0)
            }
            Ok((result, _)) => Ok(result),
            Err(trouble) => Err(trouble.into()),
        }
    }

    /// Finds out how the server wants to be spoken to.
    async fn negotiate(&mut self) -> Result<Session, McpError> {
        let knows =
            |supported: &[String]| LEGACY_KNOWN.iter().any(|known| supported.iter().any(|it| it == known));
        match self.exchange(Some(&Session::Modern), "server/discover", json!({})).await {
            Ok((result, _)) => {
                let supported = texts(&result["supportedVersions"]);
                if supported.iter().any(|version| version == MODERN) {
                    self.session = Some(Session::Modern);
                    return Ok(Session::Modern);
                }
                if !knows(&supported) {
                    return Err(McpError::NoVersion);
                }
            }
            Err(Trouble::Rpc { code: OTHER_VERSION, supported, .. }) if !knows(&supported) => {
                return Err(McpError::NoVersion);
            }
            Err(Trouble::Rpc { code: HEADER_MISMATCH | MISSING_CAPABILITY, message, .. }) => {
                return Err(McpError::Refused { message });
            }
            Err(Trouble::Error(error)) => return Err(error),
            Err(Trouble::Rpc { .. } | Trouble::Status(_)) => {}
        }
        self.initialize().await
    }

    async fn initialize(&mut self) -> Result<Session, McpError> {
        self.session = None;
        let params = json!({ "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": about() });
        let (result, id) = self.exchange(None, "initialize", params).await?;
        let version = result["protocolVersion"].as_str().filter(|version| LEGACY_KNOWN.contains(version));
        let version = version.ok_or(McpError::NoVersion)?.to_owned();
        let session = Session::Legacy { version, id };
        let body = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
        self.transport.post(&Post { headers: headers(Some(&session), None), body }).await?;
        self.session = Some(session.clone());
        Ok(session)
    }

    /// Sends a request, and waits for what answers it. Returns that, and the session that came with it.
    async fn exchange(
        &mut self,
        session: Option<&Session>,
        method: &str,
        mut params: Value,
    ) -> Result<(Value, Option<String>), Trouble> {
        self.last += 1;
        let id = self.last;
        let name = params["name"].as_str().filter(|_| method == "tools/call").map(str::to_owned);
        if session == Some(&Session::Modern) {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": about(),
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string();
        let headers = headers(session, Some((method, name.as_deref())));
        let (head, mut body) = self.transport.post(&Post { headers, body }).await?;
        match head.status {
            300..=399 => return Err(McpError::Redirected.into()),
            401 | 403 => return Err(McpError::Unauthorized.into()),
            _ => {}
        }
        let message = match head.kind {
            Kind::Json => json_of(&mut body, id).await?,
            Kind::Events => event_of(&mut body, id).await?,
            Kind::Other => None,
        };
        let mut message = message.ok_or(Trouble::Status(head.status))?;
        if let Value::Object(error) = message["error"].take() {
            return Err(refusal(&error, head.status));
        }
        Ok((message["result"].take(), head.session))
    }
}

/// Who asks.
fn about() -> Value {
    json!({ "name": "gemtab", "version": env!("CARGO_PKG_VERSION") })
}

/// The headers of a message; of a request, also with its method, and the tool that it calls.
fn headers(session: Option<&Session>, request: Option<(&str, Option<&str>)>) -> Vec<(&'static str, String)> {
    let mut headers = Vec::new();
    match session {
        // `initialize` has the version in its parameters.
        None => {}
        Some(Session::Modern) => {
            headers.push(("mcp-protocol-version", MODERN.to_owned()));
            if let Some((method, name)) = request {
                headers.push(("mcp-method", method.to_owned()));
                headers.extend(name.map(|name| ("mcp-name", header_value(name))));
            }
        }
        Some(Session::Legacy { version, id }) => {
            headers.push(("mcp-protocol-version", version.clone()));
            headers.extend(id.clone().map(|id| ("mcp-session-id", id)));
        }
    }
    headers
}

/// A text as a header can have it.
fn header_value(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) && text.trim() == text;
    let is_like_encoded = text.starts_with("=?base64?") && text.ends_with("?=");
    match is_plain && !is_like_encoded {
        true => text.to_owned(),
        false => format!("=?base64?{}?=", BASE64_STANDARD.encode(text)),
    }
}

/// The message of a JSON text; `None` if it has none.
async fn json_of(body: &mut impl Body, id: u64) -> Result<Option<Value>, McpError> {
    let mut text = Vec::new();
    while let Some(piece) = body.next().await? {
        if text.len() + piece.len() > MOST_BYTES {
            return Err(McpError::TooMuch);
        }
        text.extend(piece);
    }
    Ok(serde_json::from_slice(&text).ok().filter(|message| answers(message, id, true)))
}

/// The message of a stream of events that answers this request; `None` if the stream ends before. Others are of no use here.
async fn event_of(body: &mut impl Body, id: u64) -> Result<Option<Value>, McpError> {
    let (mut events, mut bytes) = (Events::default(), 0);
    while let Some(piece) = body.next().await? {
        bytes += piece.len();
        if bytes > MOST_BYTES {
            return Err(McpError::TooMuch);
        }
        let messages = events.feed(&piece).into_iter().filter_map(|data| serde_json::from_str(&data).ok());
        if let Some(message) = messages.into_iter().find(|message| answers(message, id, false)) {
            return Ok(Some(message));
        }
    }
    Ok(None)
}

/// Whether a message answers the request of this number. An error may have none where it is the only message.
fn answers(message: &Value, id: u64, is_only: bool) -> bool {
    let is_error = message["error"].is_object();
    let has_id = message["id"].as_u64() == Some(id) || (is_only && is_error && message["id"].is_null());
    has_id && (is_error || message["result"].is_object())
}

fn refusal(error: &Map<String, Value>, status: u16) -> Trouble {
    let field = |name: &str| error.get(name).unwrap_or(&Value::Null);
    let message = field("message").as_str().unwrap_or_default();
    Trouble::Rpc {
        code: field("code").as_i64().unwrap_or_default(),
        message: crate::format::shortened(message, 1_000),
        supported: texts(&field("data")["supported"]),
        status,
    }
}

/// The texts in a list.
pub fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|it| it.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
