//! All words of the interface are in `locales`: neither a view nor a sentence elsewhere has them in the code.

use std::{
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
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

/// What is the same in every language: what a program reads, names, and questions to a model that knows English alone.
const SAME: [&str; 9] = [
    "How many miles are 42 km?",
    "Make a bar chart: cats 3, dogs 5",
    "Open WebUI",
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
            TokenTree::Group(_) if before == ["#", "!"] => {}
            TokenTree::Group(group) if before[1] == "#" => {
                test |= group.stream().to_string().replace(' ', "") == "cfg(test)";
            }
            TokenTree::Group(_) if before[1] == "!" && before[0].starts_with("assert") => {}
            TokenTree::Group(_) if before[1] == "expect" => {}
            // `pub(super)` and a function's arguments stand before its body.
            TokenTree::Group(group) if test => test = group.delimiter() != Delimiter::Brace,
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

/// Words in the `#[error]` of an enum. An error that a person may meet has none: the page finds them in its language.
fn error_words(tokens: TokenStream, found: &mut Vec<String>) {
    let mut hash = false;
    for tree in tokens {
        if let TokenTree::Group(group) = &tree {
            let inside: Vec<TokenTree> = group.stream().into_iter().collect();
            match inside.as_slice() {
                [TokenTree::Ident(name), TokenTree::Group(arguments)] if hash && name == "error" => {
                    let format = arguments.stream().into_iter().next().map(|it| it.to_string());
                    let format =
                        format.and_then(|it| syn::parse_str::<syn::LitStr>(&it).ok()).map(|it| it.value());
                    found.extend(
                        format.filter(|words| without_arguments(words).contains(char::is_alphabetic)),
                    );
                }
                _ => error_words(group.stream(), found),
            }
        }
        hash = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '#');
    }
}

/// A format without what is between braces.
fn without_arguments(format: &str) -> String {
    let pieces = format.split('{').map(|piece| piece.split_once('}').map_or(piece, |(_, behind)| behind));
    pieces.collect()
}

/// A capital letter first, and either a second word, the end of a sentence, or a label before a value.
fn is_sentence(text: &str) -> bool {
    // Marks of Markdown and of lists may stand before it.
    let text = text.trim_start_matches(|it: char| !it.is_alphanumeric() && !"“{/.".contains(it));
    let mut letters = text.chars();
    let begins = letters.next().is_some_and(|it| it.is_uppercase() || it == '“')
        && letters.next().is_some_and(char::is_lowercase);
    let words =
        text.split(' ').filter(|word| word.chars().all(|it| it.is_alphabetic() || ",.'’…".contains(it)));
    let ends = text.ends_with(['.', '…', '!', '?']) || text.contains(": {");
    begins && (words.filter(|word| word.len() > 1).count() > 1 || ends)
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
fn no_error_has_words_of_its_own() {
    assert_eq!(report(error_words), Vec::<String>::new());
}

#[test]
fn words_of_errors_are_found() {
    let code = r#"
        #[derive(thiserror::Error)]
        enum A {
            #[error("it has {size} bytes")]
            B { size: u64 },
            #[error("{}", t().words())]
            C,
            #[error(transparent)]
            D(#[from] E),
        }
        mod f { #[error("the formula is full")] struct G; }"#;
    let mut found = Vec::new();
    error_words(code.parse().expect("Rust"), &mut found);
    assert_eq!(found, ["it has {size} bytes", "the formula is full"]);
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
        pub(super) mod tests { fn b() { say("Not here either."); } }
        #[cfg(test)]
        fn d(words: &str) { say("Nor here."); }
        fn c() { say("Done."); push(format!("\n*Attached: {name}*\n")); header("Accept", "*/*") }"#;
    let mut found = Vec::new();
    sentences(code.parse().expect("Rust"), &mut found);
    assert_eq!(found, ["It is full.", "Open a file", "Reading {name}…", "Done.", "\n*Attached: {name}*\n"]);
}
