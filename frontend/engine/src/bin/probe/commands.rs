//! The commands.

use std::fs::File;
use std::io::BufWriter;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context as _, Result, bail};
use clap::{ArgMatches, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use engine::bytes::{CancelToken, FileSource};
use engine::gguf::Header;
use engine::gpu::{Gpu, GpuOptions};
use engine::model::{Config, FormChoice, KvType, LARGE, Products};
use engine::session::{
    Control, DeviceMemory, LoadOptions, MIN_CONTEXT, ModelFile, ModelSpec, Options, Session, TablePlace,
};
use engine::synth;
use engine::template::{Conversation, Message, Part, RenderOptions, Role, Variant, render};
use engine::tokenizer::{Specials, Tokenizer};
use serde_json::{Value, json};
use shaders::matrix_units::MatrixUnits;
use shaders::sampling::Settings;
use web_time::Instant;

use super::adapters;
use super::drafts::{self, DraftArgs};
use super::media::{self, MediaArgs};

#[derive(Parser)]
#[command(name = "probe", about = "Run gemtab's engine from a terminal", version)]
struct Cli {
    /// Choose the graphics card by a part of its name.
    #[arg(long, global = true)]
    gpu: Option<String>,
    /// Don't use optional features of the graphics card.
    #[arg(long, global = true)]
    portable: bool,
    /// Compute prefill by floats, also where the graphics card has matrix units.
    #[arg(long, global = true)]
    no_matrix_units: bool,
    /// Split tables and experts into parts of at most this many bytes, as on a device with small bindings.
    #[arg(long, global = true, value_name = "BYTES")]
    largest_part: Option<u64>,
    /// Assume this much graphics memory. A per-layer table that doesn't fit is requantised, or stays in the file.
    #[arg(long, global = true, value_name = "BYTES")]
    memory: Option<u64>,
    /// Give the experts of a mixture this much graphics memory. The others stay in the file, and are loaded when they are
    /// chosen. By default, all memory that is left, if they don't fit.
    #[arg(long, global = true, value_name = "BYTES")]
    expert_budget: Option<u64>,
    /// Try other forms of the products of a generated token when the model is loaded, and use the fastest.
    #[arg(long, global = true)]
    tune: bool,
    /// Where the per-layer table may lie at best.
    #[arg(long, global = true, value_enum, default_value_t = TableArg::Device)]
    table_place: TableArg,
    /// The type of the KV cache.
    #[arg(long, global = true, value_enum, default_value_t = KvArg::F16)]
    kv_type: KvArg,
    /// Which quantised matrix products of a generated token use packed 8-bit integers.
    #[arg(long, global = true, value_enum, default_value_t = ProductsArg::Measured)]
    products: ProductsArg,
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, ValueEnum)]
enum ProductsArg {
    /// Those that turn out to be the fastest.
    Measured,
    /// None of them.
    Floats,
    /// The large ones.
    Packed,
    /// All of them.
    AllPacked,
    /// All of them, and not fused with what precedes them.
    Unfused,
}

impl From<ProductsArg> for Products {
    fn from(asked: ProductsArg) -> Self {
        match asked {
            ProductsArg::Measured => Self::Measured,
            ProductsArg::Floats => Self::Floats,
            ProductsArg::Packed => Self::Packed { least_rows: LARGE },
            ProductsArg::AllPacked => Self::Packed { least_rows: 0 },
            ProductsArg::Unfused => Self::Unfused { packed: true },
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum TableArg {
    /// On the device as it is in the file.
    Device,
    /// On the device, requantised to Q8_0 if it is in floats.
    Requantized,
    /// In the file.
    Host,
}

impl From<TableArg> for TablePlace {
    fn from(asked: TableArg) -> Self {
        match asked {
            TableArg::Device => Self::Device,
            TableArg::Requantized => Self::Requantized,
            TableArg::Host => Self::Host,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum KvArg {
    /// Half precision, or Q8_0 where the context doesn't fit otherwise.
    F16,
    /// Full precision.
    F32,
    /// Signed bytes, and a scale for every 32 of them.
    #[value(name = "q8_0")]
    Q8_0,
}

impl From<KvArg> for KvType {
    fn from(asked: KvArg) -> Self {
        match asked {
            KvArg::F16 => Self::F16,
            KvArg::F32 => Self::F32,
            KvArg::Q8_0 => Self::Q8_0,
        }
    }
}

/// How models are loaded, for every command.
struct Device {
    gpu: GpuOptions,
    products: Products,
    forms: FormChoice,
    table: TablePlace,
    kv_type: KvType,
    expert_budget: Option<u64>,
}

impl Device {
    /// The options of a load with this context length.
    fn load(&self, context: u32) -> LoadOptions {
        let Self { products, forms, table, kv_type, .. } = *self;
        LoadOptions { context, products, forms, table, kv_type, ..LoadOptions::default() }
    }
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
    },
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
        /// e2b, e4b, 12b, 26b, 26b-diffusion or 31b; or e2b-small, a small one for tests.
        #[arg(long)]
        shape: String,
        /// q4_k_m, q4_k_m_ple (where the per-layer projection is Q4_K too), q4_k_m_bf16_table (where the per-layer table
        /// also is BF16), q4_0, q8_0 or f16.
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

#[derive(Args)]
struct Generate {
    /// The model file.
    model: PathBuf,
    /// The user's message.
    #[arg(long, group = "input", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// A file with a JSON array of token ids.
    #[arg(long, group = "input")]
    ids: Option<PathBuf>,
    /// A JSON file: `{"messages": […], "tools": […] or null}`.
    #[arg(long, group = "input")]
    messages: Option<PathBuf>,
    /// Let the model think first.
    #[arg(long)]
    thinking: bool,
    /// The most tokens to generate.
    #[arg(long, default_value_t = 256)]
    max_tokens: u32,
    /// Always pick the most likely token.
    #[arg(long)]
    greedy: bool,
    /// Continue past the end of the turn.
    #[arg(long)]
    ignore_eos: bool,
    /// Seed: the same seed gives the same answer.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Answer this many times. The result is the last answer, with the time of each.
    #[arg(long, value_name = "N", default_value = "1")]
    repeat: NonZero<u32>,
    #[command(flatten)]
    drafts: DraftArgs,
    /// Context length in tokens; 0 for the default.
    #[arg(long, default_value_t = 0)]
    context: u32,
    /// A LoRA adapter: a PEFT directory, or a GGUF or safetensors file, with an optional `:SCALE`. Can be repeated.
    #[arg(long, value_name = "FILE_OR_DIR[:SCALE]")]
    adapter: Vec<String>,
    #[command(flatten)]
    media: MediaArgs,
}

impl Command {
    /// Takes the order of media from the parsed arguments.
    fn with_order(mut self, matches: &ArgMatches) -> Self {
        let given = matches.subcommand().map(|(_, matches)| matches);
        match (&mut self, given) {
            (Self::Logits { media, .. } | Self::Encode { media, .. }, Some(given)) => media.in_order(given),
            (Self::Generate(generate), Some(given)) => generate.media.in_order(given),
            _ => {}
        }
        self
    }
}

/// Parses the command line and runs the command.
pub fn run() -> Result<Value> {
    let matches = Cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches)?;
    let gpu = GpuOptions {
        adapter: cli.gpu,
        portable: cli.portable,
        no_matrix_units: cli.no_matrix_units,
        largest_part: cli.largest_part,
        memory: cli.memory,
        ..GpuOptions::default()
    };
    let options = Device {
        gpu,
        products: cli.products.into(),
        forms: if cli.tune { FormChoice::Measured } else { FormChoice::Usual },
        table: cli.table_place.into(),
        kv_type: cli.kv_type.into(),
        expert_budget: cli.expert_budget,
    };
    match cli.command.with_order(&matches) {
        Command::Info { model } => super::info::run(&model),
        Command::Plan(args) => super::plan::run(&args, options.products),
        Command::Tokenize { model, text } => tokenize(&model, &text),
        Command::Render { model, messages, thinking, no_generation_prompt } => {
            let header = header(&model)?;
            let tokenizer = Tokenizer::from_metadata(&header.metadata)?;
            let conversation = conversation(&messages)?;
            let options = RenderOptions {
                thinking,
                add_generation_prompt: !no_generation_prompt,
                ..RenderOptions::new(Variant::from_metadata(&header.metadata))
            };
            let prompt = render(&conversation.messages, &conversation.tools, &options);
            Ok(json!({ "prompt": prompt.to_string(), "ids": prompt.encode(&tokenizer)? }))
        }
        Command::Logits { model, ids, last, kv_f32, by_steps, adapter, out, media } => {
            let how =
                LogitsOf { last, kv_type: if kv_f32 { KvType::F32 } else { options.kv_type }, by_steps };
            logits(&options, &model, read_ids(&ids)?, how, (&media, &adapter), &out)
        }
        Command::Encode { model, out, media } => {
            let load_options = LoadOptions { largest_picture: media.largest_picture(), ..options.load(0) };
            let (mut session, _, gpu) = load_with(&options, &model, &load_options)?;
            media.use_projector(&mut session)?;
            media::encode(&mut session, &gpu, &media, &out)
        }
        Command::Generate(generate) => answer(&options, &generate),
        Command::Diffuse(diffuse) => super::diffuse::run(&options.gpu, &diffuse),
        Command::Bench { model, repeat, image: true, .. } => {
            let largest = LoadOptions { largest_picture: 1120, ..options.load(2048) };
            let (mut session, _, gpu) = load_with(&options, &model, &largest)?;
            super::bench::pictures(&mut session, &gpu, repeat)
        }
        Command::Bench { model, repeat, audio: true, .. } => {
            let (mut session, _, gpu) = load(&options, &model, 512)?;
            super::bench::sound(&mut session, &gpu, repeat)
        }
        Command::Bench { model, prefill, decode, repeat, on_request, context, adapter, .. } => {
            let context = if context == 0 { prefill + decode + 1 } else { context };
            let (mut session, _, gpu) = load(&options, &model, context)?;
            adapters::add(&mut session, &adapter)?;
            if on_request {
                super::bench::on_request(&mut session, &gpu, prefill, decode)
            } else {
                super::bench::run(&mut session, &gpu, prefill, decode, repeat)
            }
        }
        Command::Profile { model, position, rows, draft, adapter } if is_diffusion(&model)? => {
            if draft.is_some() || !adapter.is_empty() {
                bail!("drafters and adapters don't work with diffusion models");
            }
            let context = options.load(position + rows);
            let (mut session, gpu) = super::diffuse::load(&options.gpu, &model, &context)?;
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
            let mut forms = engine::check::standard();
            match gpu.plan_limits().matrix_units {
                MatrixUnits::None => {}
                MatrixUnits::Halves => forms.extend(engine::check::cooperative()),
                MatrixUnits::Int8 => forms.extend(engine::check::cooperative_int8()),
            }
            super::check::run(&gpu, &forms)
        }
        Command::Check { model: Some(model), adapter } if is_diffusion(&model)? => {
            if !adapter.is_empty() {
                bail!("adapters don't work with diffusion models");
            }
            let least = options.load(MIN_CONTEXT);
            let (session, gpu) = super::diffuse::load(&options.gpu, &model, &least)?;
            super::check::run(&gpu, &session.diffuser().forms())
        }
        Command::Check { model: Some(model), adapter } => {
            let (mut session, _, gpu) = load(&options, &model, MIN_CONTEXT)?;
            adapters::add(&mut session, &adapter)?;
            super::check::run(&gpu, &session.decoder().forms())
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

pub fn source(model: &Path) -> Result<Rc<FileSource>> {
    let source = FileSource::open(model).with_context(|| format!("{} cannot be opened", model.display()))?;
    Ok(Rc::new(source))
}

pub fn header(model: &Path) -> Result<Header> {
    let source = source(model)?;
    Ok(pollster::block_on(Header::read(&*source))?)
}

fn is_diffusion(model: &Path) -> Result<bool> {
    Ok(Config::read(&header(model)?.metadata).is_ok_and(|config| config.diffusion.is_some()))
}

fn load(options: &Device, model: &Path, context: u32) -> Result<(Session, f64, Rc<Gpu>)> {
    load_with(options, model, &options.load(context))
}

fn load_with(options: &Device, model: &Path, load_options: &LoadOptions) -> Result<(Session, f64, Rc<Gpu>)> {
    let gpu = Rc::new(pollster::block_on(Gpu::open(&options.gpu))?);
    let started = Instant::now();
    let cancel = CancelToken::new();
    let mut quiet = |_| ();
    let file = ModelFile::local(source(model)?);
    let header = pollster::block_on(Header::read(&*file.bytes))?;
    let memory = DeviceMemory::assumed(&gpu);
    let load_options = ModelSpec::with_expert_budget(&header, load_options, options.expert_budget, memory)?;
    let load = Session::load_with_header(Rc::clone(&gpu), file, header, &load_options, &cancel, &mut quiet);
    let session = pollster::block_on(load)?;
    Ok((session, started.elapsed().as_secs_f64() * 1000.0, gpu))
}

pub fn read_ids(path: &Path) -> Result<Vec<u32>> {
    let text = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_slice(&text)
        .with_context(|| format!("{} isn't a JSON array of token ids", path.display()))
}

pub fn conversation(path: &Path) -> Result<Conversation> {
    let text = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{} isn't a conversation", path.display()))
}

fn tokenize(model: &Path, text: &str) -> Result<Value> {
    let tokenizer = Tokenizer::from_metadata(&header(model)?.metadata)?;
    let ids = tokenizer.encode(text, Specials::Parse);
    let pieces: Vec<_> = ids.iter().map(|&id| tokenizer.piece(id)).collect();
    Ok(json!({ "ids": ids, "pieces": pieces, "decoded": tokenizer.decode_with_specials(&ids) }))
}

struct LogitsOf {
    last: usize,
    kv_type: KvType,
    by_steps: bool,
}

fn logits(
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

fn answer(options: &Device, generate: &Generate) -> Result<Value> {
    let mut media = generate.media.clone();
    if let Some(path) = &generate.messages {
        media.add_messages(path)?;
    }
    let load_options =
        LoadOptions { largest_picture: media.largest_picture(), ..options.load(generate.context) };
    let (mut session, load_ms, gpu) = load_with(options, &generate.model, &load_options)?;
    media.use_projector(&mut session)?;
    adapters::add(&mut session, &generate.adapter)?;
    generate.drafts.use_drafter(&mut session)?;
    let encoding = Instant::now();
    let (input, in_thought) = match (&generate.prompt, &generate.ids, &generate.messages) {
        (_, Some(path), _) => (media.fill(&mut session, read_ids(path)?)?, false),
        (.., Some(path)) => {
            let mut conversation = conversation(path)?;
            media.spread(&mut conversation)?;
            let prompt = session.render(&conversation, generate.thinking);
            (media.expand(&mut session, &prompt)?, prompt.ends_in_thought())
        }
        (text, ..) if text.is_some() || !media.is_empty() => {
            let mut parts = media.parts()?;
            parts.extend(text.as_deref().map(Part::text));
            let message = Message::new(Role::User, parts);
            let conversation = Conversation { messages: vec![message], tools: Vec::new() };
            let prompt = session.render(&conversation, generate.thinking);
            (media.expand(&mut session, &prompt)?, prompt.ends_in_thought())
        }
        _ => bail!("give --prompt, --ids or --messages, or an image or sound"),
    };
    let encode_ms = encoding.elapsed().as_secs_f64() * 1000.0;
    let (temperature, top_k, top_p) = session.decoder().config().recommended.unwrap_or((1.0, 64, 0.95));
    let settings = if generate.greedy {
        Settings::default()
    } else {
        Settings { temperature, top_k, top_p, ..Settings::default() }
    };
    let options = Options {
        settings,
        seed: generate.seed,
        max_tokens: generate.max_tokens,
        ignore_eos: generate.ignore_eos,
        in_thought,
        drafts: generate.drafts.drafts(),
        ..Options::default()
    };
    let before = gpu.buffers_created();
    let mut answer =
        || pollster::block_on(session.generate(&input, &options, &Control::default(), &mut |_| ()));
    let mut outcome = answer()?;
    let mut decode_ms = vec![outcome.timings.decode_ms];
    for _ in 1..generate.repeat.get() {
        outcome = answer()?;
        decode_ms.push(outcome.timings.decode_ms);
    }
    let t = outcome.timings;
    Ok(json!({
        "ids": outcome.ids,
        "text": session.tokenizer().decode(&outcome.ids),
        "finish": format!("{:?}", outcome.finish),
        "sounds": media.sounds()?,
        "timings": {
            "load_ms": load_ms,
            "encode_ms": encode_ms,
            "prefill_tokens": t.prompt_tokens - t.cached_tokens,
            "prefill_ms": t.prefill_ms,
            "decode_tokens": t.decode_tokens,
            "decode_ms": t.decode_ms,
            "decode_ms_of_each": decode_ms,
        },
        "speculation": t.speculation.map(|it| {
            json!({
                "rounds": it.rounds, "looked_up": it.looked_up, "drafted": it.drafted, "accepted": it.accepted,
            })
        }),
        "draft_costs": t.speculation.map(|_| drafts::costs(&session)),
        "experts": super::bench::experts(&session),
        "dispatches_per_token": session.decoder().dispatches_per_token(),
        "products": super::bench::products(&session),
        "buffers_created": gpu.buffers_created() - before,
        "gpu_bytes": session.planned_bytes(),
        "gpu_bytes_in_use": gpu.bytes_in_use(),
        "adapter": gpu.report().name,
    }))
}
