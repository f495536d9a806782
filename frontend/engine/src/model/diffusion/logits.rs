//! Logits of a canvas on the host. Answers never need them; comparisons with a reference do.

use super::Diffuser;
use super::plans::{logits, tiles};
use crate::gpu::{GpuError, Program};
use crate::plan::Plan;

/// Reads the logits of the last step, a tile at a time.
pub struct CanvasLogits {
    /// Each with the pieces of its tile, in order.
    tiles: Vec<(Program, u32)>,
}

impl CanvasLogits {
    /// Binds the programs.
    ///
    /// # Errors
    /// When the device refuses a kernel.
    pub async fn new(diffuser: &Diffuser) -> Result<Self, GpuError> {
        let Diffuser { gpu, parts, memory, values, .. } = diffuser;
        let mut bound = Vec::new();
        for tile in tiles(parts)? {
            let mut plan = Plan::default();
            logits(parts, values, &tile, &mut plan)?;
            bound.push((gpu.bind(&plan, memory).await?, tile.layout.n));
        }
        Ok(Self { tiles: bound })
    }

    /// Logits of the `rows` positions of the canvas of the last step, after the softcap, divided by the temperature.
    /// `[rows, vocabulary]`.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn read(&self, diffuser: &Diffuser, rows: u32, temperature: f32) -> Result<Vec<f32>, GpuError> {
        let Diffuser { gpu, parts, memory, values, .. } = diffuser;
        let (vocabulary, cap) = (parts.vocabulary as usize, parts.config.softcap);
        let mut all = vec![0.0; rows as usize * vocabulary];
        let mut row0 = 0;
        for (program, n) in &self.tiles {
            gpu.run(program, rows);
            let n = *n as usize;
            let bytes = gpu.read_once(memory.get(&values.tile)?, 0, 4 * u64::from(rows) * n as u64).await?;
            let raw: Vec<f32> = bytemuck::pod_collect_to_vec(&bytes);
            for (raw, row) in raw.chunks(n).zip(all.chunks_mut(vocabulary)) {
                for (&raw, z) in raw.iter().zip(&mut row[row0..row0 + n]) {
                    *z = if cap > 0.0 { cap * (raw / cap).tanh() } else { raw } / temperature;
                }
            }
            row0 += n;
        }
        Ok(all)
    }
}
