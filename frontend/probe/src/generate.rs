//! `probe generate`: the answer of a model.

use std::num::NonZero;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use engine::model::Drafts;
use engine::session::{Control, LoadOptions, Options};
use engine::template::{Conversation, Message, Part, Role};
use serde_json::{Value, json};
use shaders::sampling::Settings;
use web_time::Instant;

use super::adapters;
use super::device::{Device, load_with};
use super::drafts::{self, DraftArgs};
use super::files::{conversation, read_ids};
use super::grammars::Constrained;
use super::media::MediaArgs;

#[derive(Args)]
pub struct Generate {
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
    /// Also answer without drafts, in turns, to compare the times.
    #[arg(long, requires = "drafting")]
    beside_plain: bool,
    #[command(flatten)]
    drafts: DraftArgs,
    #[command(flatten)]
    constrained: Constrained,
    /// Context length in tokens; 0 for the default.
    #[arg(long, default_value_t = 0)]
    context: u32,
    /// A LoRA adapter: a PEFT directory, or a GGUF or safetensors file, with an optional `:SCALE`. Can be repeated.
    #[arg(long, value_name = "FILE_OR_DIR[:SCALE]")]
    adapter: Vec<String>,
    #[command(flatten)]
    pub media: MediaArgs,
}

pub fn run(options: &Device, generate: &Generate) -> Result<Value> {
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
    let tools = generate.constrained.tools()?.unwrap_or_default();
    let (input, in_thought) = match (&generate.prompt, &generate.ids, &generate.messages) {
        (_, Some(path), _) => (media.fill(&mut session, read_ids(path)?)?, false),
        (.., Some(path)) => {
            let mut conversation = conversation(path)?;
            conversation.tools.extend(tools);
            media.spread(&mut conversation)?;
            let prompt = session.render(&conversation, generate.thinking);
            (media.expand(&mut session, &prompt)?, prompt.ends_in_thought())
        }
        (text, ..) if text.is_some() || !media.is_empty() => {
            let mut parts = media.parts()?;
            parts.extend(text.as_deref().map(Part::text));
            let message = Message::new(Role::User, parts);
            let conversation = Conversation { messages: vec![message], tools };
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
    let without_drafts = Options { drafts: Drafts::Never, ..options.clone() };
    let before = gpu.buffers_created();
    let (mut decode_ms, mut plain_ms) = (Vec::new(), Vec::new());
    let constrained = generate.constrained.prepare(session.tokenizer(), generate.thinking)?;
    let mut answer = |options: &Options| {
        let (control, on) = (Control::default(), &mut |_| ());
        let outcome = match &constrained {
            None => pollster::block_on(session.generate(&input, options, &control, on))?,
            Some(constrained) => {
                let constraint = &mut constrained.begin(in_thought)?;
                pollster::block_on(session.generate_constrained(&input, options, &control, constraint, on))?
            }
        };
        anyhow::Ok(outcome)
    };
    let mut next = || {
        if generate.beside_plain {
            plain_ms.push(answer(&without_drafts)?.timings.decode_ms);
        }
        let outcome = answer(&options)?;
        decode_ms.push(outcome.timings.decode_ms);
        anyhow::Ok(outcome)
    };
    let mut outcome = next()?;
    for _ in 1..generate.repeat.get() {
        outcome = next()?;
    }
    let t = outcome.timings;
    Ok(json!({
        "ids": outcome.ids,
        "text": if generate.constrained.is_some() {
            session.tokenizer().decode_with_specials(&outcome.ids)
        } else {
            session.tokenizer().decode(&outcome.ids)
        },
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
            "plain_decode_ms_of_each": plain_ms,
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
