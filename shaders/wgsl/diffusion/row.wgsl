// Statistics of the logits of a row; the Rust mirror is `shaders::diffusion::Row`.

struct Row {
    top: f32,      // the largest
    sum: f32,      // of exponentials relative to it
    weighted: f32, // the same, each times its logit relative to the largest
    best: u32,     // the first id that has the largest
}
