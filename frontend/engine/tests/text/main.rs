//! The text side of the engine: tokenizer, chat template, parser of answers. Against the reference outputs under
//! `tests/golden`, on every model file there, on the built-in model, and on the models of the set that GEMTAB_GOLDEN
//! names.

mod added_tokens;
mod counted;
mod counts;
mod data_sets;
mod examples;
mod gemma3;
mod loading;
mod masks;
mod models;
mod parse;
mod render;
mod tables;
mod tokenizer;
