// Position and lengths of the step; the Rust mirror is `shaders::state::State`.

struct State {
    pos: u32,        // position in the sequence of the first row of this step
    len: u32,        // rows of this step (1 in decode)
    step: u32,       // tokens sampled in this generation
    recent_len: u32, // tokens ever entered into the ring of recent tokens
    seed_lo: u32,
    seed_hi: u32,
    pad0: u32,
    pad1: u32,
}
