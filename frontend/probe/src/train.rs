//! `probe train`: a LoRA adapter from examples.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use engine::adapter::{self, Adapter, Projection};
use engine::bytes::{CancelToken, FileSource};
use engine::gpu::Gpu;
use engine::media::{ContentHash, Medium, SoftTokens};
use engine::session::Session;
use engine::train::examples::{Content, Named};
use engine::train::{Example, Schedule, Settings, Trainer, examples, order};
use engine::vision::Budget;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Value, json};

use super::media::Attachment;
use super::{adapters, media};

/// Default maximum of tokens per example, if the model supports as many.
const MAX_TOKENS: u32 = 8192;
/// The GGUF adapter, next to the PEFT files.
const GGUF: &str = "adapter.gguf";

#[derive(Args)]
pub struct Train {
    /// The model file.
    pub model: PathBuf,
    /// The examples: one JSON object per line, or a table. Each is a chat, a prompt with its answer, or `{"ids": […],
    /// "labels": […]}` with −100 where nothing is learned. Chats can include images and audio, named relative to this
    /// file: `{"type": "image", "image": "cat.png"}` or `{"type": "audio", "audio": "purr.wav"}` in a message's
    /// content, or `"images"` and `"audios"` next to the messages. The towers aren't trained.
    #[arg(long)]
    data: PathBuf,
    /// The file with the towers, if they aren't in the model file.
    #[arg(long)]
    projector: Option<PathBuf>,
    /// The most tokens for an image: 70, 140, 280, 560 or 1120.
    #[arg(long, default_value_t = Budget::default().tokens())]
    budget: u32,
    /// The adapter's rank.
    #[arg(long, default_value_t = 8)]
    rank: u32,
    /// The adapter is scaled by alpha / rank.
    #[arg(long, default_value_t = 16.0)]
    alpha: f32,
    /// What to train, separated by commas: q, k, v, o, gate, up, down, ple_gate, ple_proj, router, expert_gate_up, expert_down. `all`
    /// stands for the first seven, `experts` for the last two. The router of a mixture of experts decides which of them a token gets.
    #[arg(long, default_value = "all")]
    targets: String,
    /// Training steps.
    #[arg(long, default_value_t = 100)]
    steps: u32,
    /// Peak learning rate.
    #[arg(long, default_value_t = 2e-4)]
    lr: f64,
    /// Decoupled weight decay.
    #[arg(long, default_value_t = 0.0)]
    weight_decay: f64,
    /// How the learning rate changes after the warm-up.
    #[arg(long, value_enum, default_value = "constant")]
    schedule: ScheduleName,
    /// Warm-up steps.
    #[arg(long, default_value_t = 0)]
    warmup: u32,
    /// Maximum gradient norm; 0 turns clipping off.
    #[arg(long, default_value_t = 1.0)]
    clip: f64,
    /// Dropout on the adapter's inputs.
    #[arg(long, default_value_t = 0.0)]
    dropout: f32,
    /// Examples per step.
    #[arg(long, default_value_t = 1)]
    batch: usize,
    /// Seed for initialisation, dropout and order.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Initial factors, with names such as `lora.blk.0.attn_q.A`.
    #[arg(long)]
    init: Option<PathBuf>,
    /// Write the first step's gradients to this file, with the same names.
    #[arg(long)]
    grads: Option<PathBuf>,
    /// The folder to write the adapter to: PEFT's files, and a GGUF file for llama.cpp and Ollama.
    #[arg(long)]
    out: PathBuf,
    /// The name of its base model, as written into the files.
    #[arg(long, default_value = "google/gemma-4")]
    base: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum ScheduleName {
    Constant,
    Linear,
    Cosine,
}

impl From<ScheduleName> for Schedule {
    fn from(name: ScheduleName) -> Self {
        match name {
            ScheduleName::Constant => Self::Constant,
            ScheduleName::Linear => Self::Linear,
            ScheduleName::Cosine => Self::Cosine,
        }
    }
}

/// The result of the steps that were done.
#[derive(Default)]
struct Learned {
    losses: Vec<f64>,
    norms: Vec<f64>,
    tokens: u64,
    milliseconds: f64,
}

/// Trains according to the command line; `session` is the model. If a step fails, the result of the earlier steps
/// is still written.
pub fn run(train: &Train, mut session: Session, gpu: &Rc<Gpu>) -> Result<Value> {
    if let Some(projector) = &train.projector {
        media::use_projector(&mut session, projector)?;
    }
    let mut seen =
        Seen { gpu, budget: Budget::new(train.budget)?, media: HashMap::new(), rows: HashMap::new() };
    let examples = seen.read_examples(&train.data, &mut session)?;
    let longest = examples.iter().map(|example| example.input.len()).max().unwrap_or(0);
    let settings = train.settings(u32::try_from(longest)?)?;
    let start = train.init.as_deref().map(|path| read_factors(path, settings.alpha)).transpose()?;
    let base = session.training_base();
    // Frees the cache and the working memory of inference.
    drop(session);
    let made = Trainer::new(Rc::clone(gpu), base, settings, start.as_ref());
    let mut trainer = pollster::block_on(made)?;
    trainer.set_soft_tokens(Rc::new(seen.rows));
    let mut learned = Learned::default();
    let outcome = train.learn(&mut trainer, &examples, &mut learned);
    if trainer.steps_done() > 0 {
        let adapter = pollster::block_on(trainer.adapter())?;
        let name = train.out.file_name().unwrap_or_default().to_string_lossy();
        adapters::write_peft(&adapter, &train.out, &train.base)?;
        adapters::write_gguf(&adapter, &train.out.join(GGUF), &name)?;
    }
    outcome?;
    let memory = trainer.memory();
    Ok(json!({
        "loss": learned.losses,
        "grad_norm": learned.norms,
        "tokens_per_s": learned.tokens as f64 / (learned.milliseconds / 1000.0),
        "gpu_bytes": gpu.bytes_in_use(),
        "training_bytes": memory.bytes(),
        "parameters": memory.parameters,
        "out": train.out,
        "adapter": gpu.report().name,
    }))
}

impl Train {
    fn settings(&self, longest: u32) -> Result<Settings> {
        Ok(Settings {
            rank: self.rank,
            alpha: self.alpha,
            targets: projections(&self.targets)?,
            steps: self.steps,
            learning_rate: self.lr,
            weight_decay: self.weight_decay,
            schedule: self.schedule.into(),
            warmup: self.warmup,
            clip: self.clip,
            dropout: self.dropout,
            seed: self.seed,
            max_tokens: longest,
        })
    }

    fn learn(&self, trainer: &mut Trainer, examples: &[Example], learned: &mut Learned) -> Result<()> {
        let cancel = CancelToken::new();
        for step in 0..self.steps {
            let chosen = order(self.seed, examples.len(), self.batch.max(1), step);
            let batch: Vec<Example> = chosen.into_iter().map(|index| examples[index].clone()).collect();
            let report = pollster::block_on(trainer.step(&batch, &cancel))?;
            learned.losses.push(report.loss);
            learned.norms.push(report.grad_norm);
            // The first step is a warm-up.
            if step > 0 || self.steps == 1 {
                learned.tokens += u64::from(report.tokens);
                learned.milliseconds += report.milliseconds;
            }
            if let (0, Some(path)) = (step, &self.grads) {
                write_factors(path, &pollster::block_on(trainer.gradients())?)?;
            }
        }
        Ok(())
    }
}

/// The encoded images and audio of the examples.
struct Seen<'a> {
    gpu: &'a Gpu,
    budget: Budget,
    /// By file.
    media: HashMap<Named, Vec<Medium>>,
    /// Their soft tokens, `[tokens, width]`.
    rows: HashMap<ContentHash, Vec<f32>>,
}

impl Seen<'_> {
    /// The media of a file, encoded on first use.
    fn look(&mut self, named: &Named, folder: &Path, session: &mut Session) -> Result<Vec<Medium>> {
        if let Some(media) = self.media.get(named) {
            return Ok(media.clone());
        }
        let soft = Attachment::of(named, folder).encode(session, self.budget)?;
        for soft in &soft {
            self.rows.insert(soft.medium().content, pollster::block_on(soft.read(self.gpu))?);
        }
        let media: Vec<Medium> = soft.iter().map(SoftTokens::medium).collect();
        self.media.insert(named.clone(), media.clone());
        Ok(media)
    }

    /// All examples. The first row that cannot be used is an error, so that no row is skipped silently.
    fn read_examples(&mut self, path: &Path, session: &mut Session) -> Result<Vec<Example>> {
        let read = |path: &Path| Ok(examples::decode(&std::fs::read(path)?)?);
        let text: Result<String> = read(path);
        let text = text.with_context(|| format!("{} cannot be read", path.display()))?;
        let parsed = examples::read(&text, None);
        let at = |line: u32| format!("{}, line {line}", path.display());
        if !parsed.ignored.is_empty() {
            eprintln!("{}: not used: {}", path.display(), parsed.ignored.join(", "));
        }
        if let Some(problem) = parsed.problems.first() {
            return Err(problem.reason.clone()).with_context(|| at(problem.line));
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        let limit = MAX_TOKENS.min(session.decoder().config().max_context);
        let mut all = Vec::with_capacity(parsed.rows.len());
        for row in &parsed.rows {
            let named = match &row.content {
                Content::Chat { media, .. } => media.as_slice(),
                Content::Ids { .. } => &[],
            };
            let found = named.iter().map(|named| self.look(named, folder, session));
            let found = found.collect::<Result<Vec<_>>>().with_context(|| at(row.line))?;
            let (tokenizer, variant) = (session.tokenizer(), session.variant());
            let example = examples::encode(&row.content, &found, tokenizer, variant, limit);
            all.push(example.with_context(|| at(row.line))?);
        }
        if all.is_empty() {
            bail!("{} has no examples", path.display());
        }
        Ok(all)
    }
}

fn projections(list: &str) -> Result<Vec<Projection>> {
    let short = [
        "q",
        "k",
        "v",
        "o",
        "gate",
        "up",
        "down",
        "ple_gate",
        "ple_proj",
        "router",
        "expert_gate_up",
        "expert_down",
    ];
    let mut all = Vec::new();
    for name in list.split(',').map(str::trim) {
        if name == "all" {
            all.extend(&Projection::ALL[..7]);
            continue;
        }
        if name == "experts" {
            all.extend(&Projection::OF_EXPERTS);
            continue;
        }
        let named = Projection::ALL.into_iter().zip(short).find(|(projection, short)| {
            name == *short || name == projection.tensor() || name == format!("{short}_proj")
        });
        let (projection, _) = named.with_context(|| format!("unknown part {name:?}"))?;
        all.push(projection);
    }
    Ok(all)
}

fn read_factors(path: &Path, alpha: f32) -> Result<Adapter> {
    let read = || {
        let source = FileSource::open(path)?;
        pollster::block_on(adapter::flat::read(&source, Some(alpha)))
    };
    read().with_context(|| format!("the factors {}", path.display()))
}

fn write_factors(path: &Path, adapter: &Adapter) -> Result<()> {
    let mut views = Vec::new();
    for (target, factors) in adapter.iter() {
        let (rank, input, output) = (factors.rank as usize, factors.input as usize, factors.output as usize);
        let halves = [("A", [rank, input], &factors.a), ("B", [output, rank], &factors.b)];
        let experts = target.projection.is_of_experts().then(|| factors.experts() as usize);
        for (side, shape, values) in halves {
            let bytes = bytemuck::cast_slice(values);
            let shape = experts.into_iter().chain(shape).collect();
            let view = TensorView::new(Dtype::F32, shape, bytes)?;
            views.push((format!("lora.{target}.{side}"), view));
        }
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    safetensors::serialize_to_file(views, None, path)
        .with_context(|| format!("{} cannot be written", path.display()))
}
