//! `probe embed`: embeddings of texts, images and sounds.

use std::path::PathBuf;
use std::rc::Rc;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use engine::bytes::CancelToken;
use engine::gpu::Gpu;
use engine::media::Input;
use engine::session::{EncoderSession, ModelFile, shortened};
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Value, json};
use web_time::Instant;

use super::device::Device;
use super::files::source;
use super::media::MediaArgs;

/// Make embeddings of texts, or one of images and sounds.
#[derive(Args)]
pub struct Embed {
    /// The model file.
    model: PathBuf,
    /// A file with a JSON array of texts, each with its task in front.
    #[arg(long, conflicts_with_all = ["images", "sounds"])]
    texts: Option<PathBuf>,
    /// Keep only so many elements of each embedding, at length 1: 512, 256 or 128.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    dims: Option<u32>,
    /// Most tokens of a batch; 0 for the default.
    #[arg(long, default_value_t = 0)]
    batch: u32,
    /// The safetensors file to write: tensor `embeddings`, f32 `[n, dims]`.
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    pub media: MediaArgs,
}

pub fn run(options: &Device, args: &Embed) -> Result<Value> {
    let (gpu, cancel) = (Rc::new(pollster::block_on(Gpu::open(&options.gpu))?), CancelToken::new());
    let mut quiet = |_| ();
    let (started, file) = (Instant::now(), ModelFile::local(source(&args.model)?));
    let load = options.load(args.batch);
    let loading = EncoderSession::load(Rc::clone(&gpu), file, &load, &cancel, &mut quiet);
    let mut session = pollster::block_on(loading)?;
    let load_ms = started.elapsed().as_secs_f64() * 1000.0;
    args.media.use_projector(&mut session)?;
    let inputs: Vec<Input> = match &args.texts {
        Some(path) => {
            let text = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
            let texts: Vec<String> = serde_json::from_slice(&text)
                .with_context(|| format!("{} isn't a JSON array of texts", path.display()))?;
            texts.iter().map(|text| session.text(text)).collect::<Result<_, _>>()?
        }
        None if args.media.is_empty() => bail!("give --texts, --image or --audio"),
        None => vec![args.media.embedded(&mut session)?],
    };
    let started = Instant::now();
    let vectors = pollster::block_on(session.embed(&inputs, &cancel, &mut |_| ()))?;
    let ms = started.elapsed().as_secs_f64() * 1000.0;
    let elements = session.elements();
    let dims = args.dims.unwrap_or(elements) as usize;
    if dims > elements as usize {
        bail!("--dims is more than the {elements} elements of an embedding");
    }
    let values: Vec<f32> = vectors.iter().flat_map(|vector| shortened(vector, dims)).collect();
    let shape = vec![vectors.len(), dims];
    let view = TensorView::new(Dtype::F32, shape.clone(), bytemuck::cast_slice(&values))?;
    safetensors::serialize_to_file([("embeddings", view)], None, &args.out)
        .with_context(|| format!("{} cannot be written", args.out.display()))?;
    let note = "the file lacks its dense layers: compare its embeddings with each other alone";
    Ok(json!({
        "out": args.out,
        "shape": shape,
        "tokens": inputs.iter().map(Input::len).collect::<Vec<_>>(),
        "note": session.lacks_dense().then_some(note),
        "load_ms": load_ms,
        "ms": ms,
        "gpu_bytes_in_use": gpu.bytes_in_use(),
        "adapter": gpu.report().name,
    }))
}
