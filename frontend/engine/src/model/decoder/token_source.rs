//! Sources of generated tokens.

use std::collections::VecDeque;

use futures_util::FutureExt as _;
use web_time::Instant;

use super::pace::{DEPTH, MAX_PER_SUBMIT, Pace};
use super::{Decoder, StepError};
use crate::bytes::{CancelToken, LocalBoxFuture};
use crate::model::sampler::OUT_LEN;

/// What drafting did during an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Speculation {
    /// Rounds of several rows.
    pub rounds: u32,
    /// Those of them whose tokens were drafted by look-up.
    pub looked_up: u32,
    /// Drafted tokens.
    pub drafted: u32,
    /// Drafted tokens that were right.
    pub accepted: u32,
}

impl Speculation {
    /// The sum of two.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            rounds: self.rounds + other.rounds,
            looked_up: self.looked_up + other.looked_up,
            drafted: self.drafted + other.drafted,
            accepted: self.accepted + other.accepted,
        }
    }
}

/// Samples tokens after a finished prompt ([`Decoder::finish_prompt`]).
pub trait TokenSource {
    /// The next ids that were read back together, in order; `None` when the requested number was reached.
    ///
    /// # Errors
    /// When the device or the per-layer table fails, or waiting for a row was cancelled.
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Vec<u32>, StepError>>;

    /// Number of submitted tokens, with drafts at most. All but the last are in the cache.
    fn submitted(&self) -> u32;

    /// Number of submits after the first token.
    fn submits(&self) -> u32;

    /// What drafting did, if it may.
    fn speculation(&self) -> Option<Speculation> {
        None
    }
}

impl Decoder {
    /// Samples up to `most` tokens, including the one that the end of the prompt sampled.
    pub fn draw<'d>(&'d self, most: u32, cancel: &'d CancelToken) -> Box<dyn TokenSource + 'd> {
        if self.needs_host() || self.experts.is_some() {
            Box::new(OneByOne { decoder: self, cancel, most, last: None, drawn: 0 })
        } else {
            Box::new(Pipelined {
                decoder: self,
                most,
                in_flight: VecDeque::from([(0, 1)]),
                submitted: 1,
                submits: 0,
                seen: 0,
                pace: Pace::new(MAX_PER_SUBMIT),
                read_at: Instant::now(),
            })
        }
    }

    /// Submits `count` tokens, and the copy of their ids to readback `which`.
    pub(super) fn submit(&self, count: u32, which: usize) {
        let mut encoder = self.gpu.encoder();
        for _ in 0..count {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            self.programs().one.encode(&mut pass, 1);
            self.sampler.program().encode(&mut pass, 1);
        }
        self.sampler.submit(&self.gpu, encoder, which);
    }

    /// The ids with these numbers, when readback `which` has them.
    pub(super) async fn read(
        &self,
        which: usize,
        numbers: std::ops::Range<u32>,
    ) -> Result<Vec<u32>, StepError> {
        let ring = self.sampler.read(&self.gpu, which).await?;
        Ok(numbers.map(|number| ring[number as usize % OUT_LEN as usize]).collect())
    }
}

/// Everything is on the device: tokens are submitted before earlier ones are read back.
struct Pipelined<'d> {
    decoder: &'d Decoder,
    most: u32,
    /// Pending readbacks, and the number of tokens sampled when each completes.
    in_flight: VecDeque<(usize, u32)>,
    submitted: u32,
    submits: u32,
    seen: u32,
    pace: Pace,
    /// Time of the last read.
    read_at: Instant,
}

impl TokenSource for Pipelined<'_> {
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Vec<u32>, StepError>> {
        async move {
            while self.submitted < self.most && self.in_flight.len() < DEPTH {
                let count = self.pace.count().min(self.most - self.submitted);
                self.submitted += count;
                self.submits += 1;
                let which = self.submits as usize % DEPTH;
                self.decoder.submit(count, which);
                self.in_flight.push_back((which, self.submitted));
            }
            let Some((which, upto)) = self.in_flight.pop_front() else { return Ok(Vec::new()) };
            let ids = self.decoder.read(which, self.seen..upto).await?;
            let now = Instant::now();
            if self.seen > 0 {
                let elapsed = now.duration_since(self.read_at);
                self.pace.learn(upto - self.seen, elapsed.as_secs_f64() * 1000.0);
            }
            (self.seen, self.read_at) = (upto, now);
            Ok(ids)
        }
        .boxed_local()
    }

    fn submitted(&self) -> u32 {
        self.submitted
    }

    fn submits(&self) -> u32 {
        self.submits
    }
}

/// The host has a part in every token: it has the per-layer table, and needs the id of the token before, or loads the
/// experts that are missing.
struct OneByOne<'d> {
    decoder: &'d Decoder,
    cancel: &'d CancelToken,
    most: u32,
    last: Option<u32>,
    drawn: u32,
}

impl TokenSource for OneByOne<'_> {
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Vec<u32>, StepError>> {
        async move {
            if self.drawn == self.most {
                return Ok(Vec::new());
            }
            if let Some(id) = self.last {
                let decoder = self.decoder;
                let step = async {
                    decoder.write_rows(&[id]).await?;
                    decoder.run_row(&decoder.programs().one, Some(0)).await
                };
                self.cancel.guard(step).await?;
            }
            let ids = self.decoder.read(0, self.drawn..self.drawn + 1).await?;
            self.drawn += 1;
            self.last = ids.last().copied();
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
