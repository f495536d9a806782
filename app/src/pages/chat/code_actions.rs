//! What can be done with an answer's code, and copying an answer with its format. Most of it is in the part of the wasm that comes
//! later.

use leptos::{prelude::*, task::spawn_local};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use crate::{
    browser,
    content::{CodeActions, PreviewKind, code_file_name, coded, html},
    history::NodeId,
    language::t,
    state::{CodedPlace, use_chat, use_ui},
};

/// Has the blocks of code in an answer be shown and kept.
pub fn provide_code_actions(node: NodeId, text: Signal<String>) {
    let (ui, chat) = (use_ui(), use_chat());
    let preview = move |(kind, code): (PreviewKind, String)| {
        let blocks = text.with_untracked(|text| coded(text, false));
        let nth = blocks.iter().filter(|block| block.kind == kind).position(|block| block.text == code);
        ui.drawer.set(false);
        ui.coded.set(Some(CodedPlace { node, kind, nth: nth.unwrap_or(0) }));
    };
    let download = move |(language, code): (String, String)| {
        let stem = chat.conversation.with_untracked(|conversation| conversation.file_stem());
        spawn_local(async move {
            match name_file(language, code.clone(), stem).await {
                Ok(name) => browser::download(&name, "text/plain", &code),
                Err(_) => ui.toast(t().later_missing()),
            }
        });
    };
    provide_context(CodeActions { preview: Callback::new(preview), download: Callback::new(download) });
}

#[wasm_split(later, fallible)]
fn name_file(language: String, code: String, stem: String) -> Result<String, SplitLoaderError> {
    Ok(code_file_name(&language, &code, &stem))
}

#[wasm_split(later, fallible)]
fn to_html(markdown: String) -> Result<String, SplitLoaderError> {
    Ok(html(&markdown))
}

/// Copies a Markdown text with its format. Returns whether the browser can, and let it.
pub async fn copy_with_format(markdown: &str) -> bool {
    match to_html(markdown.to_owned()).await {
        Ok(html) => browser::copy_html(&html, markdown).await,
        Err(_) => false,
    }
}
