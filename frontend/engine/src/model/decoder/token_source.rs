//! The source of generated tokens: submits steps, or rounds of drafted tokens where these pay, and reads ids back.

use std::collections::VecDeque;

use shaders::sampling::look_up;
use web_time::Instant;

use super::costs::{DraftSource, ROWS, Round};
use super::gain::{Drafts, Gain};
use super::pace::MAX_PER_SUBMIT;
use super::{Decoder, StepError};
use crate::bytes::CancelToken;
use crate::model::sampling_plans::{MAX_PENDING, OUT_LEN};

/// Maximum number of rounds per submit.
const MAX_ROUNDS: u32 = 4;
const _: () = assert!(ROWS[1] <= MAX_PER_SUBMIT);

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
    /// Returns the sum of two.
    pub fn with(self, other: Self) -> Self {
        Self {
            rounds: self.rounds + other.rounds,
            looked_up: self.looked_up + other.looked_up,
            drafted: self.drafted + other.drafted,
            accepted: self.accepted + other.accepted,
        }
    }
}

/// What a submit does.
#[derive(Clone, Copy)]
enum Kind {
    /// This many tokens, one after the other.
    Tokens(u32),
    /// Rounds of drafted tokens.
    Rounds { rounds: u32, round: Round },
}

impl Kind {
    /// Returns the maximum number of tokens.
    fn most(self) -> u32 {
        match self {
            Self::Tokens(count) => count,
            Self::Rounds { rounds, round: (_, rows) } => rounds * rows,
        }
    }
}

/// A pending readback.
struct Flight {
    which: usize,
    kind: Kind,
}

/// Samples tokens after a finished prompt ([`Decoder::finish_prompt`]). They are submitted before earlier ones are read back, as
/// rounds where drafts pay.
///
/// If the per-layer table is on the host, a token whose row is missing ends its step, and so do those behind it, until the row
/// is there. With an expert cache, the host has a part in every step: it loads the experts that are missing.
pub struct TokenSource<'d> {
    decoder: &'d Decoder,
    cancel: &'d CancelToken,
    /// What may draft; empty if nothing may.
    sources: &'static [DraftSource],
    most: u32,
    /// The sequence as far as it was read back.
    history: Vec<u32>,
    in_flight: VecDeque<Flight>,
    seen: u32,
    submits: u32,
    /// Rows that the state on the device says; `None` if a step has ended early.
    rows: Option<u32>,
    /// Whether the row of the last token is missing.
    misses: bool,
    /// Tokens drawn since a row was missing: only one is submitted at a time, because
    /// tokens after a missing row are discarded.
    since_miss: u32,
    gain: Gain,
    /// Time of the last read.
    read_at: Instant,
    speculation: Speculation,
}

impl Decoder {
    /// Samples up to `most` tokens behind `history`, including the one that the end of the prompt sampled. They are drafted
    /// where that pays, if [`Self::prepare_rounds`] has bound rounds.
    pub fn draw<'d>(
        &'d self,
        drafts: Drafts,
        most: u32,
        history: &[u32],
        cancel: &'d CancelToken,
    ) -> TokenSource<'d> {
        if let Some((_, rows)) = &self.table {
            rows.write_slots();
        }
        let sources = if self.rounds.is_some() { self.sources(drafts) } else { &[] };
        let is_drafted = !sources.is_empty();
        self.pace.borrow_mut().begin();
        TokenSource {
            decoder: self,
            cancel,
            sources,
            most,
            history: if is_drafted { history.to_vec() } else { Vec::new() },
            in_flight: VecDeque::from([Flight { which: 0, kind: Kind::Tokens(1) }]),
            seen: 0,
            submits: 0,
            rows: Some(1),
            misses: false,
            since_miss: u32::MAX,
            gain: self.gain.get().begin(drafts),
            read_at: Instant::now(),
            speculation: Speculation::default(),
        }
    }

    /// Submits `count` tokens, and the copy of their ids to readback `which`.
    fn submit(&self, count: u32, which: usize) {
        let encoder = self.gpu.encode_pass(|pass| (0..count).for_each(|_| self.encode_token(pass)));
        self.sampler.submit(&self.gpu, encoder, which);
    }

    /// Encodes a step and the sampling of its token.
    pub(super) fn encode_token(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.programs().one.encode(pass, 1);
        self.sampler.program().encode(pass, 1);
    }
}

impl TokenSource<'_> {
    /// Returns the next ids that were read back together, in order; none when the requested number was reached.
    ///
    /// # Errors
    /// When the device, the per-layer table or an expert fails, or waiting for it was cancelled.
    pub async fn next(&mut self) -> Result<Vec<u32>, StepError> {
        loop {
            if std::mem::take(&mut self.misses) {
                self.fetch_missing_row().await?;
            }
            let mut has_encoded_rounds = false;
            while self.in_flight.len() < self.count_and_depth().1
                && let Some(kind) = self.next_kind()
            {
                has_encoded_rounds |= matches!(kind, Kind::Rounds { .. });
                self.submit(kind).await?;
            }
            let Some(flight) = self.in_flight.pop_front() else { return Ok(Vec::new()) };
            let ids = self.read(flight, has_encoded_rounds).await?;
            if !self.misses || !ids.is_empty() {
                return Ok(ids);
            }
        }
    }

    /// Returns the number of submitted tokens, with drafts at most. All but the last are in the cache.
    pub fn submitted(&self) -> u32 {
        self.seen + self.in_flight.iter().map(|flight| flight.kind.most()).sum::<u32>()
    }

    /// Returns the number of submits after the first token.
    pub fn submits(&self) -> u32 {
        self.submits
    }

    /// What drafting did, if it may.
    pub fn speculation(&self) -> Option<Speculation> {
        (!self.sources.is_empty()).then_some(self.speculation)
    }

    /// Tokens or rounds per submit, and pending submits.
    fn count_and_depth(&self) -> (u32, usize) {
        if self.decoder.experts.is_some() {
            return (1, 1);
        }
        let pace = self.decoder.pace.borrow();
        (pace.count().min(self.since_miss.max(1)), pace.depth())
    }

    /// What the next submit does; `None` if what is pending may be enough.
    fn next_kind(&mut self) -> Option<Kind> {
        let room = self.most.saturating_sub(self.submitted());
        if room == 0 {
            return None;
        }
        let (count, _) = self.count_and_depth();
        if self.sources.is_empty() {
            return Some(Kind::Tokens(count.min(room)));
        }
        let shortest = self.gain.shortest_match();
        let has_match = || look_up::find(&self.history, shortest).is_some();
        let sources = self.sources.iter().copied();
        let able: Vec<_> = sources.filter(|source| *source == DraftSource::Drafter || has_match()).collect();
        let Some((source, rows)) = self.gain.next(&able, room) else {
            return Some(Kind::Tokens(count.min(room)));
        };
        // Encoding more than one would leave the device idle.
        let is_first = self.rows == Some(1);
        let most = if is_first { 1 } else { count };
        let rounds = most.min(MAX_PER_SUBMIT / rows).min(room / rows);
        Some(Kind::Rounds { rounds: rounds.clamp(1, MAX_ROUNDS), round: (source, rows) })
    }

    async fn submit(&mut self, kind: Kind) -> Result<(), StepError> {
        self.submits += 1;
        let which = self.submits as usize % MAX_PENDING;
        // A step that is cancelled has written rows of the cache, too.
        self.in_flight.push_back(Flight { which, kind });
        let (decoder, rows) =
            (self.decoder, if let Kind::Rounds { round: (_, rows), .. } = kind { rows } else { 1 });
        if let Kind::Rounds { rounds, round: (DraftSource::LookUp, _) } = kind {
            self.fetch_rows_of_drafts(rounds * rows).await?;
        }
        self.set_rows(rows);
        if decoder.experts.is_some() {
            let program = match kind {
                Kind::Tokens(_) => Some(&decoder.programs().one),
                Kind::Rounds { round, .. } => {
                    decoder.rounds.as_ref().and_then(|rounds| rounds.program(round))
                }
            };
            let Some(program) = program else { return Ok(()) };
            self.rows = None;
            return self.cancel.guard(decoder.run_step(program, rows, Some(which))).await;
        }
        match kind {
            Kind::Tokens(count) => decoder.submit(count, which),
            Kind::Rounds { rounds, round } => {
                let encoder = decoder
                    .gpu
                    .encode_pass(|pass| (0..rounds).for_each(|_| decoder.encode_round(pass, round)));
                decoder.sampler.submit(&decoder.gpu, encoder, which);
            }
        }
        Ok(())
    }

    /// Tells the device how many rows a step has.
    fn set_rows(&mut self, rows: u32) {
        if self.rows != Some(rows) {
            self.decoder.write_rows_of_step(rows);
            self.rows = Some(rows);
        }
    }

    /// Fetches the per-layer rows of `count` tokens that a look-up is likely to draft: one whose row is missing is rejected.
    async fn fetch_rows_of_drafts(&self, count: u32) -> Result<(), StepError> {
        let decoder = self.decoder;
        if !decoder.needs_host() {
            return Ok(());
        }
        let drafts = look_up::look_up(&self.history, self.gain.shortest_match(), count as usize);
        let fetched = async { decoder.fetch_rows(&drafts).await };
        self.cancel.guard(fetched).await
    }

    /// Fetches the row of the last token, and lets the steps go on from there.
    async fn fetch_missing_row(&mut self) -> Result<(), StepError> {
        let decoder = self.decoder;
        // Those behind it have done nothing.
        for Flight { which, .. } in std::mem::take(&mut self.in_flight) {
            decoder.sampler.read(&decoder.gpu, which).await?;
        }
        (self.since_miss, self.rows) = (0, None);
        let last = self.history.last().copied();
        let fetched = async { decoder.fetch_rows(last.as_slice()).await };
        self.cancel.guard(fetched).await?;
        self.read_at = Instant::now();
        Ok(())
    }

    fn learn(&mut self, kind: Kind, count: u32, ms: f64) {
        if let Kind::Tokens(_) = kind {
            self.decoder.pace.borrow_mut().learn(count, ms);
        }
        if self.sources.is_empty() {
            return;
        }
        match kind {
            Kind::Tokens(_) => self.gain.learn_tokens(count, ms),
            Kind::Rounds { rounds, round } => self.gain.learn_rounds(round, rounds, count, ms),
        }
        self.decoder.gain.set(self.gain);
    }

    async fn read(&mut self, flight: Flight, has_encoded_rounds: bool) -> Result<Vec<u32>, StepError> {
        let Flight { which, kind } = flight;
        let ring = self.decoder.sampler.read(&self.decoder.gpu, which).await?;
        let upto = ring[OUT_LEN as usize];
        let ids: Vec<u32> =
            (self.seen..upto).map(|number| ring[number as usize % OUT_LEN as usize]).collect();
        self.history.extend(&ids);
        let now = Instant::now();
        let count = ids.len() as u32;
        self.since_miss = self.since_miss.saturating_add(count);
        // The next step needs the row of the last token. What was drawn does not wait for it. Nothing is drawn if the row
        // came only after the step had ended.
        let has_row = count > 0 && self.decoder.has_row(self.history.last().copied());
        self.misses = upto < self.most && !has_row;
        let is_whole = match kind {
            Kind::Tokens(tokens) => count == tokens,
            Kind::Rounds { rounds, round: (source, rows) } => {
                // Those behind a missing row have done nothing; every other one has given a token.
                let done = rounds.min(count);
                self.speculation.rounds += done;
                if source == DraftSource::LookUp {
                    self.speculation.looked_up += done;
                }
                self.speculation.drafted += done * (rows - 1);
                self.speculation.accepted += count - done;
                done == rounds
            }
        };
        // The token was ready before the rounds were encoded, so the time since the last read says nothing about it.
        let is_delayed =
            has_encoded_rounds && matches!(kind, Kind::Tokens(_)) && self.decoder.experts.is_none();
        if self.seen > 0 && is_whole && !is_delayed && !self.misses {
            self.learn(kind, count, now.duration_since(self.read_at).as_secs_f64() * 1000.0);
        }
        (self.seen, self.read_at) = (upto, now);
        Ok(ids)
    }
}
