//! Which redirects are followed when this program asks other servers.

use reqwest::{Url, redirect::Policy};

/// Redirects after one another. A blob of Hugging Face takes two.
const MAX_REDIRECTS: usize = 8;

/// Why a redirect isn't followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadRedirect(pub &'static str);

/// Follows redirects from one address to another as long as `rule` lets them.
pub fn policy(rule: impl Fn(&Url, &Url) -> Result<(), BadRedirect> + Send + Sync + 'static) -> Policy {
    Policy::custom(move |attempt| {
        if attempt.previous().len() > MAX_REDIRECTS {
            return attempt.error(BadRedirect("there are too many redirects"));
        }
        let from = attempt.previous().last();
        match from.map_or(Ok(()), |from| rule(from, attempt.url())) {
            Ok(()) => attempt.follow(),
            Err(bad) => attempt.error(bad),
        }
    })
}

/// What is encrypted stays so.
///
/// # Errors
/// When it doesn't.
pub fn keep_encryption(from: &Url, to: &Url) -> Result<(), BadRedirect> {
    match (from.scheme(), to.scheme()) {
        (_, "https") | ("http", "http") => Ok(()),
        _ => Err(BadRedirect("it isn't encrypted")),
    }
}

/// Scheme, host and port stay the same.
///
/// # Errors
/// When they don't.
pub fn keep_origin(from: &Url, to: &Url) -> Result<(), BadRedirect> {
    let is_same = from.origin() == to.origin();
    if is_same { Ok(()) } else { Err(BadRedirect("it leads to another host, port or scheme")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rule = fn(&Url, &Url) -> Result<(), BadRedirect>;

    fn may(rule: Rule, from: &str, to: &str) -> bool {
        rule(&Url::parse(from).expect(from), &Url::parse(to).expect(to)).is_ok()
    }

    #[test]
    fn what_is_encrypted_stays_so() {
        let may = |from, to| may(keep_encryption, from, to);
        assert!(may("https://a/", "https://b/"));
        assert!(may("http://a/", "https://b/") && may("http://a/", "http://b/"));
        assert!(!may("https://a/", "http://a/"));
        assert!(!may("http://a/", "file:///etc/passwd") && !may("https://a/", "data:,x"));
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let may = |to| may(keep_origin, "https://store.example/a", to);
        assert!(may("https://store.example/b?c") && may("https://STORE.example:443/b"));
        for to in [
            "http://store.example/a",
            "https://store.example:8443/a",
            "https://other.example/a",
            "https://store.example.evil.example/a",
            "https://store.example@evil.example/a",
            "https://store.example./a",
            "https://127.0.0.1/a",
            "file:///etc/passwd",
            "data:,x",
        ] {
            assert!(!may(to), "{to}");
        }
    }
}
