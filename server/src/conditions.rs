//! Conditional requests (RFC 9110, section 13): `If-Match`, `If-None-Match` and `If-Range`.

use axum::http::{HeaderMap, HeaderName, header};

/// Whether `If-Match` or `If-None-Match` names this strong entity tag; none when the request has no such header.
///
/// `If-None-Match` compares weakly: `W/"…"` counts as the same.
#[must_use]
pub fn names(headers: &HeaderMap, condition: &HeaderName, tag: &str) -> Option<bool> {
    let values: Vec<&[u8]> = headers.get_all(condition).iter().map(|value| value.as_bytes()).collect();
    if values.is_empty() {
        return None;
    }
    // Several lines are one list. `*` stands alone or means nothing.
    let list = values.join(&b","[..]);
    if list.trim_ascii() == b"*" {
        return Some(true);
    }
    let weakly = *condition == header::IF_NONE_MATCH;
    let tags = entity_tags(&list).unwrap_or_default();
    Some(tags.iter().any(|&(is_weak, found)| found == tag.as_bytes() && (weakly || !is_weak)))
}

/// Whether a range may be answered with a range: there is no `If-Range`, or it is this strong entity tag. Several are
/// an invalid request for a range, which is answered with the whole.
#[must_use]
pub fn range_holds(headers: &HeaderMap, tag: &str) -> bool {
    let mut values = headers.get_all(header::IF_RANGE).iter();
    match (values.next(), values.next()) {
        (None, _) => true,
        (Some(validator), None) => validator.as_bytes().trim_ascii() == tag.as_bytes(),
        (Some(_), Some(_)) => false,
    }
}

/// The tags of a list with their quotation marks, each with whether it is weak; none when the list is malformed.
/// A tag may hold commas and asterisks.
fn entity_tags(list: &[u8]) -> Option<Vec<(bool, &[u8])>> {
    let mut tags = Vec::new();
    let mut rest = list.trim_ascii_start();
    while !rest.is_empty() {
        // Empty elements of a list do not count.
        if let Some(after) = rest.strip_prefix(b",") {
            rest = after.trim_ascii_start();
            continue;
        }
        let (is_weak, quoted) = match rest.strip_prefix(b"W/") {
            Some(quoted) => (true, quoted),
            None => (false, rest),
        };
        let end = quoted.strip_prefix(b"\"")?.iter().position(|&byte| byte == b'"')? + 2;
        let (tag, after) = quoted.split_at(end);
        if tag.iter().any(|byte| byte.is_ascii_control() || *byte == b' ') {
            return None;
        }
        tags.push((is_weak, tag));
        rest = after.trim_ascii_start();
        if !rest.is_empty() && !rest.starts_with(b",") {
            return None;
        }
    }
    Some(tags)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    const TAG: &str = "\"a\"";

    fn headers(name: &HeaderName, values: &[&str]) -> HeaderMap {
        let value = |value: &&str| HeaderValue::from_str(value).expect("a value");
        values.iter().map(|text| (name.clone(), value(text))).collect()
    }

    #[test]
    fn lists_of_tags() {
        for (values, none_match, if_match) in [
            (&["\"a\""][..], true, true),
            (&["\"b\", \"a\""], true, true),
            (&["\"b\"", "\"a\""], true, true),
            (&[" , \"a\" ,,"], true, true),
            (&["W/\"a\""], true, false),
            (&["*"], true, true),
            (&["\"b\""], false, false),
            (&["\"x, *, y\""], false, false),
            (&["\"x, \"a\", y\""], false, false),
            (&["*, \"b\""], false, false),
            (&["*", "*"], false, false),
            (&["a"], false, false),
            (&["\"a"], false, false),
            (&["\"a\" \"b\""], false, false),
            (&["w/\"a\""], false, false),
            (&[""], false, false),
        ] {
            let of = |name: &HeaderName| names(&headers(name, values), name, TAG);
            assert_eq!(of(&header::IF_NONE_MATCH), Some(none_match), "{values:?}");
            assert_eq!(of(&header::IF_MATCH), Some(if_match), "{values:?}");
        }
        assert_eq!(names(&HeaderMap::new(), &header::IF_MATCH, TAG), None);
    }

    #[test]
    fn one_validator_of_a_range() {
        let holds = |values: &[&str]| range_holds(&headers(&header::IF_RANGE, values), TAG);
        assert!(holds(&[]) && holds(&["\"a\""]));
        for values in [
            &["\"b\""][..],
            &["W/\"a\""],
            &["*"],
            &["\"a\", \"b\""],
            &["\"a\"", "\"b\""],
            &["\"a\"", "\"a\""],
            &["Wed, 21 Oct 2015 07:28:00 GMT"],
        ] {
            assert!(!holds(values), "{values:?}");
        }
    }
}
