//! Characters that stand in for others while Markdown is read, so that they mean nothing there. Unicode keeps these out of
//! all text.

use std::borrow::Cow;

use pulldown_cmark::CowStr;

/// Stands for the colon of `]:`, so that a definition of a link reference stays text.
pub(super) const COLON: char = '\u{fdd0}';

/// Stands for a bar that is no border of a table's cell.
pub(super) const BAR: char = '\u{fdd1}';

/// A dollar sign that delimits no formula. What escapes it goes where Markdown leaves it: in code.
pub(super) const DOLLAR: &str = "\\$\u{fdd2}";

/// Follows the dollar sign of [`DOLLAR`].
const ESCAPED: char = '\u{fdd2}';

/// Stands for nothing; neither a space nor punctuation.
pub(super) const JOINT: char = '\u{fdd3}';

/// A space beside a [`JOINT`]. It stands for nothing, too.
pub(super) const SPACE: char = '\u{85}';

/// Returns a text as it was written.
pub(super) fn unshield(text: CowStr<'_>) -> CowStr<'_> {
    if !text.contains(['\u{fdd0}', '\u{fdd1}', '\u{fdd2}', '\u{fdd3}']) {
        return text;
    }
    let mut plain = Cow::Borrowed(text.as_ref());
    if plain.contains(ESCAPED) {
        plain = Cow::Owned(plain.replace(DOLLAR, "$").replace(ESCAPED, ""));
    }
    if plain.contains(SPACE) {
        let [before, behind] = [[SPACE, JOINT], [JOINT, SPACE]].map(String::from_iter);
        plain = Cow::Owned(plain.replace(&before, "").replace(&behind, ""));
    }
    plain.replace(COLON, ":").replace(BAR, "|").replace(JOINT, "").into()
}
