//! All words of the interface are in `locales`: neither a view nor a sentence elsewhere has them in the code.

use std::{
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use rstml::{
    Parser, ParserConfig,
    node::{Node, NodeAttribute},
};

/// Attributes and properties of components that a person reads or hears.
const READ: [&str; 11] = [
    "alt",
    "aria-description",
    "aria-label",
    "aria-placeholder",
    "aria-roledescription",
    "aria-valuetext",
    "caption",
    "hint",
    "label",
    "placeholder",
    "title",
];

/// What is the same in every language: what a program reads, and questions to a model that knows English alone.
const SAME: [&str; 6] = [
    r#"{"prompt": "…", "completion": "…"}"#,
    "Name three fruits as a list.",
    "Sort these numbers: 9, 4, 7, 1",
    "True False None self cls",
    "What is 7 times 8?",
    "Who are you?",
];

/// What views say in the code, with the macro's name for what cannot be read.
fn said(tokens: TokenStream, found: &mut Vec<String>) {
    let mut before = [String::new(), String::new()];
    for tree in tokens {
        if let TokenTree::Group(group) = &tree {
            if before[0] == "view" && before[1] == "!" {
                let parser = Parser::new(ParserConfig::default().recover_block(true));
                match parser.parse_simple(group.stream()) {
                    Ok(nodes) => nodes.iter().for_each(|node| walk(node, found)),
                    Err(error) => found.push(format!("view! that cannot be read: {error}")),
                }
            } else {
                said(group.stream(), found);
            }
        }
        before = [std::mem::take(&mut before[1]), tree.to_string()];
    }
}

fn walk(node: &Node, found: &mut Vec<String>) {
    match node {
        Node::Text(text) => keep(&text.value_string(), found),
        Node::RawText(text) => keep(&text.to_token_stream().to_string(), found),
        Node::Fragment(fragment) => fragment.children.iter().for_each(|node| walk(node, found)),
        Node::Element(element) => {
            for attribute in element.attributes() {
                if let NodeAttribute::Attribute(attribute) = attribute
                    && READ.contains(&attribute.key.to_string().as_str())
                    && let Some(words) = attribute.value_literal_string()
                {
                    keep(&words, found);
                }
                said(attribute.to_token_stream(), found);
            }
            element.children.iter().for_each(|node| walk(node, found));
        }
        Node::Block(block) => {
            let tokens = block.to_token_stream();
            // `{"words"}` is a text too.
            if let [TokenTree::Group(group)] = tokens.clone().into_iter().collect::<Vec<_>>().as_slice()
                && let [TokenTree::Literal(literal)] =
                    group.stream().into_iter().collect::<Vec<_>>().as_slice()
            {
                keep(&literal.to_string(), found);
            }
            said(tokens, found);
        }
        Node::Comment(_) | Node::Doctype(_) | Node::Custom(_) => {}
    }
}

fn keep(words: &str, found: &mut Vec<String>) {
    if words.chars().any(char::is_alphabetic) && !SAME.contains(&words) {
        found.push(words.to_owned());
    }
}

/// Sentences and labels outside of tests, attributes and macros that only a developer reads.
fn sentences(tokens: TokenStream, found: &mut Vec<String>) {
    let mut before = [String::new(), String::new()];
    let mut test = false;
    for tree in tokens {
        match &tree {
            // An attribute; the item behind `#[cfg(test)]` is for tests.
            TokenTree::Group(group) if matches!(before[1].as_str(), "#") => {
                test |= group.stream().to_string().replace(' ', "") == "cfg(test)";
            }
            TokenTree::Group(_) if before[1] == "!" && before[0].starts_with("assert") => {}
            TokenTree::Group(_) if before[1] == "expect" => {}
            TokenTree::Group(_) if test => test = false,
            TokenTree::Group(group) => sentences(group.stream(), found),
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string())
                    && is_sentence(&text.value())
                    && !SAME.contains(&text.value().as_str())
                {
                    found.push(text.value());
                }
            }
            TokenTree::Punct(punct) if test && punct.as_char() == ';' => test = false,
            _ => {}
        }
        before = [std::mem::take(&mut before[1]), tree.to_string()];
    }
}

/// A capital letter first, and either a second word or the end of a sentence.
fn is_sentence(text: &str) -> bool {
    let mut letters = text.chars();
    let begins = letters.next().is_some_and(|it| it.is_uppercase() || it == '“')
        && letters.next().is_some_and(char::is_lowercase);
    let words =
        text.split(' ').filter(|word| word.chars().all(|it| it.is_alphabetic() || ",.'’…".contains(it)));
    begins && (words.filter(|word| word.len() > 1).count() > 1 || text.ends_with(['.', '…', '!', '?']))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "tests") {
                files(&path, found);
            }
        } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

fn report(look: fn(TokenStream, &mut Vec<String>)) -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&source, &mut all);
    assert!(all.len() > 100, "{} files", all.len());
    let mut report = Vec::new();
    for path in all {
        let name = path.strip_prefix(&source).expect("below src").to_string_lossy().into_owned();
        let tokens = fs::read_to_string(&path).expect("text").parse().expect("Rust");
        let mut found = Vec::new();
        look(tokens, &mut found);
        report.extend(found.into_iter().map(|words| format!("{name}: {words}")));
    }
    report
}

#[test]
fn no_view_has_words_in_it() {
    assert_eq!(report(said), Vec::<String>::new());
}

#[test]
fn no_sentence_is_in_the_code() {
    assert_eq!(report(sentences), Vec::<String>::new());
}

#[test]
fn words_in_views_are_found() {
    let code = r#"
        fn a() { view! {
            <p title="One" class="two">"Three" {"Four"} {t().five()} " · "</p>
            <Show when=move || view! { <b>"Six"</b> } fallback=|| ()>
                {move || x.then(|| view! { <Field label="Seven" hint=t().eight() on:click=move |_| go("nine") /> })}
            </Show>
        } }"#;
    let mut found = Vec::new();
    said(code.parse().expect("Rust"), &mut found);
    assert_eq!(found, ["One", "Three", "\"Four\"", "Six", "Seven"]);
}

#[test]
fn sentences_in_code_are_found() {
    let code = r#"
        #[error("Not this one.")]
        fn a() { toast("It is full."); set("aria-label", "Open a file"); format!("Reading {name}…"); on("ArrowUp"); x.expect("Not this."); }
        #[cfg(test)]
        mod tests { fn b() { say("Not here either."); } }
        fn c() { say("Done.") }"#;
    let mut found = Vec::new();
    sentences(code.parse().expect("Rust"), &mut found);
    assert_eq!(found, ["It is full.", "Open a file", "Reading {name}…", "Done."]);
}
