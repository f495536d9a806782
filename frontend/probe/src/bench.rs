//! Benchmarks of a loaded model.

use std::io::Write as _;
use std::rc::Rc;

use anyhow::{Context as _, Result};
use engine::audio::mel::MelStream;
use engine::audio::{CLIP_SAMPLES, Encoder, RATE};
use engine::bytes::CancelToken;
use engine::gpu::Gpu;
use engine::media::ContentHash;
use engine::model::{Class, ExpertUse};
use engine::session::{Control, Profile, Session, Timings};
use engine::vision::{Budget, Pixels, Size};
use serde_json::{Value, json};
use web_time::Instant;

use super::grammars::Prepared;

/// Minimum, median and maximum.
fn spread(mut figures: Vec<f64>) -> Value {
    figures.sort_by(f64::total_cmp);
    let median = figures.get(figures.len() / 2).copied().unwrap_or(0.0);
    json!({ "median": median, "min": figures.first(), "max": figures.last() })
}

/// Which products of decode are packed.
pub fn products(session: &Session) -> Value {
    let tuning = session.decoder().tuning();
    match tuning.packed {
        packed if tuning.unfused => json!({ "unfused": { "packed": packed.is_some() } }),
        Some(least_rows) => json!({ "packed_from_rows": least_rows }),
        None => json!("floats"),
    }
}

/// The forms of the products of decode, by class.
pub fn forms(session: &Session) -> Value {
    let tuning = session.decoder().tuning();
    json!(Class::ALL.map(|class| tuning.form(class, !tuning.unfused).name()))
}

/// The expert cache, if not all experts are on the device.
pub fn experts(session: &Session) -> Value {
    experts_used(session.decoder().expert_use())
}

/// How experts were used.
pub fn experts_used(used: Option<(u32, ExpertUse)>) -> Value {
    let Some((slots, it)) = used else { return Value::Null };
    json!({
        "slots_per_layer": slots,
        "used": it.uses,
        "missed": it.misses,
        "hit_rate": (it.uses > 0).then(|| 1.0 - it.misses as f64 / it.uses as f64),
        "loaded_for_prompts": it.for_prompts,
        "bytes_read": it.bytes,
        "bytes_missed": it.missed_bytes,
        "loading_ms": it.loading.as_secs_f64() * 1000.0,
    })
}

/// What each round reads and generates.
pub struct Work {
    /// Tokens in the prompt.
    pub prefill: u32,
    /// Tokens to generate.
    pub decode: u32,
    /// What the answer may be; `None` for any text.
    pub constrained: Option<Prepared>,
}

impl Work {
    fn time(&self, session: &mut Session, round: u32) -> Result<Timings> {
        let mut constraint = self.constrained.as_ref().map(|it| it.begin(false)).transpose()?;
        let constraint = constraint.as_mut().map(|it| it as _);
        let control = Control::default();
        let timing = session.time(self.prefill, self.decode, round, &control, constraint);
        Ok(pollster::block_on(timing)?.timings)
    }
}

/// Times `repeat` rounds after one warm-up round.
pub fn run(session: &mut Session, gpu: &Gpu, work: &Work, repeat: u32) -> Result<Value> {
    let Work { prefill, decode, .. } = *work;
    let (mut prefills, mut decodes, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
    let (mut created, mut submits) = (0, 0);
    for round in 0..=repeat {
        let t = work.time(session, round)?;
        if round == 0 {
            continue;
        }
        (created, submits) = (t.decode_buffers, t.decode_submits);
        prefills.push(f64::from(prefill) * 1000.0 / t.prefill_ms);
        firsts.push(t.prefill_ms);
        if t.decode_tokens > 1 {
            decodes.push(f64::from(t.decode_tokens - 1) * 1000.0 / t.decode_ms);
        }
    }
    Ok(json!({
        "adapter": gpu.report().name,
        "prefill_tokens": prefill,
        "prefill_tokens_per_s": spread(prefills),
        "first_token_ms": spread(firsts),
        "decode_tokens": decode,
        "decode_tokens_per_s": spread(decodes),
        "decode_submits": submits,
        "packs_prompts": session.packs_prompts(),
        "dispatches_per_token": session.decoder().dispatches_per_token(),
        "products": products(session),
        "forms": forms(session),
        "experts": experts(session),
        "buffers_created": created,
        "gpu_bytes": gpu.bytes_in_use(),
    }))
}

/// Runs one round for each line of standard input (the number of the round) and prints its timings at once, so that
/// `cargo xtask bench` can alternate engines. The first line of output says that the model is loaded.
pub fn on_request(session: &mut Session, gpu: &Gpu, work: &Work) -> Result<Value> {
    let say = |value: &Value| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{value}").and_then(|()| out.flush()).context("the output was closed")
    };
    say(&json!({
        "adapter": gpu.report().name,
        "dispatches_per_token": session.decoder().dispatches_per_token(),
        "products": products(session),
        "gpu_bytes": gpu.bytes_in_use(),
    }))?;
    let mut rounds = 0;
    for line in std::io::stdin().lines() {
        let line = line?;
        let round = line.trim().parse().with_context(|| format!("{line:?} isn't the number of a round"))?;
        let t = work.time(session, round)?;
        say(&json!({
            "prompt": t.prompt_tokens,
            "prefill_ms": t.prefill_ms,
            "answer": t.decode_tokens,
            "decode_ms": t.decode_ms,
            "decode_submits": t.decode_submits,
        }))?;
        rounds += 1;
    }
    Ok(json!({ "rounds": rounds }))
}

/// The kernels of one token, of a round of several rows, or of a step of a canvas.
pub fn profiled(gpu: &Gpu, profile: &Profile) -> Value {
    let copy = profile.copy_bytes_per_s;
    let rate = |bytes: u64, ms: f64| bytes as f64 * 1000.0 / ms;
    let kernels: Vec<_> = profile
        .kernels
        .iter()
        .map(|kernel| {
            let mut value =
                json!({ "kernel": kernel.name, "dispatches": kernel.dispatches, "ms": kernel.ms });
            if kernel.bytes > 0 {
                let rate = rate(kernel.bytes, kernel.ms);
                value["bytes"] = json!(kernel.bytes);
                value["gb_per_s"] = json!(rate / 1e9);
                value["share_of_copy"] = json!(rate / copy);
            }
            value
        })
        .collect();
    json!({
        "adapter": gpu.report().name,
        "position": profile.position,
        "timestamps": profile.timestamps,
        "copy_gb_per_s": copy / 1e9,
        "ms": profile.kernels.iter().map(|kernel| kernel.ms).sum::<f64>(),
        "token_ms": profile.token_ms,
        "token_bytes": profile.token_bytes,
        "share_of_copy": rate(profile.token_bytes, profile.token_ms) / copy,
        "dispatches": profile.dispatches,
        "kernels": kernels,
    })
}

/// Encodes 30 s of synthetic audio, `repeat` times after one warm-up round: all at once, and as if recorded, where
/// the time after the last sample counts.
pub fn sound(session: &mut Session, gpu: &Gpu, repeat: u32) -> Result<Value> {
    let hearing = session.audio_mut()?;
    let planned = hearing.plan().bytes(gpu.plan_limits())?;
    let tower = pollster::block_on(hearing.tower(&CancelToken::new(), &mut |_| ()))?;
    // A sweep and noise. The time does not depend on the content.
    let sample = |i: usize| {
        let t = i as f32 / RATE as f32;
        let hiss = (i as u32).wrapping_mul(2_654_435_769) >> 16;
        0.3 * (t * (800.0 + 40.0 * t)).sin() + 0.05 * (hiss as f32 / 32_768.0 - 1.0)
    };
    let sound: Vec<f32> = (0..CLIP_SAMPLES).map(sample).collect();
    let ms = |started: Instant| started.elapsed().as_secs_f64() * 1000.0;
    let (mut mels, mut wholes, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let mut tokens = 0;
    for round in 0..=repeat {
        let started = Instant::now();
        let mut stream = MelStream::new();
        stream.push(&sound);
        let mel = ms(started);

        let started = Instant::now();
        let mut encoder = Encoder::new(Rc::clone(&tower));
        encoder.push(&sound);
        tokens = encoder.finish()?.medium().tokens;
        pollster::block_on(gpu.drained())?;
        let whole = ms(started);

        // Pieces of 100 ms, as from a microphone, each encoded before the next arrives.
        let mut encoder = Encoder::new(Rc::clone(&tower));
        for piece in sound[..CLIP_SAMPLES - 1].chunks(RATE as usize / 10) {
            encoder.push(piece);
            pollster::block_on(gpu.drained())?;
        }
        let started = Instant::now();
        encoder.push(&sound[CLIP_SAMPLES - 1..]);
        encoder.finish()?;
        pollster::block_on(gpu.drained())?;
        let end = ms(started);
        if round > 0 {
            mels.push(mel);
            wholes.push(whole);
            ends.push(end);
        }
    }
    let seconds = CLIP_SAMPLES as f64 / f64::from(RATE);
    let factor = wholes.iter().map(|ms| ms / 1000.0 / seconds).collect();
    Ok(json!({
        "adapter": gpu.report().name,
        "seconds": seconds,
        "tokens": tokens,
        "mel_ms": spread(mels),
        "encode_ms": spread(wholes),
        "real_time_factor": spread(factor),
        "after_the_end_ms": spread(ends),
        "dispatches_per_step": tower.dispatches(),
        "planned_bytes": planned,
        "gpu_bytes": gpu.bytes_in_use(),
    }))
}

/// Encodes images of 280 and of 1120 soft tokens, `repeat` times after one warm-up round. Only the work on the
/// device is timed, without decoding and resizing.
pub fn pictures(session: &mut Session, gpu: &Gpu, repeat: u32) -> Result<Value> {
    let vision = session.vision_mut()?;
    let mut figures = serde_json::Map::new();
    // Shapes that use the whole budget: 20 by 14 and 40 by 28 cells.
    for (budget, columns, rows) in [(280, 20, 14), (1120, 40, 28)] {
        let budget = Budget::new(budget)?;
        let size = Size { width: columns * 48, height: rows * 48 };
        let bytes = size.width * size.height * 3;
        let mut times = Vec::new();
        for round in 0..=repeat {
            // Arbitrary pixels.
            let rgb = (0..bytes).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
            let pixels = Pixels { size, rgb };
            let content = ContentHash::of(&[], &[round]);
            let started = Instant::now();
            pollster::block_on(vision.encode(&pixels, content, &CancelToken::new(), &mut |_| ()))?;
            pollster::block_on(gpu.drained())?;
            if round > 0 {
                times.push(started.elapsed().as_secs_f64() * 1000.0);
            }
        }
        let planned = vision.plan().bytes(budget, gpu.plan_limits())?;
        figures.insert(size.tokens().to_string(), json!({ "ms": spread(times), "planned_bytes": planned }));
    }
    Ok(json!({ "adapter": gpu.report().name, "tokens": figures, "gpu_bytes": gpu.bytes_in_use() }))
}
