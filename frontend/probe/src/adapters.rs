//! Adapters on a command line: read, used, written.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use anyhow::{Context as _, Result};
use engine::adapter::{self, Adapter};
use engine::session::Session;
use serde_json::{Value, json};

/// `probe adapter`: describes an adapter, and converts it to other formats.
pub fn convert(path: &Path, peft: Option<&Path>, gguf: Option<&Path>, base: &str) -> Result<Value> {
    let adapter = pollster::block_on(adapter::open(path))?;
    if let Some(directory) = peft {
        write_peft(&adapter, directory, base)?;
    }
    if let Some(file) = gguf {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        write_gguf(&adapter, file, &name)?;
    }
    let targets: Vec<_> = adapter
        .iter()
        .map(|(target, f)| {
            let mut told = json!({
                "name": target.to_string(), "rank": f.rank, "in": f.input, "out": f.output, "scale": f.scale
            });
            if target.projection.is_of_experts() {
                told["experts"] = f.experts().into();
            }
            told
        })
        .collect();
    Ok(json!({ "rank": adapter.rank(), "parameters": adapter.parameters(), "targets": targets }))
}

/// Adds the adapters of a command line: paths with an optional `:SCALE`.
pub fn add(session: &mut Session, adapters: &[String]) -> Result<()> {
    for (i, argument) in adapters.iter().enumerate() {
        let scaled = argument.rsplit_once(':').and_then(|(path, scale)| Some((path, scale.parse().ok()?)));
        let (path, scale) = scaled.unwrap_or((argument, 1.0));
        let adapter = pollster::block_on(adapter::open(Path::new(path)))
            .with_context(|| format!("the adapter {path}"))?;
        // The same file may be given twice.
        pollster::block_on(session.add_adapter(format!("{i} {path}"), adapter, scale))
            .with_context(|| format!("the adapter {path}"))?;
    }
    Ok(())
}

/// Writes a PEFT directory; `base` is the name of the base model.
pub fn write_peft(adapter: &Adapter, directory: &Path, base: &str) -> Result<()> {
    let files = adapter::peft::write(adapter, base)?;
    std::fs::create_dir_all(directory).with_context(|| format!("{} cannot be made", directory.display()))?;
    let written = |name: &str, bytes: &[u8]| {
        let file = directory.join(name);
        std::fs::write(&file, bytes).with_context(|| format!("{} cannot be written", file.display()))
    };
    written(adapter::peft::WEIGHTS, &files.weights)?;
    written(adapter::peft::CONFIG, files.config.as_bytes())
}

/// Writes a GGUF file for llama.cpp and Ollama; `name` is its `general.name`.
pub fn write_gguf(adapter: &Adapter, file: &Path, name: &str) -> Result<()> {
    let out = File::create(file).with_context(|| format!("{} cannot be written", file.display()))?;
    adapter::gguf::write(adapter, name, BufWriter::new(out))?;
    Ok(())
}
