//! Copies of the KV cache rings at the ends of prompts, so that an answer can be regenerated after the rings were
//! overwritten.

use std::sync::Arc;

use super::sequence::Sequence;
use crate::gpu::{Buffer, Gpu, GpuError};
use crate::media::Input;

/// Maximum number of checkpoints.
const KEPT: usize = 2;
/// Maximum size of a checkpoint in bytes. Models with larger rings have none.
const MAX_BYTES: u64 = 128 << 20;

/// Total size of all checkpoints for rings of `ring_bytes`.
pub fn planned_bytes(ring_bytes: u64) -> u64 {
    if ring_bytes > MAX_BYTES { 0 } else { KEPT as u64 * ring_bytes }
}

/// The contents of the rings when the cache held exactly these tokens, among slots that others had overwritten.
struct Checkpoint {
    sequence: Sequence,
    buffers: Vec<Arc<Buffer>>,
}

impl Checkpoint {
    fn held(&self) -> &Input {
        self.sequence.held()
    }
}

/// The checkpoints of a session, oldest first.
#[derive(Default)]
pub struct Checkpoints(Vec<Checkpoint>);

impl Checkpoints {
    /// Copies the rings, which hold tokens of this sequence.
    ///
    /// # Errors
    /// When the device is out of memory.
    pub async fn save(
        &mut self,
        gpu: &Gpu,
        rings: &[Arc<Buffer>],
        sequence: &Sequence,
    ) -> Result<(), GpuError> {
        let held = sequence.held();
        let bytes: u64 = rings.iter().map(|ring| ring.size()).sum();
        if bytes == 0
            || bytes > MAX_BYTES
            || self.0.iter().any(|c| c.held().len() == held.len() && held.starts_with(c.held()))
        {
            return Ok(());
        }
        let buffers = if self.0.len() == KEPT {
            self.0.remove(0).buffers
        } else {
            let make = || rings.iter().map(|ring| gpu.storage("checkpoint", ring.size())).collect();
            gpu.allocating("a checkpoint", bytes, make).await?
        };
        let mut encoder = gpu.encoder();
        for (ring, copy) in rings.iter().zip(&buffers) {
            encoder.copy_buffer_to_buffer(ring, 0, copy, 0, ring.size());
        }
        gpu.submit(encoder);
        self.0.push(Checkpoint { sequence: sequence.clone(), buffers });
        Ok(())
    }

    /// Returns the longest checkpoint that is a prefix of both `prompt` and `held`. Global layers keep all positions, so
    /// only the rings must be restored.
    pub fn longest(&self, prompt: &Input, held: &Input) -> Option<usize> {
        let fits = |c: &Checkpoint| prompt.starts_with(c.held()) && held.starts_with(c.held());
        let best = self.0.iter().enumerate().filter(|(_, c)| fits(c)).max_by_key(|(_, c)| c.held().len());
        best.map(|(i, _)| i)
    }

    /// Returns the sequence of a checkpoint, and its copies of the rings.
    pub fn get(&self, index: usize) -> (&Sequence, &[Arc<Buffer>]) {
        (&self.0[index].sequence, &self.0[index].buffers)
    }

    /// Returns the number of tokens of a checkpoint.
    pub fn len(&self, index: usize) -> usize {
        self.0[index].held().len()
    }

    /// Restores the rings, and returns the sequence that they hold.
    pub fn restore(&self, gpu: &Gpu, rings: &[Arc<Buffer>], index: usize) -> Sequence {
        let checkpoint = &self.0[index];
        let mut encoder = gpu.encoder();
        for (ring, copy) in rings.iter().zip(&checkpoint.buffers) {
            encoder.copy_buffer_to_buffer(copy, 0, ring, 0, ring.size());
        }
        gpu.submit(encoder);
        checkpoint.sequence.clone()
    }

    /// Removes all checkpoints.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
