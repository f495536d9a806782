//! LaTeX to MathML, as plain data.
//!
//! pulldown-latex writes MathML as text. Text must not reach the page as HTML, so it is read back into elements here,
//! and only known elements and attributes pass.

use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Event, Parser, RenderConfig, Storage, push_mathml};

use super::latex;
pub use super::latex::MathError;

/// The longest formula, in bytes. A longer one is shown as it is written.
const MAX_LENGTH: usize = 8192;

/// How deep elements may nest. Views are built by recursion, and a browser's stack is small.
const MAX_DEPTH: usize = 48;

/// A MathML element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Which one.
    pub tag: Tag,
    /// Its attributes.
    pub attributes: Vec<(&'static str, String)>,
    /// What it holds.
    pub children: Vec<Node>,
}

/// What an element holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Another element.
    Element(Element),
    /// Text.
    Text(String),
}

macro_rules! tags {
    ($($name:literal => $tag:ident),* $(,)?) => {
        /// The elements of MathML that formulas are made of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the names are MathML's")]
        pub enum Tag { $($tag),* }

        impl Tag {
            /// Returns its name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$tag => $name,)*
                }
            }

            fn of(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$tag),)*
                    _ => None,
                }
            }
        }
    };
}

tags! {
    "math" => Math, "mrow" => Mrow, "mi" => Mi, "mn" => Mn, "mo" => Mo, "mtext" => Mtext, "mspace" => Mspace,
    "mfrac" => Mfrac, "msqrt" => Msqrt, "mroot" => Mroot, "msub" => Msub, "msup" => Msup, "msubsup" => Msubsup,
    "munder" => Munder, "mover" => Mover, "munderover" => Munderover, "mtable" => Mtable, "mtr" => Mtr,
    "mtd" => Mtd, "mpadded" => Mpadded, "mphantom" => Mphantom, "mstyle" => Mstyle,
}

/// Attributes that pass as they are.
const ATTRIBUTES: [&str; 20] = [
    "accent",
    "accentunder",
    "class",
    "columnalign",
    "depth",
    "display",
    "displaystyle",
    "fence",
    "form",
    "height",
    "largeop",
    "linethickness",
    "lspace",
    "mathvariant",
    "maxsize",
    "minsize",
    "movablelimits",
    "rspace",
    "stretchy",
    "width",
];

/// Commands that define others, which are known only where they are rewritten. With them a short formula could grow
/// without end.
const DEFINITIONS: [&str; 14] = [
    "def",
    "edef",
    "gdef",
    "xdef",
    "let",
    "futurelet",
    "newcommand",
    "renewcommand",
    "providecommand",
    "newenvironment",
    "renewenvironment",
    "DeclareMathOperator",
    "global",
    "long",
];

/// Returns the MathML of a formula, on lines of its own (`display`) or within a line.
///
/// # Errors
/// When the formula is not understood: then it is shown as it is written.
pub fn parse(latex: &str, display: bool) -> Result<Element, MathError> {
    if latex.len() > MAX_LENGTH {
        return Err(MathError::TooLong { found: latex.len() });
    }
    let latex = latex::rewrite(latex)?;
    check(&latex)?;
    let storage = Storage::new();
    let mut events = Vec::new();
    for event in Parser::new(&latex, &storage) {
        let event = event.map_err(|error| MathError::Syntax { reason: error.to_string() })?;
        // The library takes the end of a row or cell before a script for its base, and then miscounts the cells.
        if let (Some(Event::Script { .. }), Event::EnvironmentFlow(_)) = (events.last(), &event) {
            return Err(MathError::Syntax { reason: "a script has no base".to_owned() });
        }
        events.push(event);
    }
    let display_mode = if display { DisplayMode::Block } else { DisplayMode::Inline };
    let config = RenderConfig { display_mode, ..RenderConfig::default() };
    let mut markup = String::new();
    let events = events.into_iter().map(Ok::<_, std::fmt::Error>);
    push_mathml(&mut markup, events, config)
        .map_err(|error| MathError::Syntax { reason: error.to_string() })?;
    read(&markup)
}

/// Refuses what the library is not made for.
fn check(latex: &str) -> Result<(), MathError> {
    let mut depth = 0_usize;
    let mut rest = latex;
    while let Some(at) = rest.find(['\\', '{', '}']) {
        let (here, after) = rest[at..].split_at(1);
        rest = after;
        match here {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {
                let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                let command = &rest[..letters];
                if DEFINITIONS.contains(&command) {
                    return Err(MathError::Command { command: command.to_owned() });
                }
                // An escaped brace opens nothing.
                let escaped = rest.chars().next().filter(|_| letters == 0).map_or(0, char::len_utf8);
                rest = &rest[letters.max(escaped)..];
            }
        }
        if depth > MAX_DEPTH {
            return Err(MathError::TooDeep);
        }
    }
    Ok(())
}

/// Reads well-formed markup with one element at its root.
fn read(markup: &str) -> Result<Element, MathError> {
    let mut open: Vec<(&str, Element)> = Vec::new();
    let mut at = 0;
    while at < markup.len() {
        let error = MathError::Markup { at };
        let rest = &markup[at..];
        if let Some(closing) = rest.strip_prefix("</") {
            let (name, _) = closing.split_once('>').ok_or(error.clone())?;
            let (opened, element) = open.pop().ok_or(error.clone())?;
            if name != opened {
                return Err(error);
            }
            at += name.len() + "</>".len();
            match open.last_mut() {
                Some((_, parent)) => parent.children.push(Node::Element(dress(element))),
                None if at == markup.len() => return Ok(element),
                None => return Err(error),
            }
        } else if rest.starts_with('<') && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            let (head, _) = rest[1..].split_once('>').ok_or(error.clone())?;
            at += head.len() + "<>".len();
            let empty = head.ends_with('/');
            let head = head.trim_end_matches('/').trim_end();
            let (name, attributes) = head.split_once(' ').unwrap_or((head, ""));
            let tag = Tag::of(name).ok_or(error.clone())?;
            let attributes = read_attributes(attributes).ok_or(error.clone())?;
            let element = Element { tag, attributes, children: Vec::new() };
            match open.last_mut() {
                Some((_, parent)) if empty => parent.children.push(Node::Element(element)),
                None if empty => return Err(error),
                _ => open.push((name, element)),
            }
            if open.len() > MAX_DEPTH {
                return Err(MathError::TooDeep);
            }
        } else {
            // A lone `<` is text: the operator.
            let first = rest.chars().next().map_or(1, char::len_utf8);
            let end = rest[first..].find('<').map_or(rest.len(), |end| end + first);
            let (_, parent) = open.last_mut().ok_or(error)?;
            push_text(parent, &rest[..end]);
            at += end;
        }
    }
    Err(MathError::Markup { at })
}

/// A group whose first text names a class, with that class.
fn dress(mut element: Element) -> Element {
    let class = match element.children.first() {
        Some(Node::Element(Element { tag: Tag::Mtext, children, .. })) => match children.as_slice() {
            [Node::Text(text)] => latex::class_of(text),
            _ => None,
        },
        _ => None,
    };
    if let Some(class) = class.filter(|_| element.tag == Tag::Mrow) {
        element.children.remove(0);
        match class {
            "phantom" => element.tag = Tag::Mphantom,
            class => element.attributes.push(("class", format!("math-{class}"))),
        }
    }
    element
}

fn push_text(parent: &mut Element, text: &str) {
    let text =
        text.replace("&nbsp;", "\u{a0}").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    match parent.children.last_mut() {
        Some(Node::Text(before)) => before.push_str(&text),
        _ => parent.children.push(Node::Text(text)),
    }
}

/// `name="value"` pairs. Unknown ones are dropped; a `style`, which the page's policy forbids, becomes attributes.
fn read_attributes(mut text: &str) -> Option<Vec<(&'static str, String)>> {
    let mut attributes = Vec::new();
    while !text.trim_start().is_empty() {
        let (name, rest) = text.trim_start().split_once("=\"")?;
        let (value, rest) = rest.split_once('"')?;
        text = rest;
        if name == "style" {
            attributes.extend(value.split(';').filter_map(style_attribute));
        } else if let Some(known) = ATTRIBUTES.iter().find(|known| **known == name) {
            attributes.push((*known, value.to_owned()));
        }
    }
    Some(attributes)
}

fn style_attribute(declaration: &str) -> Option<(&'static str, String)> {
    let (property, value) = declaration.split_once(':')?;
    let name = match property.trim() {
        "color" => "mathcolor",
        "background-color" => "mathbackground",
        _ => return None,
    };
    let numbers = value.trim().strip_prefix("rgb(")?.strip_suffix(')')?;
    let parts: Vec<u8> = numbers.split(' ').map_while(|number| number.parse().ok()).collect();
    let [red, green, blue] = parts.as_slice() else { return None };
    Some((name, format!("#{red:02x}{green:02x}{blue:02x}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_script_that_begins_a_row_or_cell_is_no_formula() {
        for row in [r"x & x \\ ^{x} & x &", r"x \\ _{x} & x & x", r"x & ^{x} & x"] {
            let error = parse(&format!(r"\begin{{array}}{{lcr}} {row} \end{{array}}"), false).expect_err(row);
            assert!(matches!(error, MathError::Syntax { .. }), "{row}: {error:?}");
        }
        assert!(parse(r"\begin{array}{lcr} x & x \\ {}^{x} & x & \end{array}", false).is_ok());
    }

    /// The formula's elements as `tag(children)`.
    fn outline(latex: &str) -> String {
        fn of(element: &Element) -> String {
            let children = element.children.iter().map(|child| match child {
                Node::Element(element) => of(element),
                Node::Text(text) => text.clone(),
            });
            format!("{:?}({})", element.tag, children.collect::<Vec<_>>().join(" ")).to_lowercase()
        }
        of(&parse(latex, false).expect("is a formula"))
    }

    #[test]
    fn formulas_become_elements() {
        assert_eq!(outline("x^2"), "math(msup(mi(x) mn(2)))");
        assert_eq!(outline(r"\frac{a}{b} < c"), "math(mfrac(mrow(mi(a)) mrow(mi(b))) mo(<) mi(c))");
        assert_eq!(outline(r"\text{a & b } x"), "math(mtext(a & b\u{a0}) mi(x))");
    }

    #[test]
    fn display_is_an_attribute() {
        let element = parse("x", true).expect("is a formula");
        assert!(element.attributes.contains(&("display", "block".to_owned())));
    }

    #[test]
    fn what_is_no_formula_is_an_error() {
        for latex in [r"\frac{", r"\begin{matrix} a", r"\nosuchcommand", "}", r"x^^2"] {
            assert!(matches!(parse(latex, false), Err(MathError::Syntax { .. })), "{latex}");
        }
        assert!(matches!(parse(r"\def\a{\a\a}\a", false), Err(MathError::Command { .. })));
        assert_eq!(parse(&"{".repeat(99), false), Err(MathError::TooDeep));
        assert!(matches!(parse(&"x".repeat(9000), false), Err(MathError::TooLong { .. })));
    }

    #[test]
    fn colours_are_attributes_and_no_styles() {
        let element = parse(r"\color{red} x", false).expect("is a formula");
        let text = format!("{element:?}");
        assert!(text.contains("mathcolor") && !text.contains("style"), "{text}");
    }

    /// Pieces that formulas are made of, to be thrown together at random.
    const PIECES: &[&str] = &[
        "x",
        "2",
        " ",
        "{",
        "}",
        "^",
        "_",
        "&",
        r"\\",
        "'",
        "(",
        ")",
        "[",
        "]",
        "|",
        "<",
        ">",
        "=",
        "+",
        "-",
        "%",
        "#",
        "~",
        "$",
        "\"",
        "é",
        "∑",
        r"\frac",
        r"\sqrt",
        r"\left",
        r"\right",
        r"\left(",
        r"\right)",
        r"\begin{array}",
        r"\begin{array}{c|c}",
        r"\end{array}",
        r"\begin{matrix}",
        r"\end{matrix}",
        r"\begin{cases}",
        r"\end{cases}",
        r"\begin{align}",
        r"\end{align}",
        r"\sum",
        r"\int",
        r"\limits",
        r"\not",
        r"\text{a b}",
        r"\mathbb{R}",
        r"\mathrm",
        r"\hline",
        r"\hspace{1em}",
        r"\color{red}",
        r"\overline",
        r"\hat",
        r"\middle",
        r"\,",
        r"\{",
        r"\}",
        r"\over",
        r"\genfrac",
        r"\sin",
        r"\substack",
        r"\boxed",
        r"\newcommand{\x}[1]{#1#1}",
        r"\def\x",
        r"\x",
        r"\ce{",
        r"\SI{",
        r"\text{",
        r"\mathop",
        r"\begin{CD}",
        "@>",
        r"\cr",
        "\n",
    ];

    /// Formulas that are mostly right, arrays with too few and too many columns among them.
    fn any_formula() -> impl Strategy<Value = String> {
        let leaf = proptest::sample::select(
            &["x", "2", "+", "<", "", r"\alpha", r"\sum", r"\text{a}", "'", r"\,"][..],
        );
        leaf.prop_map(str::to_owned).prop_recursive(4, 40, 4, |inner| {
            let environment = proptest::sample::select(
                &[
                    "matrix", "pmatrix", "cases", "aligned", "align", "gather", "split", "alignat", "array",
                    "multline",
                ][..],
            );
            let cells = proptest::collection::vec(
                (inner.clone(), prop_oneof![Just(" & "), Just(r" \\ "), Just(r" \\ \hline ")]),
                0..6,
            );
            let command = proptest::sample::select(
                &[
                    r"\sqrt",
                    r"\overline",
                    r"\hat",
                    r"\mathbb",
                    r"\not",
                    r"\boxed",
                    r"\color{red}",
                    r"\substack",
                    "^",
                    "_",
                ][..],
            );
            prop_oneof![
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!(r"\frac{{{a}}}{{{b}}}")),
                (inner.clone(), inner.clone(), inner.clone())
                    .prop_map(|(a, b, c)| format!("{{{a}}}_{{{b}}}^{{{c}}}")),
                (command, inner.clone()).prop_map(|(command, a)| format!("{command}{{{a}}}")),
                inner.clone().prop_map(|a| format!(r"\left( {a} \middle| {a} \right]")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} {b}")),
                (environment, "[lcr|:]{0,5}", cells).prop_map(|(name, columns, cells)| {
                    let columns = if name == "array" || name == "alignat" {
                        format!("{{{columns}}}")
                    } else {
                        String::new()
                    };
                    let cells: String = cells.into_iter().map(|(cell, mark)| cell + mark).collect();
                    format!(r"\begin{{{name}}}{columns} {cells} \end{{{name}}}")
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn no_formula_panics(latex in any_formula(), display in any::<bool>()) {
            parse(&latex, display).ok();
        }

        #[test]
        fn no_text_panics(text in any::<String>(), display in any::<bool>()) {
            parse(&text, display).ok();
        }

        #[test]
        fn no_arrangement_of_commands_panics(
            pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..24),
        ) {
            parse(&pieces.concat(), true).ok();
        }
    }
}
