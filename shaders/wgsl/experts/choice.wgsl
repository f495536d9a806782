// An expert that the router chose for a token, and the weight of its output in the sum. Those of a row stand one after the
// other, the largest logit first; the Rust mirror is `shaders::experts::Choice`.

struct Choice {
    expert: u32,
    weight: f32,
}
