//! Timing a loaded model.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use engine::bytes::CancelToken;
use engine::gpu::Gpu;
use engine::session::{Control, Session};
use serde_json::{Value, json};

/// Least, median and greatest of some figures.
fn spread(mut figures: Vec<f64>) -> Value {
    figures.sort_by(f64::total_cmp);
    let median = figures.get(figures.len() / 2).copied().unwrap_or(0.0);
    json!({ "median": median, "min": figures.first(), "max": figures.last() })
}

/// Reads a prompt of `prefill` tokens and draws `decode` tokens, `repeat` times after one round that is not counted.
pub fn run(session: &mut Session, gpu: &Gpu, prefill: u32, decode: u32, repeat: u32) -> Result<Value> {
    let (mut prefills, mut decodes, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
    let (mut created, mut submits) = (0, 0);
    for round in 0..=repeat {
        let t = pollster::block_on(session.time(prefill, decode, round, &Control::default()))?.timings;
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
        "dispatches_per_token": session.decoder().dispatches_per_token(),
        "buffers_created": created,
        "gpu_bytes": gpu.bytes_in_use(),
    }))
}

/// Times one round for each number of a round that comes by standard input, a line each, and prints it at once: so
/// that `cargo xtask bench` can let engines take turns. The first line that is printed says that the model is loaded.
pub fn on_request(session: &mut Session, gpu: &Gpu, prefill: u32, decode: u32) -> Result<Value> {
    let say = |value: &Value| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{value}").and_then(|()| out.flush()).context("nobody reads the rounds")
    };
    say(&json!({
        "adapter": gpu.report().name,
        "dispatches_per_token": session.decoder().dispatches_per_token(),
        "gpu_bytes": gpu.bytes_in_use(),
    }))?;
    let mut rounds = 0;
    for line in std::io::stdin().lines() {
        let line = line?;
        let round = line.trim().parse().with_context(|| format!("{line:?} is no number of a round"))?;
        let t = pollster::block_on(session.time(prefill, decode, round, &Control::default()))?.timings;
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

/// Times every kernel of one token.
pub fn profile(session: &mut Session, gpu: &Gpu, position: u32) -> Result<Value> {
    let profile = pollster::block_on(session.profile(position, &CancelToken::new(), &mut |_, _| ()))?;
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
    Ok(json!({
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
    }))
}
