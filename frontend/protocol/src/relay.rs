//! Passing requests on to servers of the Model Context Protocol: what `/api/mcp` answers and takes.
//!
//! A request and an answer are passed on as they are. What the server itself has to say of them is in headers.

use serde::{Deserialize, Serialize};

/// Header of a request: where it is to be passed on to.
pub const TARGET: &str = "gemtab-target";
/// Header of a request: what is sent as `authorization`. A browser may send another one to the server itself.
pub const AUTHORIZATION: &str = "gemtab-authorization";
/// Header of an answer that was passed on: its status. The answer's own is 200, so that a browser takes nothing of it upon itself.
pub const STATUS: &str = "gemtab-status";

/// The answer to `GET /api/mcp`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelayReport {
    /// The hosts that requests are passed on to, `HOST[:PORT]`.
    pub hosts: Vec<String>,
}

/// Why a request isn't passed on. It is answered with one, as a [`Said`](crate::said::Said).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelayProblem {
    /// The target isn't an address.
    Address,
    /// The target isn't encrypted.
    PlainHttp {
        /// Host and port.
        host: String,
    },
    /// Nothing is passed on to this host.
    NotAllowed {
        /// Host and port.
        host: String,
    },
    /// The host is in a private network, and wasn't named as such.
    Private {
        /// Host and port.
        host: String,
    },
    /// The host can't be reached.
    Unreachable {
        /// Host and port.
        host: String,
    },
    /// The host hasn't answered in time.
    Late {
        /// Host and port.
        host: String,
    },
    /// Too many requests are being passed on.
    Busy,
    /// The request is too long.
    TooLong,
}
