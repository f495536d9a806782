//! What commands read from files.

use std::path::Path;
use std::rc::Rc;

use anyhow::{Context as _, Result};
use engine::bytes::FileSource;
use engine::gguf::Header;
use engine::model::Config;
use engine::template::{Conversation, Tool};
use serde_json::Value;

pub fn source(model: &Path) -> Result<Rc<FileSource>> {
    let source = FileSource::open(model).with_context(|| format!("{} cannot be opened", model.display()))?;
    Ok(Rc::new(source))
}

pub fn header(model: &Path) -> Result<Header> {
    let source = source(model)?;
    Ok(pollster::block_on(Header::read(&*source))?)
}

pub fn is_diffusion(model: &Path) -> Result<bool> {
    Ok(Config::read(&header(model)?.metadata).is_ok_and(|config| config.diffusion.is_some()))
}

pub fn read_ids(path: &Path) -> Result<Vec<u32>> {
    let text = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_slice(&text)
        .with_context(|| format!("{} isn't a JSON array of token ids", path.display()))
}

pub fn json(path: &Path) -> Result<Value> {
    let text = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{} isn't JSON", path.display()))
}

/// Declarations of tools: an array, or the `tools` of an object.
pub fn tools(path: &Path) -> Result<Vec<Tool>> {
    let mut json = json(path)?;
    let tools = json.get_mut("tools").map(Value::take).unwrap_or(json);
    serde_json::from_value(tools).with_context(|| format!("{} declares no tools", path.display()))
}

pub fn conversation(path: &Path) -> Result<Conversation> {
    let text = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{} isn't a conversation", path.display()))
}
