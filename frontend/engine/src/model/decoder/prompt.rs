//! Reading a prompt: chunks through the layers, and the first token behind it.

use std::sync::Arc;

use super::masked::Masking;
use super::{Decoder, StepError};
use crate::bytes::CancelToken;
use crate::gpu::{Buffer, Program, Rows};
use crate::media::Input;
use crate::model::embed::place;

impl Decoder {
    /// Appends up to [`Self::chunk_len`] tokens of an input to the cache, starting at position `pos`.
    ///
    /// # Errors
    /// When it is cancelled, soft tokens are missing, or the device or the table fails.
    pub async fn prefill(
        &self,
        input: &Input,
        pos: u32,
        len: u32,
        cancel: &CancelToken,
    ) -> Result<(), StepError> {
        self.append(input, pos, len, &self.programs().chunk, cancel).await
    }

    /// Same as [`Self::prefill`], with the program for the layers.
    pub(super) async fn append(
        &self,
        input: &Input,
        pos: u32,
        len: u32,
        layers: &Program,
        cancel: &CancelToken,
    ) -> Result<(), StepError> {
        let chunk = pos..pos + len;
        let mut ids = input.ids()[pos as usize..(pos + len) as usize].to_vec();
        for (_, part) in input.blocks_in(chunk.clone()) {
            ids[(part.start - pos) as usize..(part.end - pos) as usize].fill(self.pad);
        }
        self.fetch_rows(&ids).await?;
        self.gpu.queue().write_buffer(&self.io.tokens, 0, bytemuck::cast_slice(&ids));
        if let Some(visible_until) = &self.io.visible_until {
            let mut until = vec![0; len as usize];
            for (block, part) in input.blocks_in(chunk.clone()).filter(|(block, _)| block.is_picture()) {
                until[(part.start - pos) as usize..(part.end - pos) as usize].fill(block.range().end);
            }
            self.gpu.queue().write_buffer(visible_until, 0, bytemuck::cast_slice(&until));
        }
        self.write_state(pos, len, 0);
        let mut encoder = self.gpu.encoder();
        let embed = &self.programs().embed;
        embed.encode(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()), len);
        for (block, part) in input.blocks_in(chunk) {
            place(
                &mut encoder,
                &self.io.stream[0],
                self.parts.config.width,
                block,
                (&part, part.start - pos),
            )?;
        }
        self.run_chunk(encoder, layers, Rows::at(pos, len), cancel).await
    }

    /// Moves row `row` of the last chunk to row 0, where decode expects it.
    pub(super) fn single_out(&self, row: u32) {
        if row == 0 {
            return;
        }
        let mut encoder = self.gpu.encoder();
        // A copy within one buffer is not allowed, so another buffer is used.
        let mut copy = |[buffer, by_way_of]: &[Arc<Buffer>; 2], elements: u32| {
            let bytes = 4 * u64::from(elements);
            encoder.copy_buffer_to_buffer(buffer, u64::from(row) * bytes, by_way_of, 0, bytes);
            encoder.copy_buffer_to_buffer(by_way_of, 0, buffer, 0, bytes);
        };
        let config = &self.parts.config;
        copy(&self.io.stream, config.width);
        if let Some(ple) = &self.io.ple {
            copy(ple, config.ple * config.layers.len() as u32);
        }
        self.gpu.submit(encoder);
    }

    /// Runs the remaining layers for the last row of the last chunk, which started at `pos` and had `len` tokens,
    /// and samples the first token. It is the first id that [`Self::draw`] returns.
    pub fn finish_prompt(&self, pos: u32, len: u32) {
        self.finish_prompt_with(pos, len, None);
    }

    /// Same as [`Self::finish_prompt`], with a mask if one is given.
    pub(super) fn finish_prompt_with(&self, pos: u32, len: u32, masking: Option<&Masking>) {
        self.single_out(len - 1);
        self.write_state(pos + len - 1, 1, 0);
        let mut encoder = self.gpu.encoder();
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            self.programs().tail.encode(&mut pass, 1);
            masking.into_iter().for_each(|masking| masking.program().encode(&mut pass, 1));
            self.sampler.program().encode(&mut pass, 1);
        }
        self.sampler.submit(&self.gpu, encoder, 0);
    }
}
