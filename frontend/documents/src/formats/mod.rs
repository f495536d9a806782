//! One reader for each format.

mod archive;
mod blocks;
pub mod docx;
pub mod epub;
pub mod html;
pub mod json;
pub mod markdown;
pub mod pdf;
pub mod table;
pub mod text;
mod xml;
