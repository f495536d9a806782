//! Markdown, code and formulas as Leptos views. No view is made of HTML as a string, so there is nothing to clean; [`html()`] is
//! for files and the clipboard.
//!
//! - [`blocks()`] turns a text into plain data; [`Document`] does it again and again for a text that grows, and
//!   parses only its end.
//! - [`highlight`] colours code; [`math`] turns LaTeX into MathML.
//! - [`Markdown`] shows a text that may grow, [`passages()`] what the user wrote, [`CodeBlock`] shows code.
//!
//! What a text may cost is bounded: the length of a formula, the cells of a table, the combining marks on a letter.

mod blocks;
mod citations;
mod code;
mod code_file;
mod coded;
mod delimiters;
mod display;
mod document;
mod dollars;
mod flanking;
mod formula;
pub mod highlight;
mod html;
mod inlines;
mod latex;
mod live;
mod marks;
pub mod math;
mod parse;
mod passages;
mod plain;
mod shield;
mod spoken;
mod tables;
#[cfg(test)]
mod tests;
mod view;

pub use blocks::{Alignment, Block, Inline, Item};
pub use citations::{Citations, Cited};
pub use code::{CodeBlock, CopyButton};
pub use code_file::code_file_name;
pub use coded::{CodeActions, Coded, PreviewKind, coded};
pub use document::{Document, Shared, blocks};
pub(crate) use formula::fetch as fetch_formulas;
pub use html::{escape, html};
pub use marks::few_marks;
pub use passages::{Passage, draw_passages, passages};
pub use plain::{plain_markdown, plain_passages};
pub use spoken::{Spoken, spoken};
pub use view::Markdown;
