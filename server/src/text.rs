//! Text from file names and headers, made fit for a log line and a list.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

/// The text with a replacement character for what is not shown or reorders what is: control characters, line and
/// paragraph separators, and the marks that switch the direction of writing.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return text.into();
    }
    text.chars().map(|c| if is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Characters of a text from the network that are shown.
const LONGEST_SHOWN: usize = 300;

/// Text from the network, fit to be shown.
#[must_use]
pub fn shorten(text: &str) -> String {
    let short: String = text.chars().take(LONGEST_SHOWN).collect();
    printable(&short).into_owned()
}

/// A path for a log line.
#[must_use]
pub fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy()).into_owned()
}

/// A path for visitors, who need not know the name of the account.
#[must_use]
pub fn public(path: &Path) -> String {
    below_home(path, home().as_deref())
}

/// This account's home. A service has none, or the root of the disk.
#[must_use]
pub fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| home.parent().is_some())
}

/// A path in which `~` stands for `home`.
#[must_use]
pub fn below_home(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) => shown(&Path::new("~").join(rest)),
        None => shown(path),
    }
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
                | '\u{feff}'
        )
}

/// A number of bytes for people: `12.3 GB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl std::fmt::Display for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (unit, name) = match self.0 {
            0..1_000 => return write!(f, "{} bytes", self.0),
            1_000..1_000_000 => (1e3, "kB"),
            1_000_000..1_000_000_000 => (1e6, "MB"),
            _ => (1e9, "GB"),
        };
        write!(f, "{:.1} {name}", self.0 as f64 / unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        let texts = [0, 999, 1_000, 12_345_678, 12_345_678_901].map(|bytes| Bytes(bytes).to_string());
        assert_eq!(texts, ["0 bytes", "999 bytes", "1.0 kB", "12.3 MB", "12.3 GB"]);
    }

    #[test]
    fn what_could_forge_a_line_is_replaced() {
        assert_eq!(printable("gemma\n2026 INFO all is well"), "gemma\u{fffd}2026 INFO all is well");
        assert_eq!(
            printable("\u{202e}fugg.exe\u{1b}[31m\u{85}\u{2028}"),
            "\u{fffd}fugg.exe\u{fffd}[31m\u{fffd}\u{fffd}"
        );
    }

    #[test]
    fn the_name_of_the_account_is_not_shown() {
        let below = |path| below_home(Path::new(path), Some(Path::new("/home/ada")));
        assert_eq!(below("/home/ada/models"), "~/models");
        assert_eq!(below("/srv/models"), "/srv/models");
        assert_eq!(below("/srv/\n\u{202e}x"), "/srv/\u{fffd}\u{fffd}x");
        assert_eq!(below_home(Path::new("/srv/models"), None), "/srv/models");
    }

    #[test]
    fn words_of_any_language_stay() {
        for text in ["gemma-4-e2b", "Größe", "模型", "نموذج", "👩\u{200d}🔬"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
    }
}
