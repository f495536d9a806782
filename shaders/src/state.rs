//! The step state: a small buffer that holds the position and the lengths of a step.

params! {
    /// The state of a step, in a storage buffer that most kernels bind. The sampling kernel advances it, so several
    /// tokens can be generated without the CPU.
    #[derive(Default, Eq)]
    pub struct State {
        /// Position in the sequence of the first row of this step.
        pub pos: u32,
        /// Rows of this step: 1 in decode, the last token and the drafted ones where they are verified, up to the
        /// chunk size in prefill.
        pub len: u32,
        /// Number of tokens sampled in this generation. It is the counter of the random numbers, and `step mod` ring
        /// length is the next slot of the output ring.
        pub step: u32,
        /// Number of tokens of the sequence that the history holds: prompt, and tokens sampled so far.
        pub history_len: u32,
        /// Random seed, low word.
        pub seed_lo: u32,
        /// Random seed, high word.
        pub seed_hi: u32,
        /// The row of the last step that the newest token was sampled from. Its hidden state is what a drafter begins
        /// with.
        pub hidden_row: u32,
    }
}
