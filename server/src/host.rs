//! Which names a request may call this server by.
//!
//! A page elsewhere can have its own name point at 127.0.0.1 once it is loaded (DNS rebinding). Its requests then come
//! from the page's own origin as far as the browser can tell, and what this server answers would be the page's to read.
//! They still carry that name in `Host`, so names that are not expected are refused. An address cannot be rebound.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
    str::FromStr,
    sync::Arc,
};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, Version, header, uri::Authority},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

/// The host of a `Host` header, without the port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// A name, in lower case.
    Name(String),
    /// An address; that of IPv6 in brackets.
    Address(IpAddr),
}

/// The text is not a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a host is a name such as chat.example.org, or an address")]
pub struct NotAHost;

impl Host {
    /// Reads `host` or `host:port`.
    ///
    /// # Errors
    /// When it is neither.
    pub fn with_port(text: &str) -> Result<Self, NotAHost> {
        let end = match text.rfind(']') {
            Some(bracket) => bracket + 1,
            None => text.find(':').unwrap_or(text.len()),
        };
        let (host, port) = text.split_at(end);
        let is_port = match port.strip_prefix(':') {
            Some(digits) => digits.bytes().all(|byte| byte.is_ascii_digit()),
            None => port.is_empty(),
        };
        if is_port { host.parse() } else { Err(NotAHost) }
    }
}

impl FromStr for Host {
    type Err = NotAHost;

    /// Reads a host without a port.
    fn from_str(text: &str) -> Result<Self, NotAHost> {
        if let Some(address) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return address.parse::<Ipv6Addr>().map(|ip| Self::Address(ip.into())).map_err(|_| NotAHost);
        }
        let of_a_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
        if text.is_empty() || text.len() > 253 || !text.bytes().all(of_a_name) {
            return Err(NotAHost);
        }
        Ok(text.parse().map_or_else(|_| Self::Name(text.to_ascii_lowercase()), Self::Address))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
            Self::Address(address) => address.fmt(f),
        }
    }
}

/// The hosts that requests may name.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// Whether only this machine can reach the server.
    is_local: bool,
    also: Arc<[Host]>,
}

impl Hosts {
    /// For a server that listens on `address`: this machine by its usual names, every address when other machines can
    /// reach it, and `also`.
    #[must_use]
    pub fn new(address: IpAddr, also: impl IntoIterator<Item = Host>) -> Self {
        Self { is_local: address.is_loopback(), also: also.into_iter().collect() }
    }

    fn allow(&self, host: &Host) -> bool {
        let usual = match host {
            Host::Name(name) => name == "localhost",
            Host::Address(address) => address.is_loopback() || !self.is_local,
        };
        usual || self.also.contains(host)
    }
}

/// Lets a request through if it names an expected host, exactly once.
pub async fn check(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    match named(&request) {
        None => (StatusCode::BAD_REQUEST, "The request must have one valid Host header.").into_response(),
        Some(named) => match named.into_iter().find(|host| !hosts.allow(host)) {
            None => next.run(request).await,
            Some(host) => {
                let advice = format!(
                    "This server doesn't go by the name {host}. If it should, start it with --allow-host {host}."
                );
                (StatusCode::MISDIRECTED_REQUEST, advice).into_response()
            }
        },
    }
}

/// The hosts that a request names: in its header and, where it has the form for proxies, in its target too. HTTP/2 has
/// the host in the target (`:authority`), and may leave the header out.
fn named(request: &Request) -> Option<Vec<Host>> {
    let mut values = request.headers().get_all(header::HOST).iter();
    let (header, None) = (values.next(), values.next()) else { return None };
    let target = request.uri().authority().map(Authority::as_str);
    let is_enough = header.is_some() || (request.version() == Version::HTTP_2 && target.is_some());
    let header = header.map(HeaderValue::to_str).transpose().ok()?;
    let texts = [header, target].into_iter().flatten();
    if is_enough { texts.map(|text| Host::with_port(text).ok()).collect() } else { None }
}

/// Whether a browser says that the page which asks is not one of this server's own.
#[must_use]
pub fn is_of_another_site(headers: &HeaderMap) -> bool {
    headers.get_all("sec-fetch-site").iter().any(|site| site != "same-origin" && site != "none")
}

/// Whether a browser says in `Origin` that the page which asks has another host than the request names: then a proxy has put
/// the server's name in place of its own. Ports may differ, as with one that is forwarded.
pub fn is_foreign(headers: &HeaderMap, target: &Uri) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return false };
    let header = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let named = header.or_else(|| target.authority().map(Authority::as_str));
    let named = named.and_then(|host| Host::with_port(host).ok());
    // `null` is that of a page without one.
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    let origin = origin.and_then(|(_, host)| Host::with_port(host).ok());
    origin.is_none() || origin != named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_with_and_without_a_port() {
        let name = |name: &str| Ok(Host::Name(name.into()));
        assert_eq!(Host::with_port("localhost"), name("localhost"));
        assert_eq!(Host::with_port("LocalHost:3000"), name("localhost"));
        assert_eq!(Host::with_port("a-b.example:"), name("a-b.example"));
        assert_eq!(Host::with_port("127.0.0.1:80"), Ok(Host::Address([127, 0, 0, 1].into())));
        let loopback = Host::Address(Ipv6Addr::LOCALHOST.into());
        assert_eq!(Host::with_port("[::1]"), Ok(loopback.clone()));
        assert_eq!(Host::with_port("[::1]:3000"), Ok(loopback.clone()));
        assert_eq!(loopback.to_string(), "[::1]");
    }

    #[test]
    fn nothing_else_is_a_host() {
        let long = "a".repeat(254);
        for text in [
            "",
            ":80",
            "::1",
            "[::1",
            "[::1]x",
            "[127.0.0.1]",
            "localhost:80:80",
            "localhost:http",
            "user@localhost",
            "a b",
            "a,b",
            "a/b",
            "é.example",
            "localhost\u{202e}",
            &long,
        ] {
            assert_eq!(Host::with_port(text), Err(NotAHost), "{text:?}");
        }
    }

    #[test]
    fn addresses_count_where_other_machines_may_ask() {
        let host = |text| Host::with_port(text).expect("a host");
        let also = [host("chat.example.org"), host("192.0.2.7")];
        let local = Hosts::new([127, 0, 0, 1].into(), also.clone());
        let open = Hosts::new([0, 0, 0, 0].into(), also);
        for (text, on_loopback, elsewhere) in [
            ("localhost", true, true),
            ("127.0.0.1", true, true),
            ("[::1]", true, true),
            ("chat.example.org", true, true),
            ("192.0.2.7", true, true),
            ("198.51.100.1", false, true),
            ("[2001:db8::1]", false, true),
            ("0.0.0.0", false, true),
            ("evil.example", false, false),
            ("localhost.evil.example", false, false),
            ("localhost.", false, false),
        ] {
            assert_eq!(local.allow(&host(text)), on_loopback, "{text}");
            assert_eq!(open.allow(&host(text)), elsewhere, "{text}");
        }
    }

    #[test]
    fn a_page_of_another_host_is_foreign() {
        let local = "http://localhost:3000";
        for (origin, host, target, is_foreign_here) in [
            (None, Some("127.0.0.1:3000"), "/", false),
            (Some(local), Some("localhost:3000"), "/", false),
            (Some("http://localhost:8080"), Some("LOCALHOST:3000"), "/", false),
            (Some("https://[::1]:3000"), Some("[::1]:3000"), "/", false),
            (Some("https://localhost:3000"), None, "https://localhost:3000/", false),
            (Some("https://chat.example.org"), Some("127.0.0.1:3000"), "/", true),
            (Some("https://chat.example.org"), None, "https://localhost:3000/", true),
            (Some(local), Some("127.0.0.1:3000"), "/", true),
            (Some("null"), Some("localhost:3000"), "/", true),
            (Some(""), Some("localhost:3000"), "/", true),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in [(header::ORIGIN, origin), (header::HOST, host)] {
                headers.extend(value.map(|value| (name, HeaderValue::from_static(value))));
            }
            let target = Uri::from_static(target);
            assert_eq!(is_foreign(&headers, &target), is_foreign_here, "{headers:?} {target}");
        }
    }
}
