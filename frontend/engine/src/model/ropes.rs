//! The tables of rotations, written once.

use super::{Attention, Parts, Rope};
use crate::gpu::{Gpu, GpuError, Memory};

/// Writes the tables of a model whose weights are loaded, for contexts of this length.
///
/// # Errors
/// When a table that a plan binds is not allocated.
pub fn write(gpu: &Gpu, parts: &Parts, memory: &Memory, context: u32) -> Result<(), GpuError> {
    let factors = parts.weights.rope_factors.as_deref();
    let ropes = [(Attention::Sliding, &parts.rope_sliding), (Attention::Global, &parts.rope_global)];
    for (attention, rope) in ropes {
        if memory.holds(&rope.table) {
            let content = Rope::content(&parts.config, attention, factors, context);
            gpu.queue().write_buffer(memory.get(&rope.table)?, 0, bytemuck::cast_slice(&content));
        }
    }
    Ok(())
}
