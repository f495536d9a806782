//! The commands.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use engine::bytes::CancelToken;
use engine::gpu::Gpu;
use engine::model::KvType;
use engine::plan::Tested;
use engine::session::{LoadOptions, MIN_CONTEXT};
use engine::template::{RenderOptions, Variant, render};
use engine::tokenizer::{Specials, Tokenizer};
use probe::synth;
use serde_json::{Value, json};
use shaders::selftest;
use web_time::Instant;

use super::bench::Work;
use super::device::{Device, DeviceArgs, load, load_with};
use super::files::{conversation, header, is_diffusion, read_ids};
use super::generate::{self, Generate};
use super::grammars::Constrained;
use super::logits::{self, LogitsOf};
use super::media::{self, MediaArgs};
use super::{adapters, drafts};

#[derive(Parser)]
#[command(name = "probe", about = "Run gemtab's engine from a terminal", version)]
struct Cli {
    #[command(flatten)]
    device: DeviceArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Describe a model file.
    Info {
        /// The model file.
        model: PathBuf,
    },
    Plan(super::plan::PlanArgs),
    /// Turn text into token ids. Control tokens in it are recognised.
    Tokenize {
        /// The model file.
        model: PathBuf,
        /// The text.
        #[arg(long, allow_hyphen_values = true)]
        text: String,
    },
    /// Show the prompt that a conversation becomes, and its ids.
    Render {
        /// The model file.
        model: PathBuf,
        /// A JSON file: `{"messages": […], "tools": […] or null}`.
        #[arg(long)]
        messages: PathBuf,
        /// Let the model think first.
        #[arg(long)]
        thinking: bool,
        /// End with the last message, without asking for an answer.
        #[arg(long)]
        no_generation_prompt: bool,
        /// Keep the thoughts of earlier messages that called tools.
        #[arg(long)]
        preserve_thinking: bool,
        /// A JSON file with the tools, instead of those of the conversation.
        #[arg(long)]
        tools: Option<PathBuf>,
    },
    Mask(super::grammars::Mask),
    Parse(super::grammars::Parse),
    /// Write the logits of the last rows of a prompt.
    Logits {
        /// The model file.
        model: PathBuf,
        /// A file with a JSON array of token ids.
        #[arg(long)]
        ids: PathBuf,
        /// How many rows.
        #[arg(long, default_value_t = 1)]
        last: usize,
        /// Keep keys and values in full precision.
        #[arg(long)]
        kv_f32: bool,
        /// Read the prompt token by token, with the kernels that generate one: only those have packed products.
        #[arg(long)]
        by_steps: bool,
        /// A LoRA adapter: a PEFT directory, or a GGUF or safetensors file, with an optional `:SCALE`. Can be repeated.
        #[arg(long, value_name = "FILE_OR_DIR[:SCALE]")]
        adapter: Vec<String>,
        /// The safetensors file to write: tensor `logits`, f32 `[last, vocabulary]`.
        #[arg(long)]
        out: PathBuf,
        #[command(flatten)]
        media: MediaArgs,
    },
    /// Encode an image or a sound, and write the result.
    Encode {
        /// The model file.
        model: PathBuf,
        /// The safetensors file to write: tensors `pixels` (u8 `[height, width, 3]`) or `mel` (f32
        /// `[frames, 128]`), and `soft_tokens` (f32).
        #[arg(long)]
        out: PathBuf,
        #[command(flatten)]
        media: MediaArgs,
    },
    Embed(super::embed::Embed),
    /// Generate an answer.
    Generate(Generate),
    Diffuse(super::diffuse::Diffuse),
    /// Measure the speed of prefill and decode: medians and spread.
    Bench {
        /// The model file.
        model: PathBuf,
        /// Tokens in the prompt.
        #[arg(long, default_value_t = 512)]
        prefill: u32,
        /// Tokens to generate.
        #[arg(long, default_value_t = 128)]
        decode: u32,
        /// Rounds, not counting the warm-up.
        #[arg(long, default_value_t = 5)]
        repeat: u32,
        /// Time one round for each line of standard input (the round's number), and print it at once.
        #[arg(long, conflicts_with = "repeat")]
        on_request: bool,
        /// Context length in tokens; 0 for what the prompt and answer need.
        #[arg(long, default_value_t = 0)]
        context: u32,
        /// A LoRA adapter: a PEFT directory, or a GGUF or safetensors file, with an optional `:SCALE`. Can be repeated.
        #[arg(long, value_name = "FILE_OR_DIR[:SCALE]")]
        adapter: Vec<String>,
        #[command(flatten)]
        constrained: Constrained,
        /// Time the vision tower instead: images of 280 and 1120 tokens.
        #[arg(long)]
        image: bool,
        /// Time the audio tower instead: 30 s at once, and as if spoken.
        #[arg(long)]
        audio: bool,
    },
    /// Time each kernel of one generated token, of a prefill chunk, or of a step of a diffusion model's canvas, slowest
    /// first, and its share of the card's bandwidth.
    Profile {
        /// The model file.
        model: PathBuf,
        /// The token's position, which is how much context it sees.
        #[arg(long, default_value_t = 512)]
        position: u32,
        /// Rows: 1 for a token, 2 to 8 for a round that verifies drafted tokens, more for a prefill chunk; those of the
        /// canvas of a diffusion model.
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        rows: u32,
        /// Draft the tokens of a round with this drafter, not by look-up.
        #[arg(long, value_name = "FILE", requires = "rows")]
        draft: Option<PathBuf>,
        /// A LoRA adapter: a PEFT directory, or a GGUF or safetensors file, with an optional `:SCALE`. Can be repeated.
        #[arg(long, value_name = "FILE_OR_DIR[:SCALE]")]
        adapter: Vec<String>,
    },
    /// Run the kernels on small inputs, compare them with the CPU, and fail if one differs.
    Check {
        /// The model file whose kernels to test; by default, those that any model may need.
        model: Option<PathBuf>,
        /// A LoRA adapter: a PEFT directory, or a GGUF or safetensors file, with an optional `:SCALE`. Can be repeated.
        #[arg(long, value_name = "FILE_OR_DIR[:SCALE]")]
        adapter: Vec<String>,
    },
    /// Describe a LoRA adapter, or convert it to another format.
    Adapter {
        /// A PEFT directory, or a GGUF or safetensors file.
        adapter: PathBuf,
        /// Write it here as a directory for Hugging Face PEFT.
        #[arg(long)]
        peft: Option<PathBuf>,
        /// Write it here as a GGUF file for llama.cpp and Ollama.
        #[arg(long)]
        gguf: Option<PathBuf>,
        /// The name of its base model, as written into the files.
        #[arg(long, default_value = "google/gemma-4")]
        base: String,
    },
    /// Train a LoRA adapter on examples.
    Train(super::train::Train),
    /// Write a model with a real shape and random weights, for timing.
    Synth {
        /// The file to write.
        out: PathBuf,
        /// e2b, e4b, 12b, 26b, 26b-diffusion or 31b; one of their drafters, such as e2b-drafter; gemma3-270m to gemma3-27b;
        /// embeddinggemma or embeddinggemma-2; or e2b-small, a small one for tests.
        #[arg(long)]
        shape: String,
        /// q4_k_m, q4_k_m_ple (where the per-layer projection is Q4_K too), q4_k_m_bf16_table (where the per-layer table
        /// also is BF16), q4_0, q8_0, iq4_xs, iq3_s, iq2_s, mxfp4_moe or f16.
        #[arg(long, default_value = "q4_k_m")]
        quant: String,
        /// Vocabulary size.
        #[arg(long, default_value_t = synth::PUBLISHED_VOCABULARY)]
        vocab: u32,
        /// Write only this many layers.
        #[arg(long)]
        layers: Option<u32>,
        /// Write only this many experts per layer, for a shape that has experts.
        #[arg(long)]
        experts: Option<u32>,
        /// Include the towers for images and audio.
        #[arg(long)]
        towers: bool,
        /// Let routers choose unevenly: the weights of expert i are divided by (1 + i) to this power.
        #[arg(long, default_value_t = 0.0)]
        router_skew: f32,
    },
}

impl Command {
    /// Takes the order of media from the parsed arguments.
    fn with_order(mut self, matches: &ArgMatches) -> Self {
        let given = matches.subcommand().map(|(_, matches)| matches);
        match (&mut self, given) {
            (Self::Logits { media, .. } | Self::Encode { media, .. }, Some(given)) => media.in_order(given),
            (Self::Generate(generate), Some(given)) => generate.media.in_order(given),
            (Self::Embed(embed), Some(given)) => embed.media.in_order(given),
            _ => {}
        }
        self
    }
}

/// Parses the command line and runs the command.
pub fn run() -> Result<Value> {
    let matches = Cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches)?;
    let options = Device::from(cli.device);
    match cli.command.with_order(&matches) {
        Command::Info { model } => super::info::run(&model),
        Command::Plan(args) => super::plan::run(&args, options.tuning),
        Command::Tokenize { model, text } => tokenize(&model, &text),
        Command::Mask(mask) => super::grammars::mask(&mask),
        Command::Parse(parse) => super::grammars::parse(&parse),
        Command::Render { model, messages, thinking, no_generation_prompt, preserve_thinking, tools } => {
            let header = header(&model)?;
            let tokenizer = Tokenizer::from_metadata(&header.metadata)?;
            let mut conversation = conversation(&messages)?;
            if let Some(path) = tools {
                conversation.tools = super::files::tools(&path)?;
            }
            let options = RenderOptions {
                thinking,
                preserve_thinking,
                add_generation_prompt: !no_generation_prompt,
                ..RenderOptions::new(Variant::from_metadata(&header.metadata))
            };
            let prompt = render(&conversation.messages, &conversation.tools, &options);
            Ok(json!({ "prompt": prompt.to_string(), "ids": prompt.encode(&tokenizer)? }))
        }
        Command::Logits { model, ids, last, kv_f32, by_steps, adapter, out, media } => {
            let how =
                LogitsOf { last, kv_type: if kv_f32 { KvType::F32 } else { options.kv_type }, by_steps };
            logits::run(&options, &model, read_ids(&ids)?, how, (&media, &adapter), &out)
        }
        Command::Encode { model, out, media } => {
            let load_options = LoadOptions { largest_picture: media.largest_picture(), ..options.load(0) };
            let (mut session, _, gpu) = load_with(&options, &model, &load_options)?;
            media.use_projector(&mut session)?;
            media::encode(&mut session, &gpu, &media, &out)
        }
        Command::Embed(embed) => super::embed::run(&options, &embed),
        Command::Generate(generate) => generate::run(&options, &generate),
        Command::Diffuse(diffuse) => super::diffuse::run(&options, &diffuse),
        Command::Bench { model, repeat, image: true, .. } => {
            let largest = LoadOptions { largest_picture: 1120, ..options.load(2048) };
            let (mut session, _, gpu) = load_with(&options, &model, &largest)?;
            super::bench::pictures(&mut session, &gpu, repeat)
        }
        Command::Bench { model, repeat, audio: true, .. } => {
            let (mut session, _, gpu) = load(&options, &model, 512)?;
            super::bench::sound(&mut session, &gpu, repeat)
        }
        Command::Bench {
            model, prefill, decode, repeat, on_request, context, adapter, constrained, ..
        } => {
            let context = if context == 0 { prefill + decode + 1 } else { context };
            let (mut session, _, gpu) = load(&options, &model, context)?;
            adapters::add(&mut session, &adapter)?;
            let work =
                Work { prefill, decode, constrained: constrained.prepare(session.tokenizer(), false)? };
            if on_request {
                super::bench::on_request(&mut session, &gpu, &work)
            } else {
                super::bench::run(&mut session, &gpu, &work, repeat)
            }
        }
        Command::Profile { model, position, rows, draft, adapter } if is_diffusion(&model)? => {
            if draft.is_some() || !adapter.is_empty() {
                bail!("drafters and adapters don't work with diffusion models");
            }
            let context = options.load(position + rows);
            let (mut session, gpu) = super::diffuse::load(&options, &model, &context)?;
            let (cancel, mut progress) = (CancelToken::new(), |_, _| ());
            let profile = pollster::block_on(session.profile(position, rows, &cancel, &mut progress))?;
            Ok(super::bench::profiled(&gpu, &profile))
        }
        Command::Profile { model, position, rows, draft, adapter } => {
            let (mut session, _, gpu) = load(&options, &model, position + rows.max(128))?;
            adapters::add(&mut session, &adapter)?;
            draft.map_or(Ok(()), |path| drafts::use_drafter(&mut session, &path))?;
            let (cancel, mut progress) = (CancelToken::new(), |_, _| ());
            let profile = pollster::block_on(session.profile(position, rows, &cancel, &mut progress))?;
            Ok(super::bench::profiled(&gpu, &profile))
        }
        Command::Check { model: None, .. } => {
            let gpu = pollster::block_on(Gpu::open(&options.gpu))?;
            let mut kernels = selftest::standard();
            if gpu.plan_limits().matrix_units {
                kernels.extend(selftest::cooperative());
            }
            super::check::run(&gpu, &kernels)
        }
        Command::Check { model: Some(model), adapter } if is_diffusion(&model)? => {
            if !adapter.is_empty() {
                bail!("adapters don't work with diffusion models");
            }
            let least = options.load(MIN_CONTEXT);
            let (session, gpu) = super::diffuse::load(&options, &model, &least)?;
            super::check::run(&gpu, &Tested::kernels(&session.diffuser().tested()))
        }
        Command::Check { model: Some(model), adapter } => {
            let (mut session, _, gpu) = load(&options, &model, MIN_CONTEXT)?;
            adapters::add(&mut session, &adapter)?;
            super::check::run(&gpu, &Tested::kernels(&session.decoder().tested()))
        }
        Command::Adapter { adapter, peft, gguf, base } => {
            adapters::convert(&adapter, peft.as_deref(), gguf.as_deref(), &base)
        }
        Command::Train(train) => {
            let (session, _, gpu) = load(&options, &train.model, MIN_CONTEXT)?;
            super::train::run(&train, session, &gpu)
        }
        Command::Synth { out, shape, quant, vocab, layers, experts, towers, router_skew } => {
            let options = synth::Options {
                vocabulary: vocab,
                layers,
                experts,
                towers,
                router_skew,
                ..synth::Options::new(shape.parse()?, quant.parse()?)
            };
            let file = File::create(&out).with_context(|| format!("{} cannot be written", out.display()))?;
            let started = Instant::now();
            synth::write(BufWriter::with_capacity(1 << 20, file), &options)?;
            let bytes = std::fs::metadata(&out)?.len();
            Ok(json!({ "out": out, "bytes": bytes, "seconds": started.elapsed().as_secs_f64() }))
        }
    }
}

fn tokenize(model: &Path, text: &str) -> Result<Value> {
    let tokenizer = Tokenizer::from_metadata(&header(model)?.metadata)?;
    let ids = tokenizer.encode(text, Specials::Parse);
    let pieces: Vec<_> = ids.iter().map(|&id| tokenizer.piece(id)).collect();
    Ok(json!({ "ids": ids, "pieces": pieces, "decoded": tokenizer.decode_with_specials(&ids) }))
}
