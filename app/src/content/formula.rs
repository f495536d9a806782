//! Formulas as views.

use leptos::math;
use leptos::prelude::*;
use leptos::tachys::html::attribute::any_attribute::AnyAttribute;
use leptos::tachys::html::attribute::custom::custom_attribute;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::math::{Element, Node, Tag, parse};
use crate::later;

/// A formula, on lines of its own (`display`) or within a line. It is shown as it is written if it is not understood, and for as
/// long as what draws it is on its way.
pub(super) fn formula(source: &str, display: bool) -> AnyView {
    let text = source.to_owned();
    let source = text.clone();
    later::drawn(move || draw(source.clone(), display), move |_| written(text.clone(), display))
}

fn written(source: String, display: bool) -> AnyView {
    match display {
        true => view! { <pre class="math-source">{source}</pre> }.into_any(),
        false => view! { <code class="math-source">{source}</code> }.into_any(),
    }
}

#[wasm_split(later, fallible, preload(#[doc = "Fetches what draws formulas."] fetch))]
pub(crate) fn draw(source: String, display: bool) -> Result<AnyView, SplitLoaderError> {
    Ok(match (parse(&source, display), display) {
        // Focusable, so that the keyboard can scroll it.
        (Ok(root), true) => {
            view! { <div class="math-display" tabindex="0">{element(&root)}</div> }.into_any()
        }
        (Ok(root), false) => view! { <span class="math-inline">{element(&root)}</span> }.into_any(),
        (Err(_), _) => written(source, display),
    })
}

fn element(element: &Element) -> AnyView {
    let attributes: Vec<AnyAttribute> = element
        .attributes
        .iter()
        .map(|(name, value)| custom_attribute(*name, value.clone()).into_any_attr())
        .collect();
    let children: Vec<AnyView> = element.children.iter().map(node).collect();
    macro_rules! build {
        ($($tag:ident => $make:ident),* $(,)?) => {
            match element.tag {
                $(Tag::$tag => math::$make().child(children).add_any_attr(attributes).into_any(),)*
            }
        };
    }
    build! {
        Math => math, Mrow => mrow, Mi => mi, Mn => mn, Mo => mo, Mtext => mtext, Mspace => mspace, Mfrac => mfrac,
        Msqrt => msqrt, Mroot => mroot, Msub => msub, Msup => msup, Msubsup => msubsup, Munder => munder,
        Mover => mover, Munderover => munderover, Mtable => mtable, Mtr => mtr, Mtd => mtd, Mpadded => mpadded,
        Mphantom => mphantom, Mstyle => mstyle,
    }
}

fn node(node: &Node) -> AnyView {
    match node {
        Node::Element(inner) => element(inner),
        Node::Text(text) => text.clone().into_any(),
    }
}
