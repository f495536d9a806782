//! `probe diffuse`: answers of a model that decodes by diffusion, and traces of them.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use engine::bytes::CancelToken;
use engine::gguf::Header;
use engine::gpu::Gpu;
use engine::model::{Denoising, KvType, Noise, Recorded};
use engine::session::{
    Control, DenoisingStep, DiffusionEvent, DiffusionOptions, DiffusionSession, LoadOptions, ModelFile,
};
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Value, json};
use web_time::Instant;

use super::bench;
use super::device::Device;
use super::files::{conversation, read_ids, source};

/// Answer with a model that decodes by diffusion.
#[derive(Args)]
pub struct Diffuse {
    /// The model file.
    model: PathBuf,
    /// A file with a JSON array of token ids.
    #[arg(long, group = "input", required_unless_present = "messages")]
    ids: Option<PathBuf>,
    /// A JSON file: `{"messages": […], "tools": […] or null}`.
    #[arg(long, group = "input")]
    messages: Option<PathBuf>,
    /// Let the model think first.
    #[arg(long)]
    thinking: bool,
    /// Maximum number of canvases; 0 for as many as the context holds.
    #[arg(long, default_value_t = 1)]
    blocks: u32,
    /// Tokens per canvas. The defaults of this and the following options come from the file.
    #[arg(long)]
    canvas: Option<u32>,
    /// Maximum number of steps per canvas.
    #[arg(long)]
    steps: Option<u32>,
    /// Lower end of the temperature schedule.
    #[arg(long)]
    t_min: Option<f32>,
    /// Temperature of the first step.
    #[arg(long)]
    t_max: Option<f32>,
    /// Maximum total entropy, in nats, of the tokens accepted before another one in the same step.
    #[arg(long)]
    entropy_bound: Option<f32>,
    /// A canvas is finished only if its mean entropy, in nats, is below this.
    #[arg(long)]
    confidence: Option<f32>,
    /// A canvas is finished only if this many previous steps had the same most likely tokens.
    #[arg(long)]
    stability: Option<u32>,
    /// Seed: the same seed gives the same answer.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Continue past the end of the turn.
    #[arg(long)]
    ignore_eos: bool,
    /// Context length in tokens; 0 for the default.
    #[arg(long, default_value_t = 0)]
    context: u32,
    /// Take the random numbers of the first canvas from this safetensors file: `step0.canvas_in`, `stepN.uniform`,
    /// `stepN.renoise`. Keys and values are then kept in full precision.
    #[arg(long, value_name = "FILE")]
    noise: Option<PathBuf>,
    /// Write what every step does to this safetensors file: `stepN.canvas_in`, `.canvas_out`, `.argmax`, `.sampled`,
    /// `.accepted`, `.entropy`, `.logits`; after the first canvas the names begin with `blockN.`. Keys and values are then
    /// kept in full precision.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

/// Loads a diffusion model.
pub fn load(options: &Device, model: &Path, load: &LoadOptions) -> Result<(DiffusionSession, Rc<Gpu>)> {
    let gpu = Rc::new(pollster::block_on(Gpu::open(&options.gpu))?);
    let (mut file, cancel) = (ModelFile::local(source(model)?), CancelToken::new());
    let mut quiet = |_| ();
    let header = pollster::block_on(Header::read(&*file.bytes))?;
    let load = options.with_experts(&header, load, &gpu)?;
    file.header = Some(header);
    let loading = DiffusionSession::load(Rc::clone(&gpu), file, &load, &cancel, &mut quiet);
    Ok((pollster::block_on(loading)?, gpu))
}

pub fn run(options: &Device, args: &Diffuse) -> Result<Value> {
    let started = Instant::now();
    let exact = args.noise.is_some() || args.trace.is_some();
    let kv_type = if exact { KvType::F32 } else { KvType::F16 };
    let load_options = LoadOptions { context: args.context, kv_type, ..LoadOptions::default() };
    let (mut session, gpu) = load(options, &args.model, &load_options)?;
    let load_ms = started.elapsed().as_secs_f64() * 1000.0;
    let ids = match (&args.ids, &args.messages) {
        (Some(path), _) => read_ids(path)?,
        (None, Some(path)) => {
            session.render(&conversation(path)?, args.thinking).encode(session.tokenizer())?
        }
        (None, None) => bail!("give --ids or --messages"),
    };
    let options = DiffusionOptions {
        denoising: args.denoising(session.denoising()),
        blocks: args.blocks,
        noise: Noise { seed: args.seed, recorded: args.recorded()? },
        ignore_eos: args.ignore_eos,
        logits: args.trace.is_some(),
        ..DiffusionOptions::default()
    };
    let mut steps: Vec<DenoisingStep> = Vec::new();
    let mut on = |event| match event {
        DiffusionEvent::Step(step) if args.trace.is_some() => steps.push(*step),
        _ => {}
    };
    let outcome = pollster::block_on(session.generate(&ids, &options, &Control::default(), &mut on))?;
    if let Some(path) = &args.trace {
        write_trace(path, &steps)?;
    }
    let t = outcome.timings;
    Ok(json!({
        "ids": outcome.ids,
        "text": session.tokenizer().decode(&outcome.ids),
        "steps": outcome.steps,
        "finish": format!("{:?}", outcome.finish),
        "timings": {
            "load_ms": load_ms,
            "prefill_tokens": t.prompt_tokens - t.cached_tokens,
            "prefill_ms": t.prefill_ms,
            "denoise_ms": t.denoise_ms,
            "encode_ms": t.encode_ms,
        },
        "experts": bench::experts_used(session.diffuser().expert_use()),
        "gpu_bytes_in_use": gpu.bytes_in_use(),
        "adapter": gpu.report().name,
    }))
}

impl Diffuse {
    fn denoising(&self, of_file: Denoising) -> Denoising {
        Denoising {
            canvas: self.canvas.unwrap_or(of_file.canvas),
            steps: self.steps.unwrap_or(of_file.steps),
            t_min: self.t_min.unwrap_or(of_file.t_min),
            t_max: self.t_max.unwrap_or(of_file.t_max),
            entropy_bound: self.entropy_bound.unwrap_or(of_file.entropy_bound),
            stability: self.stability.unwrap_or(of_file.stability),
            confidence: self.confidence.unwrap_or(of_file.confidence),
        }
    }

    fn recorded(&self) -> Result<Option<Recorded>> {
        let Some(path) = &self.noise else { return Ok(None) };
        let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let recorded = Recorded::read(&bytes);
        Ok(Some(recorded.with_context(|| format!("{} holds no random numbers", path.display()))?))
    }
}

/// A tensor of a trace.
struct Traced {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    data: Vec<u8>,
}

impl Traced {
    fn of(step: &DenoisingStep) -> Vec<Self> {
        let block = if step.block == 0 { String::new() } else { format!("block{}.", step.block) };
        let rows = step.canvas.len();
        let bytes = |ids: &[u32]| bytemuck::cast_slice(ids).to_vec();
        let floats = |values: &[f32]| bytemuck::cast_slice(values).to_vec();
        let predicted = &step.predicted;
        let accepted = step.accepted.iter().map(|&accepted| u8::from(accepted)).collect();
        [
            ("canvas_in", Dtype::I32, bytes(&step.canvas)),
            ("canvas_out", Dtype::I32, bytes(&step.next)),
            ("argmax", Dtype::I32, bytes(&predicted.likeliest)),
            ("sampled", Dtype::I32, bytes(&predicted.sampled)),
            ("accepted", Dtype::U8, accepted),
            ("entropy", Dtype::F32, floats(&predicted.entropies)),
            ("logits", Dtype::F32, floats(&step.logits)),
        ]
        .into_iter()
        .map(|(part, dtype, data)| {
            let shape = if part == "logits" { vec![rows, step.logits.len() / rows] } else { vec![rows] };
            Self { name: format!("{block}step{}.{part}", step.step), dtype, shape, data }
        })
        .collect()
    }
}

fn write_trace(path: &Path, steps: &[DenoisingStep]) -> Result<()> {
    let traced: Vec<Traced> = steps.iter().flat_map(Traced::of).collect();
    let views = traced
        .iter()
        .map(|t| Ok((t.name.clone(), TensorView::new(t.dtype, t.shape.clone(), &t.data)?)))
        .collect::<Result<Vec<_>>>()?;
    safetensors::serialize_to_file(views, None, path)
        .with_context(|| format!("{} cannot be written", path.display()))
}
