//! What goes wrong with a server.

use serde_json::{Map, Value};

/// Why a server has given nothing. A model reads it as JSON; the page shows a sentence, as of any error of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpError {
    /// The page's own server can't be reached.
    Offline,
    /// What was given as an address is none.
    Address,
    /// The address isn't encrypted.
    PlainHttp {
        /// Host and port.
        host: String,
    },
    /// The page's server passes nothing on to this host.
    NotRelayed {
        /// Host and port.
        host: String,
    },
    /// The host is in a private network.
    Private {
        /// Host and port.
        host: String,
    },
    /// The host can't be reached, or the connection broke.
    Unreachable {
        /// Host and port.
        host: String,
    },
    /// It took too long.
    Late {
        /// Host and port.
        host: String,
    },
    /// The page's server is busy.
    Busy,
    /// The arguments are too long.
    TooLong,
    /// The answer is too long.
    TooMuch,
    /// The server leads elsewhere.
    Redirected,
    /// The server wants to know who asks.
    Unauthorized,
    /// The server has answered with a status that says that something is wrong.
    Status {
        /// The status.
        status: String,
    },
    /// What answers doesn't speak the protocol.
    NotProtocol,
    /// It speaks none of the known versions.
    NoVersion,
    /// It wants something besides the arguments.
    NeedsInput,
    /// It has refused, in its own words.
    Refused {
        /// The words.
        message: String,
    },
    /// The user doesn't allow the call.
    NotAllowed,
}

/// The names of those without anything beside them.
const NAMES: [(McpError, &str); 11] = [
    (McpError::Offline, "offline"),
    (McpError::Address, "address"),
    (McpError::Busy, "busy"),
    (McpError::TooLong, "too-long"),
    (McpError::TooMuch, "too-much"),
    (McpError::Redirected, "redirected"),
    (McpError::Unauthorized, "unauthorized"),
    (McpError::NotProtocol, "not-protocol"),
    (McpError::NoVersion, "no-version"),
    (McpError::NeedsInput, "needs-input"),
    (McpError::NotAllowed, "not-allowed"),
];

// By hand: what serde derives for tagged enums weighs several kB.
impl McpError {
    /// Returns it as a model reads it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let (name, field) = match self {
            Self::PlainHttp { host } => ("plain-http", Some(("host", host))),
            Self::NotRelayed { host } => ("not-relayed", Some(("host", host))),
            Self::Private { host } => ("private", Some(("host", host))),
            Self::Unreachable { host } => ("unreachable", Some(("host", host))),
            Self::Late { host } => ("late", Some(("host", host))),
            Self::Status { status } => ("status", Some(("status", status))),
            Self::Refused { message } => ("refused", Some(("message", message))),
            _ => (NAMES.iter().find(|it| it.0 == *self).map_or("", |it| it.1), None),
        };
        let mut all = Map::from_iter([("error".to_owned(), name.into())]);
        all.extend(field.map(|(name, text)| (name.to_owned(), text.clone().into())));
        Value::Object(all)
    }

    /// Reads what a model has read; `None` if it is something else.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        Some(match value["error"].as_str()? {
            "plain-http" => Self::PlainHttp { host: text("host")? },
            "not-relayed" => Self::NotRelayed { host: text("host")? },
            "private" => Self::Private { host: text("host")? },
            "unreachable" => Self::Unreachable { host: text("host")? },
            "late" => Self::Late { host: text("host")? },
            "status" => Self::Status { status: text("status")? },
            "refused" => Self::Refused { message: text("message")? },
            name => NAMES.into_iter().find(|it| it.1 == name)?.0,
        })
    }

    /// Reads why the page's server passes nothing on, a [`RelayProblem`](protocol::RelayProblem) in JSON.
    #[must_use]
    pub fn of_relay(code: &Value) -> Self {
        let named = code.as_object().and_then(|code| code.iter().next());
        let (name, inner) = match (code.as_str(), named) {
            (Some(name), _) => (name, &Value::Null),
            (None, Some((name, inner))) => (&**name, inner),
            (None, None) => return Self::Offline,
        };
        let host = inner["host"].as_str().unwrap_or_default().to_owned();
        match name {
            "address" => Self::Address,
            "plain_http" => Self::PlainHttp { host },
            "not_allowed" => Self::NotRelayed { host },
            "private" => Self::Private { host },
            "unreachable" => Self::Unreachable { host },
            "late" => Self::Late { host },
            "busy" => Self::Busy,
            "too_long" => Self::TooLong,
            _ => Self::Offline,
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::RelayProblem as R;

    use super::*;

    #[test]
    fn what_the_pages_server_says_is_read() {
        let host = || "h".to_owned();
        for (problem, error) in [
            (R::Address, McpError::Address),
            (R::PlainHttp { host: host() }, McpError::PlainHttp { host: host() }),
            (R::NotAllowed { host: host() }, McpError::NotRelayed { host: host() }),
            (R::Private { host: host() }, McpError::Private { host: host() }),
            (R::Unreachable { host: host() }, McpError::Unreachable { host: host() }),
            (R::Late { host: host() }, McpError::Late { host: host() }),
            (R::Busy, McpError::Busy),
            (R::TooLong, McpError::TooLong),
        ] {
            assert_eq!(McpError::of_relay(&serde_json::to_value(problem).expect("JSON")), error);
        }
        for other in [Value::Null, "of a newer server".into(), serde_json::json!({})] {
            assert_eq!(McpError::of_relay(&other), McpError::Offline);
        }
    }
}
