//! `rullama-peer`: rullama and rullama-finetune, timed as `probe bench --on-request` and `probe train` time gemtab.
//!
//! Only its public calls are used, in the way its own examples use them.

use std::cell::RefCell;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::{Parser, Subcommand};
use rullama::api::Model;
use rullama::sampling::SamplingOptions;
use rullama_finetune::TrainingSession;
use rullama_finetune::shared::config::{LoraConfig, LossMode, TrainingHyperparams};
use serde_json::{Value, json};

/// What its targets are called: all seven projections.
const TARGETS: [&str; 7] = ["attn_q", "attn_k", "attn_v", "attn_o", "ffn_gate", "ffn_up", "ffn_down"];
/// Marks a position at which nothing is learned.
const NOTHING: u32 = u32::MAX;

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Times a round for each line of standard input
    Bench {
        model: PathBuf,
        #[arg(long, default_value_t = 512)]
        prompt: u32,
        #[arg(long, default_value_t = 128)]
        answer: u32,
    },
    /// Times one step of training
    Train {
        model: PathBuf,
        /// Tokens of the row
        #[arg(long, default_value_t = 512)]
        tokens: usize,
        /// How many of its positions count in the loss, evenly spread and the last one among them: each takes a backward
        /// pass of its own
        #[arg(long, default_value_t = 1)]
        learned: usize,
        #[arg(long, default_value_t = 8)]
        rank: u32,
    },
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Bench { model, prompt, answer } => pollster::block_on(bench(&model, prompt, answer)),
        Command::Train { model, tokens, learned, rank } => {
            pollster::block_on(train(&model, tokens, learned, rank))
        }
    }
}

async fn load(path: &Path) -> Result<Model> {
    let bytes = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Model::load_native(bytes).await.map_err(|error| anyhow::anyhow!("{error:?}"))
}

async fn bench(path: &Path, prompt: u32, answer: u32) -> Result<()> {
    let mut model = load(path).await?;
    model.set_sampling_native(SamplingOptions::greedy());
    // Weights go to the device when they are first used: what it is slow enough to have no warm-up round for.
    time(&mut model, 2, 3, 0).await?;
    say(&json!({ "version": "rullama 0.5.0", "adapter": adapter(&model) }))?;
    for line in std::io::stdin().lines() {
        let round: u32 = line?.trim().parse().context("the number of a round is due")?;
        say(&time(&mut model, prompt, answer, round).await?)?;
    }
    Ok(())
}

/// Reads a prompt and answers. It has no call that reads several tokens at once.
async fn time(model: &mut Model, prompt: u32, answer: u32, round: u32) -> Result<Value> {
    let ids = row(model.vocab_size_native(), prompt, round);
    model.reset_native();
    let start = Instant::now();
    let mut next = 0;
    for id in ids {
        next = step(model, id).await?;
    }
    let read = start.elapsed();
    for _ in 1..answer {
        next = step(model, next).await?;
    }
    let drawn = start.elapsed() - read;
    Ok(json!({
        "prompt": prompt,
        "prefill_ms": read.as_secs_f64() * 1000.0,
        "answer": answer,
        "decode_ms": drawn.as_secs_f64() * 1000.0,
    }))
}

async fn step(model: &mut Model, id: u32) -> Result<u32> {
    model.step_native(id).await.map_err(|error| anyhow::anyhow!("{error:?}"))
}

async fn train(path: &Path, tokens: usize, learned: usize, rank: u32) -> Result<()> {
    if learned == 0 || learned >= tokens {
        bail!("of {tokens} tokens at least 1 and at most {} can be learned", tokens - 1);
    }
    let model = load(path).await?;
    let (adapter, vocabulary) = (adapter(&model), model.vocab_size_native());
    let lora = LoraConfig {
        rank,
        alpha: 16.0,
        dropout: 0.0,
        target_modules: TARGETS.map(str::to_owned).to_vec(),
        target_layers: None,
    };
    let settings = TrainingHyperparams {
        learning_rate: 2e-4,
        weight_decay: 0.0,
        max_seq_len: tokens,
        loss_mode: LossMode::PerPosition,
        max_grad_norm: 1.0,
        // Its own example switches this on for every row above 96 tokens.
        gradient_checkpointing: tokens > 96,
        ..TrainingHyperparams::default()
    };
    let session = TrainingSession::new(model, lora, settings);
    let mut session = session.map_err(|error| anyhow::anyhow!("{error:?}"))?;
    say(&json!({ "version": "rullama-finetune 0.5.0", "adapter": adapter }))?;

    // Everything is used once before what is timed.
    let short = row(vocabulary, 4, 0);
    let _ = learn(&mut session, &short, 1, &|_, _, _| ()).await?;

    let stamps = RefCell::new(Vec::new());
    let start = Instant::now();
    let note = |phase: &str, done: u32, all: u32| {
        if done == all && phase != "forward" {
            stamps.borrow_mut().push(json!([phase, start.elapsed().as_secs_f64()]));
        }
        if phase == "prefill" && done.is_multiple_of(64) {
            eprintln!("    {done} tokens read after {:.1} s", start.elapsed().as_secs_f64());
        }
        if phase == "backward" && done == all {
            eprintln!("    a position done after {:.1} s", start.elapsed().as_secs_f64());
        }
    };
    let loss = learn(&mut session, &row(vocabulary, u32::try_from(tokens)?, 1), learned, &note).await?;
    let seconds = start.elapsed().as_secs_f64();
    say(&json!({
        "tokens": tokens,
        "learned": learned,
        "rank": rank,
        "parameters": session.parameter_count(),
        "loss": loss,
        "seconds": seconds,
        "tokens_per_s": tokens as f64 / seconds,
        "stamps": stamps.into_inner(),
    }))
}

/// One step: forward, backward, clipping, the optimiser.
async fn learn(
    session: &mut TrainingSession,
    ids: &[u32],
    learned: usize,
    note: &dyn Fn(&str, u32, u32),
) -> Result<f32> {
    let last = ids.len() - 1;
    let mut targets = vec![NOTHING; ids.len()];
    for i in 1..=learned {
        let at = last * i / learned - 1;
        targets[at] = ids[at + 1];
    }
    let loss = session.step_per_position_with_progress(ids, &targets, Some(note)).await;
    loss.map_err(|error| anyhow::anyhow!("{error:?}"))
}

/// Tokens that differ from round to round and avoid the first hundred, among which the special ones are.
fn row(vocabulary: u32, count: u32, round: u32) -> Vec<u32> {
    (0..count).map(|i| 100 + (i * 7919 + i * i % 11 + round * 104_729) % (vocabulary - 100)).collect()
}

fn adapter(model: &Model) -> String {
    let info = model.forward().ctx().adapter.get_info();
    format!("{} ({:?})", info.name, info.backend)
}

fn say(value: &Value) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{value}").and_then(|()| out.flush()).context("nobody reads the figures")
}
