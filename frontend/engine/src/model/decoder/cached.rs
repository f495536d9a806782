//! Steps of a model with an expert cache: the host loads experts between the steps of a layer.

use futures_util::FutureExt as _;

use super::{Decoder, StepError, TokenSource};
use crate::bytes::{CancelToken, LocalBoxFuture};
use crate::gpu::Program;
use crate::plan::PlanError;

impl Decoder {
    /// Runs a program of one row. If `readback` is given, samples a token and copies it there.
    ///
    /// A row that misses an expert ends early, and is run again from that layer's experts on. What it has computed up to
    /// there is still in its buffers: all later steps had no rows.
    ///
    /// # Errors
    /// When the device fails, or an expert cannot be read.
    pub(super) async fn run_row(&self, program: &Program, readback: Option<usize>) -> Result<(), StepError> {
        let mut from = 0;
        if let Some(experts) = &self.experts {
            experts.begin_row();
        }
        loop {
            let mut encoder = self.gpu.encoder();
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                program.encode_steps(&mut pass, 1, from..program.len());
                if readback.is_some() {
                    self.sampler.program().encode(&mut pass, 1);
                }
            }
            if let Some(experts) = &self.experts {
                experts.encode_record(&mut encoder);
            }
            match readback {
                Some(which) => self.sampler.submit(&self.gpu, encoder, which),
                None => drop(self.gpu.submit(encoder)),
            }
            let Some(experts) = &self.experts else { return Ok(()) };
            let Some(layer) = experts.missed().await? else { return Ok(()) };
            let missing = || PlanError::Missing { name: format!("step for the experts of layer {layer}") };
            from = program
                .plan()
                .expert_steps()
                .get(layer)
                .ok_or_else(missing)
                .map_err(crate::gpu::GpuError::from)?
                .start;
            self.write_rows_of_step(1);
        }
    }

    /// Runs the layers of a chunk of `rows` rows behind what is encoded. Where the experts are cached, those of a layer
    /// that any row chose are there one pass after the other.
    ///
    /// # Errors
    /// When the device fails, or an expert cannot be read.
    pub(super) async fn run_chunk(
        &self,
        mut encoder: wgpu::CommandEncoder,
        layers: &Program,
        rows: u32,
    ) -> Result<(), StepError> {
        let descriptor = wgpu::ComputePassDescriptor::default();
        let mut at = 0;
        if let Some(experts) = &self.experts {
            for (layer, steps) in layers.plan().expert_steps().iter().enumerate() {
                layers.encode_steps(&mut encoder.begin_compute_pass(&descriptor), rows, at..steps.start);
                experts.encode_choices(&mut encoder, rows);
                self.gpu.submit(encoder);
                for pass in experts.chosen(layer, rows).await? {
                    experts.begin_pass(layer, &pass).await?;
                    let mut encoder = self.gpu.encoder();
                    layers.encode_steps(&mut encoder.begin_compute_pass(&descriptor), rows, steps.clone());
                    self.gpu.submit(encoder);
                }
                encoder = self.gpu.encoder();
                at = steps.end;
            }
        }
        layers.encode_steps(&mut encoder.begin_compute_pass(&descriptor), rows, at..layers.len());
        self.gpu.submit(encoder);
        Ok(())
    }
}

/// Draws one token at a time, since any of them may miss an expert.
pub struct Cached<'d> {
    pub decoder: &'d Decoder,
    pub cancel: &'d CancelToken,
    pub most: u32,
    pub drawn: u32,
}

impl TokenSource for Cached<'_> {
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Vec<u32>, StepError>> {
        async move {
            if self.drawn == self.most {
                return Ok(Vec::new());
            }
            if self.drawn > 0 {
                let decoder = self.decoder;
                self.cancel.guard(decoder.run_row(&decoder.programs().one, Some(0))).await?;
            }
            let ids = self.decoder.read(0, self.drawn..self.drawn + 1).await?;
            self.drawn += 1;
            Ok(ids)
        }
        .boxed_local()
    }

    fn submitted(&self) -> u32 {
        self.drawn
    }

    fn submits(&self) -> u32 {
        self.drawn.saturating_sub(1)
    }
}
