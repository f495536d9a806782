//! Reports of training.

/// The result of an optimiser step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Number of steps so far, including this one.
    pub step: u32,
    /// Mean cross-entropy over the targets, before the step.
    pub loss: f64,
    /// L2 norm of all gradients, before clipping.
    pub grad_norm: f64,
    /// Learning rate of the step.
    pub learning_rate: f64,
    /// Number of tokens processed.
    pub tokens: u32,
    /// Number of targets.
    pub learned: u32,
    /// Duration.
    pub milliseconds: f64,
}

/// Device memory of training in addition to the weights, known before allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryPlan {
    /// Number of trained parameters.
    pub parameters: u64,
    /// Factors, gradients and both moments of the optimiser.
    pub optimiser: u64,
    /// The stored input of every layer.
    pub checkpoints: u64,
    /// Keys and values that several layers use, and their gradients.
    pub shared: u64,
    /// The working memory of one layer, and a tile of logits.
    pub working: u64,
}

impl MemoryPlan {
    /// Total.
    pub const fn bytes(&self) -> u64 {
        self.optimiser + self.checkpoints + self.shared + self.working
    }
}
