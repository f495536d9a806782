// Settings of one generation, the same for every sampling kernel; the Rust mirror is `shaders::sampling::Params`.

struct Params {
    temperature_inverse: f32, // 0: greedy
    top_k: u32,               // 0: off
    top_p: f32,               // 1 or more: off
    min_p: f32,               // 0: off
    repeat: f32,              // factor for negative logits of recent tokens; 1: off
    repeat_inverse: f32,      // factor for positive ones
    presence: f32,            // subtracted once from the logit of each recent token
    frequency: f32,           // subtracted once for each time it occurs
    softcap: f32,             // 0: off
    penalty_window: u32,      // how many of the latest tokens count as recent, up to 64
    suppressed_len: u32,      // up to 16
    vocab: u32,
    slices: u32,              // lists that top_k.wgsl writes
    lists: u32,               // lists that sample.wgsl reads
    out_len: u32,             // length of `sampled`
    pad0: u32,
    suppressed: array<vec4<u32>, 4>, // ids that are never sampled
}
