//! The header with which a registry asks for a token: `WWW-Authenticate: Bearer realm="…",service="…",scope="…"`.

use reqwest::{Url, header::HeaderMap, header::WWW_AUTHENTICATE};

/// Bytes of a challenge that are looked at.
const LONGEST: usize = 4096;

/// Where a token is to be had, if the headers say so.
///
/// `None` without a challenge that a token answers, or with one that has no address.
pub(super) fn token_address(headers: &HeaderMap) -> Option<Url> {
    let values = headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
    values.filter(|value| value.len() <= LONGEST).find_map(bearer)
}

fn bearer(challenge: &str) -> Option<Url> {
    let (scheme, mut rest) = challenge.trim_start().split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    let mut realm = None;
    let mut query = Vec::new();
    while let Some((name, value, after)) = parameter(rest) {
        match name.to_ascii_lowercase().as_str() {
            "realm" => realm = Url::parse(&value).ok(),
            name @ ("service" | "scope") => query.push((name.to_owned(), value)),
            _ => {}
        }
        rest = after;
    }
    let mut url = realm?;
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    Some(url)
}

/// The first `name="value"` or `name=value`, and what follows it.
fn parameter(text: &str) -> Option<(&str, String, &str)> {
    let (name, rest) = text.trim_start_matches([' ', '\t', ',']).split_once('=')?;
    let Some(quoted) = rest.strip_prefix('"') else {
        let end = rest.find(',').unwrap_or(rest.len());
        return Some((name.trim(), rest[..end].trim().into(), &rest[end..]));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((name.trim(), value, &quoted[at + 1..])),
            '\\' => value.push(characters.next()?.1),
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn address(challenge: &str) -> Option<String> {
        bearer(challenge).map(String::from)
    }

    #[test]
    fn scope_and_service_go_to_the_realm() {
        let challenge = r#"Bearer realm="https://auth.example.org/token",service="registry",scope="repository:u/m:pull,push",error="x""#;
        let expected =
            "https://auth.example.org/token?service=registry&scope=repository%3Au%2Fm%3Apull%2Cpush";
        assert_eq!(address(challenge).as_deref(), Some(expected));
        assert_eq!(address("bearer realm=https://a/t , service=x").as_deref(), Some("https://a/t?service=x"));
    }

    #[test]
    fn what_no_token_answers_is_none() {
        for challenge in [
            "",
            "Bearer",
            "Bearer service=\"x\"",
            "Basic realm=\"https://a/t\"",
            "Bearer realm=\"https://a",
            "Bearer realm=\"no address\"",
        ] {
            assert_eq!(address(challenge), None, "{challenge}");
        }
    }

    proptest! {
        #[test]
        fn any_challenge_is_read_or_not(text in "Bearer [ -~]{0,80}") {
            let _ = bearer(&text);
        }
    }
}
