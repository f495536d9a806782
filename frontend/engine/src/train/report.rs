//! What training tells of itself.

/// One optimiser step that was done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Steps done so far, this one included.
    pub step: u32,
    /// Mean cross-entropy over the learned tokens, before the step.
    pub loss: f64,
    /// L2 norm of all gradients, before clipping.
    pub grad_norm: f64,
    /// Learning rate of the step.
    pub learning_rate: f64,
    /// Tokens that went through the model.
    pub tokens: u32,
    /// Tokens that were learned.
    pub learned: u32,
    /// Time from beginning to end.
    pub milliseconds: f64,
}

/// Bytes of graphics memory that training takes beside the weights, known before any is allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryPlan {
    /// Numbers that are learned.
    pub parameters: u64,
    /// Factors, gradients and both moments of the optimiser.
    pub optimiser: u64,
    /// The input of every layer.
    pub checkpoints: u64,
    /// Keys and values that later layers read, and their gradients.
    pub shared: u64,
    /// All that one layer works in, and the tile of logits.
    pub working: u64,
}

impl MemoryPlan {
    /// All of it.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.optimiser + self.checkpoints + self.shared + self.working
    }
}
