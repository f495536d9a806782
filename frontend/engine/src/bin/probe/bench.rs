//! Timing a loaded model.

use anyhow::Result;
use engine::gpu::Gpu;
use engine::session::{Control, Options, Session};
use serde_json::{Value, json};

/// Least, median and greatest of some figures.
fn spread(mut figures: Vec<f64>) -> Value {
    figures.sort_by(f64::total_cmp);
    let median = figures.get(figures.len() / 2).copied().unwrap_or(0.0);
    json!({ "median": median, "min": figures.first(), "max": figures.last() })
}

/// Reads a prompt of `prefill` tokens and draws `decode` tokens, `repeat` times after one round that is not counted.
pub fn run(session: &mut Session, gpu: &Gpu, prefill: u32, decode: u32, repeat: u32) -> Result<Value> {
    let vocabulary = session.decoder().vocabulary();
    let options = Options { max_tokens: decode, ignore_eos: true, ..Options::default() };
    let (mut prefills, mut decodes, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
    let mut created = 0;
    for round in 0..=repeat {
        session.forget();
        // Other ids each round, so that nothing is spared; they mean nothing.
        let ids: Vec<u32> = (0..prefill).map(|i| (i * 7919 + round * 104_729 + 300) % vocabulary).collect();
        let before = gpu.buffers_created();
        let outcome = pollster::block_on(session.generate(&ids, &options, &Control::default(), &mut |_| ()))?;
        let t = outcome.timings;
        if round == 0 {
            continue;
        }
        created = gpu.buffers_created() - before;
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
        "dispatches_per_token": session.decoder().dispatches_per_token(),
        "buffers_created_per_round": created,
        "gpu_bytes": gpu.bytes_in_use(),
    }))
}

/// Times every dispatch of one token.
pub fn profile(session: &Session, gpu: &Gpu, position: u32, loops: u32) -> Result<Value> {
    let times = pollster::block_on(session.decoder().profile(position, loops))?;
    let total: f64 = times.iter().map(|(_, ms)| ms).sum();
    let mut kernels: Vec<(String, f64, u32)> = Vec::new();
    for (name, ms) in times {
        match kernels.iter_mut().find(|(known, ..)| *known == name) {
            Some((_, sum, count)) => {
                *sum += ms;
                *count += 1;
            }
            None => kernels.push((name, ms, 1)),
        }
    }
    kernels.sort_by(|a, b| b.1.total_cmp(&a.1));
    let kernels: Vec<_> = kernels
        .iter()
        .map(|(name, ms, count)| json!({ "kernel": name, "ms": ms, "dispatches": count }))
        .collect();
    Ok(json!({ "adapter": gpu.report().name, "position": position, "ms": total, "kernels": kernels }))
}
