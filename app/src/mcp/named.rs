//! Names of tools as models read them: `PREFIX__TOOL`. The tools of the page have no `__` in their names, and a prefix has none
//! either, so no name is like one of the page or of another server.

/// Between the prefix of a server and the name of its tool.
const BETWEEN: &str = "__";
/// The most characters of a prefix, and of what follows it.
const MOST: (usize, usize) = (20, 48);

/// Returns the prefix of a server that the user calls `name`: none of `taken`.
#[must_use]
pub fn prefix(name: &str, taken: &[&str]) -> String {
    let mut slug = String::new();
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => slug.push(c),
            _ if slug.is_empty() || slug.ends_with('_') => {}
            _ => slug.push('_'),
        }
    }
    slug.truncate(MOST.0);
    let slug = slug.trim_end_matches('_');
    let slug = if slug.is_empty() { "server" } else { slug };
    unlike(slug, |name| taken.contains(&name))
}

/// Returns what models call a tool of the server with this prefix: none of `taken`.
#[must_use]
pub fn alias(prefix: &str, name: &str, taken: &[String]) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let safe: String = name.chars().take(MOST.1).map(safe).collect();
    unlike(&format!("{prefix}{BETWEEN}{safe}"), |name| taken.iter().any(|other| other == name))
}

/// The text, with a number behind it if it is taken.
fn unlike(text: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{text}_{number}"));
    std::iter::once(text.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_has_no_mark_in_it_and_is_no_other_servers() {
        for (name, expected) in [
            ("Weather", "weather"),
            ("My  weather__server!", "my_weather_server"),
            ("__", "server"),
            ("天气", "server"),
            ("a name that is far too long", "a_name_that_is_far_t"),
        ] {
            let prefix = prefix(name, &[]);
            assert_eq!(prefix, expected);
            assert!(!prefix.contains(BETWEEN));
        }
        assert_eq!(prefix("Weather", &["weather", "weather_2"]), "weather_3");
    }

    #[test]
    fn a_name_is_what_a_grammar_and_a_template_can_have() {
        let alias = |name: &str| alias("w", name, &["w__get".to_owned()]);
        assert_eq!(alias("get"), "w__get_2");
        assert_eq!(alias("admin.tools-list"), "w__admin_tools_list");
        assert_eq!(alias("run_javascript"), "w__run_javascript");
        assert_eq!(alias("x{<|\"|>}\n"), "w__x________");
        assert_eq!(alias(&"x".repeat(500)).len(), 3 + 48);
    }
}
