//! Names of models in Ollama's store: `[host/][namespace/]model[:tag]`.

use std::{fmt, str::FromStr};

/// Host of a name that gives none.
pub const DEFAULT_HOST: &str = "registry.ollama.ai";
/// Namespace of a name that gives none.
pub const DEFAULT_NAMESPACE: &str = "library";
/// Tag of a name that gives none.
pub const DEFAULT_TAG: &str = "latest";

/// The full name of a model: also the path of its manifest, `host/namespace/model/tag`.
///
/// Shown without host and namespace where they are the default ones; the tag is always shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    host: String,
    namespace: String,
    model: String,
    tag: String,
}

/// The text is not the name of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a model's name is [host/][namespace/]model[:tag], of letters, digits, '_', '-' and '.'")]
pub struct NotAName;

impl Name {
    /// A name from its four parts.
    ///
    /// # Errors
    /// When a part is too long or has characters that it may not have.
    pub fn new(host: &str, namespace: &str, model: &str, tag: &str) -> Result<Self, NotAName> {
        let valid = is_part(host, 350, |c| c == ':' || c == '.')
            && is_part(namespace, 80, |_| false)
            && is_part(model, 80, |c| c == '.')
            && is_part(tag, 80, |c| c == '.');
        if !valid {
            return Err(NotAName);
        }
        Ok(Self { host: host.into(), namespace: namespace.into(), model: model.into(), tag: tag.into() })
    }

    /// The registry, with its port if it has one.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The account or organisation.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The model without the rest.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The variant.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.tag
    }
}

/// Parts have ASCII letters, digits, `_` and `-`, and what `extra` allows; they begin with a letter, a digit or `_`.
fn is_part(part: &str, longest: usize, extra: impl Fn(char) -> bool) -> bool {
    part.len() <= longest
        && part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-' || extra(c))
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, namespace, model, tag } = self;
        if host != DEFAULT_HOST {
            write!(f, "{host}/{namespace}/")?;
        } else if namespace != DEFAULT_NAMESPACE {
            write!(f, "{namespace}/")?;
        }
        write!(f, "{model}:{tag}")
    }
}

impl FromStr for Name {
    type Err = NotAName;

    fn from_str(text: &str) -> Result<Self, NotAName> {
        // A colon before the last slash belongs to the host: it is a port.
        let (path, tag) = match text.rsplit_once(':') {
            Some((path, tag)) if !tag.contains('/') => (path, tag),
            _ => (text, DEFAULT_TAG),
        };
        let parts: Vec<&str> = path.split('/').collect();
        match parts[..] {
            [model] => Self::new(DEFAULT_HOST, DEFAULT_NAMESPACE, model, tag),
            [namespace, model] => Self::new(DEFAULT_HOST, namespace, model, tag),
            [host, namespace, model] => Self::new(host, namespace, model, tag),
            _ => Err(NotAName),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(host: &str, namespace: &str, model: &str, tag: &str) -> Result<Name, NotAName> {
        Name::new(host, namespace, model, tag)
    }

    #[test]
    fn parts_that_are_left_out_get_their_defaults() {
        let host = DEFAULT_HOST;
        assert_eq!("gemma4".parse(), name(host, "library", "gemma4", "latest"));
        assert_eq!("gemma4:e2b".parse(), name(host, "library", "gemma4", "e2b"));
        assert_eq!("me/gemma4".parse(), name(host, "me", "gemma4", "latest"));
        assert_eq!("hf.co/u/m:Q4_K_M".parse(), name("hf.co", "u", "m", "Q4_K_M"));
        assert_eq!("localhost:5000/u/m".parse(), name("localhost:5000", "u", "m", "latest"));
    }

    #[test]
    fn shown_as_short_as_it_can_be_told_apart() {
        for text in ["gemma4:latest", "me/gemma4:e2b", "hf.co/u/m:Q4_K_M", "localhost:5000/library/m:x"] {
            assert_eq!(text.parse::<Name>().expect("a name").to_string(), text);
        }
    }

    #[test]
    fn nothing_else_is_a_name() {
        let long = "m".repeat(81);
        for text in [
            "", ":", "m:", ":t", "a/b/c/d", "/m", "..", "-m", "m:.t", "a b", "n.s/m", "m:t:u", "../m", "é",
            "m\0", &long,
        ] {
            assert_eq!(text.parse::<Name>(), Err(NotAName), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(
            host in "(registry\\.ollama\\.ai|[a-z0-9_][a-zA-Z0-9_.:-]{0,20})",
            namespace in "(library|[a-z0-9_][a-zA-Z0-9_-]{0,20})",
            model in "[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,20}",
            tag in "[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,20}",
        ) {
            let name = Name::new(&host, &namespace, &model, &tag).expect("a name");
            prop_assert_eq!(name.to_string().parse(), Ok(name));
        }

        #[test]
        fn any_text_is_a_name_or_an_error(text in "\\PC{0,100}") {
            let _ = text.parse::<Name>();
        }
    }
}
