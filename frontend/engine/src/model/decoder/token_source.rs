//! Sources of generated tokens.

use std::collections::VecDeque;

use futures_util::FutureExt as _;
use web_time::Instant;

use super::gain::Drafts;
use super::speculating::Speculating;
use super::{Decoder, StepError};
use crate::bytes::{CancelToken, LocalBoxFuture};
use crate::model::sampling_plans::{MAX_PENDING, OUT_LEN};

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
    /// The next ids that were read back together, in order; none when the requested number was reached.
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
        if self.experts.is_some() {
            Box::new(Speculating::new(self, (Drafts::Never, &[]), most, Vec::new(), cancel))
        } else {
            if let Some((_, rows)) = &self.table {
                rows.write_slots();
            }
            self.pace.borrow_mut().begin();
            Box::new(Pipelined {
                decoder: self,
                cancel,
                most,
                in_flight: VecDeque::from([(0, 1)]),
                submitted: 1,
                submits: 0,
                seen: 0,
                last: None,
                misses: false,
                since_miss: u32::MAX,
                read_at: Instant::now(),
            })
        }
    }

    /// Submits `count` tokens, and the copy of their ids to readback `which`.
    pub(super) fn submit(&self, count: u32, which: usize) {
        let encoder = self.gpu.encode_pass(|pass| (0..count).for_each(|_| self.encode_token(pass)));
        self.sampler.submit(&self.gpu, encoder, which);
    }

    /// Encodes a step and the sampling of its token.
    pub(super) fn encode_token(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.programs().one.encode(pass, 1);
        self.sampler.program().encode(pass, 1);
    }

    /// The ids with these numbers, when readback `which` has them. They end before the first token that missed a row.
    pub(super) async fn read(
        &self,
        which: usize,
        numbers: std::ops::Range<u32>,
    ) -> Result<Vec<u32>, StepError> {
        let ring = self.sampler.read(&self.gpu, which).await?;
        let drawn = ring.get(OUT_LEN as usize).copied().unwrap_or_default();
        let numbers = numbers.start..numbers.end.min(drawn);
        Ok(numbers.map(|number| ring[number as usize % OUT_LEN as usize]).collect())
    }
}

/// Tokens are submitted before earlier ones are read back. If the per-layer table is on the host, one whose row is missing
/// ends its step, and so do those behind it, until the row is there.
struct Pipelined<'d> {
    decoder: &'d Decoder,
    cancel: &'d CancelToken,
    most: u32,
    /// Pending readbacks, and the number of tokens sampled when each completes.
    in_flight: VecDeque<(usize, u32)>,
    submitted: u32,
    submits: u32,
    seen: u32,
    /// The last token that was read.
    last: Option<u32>,
    /// Whether its row is missing.
    misses: bool,
    /// Tokens drawn since a row was missing: no more are submitted at once, as those behind a missing row are in vain.
    since_miss: u32,
    /// Time of the last read.
    read_at: Instant,
}

impl Pipelined<'_> {
    /// Fetches the row of the last token, and lets the steps go on from there.
    async fn fetch_row(&mut self) -> Result<(), StepError> {
        // Those behind it have done nothing.
        for (which, _) in std::mem::take(&mut self.in_flight) {
            self.decoder.sampler.read(&self.decoder.gpu, which).await?;
        }
        (self.submitted, self.since_miss) = (self.seen, 0);
        let decoder = self.decoder;
        let last = self.last;
        let fetched = async { Ok::<_, StepError>(decoder.fetch_rows(last.as_slice()).await?) };
        self.cancel.guard(fetched).await?;
        decoder.write_rows_of_step(1);
        self.read_at = Instant::now();
        Ok(())
    }

    /// Submits tokens and reads the oldest ones that are pending.
    async fn advance(&mut self) -> Result<Vec<u32>, StepError> {
        loop {
            if std::mem::take(&mut self.misses) {
                self.fetch_row().await?;
            }
            let (count, depth) = {
                let pace = self.decoder.pace.borrow();
                (pace.count().min(self.since_miss.max(1)), pace.depth())
            };
            while self.submitted < self.most && self.in_flight.len() < depth {
                let count = count.min(self.most - self.submitted);
                self.submitted += count;
                self.submits += 1;
                let which = self.submits as usize % MAX_PENDING;
                self.decoder.submit(count, which);
                self.in_flight.push_back((which, self.submitted));
            }
            let Some((which, upto)) = self.in_flight.pop_front() else { return Ok(Vec::new()) };
            let ids = self.decoder.read(which, self.seen..upto).await?;
            let (now, drawn) = (Instant::now(), ids.len() as u32);
            let is_whole = self.seen + drawn == upto;
            if self.seen > 0 && is_whole {
                let elapsed = now.duration_since(self.read_at);
                self.decoder.pace.borrow_mut().learn(drawn, elapsed.as_secs_f64() * 1000.0);
            }
            (self.seen, self.read_at) = (self.seen + drawn, now);
            self.since_miss = self.since_miss.saturating_add(drawn);
            self.last = ids.last().copied().or(self.last);
            // The next step needs the row of the last token. What was drawn does not wait for it.
            self.misses = !is_whole || (self.seen < self.most && !self.decoder.has_row(self.last));
            if !ids.is_empty() {
                return Ok(ids);
            }
        }
    }
}

impl TokenSource for Pipelined<'_> {
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Vec<u32>, StepError>> {
        self.advance().boxed_local()
    }

    fn submitted(&self) -> u32 {
        self.submitted
    }

    fn submits(&self) -> u32 {
        self.submits
    }
}
