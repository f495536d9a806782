//! What a person types to name a model, and where that is on the network.

use std::{net::Ipv4Addr, str::FromStr};

use protocol::PullProblem;
use reqwest::Url;

use crate::{
    catalog::name::{Name, NotAName},
    text::printable,
};

/// Where the hub's own addresses are; `hf.co` is its short name.
pub const HUB: &str = "https://huggingface.co";

/// Why a text names no model that can be pulled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnAddress {
    /// It is not a name.
    #[error(
        "That isn't the name of a model. Names are [host/][namespace/]model[:tag], of letters, digits, '_', '-' and '.': \
         gemma4:e2b, for example, or hf.co/OWNER/REPOSITORY:Q4_K_M."
    )]
    Name,
    /// The part before the first slash is not a host.
    #[error("“{0}” isn't a host, or a host with a port.")]
    Host(String),
    /// The hub has no repository without an owner.
    #[error("On {0}, models are named {0}/OWNER/REPOSITORY:QUANTIZATION.")]
    NoOwner(String),
    /// The name has a scheme that is not used.
    #[error(
        "Plain HTTP is only used for this machine's own registries, or with --insecure. Leave out “http://”."
    )]
    PlainHttp,
}

impl NotAnAddress {
    pub(super) fn code(&self) -> PullProblem {
        let shown = |host: &str| printable(host).into_owned();
        match self {
            Self::Name => PullProblem::Name,
            Self::Host(host) => PullProblem::Host { host: shown(host) },
            Self::NoOwner(host) => PullProblem::NoOwner { host: shown(host) },
            Self::PlainHttp => PullProblem::PlainHttp,
        }
    }
}

impl From<NotAName> for NotAnAddress {
    fn from(_: NotAName) -> Self {
        Self::Name
    }
}

/// The model that a text names.
///
/// The text is what Ollama takes: `model`, `namespace/model`, `host/namespace/model`, each with a `:tag` or without. The
/// address of a page on the hub is taken as well, since that is what people copy.
///
/// # Errors
/// When the text is none of these.
pub fn parse(text: &str) -> Result<Name, NotAnAddress> {
    if text.starts_with("http://") {
        return Err(NotAnAddress::PlainHttp);
    }
    let text = text.strip_prefix("https://").unwrap_or(text);
    if let Some((host, path)) = text.split_once('/')
        && is_hub(host)
        && !path.contains('/')
    {
        return Err(NotAnAddress::NoOwner(host.into()));
    }
    Ok(Name::from_str(text)?)
}

/// Whether this is Hugging Face.
#[must_use]
pub fn is_hub(host: &str) -> bool {
    ["hf.co", "huggingface.co"].iter().any(|hub| host.eq_ignore_ascii_case(hub))
}

/// Scheme, host and port of the registry at `host`. This machine's own registries speak plain HTTP, as with Docker; others
/// only if `insecure` says that they may.
pub(super) fn origin(host: &str, insecure: bool) -> Result<Url, NotAnAddress> {
    let wrong = || NotAnAddress::Host(host.into());
    let scheme = if insecure || is_loopback(host) { "http" } else { "https" };
    let url = Url::parse(&format!("{scheme}://{host}/")).map_err(|_| wrong())?;
    // Nothing of a host may have been read as something else.
    let is_plain = url.path() == "/" && url.username().is_empty() && url.password().is_none();
    if is_plain && url.host().is_some() { Ok(url) } else { Err(wrong()) }
}

/// Scheme, host and port of a server that takes the hub's place.
pub(super) fn hub_origin(address: &str, insecure: bool) -> Result<Url, NotAnAddress> {
    let url = Url::parse(address).map_err(|_| NotAnAddress::Host(address.into()))?;
    match (url.scheme(), url.host_str()) {
        ("https", Some(_)) => Ok(url),
        ("http", Some(host)) if insecure || is_loopback(host) => Ok(url),
        ("http", Some(_)) => Err(NotAnAddress::PlainHttp),
        _ => Err(NotAnAddress::Host(address.into())),
    }
}

/// Whether the host is this machine, whatever a name server says.
pub(super) fn is_loopback(host: &str) -> bool {
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_ollama() {
        for (typed, full) in [
            ("gemma4", "gemma4:latest"),
            ("gemma4:e2b", "gemma4:e2b"),
            ("me/gemma4", "me/gemma4:latest"),
            ("hf.co/u/m:Q4_K_M", "hf.co/u/m:Q4_K_M"),
            ("https://huggingface.co/u/m", "huggingface.co/u/m:latest"),
            ("localhost:5000/u/m:x", "localhost:5000/u/m:x"),
        ] {
            assert_eq!(parse(typed).expect(typed).to_string(), full);
        }
    }

    #[test]
    fn odd_names_are_refused() {
        for text in [
            "",
            "../etc/passwd",
            "a/../b",
            "library/..",
            "m:../../x",
            "m\0",
            "m:t ag",
            "größe",
            "m\n",
            "a\\b",
            "hf.co/a/b/c:d",
            "%2e%2e/m",
            "m?x",
            "m#x",
            "u@h/n/m",
            "https://",
            "m@sha256:00",
        ] {
            assert_eq!(parse(text), Err(NotAnAddress::Name), "{text:?}");
        }
        assert_eq!(parse("hf.co/m"), Err(NotAnAddress::NoOwner("hf.co".into())));
        assert_eq!(parse("http://h/n/m"), Err(NotAnAddress::PlainHttp));
    }

    #[test]
    fn only_this_machine_is_asked_without_encryption() {
        let scheme = |host, insecure| origin(host, insecure).expect(host).scheme().to_owned();
        for host in ["localhost", "localhost:5000", "127.0.0.1:5000", "127.9.9.9"] {
            assert_eq!(scheme(host, false), "http", "{host}");
        }
        for host in ["registry.ollama.ai", "localhost.example.org", "10.0.0.1:5000", "127.0.0.1.example.org"]
        {
            assert_eq!(scheme(host, false), "https", "{host}");
            assert_eq!(scheme(host, true), "http", "{host}");
        }
        let hub = |address, insecure| hub_origin(address, insecure).map(String::from);
        assert_eq!(hub(HUB, false), Ok("https://huggingface.co/".into()));
        assert_eq!(hub("http://127.0.0.1:80/", false), Ok("http://127.0.0.1/".into()));
        assert_eq!(hub("http://mirror.example.org", false), Err(NotAnAddress::PlainHttp));
        assert!(hub("http://mirror.example.org", true).is_ok() && hub("file:///x", true).is_err());
        for host in ["a:b", "a:1:2", "a:99999", "0x7f.1.2.3.4.5"] {
            assert_eq!(origin(host, false), Err(NotAnAddress::Host(host.into())), "{host}");
        }
    }
}
