//! Marks on the words that were found, as the browser's own highlights: the elements of a message stay as they are drawn.

use std::ops::Range;

use leptos::web_sys::{self, Element};
use wasm_bindgen::{JsCast as _, prelude::*};

use crate::{
    find::Hit,
    history::{NodeId, Query},
};

// `web-sys` has them only among what is unstable.
#[wasm_bindgen]
extern "C" {
    type Highlight;

    #[wasm_bindgen(constructor, catch)]
    fn new() -> Result<Highlight, JsValue>;

    #[wasm_bindgen(method)]
    fn add(this: &Highlight, range: &web_sys::Range);

    #[wasm_bindgen(catch, js_namespace = ["CSS", "highlights"], js_name = set)]
    fn set_highlight(name: &str, highlight: &Highlight) -> Result<(), JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["CSS", "highlights"], js_name = delete)]
    fn delete_highlight(name: &str) -> Result<(), JsValue>;
}

/// All that was found; the style sheet has the name.
const FOUND: &str = "found";
/// The current place.
const CURRENT: &str = "found-current";
/// What of a message is searched.
const TEXTS: &str = ".bubble-text, .says, :scope.tool > pre";
/// What is no text of the message.
const OTHERS: &str = "button, .code-head, math, .math-source, .math-display, .math-inline";
/// Elements within a line.
const INLINE: &str = "a, em, strong, s, code, span";

/// Returns the message in the page, if it is drawn.
pub fn message(node: NodeId) -> Option<Element> {
    let selector = format!(".messages:not([hidden]) > [data-node=\"{node}\"]");
    web_sys::window()?.document()?.query_selector(&selector).ok().flatten()
}

/// Marks what was found in the messages that are drawn. Returns the current place; `None` if it is not among them.
pub fn mark(hits: &[Hit], current: Option<Hit>, query: &Query) -> Option<web_sys::Range> {
    let mut nodes: Vec<_> = hits.iter().map(|hit| hit.node).collect();
    nodes.dedup();
    // Where the browser has no highlights, the places are found all the same.
    let (found, at) = (Highlight::new().ok(), Highlight::new().ok());
    let mut here = None;
    for node in nodes {
        let Some(message) = message(node) else { continue };
        for (index, range) in ranges(&message, query).into_iter().enumerate() {
            let is_current = current == Some(Hit { node, index });
            if let Some(highlight) = if is_current { &at } else { &found } {
                highlight.add(&range);
            }
            if is_current {
                here = Some(range);
            }
        }
    }
    for (name, highlight) in [(FOUND, found), (CURRENT, at)] {
        if let Some(highlight) = highlight {
            // A browser that has highlights takes them.
            set_highlight(name, &highlight).ok();
        }
    }
    here
}

/// Takes all marks away.
pub fn clear() {
    for name in [FOUND, CURRENT] {
        // Where the browser has no highlights, there is nothing to take away.
        delete_highlight(name).ok();
    }
}

fn ranges(message: &Element, query: &Query) -> Vec<web_sys::Range> {
    let mut found = Vec::new();
    let Ok(texts) = message.query_selector_all(TEXTS) else { return found };
    for text in (0..texts.length()).filter_map(|at| texts.get(at)) {
        let mut line = Line::default();
        walk(&text, &mut line, query, &mut found);
        line.end(query, &mut found);
    }
    found
}

fn walk(node: &web_sys::Node, line: &mut Line, query: &Query, found: &mut Vec<web_sys::Range>) {
    let mut next = node.first_child();
    while let Some(child) = next {
        next = child.next_sibling();
        let Some(element) = child.dyn_ref::<Element>() else {
            if child.node_type() == web_sys::Node::TEXT_NODE {
                line.push(child);
            }
            continue;
        };
        let is_other = element.matches(OTHERS).unwrap_or(false);
        let is_inline = !is_other && element.matches(INLINE).unwrap_or(false);
        if !is_inline {
            line.end(query, found);
        }
        if !is_other {
            walk(&child, line, query, found);
        }
        if !is_inline {
            line.end(query, found);
        }
    }
}

/// The texts of a line, in which a word may go over from one to the next.
#[derive(Default)]
struct Line {
    text: String,
    /// The nodes, each with where its text begins.
    nodes: Vec<(usize, web_sys::Node)>,
}

impl Line {
    fn push(&mut self, node: web_sys::Node) {
        let text = node.text_content().unwrap_or_default();
        if !text.is_empty() {
            self.nodes.push((self.text.len(), node));
            self.text.push_str(&text);
        }
    }

    fn end(&mut self, query: &Query, found: &mut Vec<web_sys::Range>) {
        if !self.nodes.is_empty() {
            found.extend(query.ranges(&self.text).into_iter().filter_map(|range| self.range(&range)));
        }
        self.text.clear();
        self.nodes.clear();
    }

    fn range(&self, range: &Range<usize>) -> Option<web_sys::Range> {
        let made = web_sys::Range::new().ok()?;
        let (node, offset) = self.place(range.start, false)?;
        made.set_start(node, offset).ok()?;
        let (node, offset) = self.place(range.end, true)?;
        made.set_end(node, offset).ok()?;
        Some(made)
    }

    /// The node that a byte of the text is in, and how many UTF-16 units are before it. An end belongs to what it ends.
    fn place(&self, at: usize, is_end: bool) -> Option<(&web_sys::Node, u32)> {
        let behind = self.nodes.partition_point(|(start, _)| if is_end { *start < at } else { *start <= at });
        let (start, node) = self.nodes.get(behind.checked_sub(1)?)?;
        let units = self.text.get(*start..at)?.encode_utf16().count();
        Some((node, u32::try_from(units).ok()?))
    }
}
