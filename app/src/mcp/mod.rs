//! Tools of others, over the Model Context Protocol. A server is a stranger: what it says of its tools, and what these return, is
//! text of bounded length that is checked before it is used.
//!
//! Everything goes through `/api/mcp` of the page's own server ([`fetch`]), since the page's policy allows no other origin.

mod client;
mod error;
mod events;
mod fetch;
mod listed;
mod named;
mod result;

pub use client::{Client, Session};
pub use error::McpError;
pub use fetch::{Relayed, hosts};
pub use listed::merged;
pub use named::prefix;
pub use result::text_of;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A server that the user has added.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct McpServer {
    /// Its address, which no other has.
    pub address: String,
    /// What the user calls it.
    pub name: String,
    /// Begins the names of its tools as models read them. No other has it.
    pub prefix: String,
    /// Bearer token; empty if there is none.
    pub token: String,
    /// Whether conversations may use it.
    pub on: bool,
    /// Its tools, as it listed them last.
    pub tools: Vec<McpTool>,
}

/// A tool of such a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct McpTool {
    /// What the server calls it.
    pub name: String,
    /// What models call it: not like a tool of the page or of another server.
    pub alias: String,
    /// What the server says of it.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: String,
    /// Whether the user has it on.
    pub on: bool,
    /// The keyword of its schema that can't be guaranteed, so that models can't have it; empty if the schema as a whole can't be used,
    /// `None` if it can.
    pub refused: Option<String>,
    /// The definition with which the user allowed all calls; `None` if they aren't allowed.
    pub allowed: Option<String>,
}

/// Begins what a conversation keeps of a server that is on in it; the address follows.
const ON: &str = "mcp:";

impl McpServer {
    /// What a conversation keeps where it is on.
    #[must_use]
    pub fn option(&self) -> String {
        format!("{ON}{}", self.address)
    }

    /// Whether it is on in a conversation with these tools.
    #[must_use]
    pub fn is_among(&self, tools: &[String]) -> bool {
        self.on && tools.iter().any(|tool| tool.strip_prefix(ON) == Some(&*self.address))
    }

    /// Its host, with the port if there is one.
    #[must_use]
    pub fn host(&self) -> &str {
        host_of(&self.address)
    }

    /// Returns the tools that models may have.
    pub fn usable(&self) -> impl Iterator<Item = &McpTool> {
        self.tools.iter().filter(|tool| tool.on && tool.refused.is_none())
    }
}

impl McpTool {
    /// Returns its definition as the server gave it: what a user who allows the tool has seen.
    #[must_use]
    pub fn definition(&self) -> String {
        format!("{}\n{}\n{}", self.name, self.description, self.parameters)
    }
}

/// Returns the host of an address, with the port if there is one.
#[must_use]
pub fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

/// Returns an address as it is kept; `None` if it is none that can be asked.
#[must_use]
pub fn address(typed: &str) -> Option<String> {
    let (scheme, rest) = typed.trim().split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let path = path.split('#').next().unwrap_or_default();
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
    let is_host = !host.is_empty() && !host.contains(['@', '\\']) && is_plain(host) && is_plain(path);
    let usual = if scheme == "https" { ":443" } else { ":80" };
    let host = host.to_ascii_lowercase();
    let host = host.strip_suffix(usual).unwrap_or(&host);
    let slash = if path.starts_with('/') { "" } else { "/" };
    (is_host && matches!(&*scheme, "http" | "https")).then(|| format!("{scheme}://{host}{slash}{path}"))
}

/// Returns whether an address isn't encrypted and leads to another machine than the user's.
#[must_use]
pub fn is_plain_elsewhere(address: &str) -> bool {
    let host = host_of(address);
    let name = host.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')).map_or(host, |(name, _)| name);
    let is_here = name == "localhost" || name == "[::1]" || name.starts_with("127.");
    address.starts_with("http://") && !is_here
}

/// Returns a text in which what isn't shown, or reorders what is, stands as its code: nothing may hide from who is asked.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return text.into();
    }
    let shown = |c: char| if is_hidden(c) { format!("\\u{{{:x}}}", u32::from(c)) } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// Joiners and the mark of an emoji aren't: many languages and all keyboards have them.
fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0e}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_kept_alike() {
        for (typed, kept) in [
            (" https://MCP.example.com ", Some("https://mcp.example.com/")),
            ("https://mcp.example.com:443/Mcp?a=B#c", Some("https://mcp.example.com/Mcp?a=B")),
            ("http://127.0.0.1:8080/mcp", Some("http://127.0.0.1:8080/mcp")),
            ("http://[::1]:80/", Some("http://[::1]/")),
            ("mcp.example.com/mcp", None),
            ("ftp://mcp.example.com/", None),
            ("https:///mcp", None),
            ("https://user@mcp.example.com/", None),
            ("https://mcp.example.com/a b", None),
            ("https://mcp.example.com\u{202e}/", None),
        ] {
            assert_eq!(address(typed).as_deref(), kept, "{typed}");
        }
        assert_eq!(host_of("https://mcp.example.com:8443/mcp"), "mcp.example.com:8443");
        for (address, is_plain) in [
            ("https://a.example/", false),
            ("http://a.example/", true),
            ("http://127.0.0.1:8080/", false),
            ("http://[::1]/", false),
            ("http://[::1]:8080/", false),
            ("http://localhost.example/", true),
        ] {
            assert_eq!(is_plain_elsewhere(address), is_plain, "{address}");
        }
    }

    #[test]
    fn what_would_hide_is_shown() {
        let plain = "two\nlines\tand “ü” 模型 ❤\u{fe0f}\u{200d}🔥";
        assert_eq!(visible(plain), plain);
        assert_eq!(visible("a\u{202e}b\u{0}\u{e0041}"), "a\\u{202e}b\\u{0}\\u{e0041}");
    }
}
