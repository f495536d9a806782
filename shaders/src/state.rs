//! The small GPU buffer that carries position and lengths from step to step (`wgsl/shared/state.wgsl`).

/// What a step needs to know about the sequence. The sampling kernel advances it, so that several tokens run without
/// a word from the CPU.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct State {
    /// Position in the sequence of the first row of this step.
    pub pos: u32,
    /// Rows of this step: 1 in decode, up to the chunk size in prefill.
    pub len: u32,
    /// Tokens sampled in this generation: counts the random numbers of its seed, and modulo the length of the output
    /// ring it is the slot of the next token.
    pub step: u32,
    /// Tokens ever entered into the ring of recent tokens, which the penalties look at; modulo 64 it is the next slot.
    pub recent_len: u32,
    /// Random seed, low word.
    pub seed_lo: u32,
    /// Random seed, high word.
    pub seed_hi: u32,
    /// Unused.
    pub pad0: u32,
    /// Unused.
    pub pad1: u32,
}
