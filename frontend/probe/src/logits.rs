//! `probe logits`: the logits behind the last tokens of a prompt.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use engine::model::KvType;
use engine::session::LoadOptions;
use serde_json::{Value, json};
use web_time::Instant;

use super::adapters;
use super::device::{Device, load_with};
use super::media::MediaArgs;

/// Which logits, and how they are computed.
pub struct LogitsOf {
    /// So many of the last tokens.
    pub last: usize,
    /// The type of the KV cache.
    pub kv_type: KvType,
    /// By the kernels that generate tokens.
    pub by_steps: bool,
}

pub fn run(
    options: &Device,
    model: &Path,
    ids: Vec<u32>,
    LogitsOf { last, kv_type, by_steps }: LogitsOf,
    (media, adapters): (&MediaArgs, &[String]),
    out: &Path,
) -> Result<Value> {
    if by_steps && !media.is_empty() {
        bail!("--by-steps doesn't work with images or audio");
    }
    if last == 0 || last > ids.len() {
        bail!("--last must be between 1 and the {} ids of the prompt", ids.len());
    }
    let load_options =
        LoadOptions { kv_type, largest_picture: media.largest_picture(), ..options.load(ids.len() as u32) };
    let (mut session, load_ms, _) = load_with(options, model, &load_options)?;
    media.use_projector(&mut session)?;
    adapters::add(&mut session, adapters)?;
    let started = Instant::now();
    let logits = if by_steps {
        pollster::block_on(session.logits_by_steps(&ids, last))?
    } else {
        let input = media.fill(&mut session, ids)?;
        pollster::block_on(session.logits(&input, last))?
    };
    let ms = started.elapsed().as_secs_f64() * 1000.0;
    let vocabulary = logits.len() / last;
    let bytes = bytemuck::cast_slice(&logits);
    let view = safetensors::tensor::TensorView::new(safetensors::Dtype::F32, vec![last, vocabulary], bytes)?;
    safetensors::serialize_to_file([("logits", view)], None, out)
        .with_context(|| format!("{} cannot be written", out.display()))?;
    let experts = super::bench::experts(&session);
    Ok(json!({ "out": out, "shape": [last, vocabulary], "load_ms": load_ms, "ms": ms, "experts": experts }))
}
