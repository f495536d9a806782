//! `probe train`: a LoRA adapter from examples.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use engine::adapter::{Adapter, Factors, Projection, Target};
use engine::bytes::CancelToken;
use engine::gpu::Gpu;
use engine::session::Session;
use engine::train::{Example, Schedule, Settings, Trainer, order};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;
use serde_json::{Value, json};

/// Most tokens of an example, where the model takes so many.
const MOST_TOKENS: u32 = 8192;

#[derive(Args)]
pub struct Train {
    /// The model file.
    pub model: PathBuf,
    /// Examples, one a line: `{"ids": […], "labels": […]}`, −100 where nothing is learned.
    #[arg(long)]
    data: PathBuf,
    /// Rank of the factors.
    #[arg(long, default_value_t = 8)]
    rank: u32,
    /// The correction is scaled by alpha / rank.
    #[arg(long, default_value_t = 16.0)]
    alpha: f32,
    /// Projections, with commas: q, k, v, o, gate, up, down, ple_gate, ple_proj; or all for the first seven.
    #[arg(long, default_value = "all")]
    targets: String,
    /// Optimiser steps.
    #[arg(long, default_value_t = 100)]
    steps: u32,
    /// Highest learning rate.
    #[arg(long, default_value_t = 2e-4)]
    lr: f64,
    /// Decay of the factors, apart from the gradient.
    #[arg(long, default_value_t = 0.0)]
    weight_decay: f64,
    /// How the learning rate goes on after the warm-up.
    #[arg(long, value_enum, default_value = "constant")]
    schedule: ScheduleName,
    /// Steps in which the learning rate rises.
    #[arg(long, default_value_t = 0)]
    warmup: u32,
    /// Largest norm of the gradients; 0 is off.
    #[arg(long, default_value_t = 1.0)]
    clip: f64,
    /// Probability of leaving out an input of A.
    #[arg(long, default_value_t = 0.0)]
    dropout: f32,
    /// Examples of a step.
    #[arg(long, default_value_t = 1)]
    batch: usize,
    /// Makes the start, the dropout and the order repeatable.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Factors to begin with, named as `lora.blk.0.attn_q.A`.
    #[arg(long)]
    init: Option<PathBuf>,
    /// Where the first step's gradients go, named likewise.
    #[arg(long)]
    grads: Option<PathBuf>,
    /// The folder for the adapter.
    #[arg(long)]
    out: PathBuf,
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

/// Trains as the command line says; `session` is the model.
pub fn run(train: &Train, session: Session, gpu: &Rc<Gpu>) -> Result<Value> {
    let examples = read_examples(&train.data)?;
    let longest = examples.iter().map(|example| example.ids.len()).max().unwrap_or(0);
    let longest = u32::try_from(longest).unwrap_or(u32::MAX);
    if longest > MOST_TOKENS {
        bail!("the longest example has {longest} tokens; gemtab takes {MOST_TOKENS}");
    }
    let settings = Settings {
        rank: train.rank,
        alpha: train.alpha,
        targets: projections(&train.targets)?,
        steps: train.steps,
        learning_rate: train.lr,
        weight_decay: train.weight_decay,
        schedule: train.schedule.into(),
        warmup: train.warmup,
        clip: train.clip,
        dropout: train.dropout,
        seed: train.seed,
        max_tokens: longest.max(2),
    };
    let start = train.init.as_deref().map(|path| read_factors(path, settings.scale())).transpose()?;
    let base = session.training_base();
    drop(session);
    let (count, batch) = (examples.len(), train.batch.max(1));
    let cancel = CancelToken::new();
    let mut trainer =
        pollster::block_on(Trainer::new(Rc::clone(gpu), base, settings.clone(), start.as_ref()))?;
    let (mut losses, mut norms) = (Vec::new(), Vec::new());
    let (mut tokens, mut milliseconds) = (0u64, 0.0);
    for step in 0..train.steps {
        let chosen = order(settings.seed, count, batch, step);
        let chosen: Vec<Example> = chosen.into_iter().map(|index| examples[index].clone()).collect();
        let report = pollster::block_on(trainer.step(&chosen, &cancel))?;
        losses.push(report.loss);
        norms.push(report.grad_norm);
        // The first step compiles and warms up.
        if step > 0 || train.steps == 1 {
            tokens += u64::from(report.tokens);
            milliseconds += report.milliseconds;
        }
        if let (0, Some(path)) = (step, &train.grads) {
            write_factors(path, &pollster::block_on(trainer.gradients())?)?;
        }
    }
    let adapter = pollster::block_on(trainer.adapter())?;
    std::fs::create_dir_all(&train.out).with_context(|| format!("{} cannot be made", train.out.display()))?;
    write_factors(&train.out.join("lora.safetensors"), &adapter)?;
    let memory = trainer.memory();
    Ok(json!({
        "loss": losses,
        "grad_norm": norms,
        "tokens_per_s": tokens as f64 / (milliseconds / 1000.0),
        "gpu_bytes": gpu.bytes_in_use(),
        "training_bytes": memory.bytes(),
        "parameters": memory.parameters,
        "out": train.out,
        "adapter": gpu.report().name,
    }))
}

#[derive(Deserialize)]
struct RowOfIds {
    ids: Vec<u32>,
    labels: Vec<i32>,
}

fn read_examples(path: &Path) -> Result<Vec<Example>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let examples: Vec<_> = lines
        .map(|(number, line)| {
            let row: RowOfIds = serde_json::from_str(line)
                .with_context(|| format!("{}, line {}", path.display(), number + 1))?;
            Ok(Example { ids: row.ids, labels: row.labels })
        })
        .collect::<Result<_>>()?;
    if examples.is_empty() {
        bail!("{} holds no example", path.display());
    }
    Ok(examples)
}

fn projections(list: &str) -> Result<Vec<Projection>> {
    if list == "all" {
        return Ok(Projection::ALL[..7].to_vec());
    }
    list.split(',')
        .map(|name| {
            let short = ["q", "k", "v", "o", "gate", "up", "down", "ple_gate", "ple_proj"];
            let name = name.trim();
            let named = Projection::ALL.iter().zip(short).find(|(projection, short)| {
                name == *short || name == projection.tensor() || name == format!("{short}_proj")
            });
            named.map(|(projection, _)| *projection).with_context(|| format!("no projection {name:?}"))
        })
        .collect()
}

fn read_factors(path: &Path, scale: f32) -> Result<Adapter> {
    let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let tensors = SafeTensors::deserialize(&bytes)?;
    let mut halves: BTreeMap<String, [Option<TensorView<'_>>; 2]> = BTreeMap::new();
    for (name, tensor) in tensors.tensors() {
        let Some((matrix, side)) = name.strip_prefix("lora.").and_then(|rest| rest.rsplit_once('.')) else {
            continue;
        };
        if tensor.dtype() != Dtype::F32 || tensor.shape().len() != 2 {
            bail!("{name} is no matrix of f32");
        }
        let place = match side {
            "A" => 0,
            "B" => 1,
            _ => bail!("{name} is neither an A nor a B"),
        };
        halves.entry(matrix.to_owned()).or_default()[place] = Some(tensor);
    }
    let mut adapter = Adapter::default();
    for (matrix, halves) in halves {
        let [Some(a), Some(b)] = halves else { bail!("{matrix} lacks its A or its B") };
        let values = |tensor: &TensorView<'_>| bytemuck::pod_collect_to_vec::<u8, f32>(tensor.data());
        let size = |tensor: &TensorView<'_>, at: usize| u32::try_from(tensor.shape()[at]);
        let factors = Factors {
            rank: size(&a, 0)?,
            input: size(&a, 1)?,
            output: size(&b, 0)?,
            a: values(&a),
            b: values(&b),
            scale,
        };
        adapter.insert(target(&matrix)?, factors)?;
    }
    Ok(adapter)
}

/// `blk.3.attn_q`
fn target(matrix: &str) -> Result<Target> {
    let parts = matrix.strip_prefix("blk.").and_then(|rest| rest.split_once('.'));
    let (layer, name) = parts.with_context(|| format!("{matrix} is no projection of a layer"))?;
    let projection = Projection::ALL.into_iter().find(|projection| projection.tensor() == name);
    let projection = projection.with_context(|| format!("no projection {name}"))?;
    Ok(Target { layer: layer.parse().with_context(|| format!("{matrix} has no layer"))?, projection })
}

fn write_factors(path: &Path, adapter: &Adapter) -> Result<()> {
    let mut views = Vec::new();
    for (target, factors) in adapter.iter() {
        let (rank, input, output) = (factors.rank as usize, factors.input as usize, factors.output as usize);
        let halves = [("A", [rank, input], &factors.a), ("B", [output, rank], &factors.b)];
        for (side, shape, values) in halves {
            let bytes = bytemuck::cast_slice(values);
            let view = TensorView::new(Dtype::F32, shape.to_vec(), bytes)?;
            views.push((format!("lora.{target}.{side}"), view));
        }
    }
    safetensors::serialize_to_file(views, None, path)
        .with_context(|| format!("{} cannot be written", path.display()))
}
