//! `probe plan`: prints a model's plans, without a device.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use engine::adapter::Ranks;
use engine::gguf::Header;
use engine::model::layer::Pass;
use engine::model::{
    Corrections, DecoderPlans, DiffusionPlans, DraftParts, DrafterSpec, EncoderPlans, Tuning,
};
use engine::plan::{Layout, Limits, Origin, Plan, Schedule, Step};
use engine::session::{DeviceMemory, Fit, LoadOptions, ModelSpec};
use engine::train::{self, Settings};
use probe::synth;
use serde_json::{Value, json};
use shaders::adapter::expand::MAX_RANK;

use super::files::header;

/// Print what a graphics card would do, step by step, and the memory it would take. Needs no graphics card.
#[derive(Args)]
pub struct PlanArgs {
    /// The model file, or a shape: e2b, e4b, 12b, 26b, 26b-diffusion, 31b, gemma3-270m, gemma3-1b and larger ones.
    model: String,
    /// A JSON file with what the device allows: `storage_buffers`, `largest_binding`, `largest_part`, `software`,
    /// `portable`, all optional. By default a card that binds 2 GiB.
    #[arg(long, value_name = "FILE")]
    limits: Option<PathBuf>,
    /// Context length in tokens; for training, tokens per example.
    #[arg(long, default_value_t = 0)]
    tokens: u32,
    /// What to describe.
    #[arg(long, value_enum, default_value_t = Phase::Decode)]
    phase: Phase,
    /// With an adapter of this rank on every projection, where the phase is one of the decoder.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_RANK)))]
    adapter_rank: Option<u32>,
    /// With this drafter: a GGUF file of the architecture gemma4-assistant, or a shape such as e2b-drafter.
    #[arg(long, value_name = "DRAFTER")]
    draft: Option<String>,
    /// Print a table for people, not JSON.
    #[arg(long)]
    table: bool,
    /// Print what this layer computes, as the specification writes it, instead of the plan.
    #[arg(long, value_name = "I")]
    layer: Option<usize>,
}

/// A part of the computation.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Phase {
    /// One generated token, with greedy sampling.
    Decode,
    /// A round of speculative decoding: the last token and three drafted ones, with greedy sampling.
    Verify,
    /// A chunk of a prompt.
    Prefill,
    /// The layers that prefill skips, for a prompt's last token, with greedy sampling.
    Tail,
    /// A picture at the default token budget.
    Vision,
    /// Up to ten seconds of sound.
    Audio,
    /// A training step of rank 8 over one example.
    Train,
    /// A step of a canvas, for a model that decodes by diffusion. A chunk of its prompt is prefill.
    Canvas,
}

/// Rows of a described round.
const ROUND: u32 = 4;

/// Describes a phase.
pub fn run(args: &PlanArgs, tuning: Option<Tuning>) -> Result<Value> {
    let limits = read_limits(args.limits.as_deref())?;
    let header = header_of(&args.model)?;
    let memory = DeviceMemory { available: u64::MAX, limits };
    let options = LoadOptions { tuning, ..LoadOptions::default() };
    let model = ModelSpec::with_options(&header, &options)?;
    let context = if matches!(args.phase, Phase::Train) { 0 } else { args.tokens };
    let fit = model.fit(context, memory)?;
    if let Some(layer) = args.layer {
        return operations(&model, fit, limits, layer, args.phase);
    }
    if model.config.encoder.is_some() && !matches!(args.phase, Phase::Prefill | Phase::Vision | Phase::Audio)
    {
        bail!("the model makes embeddings: its phase is prefill");
    }
    let plan = match args.phase {
        Phase::Prefill if model.config.encoder.is_some() => {
            let parts = model.describe(fit.context, fit.storage, limits)?;
            let plans = EncoderPlans::new(&parts)?;
            let mut whole = Plan::default();
            plans.all().into_iter().for_each(|plan| whole.extend(plan));
            whole
        }
        Phase::Prefill | Phase::Canvas if model.config.diffusion.is_some() => {
            diffusion(&model, fit, limits, args.phase)?
        }
        Phase::Canvas => bail!("the model doesn't decode by diffusion"),
        Phase::Decode | Phase::Verify | Phase::Tail if model.config.diffusion.is_some() => {
            bail!("the model decodes by diffusion: its phases are prefill and canvas")
        }
        Phase::Decode | Phase::Verify | Phase::Prefill | Phase::Tail => decoder(&model, fit, limits, args)?,
        Phase::Vision => {
            let tower = model.vision.as_ref().context("the model file has no vision tower")?;
            tower.computation(limits)?
        }
        Phase::Audio => {
            let tower = model.audio.as_ref().context("the model file has no audio tower")?;
            tower.computation(limits)?
        }
        Phase::Train => {
            let base = model.training_base(limits)?;
            let mut settings = Settings::default();
            if args.tokens > 0 {
                settings.max_tokens = args.tokens;
            }
            train::Trainer::computation(&base, &settings)?
        }
    };
    let rows = match args.phase {
        Phase::Decode | Phase::Tail => 1,
        Phase::Verify => ROUND,
        Phase::Audio => 256,
        Phase::Canvas => model.config.diffusion.map_or(1, |settings| settings.canvas),
        Phase::Prefill | Phase::Vision | Phase::Train => 512,
    };
    let description = describe(&plan, rows, fit);
    Ok(if args.table { Value::String(table(&description)) } else { description })
}

/// What a layer computes, an operation a line.
fn operations(model: &ModelSpec, fit: Fit, limits: Limits, i: usize, phase: Phase) -> Result<Value> {
    let parts = model.describe(fit.context, fit.storage, limits)?;
    let layers = parts.config.layers.len();
    if i >= layers {
        bail!("the model has {layers} layers");
    }
    let pass = if matches!(phase, Phase::Canvas) { Pass::Canvas } else { Pass::Tokens };
    let operations = parts.config.operations(&parts.weights, i, pass)?;
    let lines: Vec<_> = operations.iter().map(ToString::to_string).collect();
    Ok(Value::String(lines.join("\n")))
}

fn decoder(model: &ModelSpec, fit: Fit, limits: Limits, args: &PlanArgs) -> Result<Plan> {
    let mut parts = model.describe(fit.context, fit.storage, limits)?;
    parts.keeps_hidden = args.draft.is_some();
    let corrections =
        args.adapter_rank.map(|rank| Corrections::describe(&parts, &[Ranks::both(rank)], &|_| true));
    let corrections = corrections.transpose()?;
    let plans = DecoderPlans::new(&parts, model.tuning, corrections.as_ref())?;
    if matches!(args.phase, Phase::Verify) {
        let describe = |drafter: &String| {
            let spec = DrafterSpec::read(&header_of(drafter)?, &parts.config, parts.vocabulary)?;
            anyhow::Ok(DraftParts::describe(&spec, &parts, limits)?)
        };
        let drafter = args.draft.as_ref().map(describe).transpose()?;
        return Ok(plans.round(&parts, ROUND, corrections.as_ref(), drafter.as_ref())?);
    }
    let wanted: fn(&DecoderPlans) -> Schedule<'_> = match args.phase {
        Phase::Prefill => DecoderPlans::prefill,
        Phase::Tail => DecoderPlans::tail,
        _ => DecoderPlans::decode,
    };
    let mut plan = Plan::default();
    wanted(&plans).into_iter().for_each(|part| plan.extend(part));
    Ok(plan)
}

fn diffusion(model: &ModelSpec, fit: Fit, limits: Limits, phase: Phase) -> Result<Plan> {
    let parts = model.describe(fit.context, fit.storage, limits)?;
    let plans = DiffusionPlans::new(&parts)?;
    let mut plan = Plan::default();
    match phase {
        Phase::Canvas => plans.step().into_iter().for_each(|part| plan.extend(part)),
        _ => plan.extend(&plans.encode),
    }
    Ok(plan)
}

fn read_limits(file: Option<&Path>) -> Result<Limits> {
    let Some(path) = file else { return Ok(Limits::default()) };
    let text = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{} doesn't hold limits", path.display()))
}

fn header_of(model: &str) -> Result<Header> {
    match model.parse::<synth::Shape>() {
        Ok(shape) => {
            // Drafters are published in Q8_0.
            let quant = if shape.target_width > 0 { synth::Quant::Q80 } else { synth::Quant::Q4KM };
            let options = synth::Options { towers: true, ..synth::Options::new(shape, quant) };
            Ok(synth::header(&options)?)
        }
        Err(_) => header(Path::new(model)),
    }
}

fn describe(plan: &Plan, rows: u32, fit: Fit) -> Value {
    let position = fit.context.saturating_sub(1);
    let layout = Layout::of(&[vec![plan]]);
    let bytes = |origin| layout.bytes(origin);
    let steps: Vec<_> = plan.steps().iter().map(|step| describe_step(step, rows, position)).collect();
    let largest = layout.largest();
    json!({
        "context": fit.context,
        "rows": rows,
        "steps": steps,
        "sums": {
            "steps": plan.len(),
            "kernels": plan.sources().len(),
            "bytes_read_first": plan.bytes_read(0),
            "bytes_read_last": plan.bytes_read(position),
            "weights": bytes(Origin::Weight),
            "cache": bytes(Origin::Cache),
            "constants": bytes(Origin::Constant),
            "state": bytes(Origin::State),
            "temporaries": bytes(Origin::Temporary),
            "largest_binding": largest.map_or(0, |slot| slot.bytes),
            "largest": largest.and_then(|slot| slot.values.first()).map(|value| value.name().to_owned()),
        },
    })
}

fn describe_step(step: &Step, rows: u32, position: u32) -> Value {
    let names = |writes: bool| -> Vec<_> {
        step.operands().filter(|(_, may)| *may == writes).map(|(value, _)| value.name().to_owned()).collect()
    };
    json!({
        "kernel": step.name(),
        "grid": step.grid.of(rows),
        "reads": names(false),
        "writes": names(true),
        "bytes": step.traffic.at(position),
    })
}

/// The steps, one per line, and the totals.
fn table(description: &Value) -> String {
    let mut text = String::new();
    let list = |value: &Value| {
        let names = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        names.collect::<Vec<_>>().join(", ")
    };
    for (index, step) in description["steps"].as_array().into_iter().flatten().enumerate() {
        let grid: Vec<_> = step["grid"].as_array().into_iter().flatten().map(ToString::to_string).collect();
        let (kernel, bytes) = (step["kernel"].as_str().unwrap_or_default(), &step["bytes"]);
        let (reads, writes) = (list(&step["reads"]), list(&step["writes"]));
        writeln!(text, "{index:>5}  {kernel:<48}  {:<14}  {bytes:>12}  {writes} <- {reads}", grid.join("x"))
            .ok();
    }
    for (name, value) in description["sums"].as_object().into_iter().flatten() {
        writeln!(text, "{name:<17} {value}").ok();
    }
    text
}
