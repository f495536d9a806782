//! Speculative decoding: tokens are drafted, by a drafter or by look-up in the sequence, and several are verified in one
//! step.
//!
//! A round drafts, verifies and samples on the device ([`crate::model::verify`]). A row is sampled as it would be
//! without drafts, with the same random number, and counts if every draft before it was right. So the answer does not
//! depend on drafts, up to the rounding of other kernels. [`Gain`] decides when rounds pay, by what they
//! [cost](super::costs).

use std::collections::VecDeque;

use futures_util::FutureExt as _;
use shaders::sampling::look_up;
use web_time::Instant;

use super::costs::{Costs, DraftSource, ROWS, Round};
use super::gain::{Drafts, Gain};
use super::pace::MAX_PER_SUBMIT;
use super::token_source::{Speculation, TokenSource};
use super::{AdapterPrograms, Decoder, StepError};
use crate::bytes::LocalBoxFuture;
use crate::gpu::{GpuError, Memory, Program};
use crate::model::sampling_plans::{MAX_PENDING, OUT_LEN};
use crate::model::verify;
use crate::plan::{Layout, Plan};

/// Maximum number of tokens per submit without drafts: a match is found only in what was read back.
pub(super) const MOST_SINGLE: u32 = 8;
/// Maximum number of rounds per submit.
const MOST_ROUNDS: u32 = 4;
const _: () = assert!(ROWS[1] <= MAX_PER_SUBMIT);

/// The programs of rounds.
pub struct Rounds {
    programs: Vec<(Round, Program)>,
    /// Kept alive: dropping a buffer destroys it.
    #[allow(dead_code, reason = "the programs use its buffers")]
    memory: Memory,
    /// Whether they are with adapters.
    for_adapters: bool,
    /// Whether they were timed.
    timed: bool,
}

impl Rounds {
    /// All programs.
    pub fn programs(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter().map(|(_, program)| program)
    }

    fn program(&self, round: Round) -> Option<&Program> {
        self.programs.iter().find(|(of, _)| *of == round).map(|(_, program)| program)
    }
}

impl Decoder {
    /// Binds the programs of rounds, if they are not bound yet. Nothing is bound where the per-layer table is on the
    /// host, which must know every id, or experts are: only one row at a time can wait for those that are missing. Nor is
    /// anything where memory is lacking: answers then come without drafts.
    ///
    /// # Errors
    /// When the device was lost or rejects a kernel.
    pub async fn prepare_rounds(&mut self, drafts: Drafts) -> Result<(), GpuError> {
        let for_adapters = self.active().is_some();
        let wanted: Vec<Round> = self
            .sources(drafts)
            .iter()
            .flat_map(|&source| drafts.rows().into_iter().map(move |rows| (source, rows)))
            .collect();
        let fit = |rounds: &Rounds| {
            rounds.for_adapters == for_adapters && wanted.iter().all(|&round| rounds.program(round).is_some())
        };
        if self.needs_host()
            || self.experts.is_some()
            || self.lacks_memory_for_rounds
            || wanted.is_empty()
            || self.rounds.as_ref().is_some_and(fit)
        {
            return Ok(());
        }
        self.rounds = None;
        self.rounds = match self.bind_rounds(wanted, for_adapters).await {
            Err(GpuError::OutOfMemory { .. }) => {
                self.lacks_memory_for_rounds = true;
                None
            }
            bound => Some(bound?),
        };
        Ok(())
    }

    async fn bind_rounds(&self, wanted: Vec<Round>, for_adapters: bool) -> Result<Rounds, GpuError> {
        let (memory, corrections) = match self.active() {
            Some(AdapterPrograms { corrections, memory, .. }) => (memory, Some(corrections)),
            None => (&self.memory, None),
        };
        let drafter = self.drafter.as_ref().map(|drafter| &drafter.parts);
        let plan = |(source, rows): Round| {
            let drafter = drafter.filter(|_| source == DraftSource::Drafter);
            verify::plan(&self.parts, rows, self.choices, corrections, drafter)
        };
        let plans: Vec<(Round, Plan)> =
            wanted.into_iter().map(|round| Ok((round, plan(round)?))).collect::<Result<_, GpuError>>()?;
        self.gpu.compile_ahead(plans.iter().map(|(_, plan)| plan)).await;
        let mut memory = memory.clone();
        let pool = memory.take_temporaries();
        if let Some(drafter) = &self.drafter {
            memory.extend(&drafter.weights);
        }
        let schedules: Vec<_> = plans.iter().map(|(_, plan)| vec![plan]).collect();
        self.gpu.allocate_from(pool, "drafts", &Layout::of(&schedules), &mut memory).await?;
        let mut programs = Vec::with_capacity(plans.len());
        for (round, plan) in &plans {
            programs.push((*round, self.gpu.bind(plan, &memory).await?));
        }
        self.gpu.check()?;
        Ok(Rounds { programs, memory, for_adapters, timed: false })
    }

    /// Removes the programs of rounds, which are bound again, if there is memory, for the next answer that may draft.
    pub(super) fn drop_rounds(&mut self) {
        (self.rounds, self.lacks_memory_for_rounds) = (None, false);
    }

    /// Whether [`Self::time_rounds`] has something to do: rounds are drafted where they are faster, and were not timed since
    /// they were bound. A software device has no time for it; nor is there any where the device is late to report that it is
    /// done. Both learn from the first answer what rounds cost.
    #[must_use]
    pub fn has_untimed_rounds(&self, drafts: Drafts) -> bool {
        drafts == Drafts::Measured
            && self.times_rounds
            && self.rounds.as_ref().is_some_and(|rounds| !rounds.timed)
    }

    /// Times a token and rounds by the current sampler, so that the next answer begins with drafts if that is expected to
    /// pay. They overwrite [`TIMED_POSITIONS`](super::TIMED_POSITIONS) positions of the cache from `position` on, the state, the
    /// ids, and the history behind the tokens of [`Self::begin`], which needs room for as many; the next prompt writes anew
    /// what is used of them.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn time_rounds(&mut self, position: u32) -> Result<(), GpuError> {
        let Some(rounds) = &self.rounds else { return Ok(()) };
        let mut all: Vec<Round> = rounds.programs.iter().map(|(round, _)| *round).collect();
        // Those that are drafted first come first.
        all.sort_by_key(|&(_, rows)| rows);
        let costs = self.time_costs(&all, position).await?;
        self.gain.set(self.gain.get().with_costs(costs));
        if let Some(rounds) = &mut self.rounds {
            rounds.timed = true;
        }
        Ok(())
    }

    /// Sets whether rounds are timed before they are used. By default they are, but for a software device, and one that is
    /// late to report that it is done.
    pub fn set_times_rounds(&mut self, times: bool) {
        self.times_rounds = times;
    }

    /// What tokens and rounds cost, as far as it is known.
    #[must_use]
    pub fn draft_costs(&self) -> Costs {
        self.gain.get().costs()
    }

    /// Encodes a round, and the sampling of its rows.
    pub(super) fn encode_round(&self, pass: &mut wgpu::ComputePass<'_>, round: Round) {
        let (_, rows) = round;
        if let Some(program) = self.rounds.as_ref().and_then(|rounds| rounds.program(round)) {
            program.encode(pass, rows);
        }
        for _ in 0..rows {
            self.sampler.program().encode(pass, 1);
        }
    }

    /// What may draft.
    fn sources(&self, drafts: Drafts) -> &'static [DraftSource] {
        match (drafts, self.drafter.is_some()) {
            (Drafts::Never, _) => &[],
            (Drafts::Measured, true) => &[DraftSource::LookUp, DraftSource::Drafter],
            (Drafts::Always { .. }, true) => &[DraftSource::Drafter],
            (_, false) => &[DraftSource::LookUp],
        }
    }

    /// The dispatches of one round with these rows, by the drafter if there is one; empty if [`Self::prepare_rounds`] has
    /// not bound it.
    #[must_use]
    pub fn round(&self, rows: u32) -> Program {
        let source = if self.drafter.is_some() { DraftSource::Drafter } else { DraftSource::LookUp };
        let program = self.rounds.as_ref().and_then(|rounds| rounds.program((source, rows)));
        let mut program = program.cloned().unwrap_or_default();
        for _ in 0..rows {
            program.extend(self.sampler.program());
        }
        program
    }

    /// Samples up to `most` tokens as [`Self::draw`] does, with drafts where they pay. `history` is the sequence before
    /// them. `None` if nothing is to be drafted, or [`Self::prepare_rounds`] has bound nothing.
    pub fn speculate<'d>(
        &'d self,
        drafts: Drafts,
        most: u32,
        history: &[u32],
    ) -> Option<Box<dyn TokenSource + 'd>> {
        self.rounds.as_ref().filter(|_| drafts != Drafts::Never)?;
        self.drafting_pace.borrow_mut().begin();
        Some(Box::new(Speculating {
            decoder: self,
            sources: self.sources(drafts),
            most,
            history: history.to_vec(),
            in_flight: VecDeque::from([Flight { which: 0, kind: Kind::Tokens(1) }]),
            seen: 0,
            submits: 0,
            rows: 1,
            gain: self.gain.get().begin(drafts),
            read_at: Instant::now(),
            speculation: Speculation::default(),
        }))
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
    /// Maximum number of tokens.
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

/// Tokens are submitted before earlier ones are read back, as rounds where drafts pay.
struct Speculating<'d> {
    decoder: &'d Decoder,
    /// What may draft.
    sources: &'static [DraftSource],
    most: u32,
    /// The sequence as far as it was read back.
    history: Vec<u32>,
    in_flight: VecDeque<Flight>,
    seen: u32,
    submits: u32,
    /// Rows that the state on the device says.
    rows: u32,
    gain: Gain,
    /// Time of the last read.
    read_at: Instant,
    speculation: Speculation,
}

impl Speculating<'_> {
    /// Maximum number of tokens sampled when everything pending is done.
    fn most_submitted(&self) -> u32 {
        self.seen + self.in_flight.iter().map(|flight| flight.kind.most()).sum::<u32>()
    }

    /// What the next submit does; `None` if what is pending may be enough.
    fn next_kind(&mut self) -> Option<Kind> {
        let room = self.most.saturating_sub(self.most_submitted());
        if room == 0 {
            return None;
        }
        let shortest = self.gain.shortest_match();
        let has_match = || look_up::find(&self.history, shortest).is_some();
        let sources = self.sources.iter().copied();
        let able: Vec<_> = sources.filter(|source| *source == DraftSource::Drafter || has_match()).collect();
        let Some((source, rows)) = self.gain.next(&able, room) else {
            return Some(Kind::Tokens(self.decoder.drafting_pace.borrow().count().min(room)));
        };
        // Encoding more than one would leave the device idle.
        let is_first = self.rows == 1;
        let most = if is_first { 1 } else { self.decoder.drafting_pace.borrow().count() };
        let rounds = most.min(MAX_PER_SUBMIT / rows).min(room / rows);
        Some(Kind::Rounds { rounds: rounds.clamp(1, MOST_ROUNDS), round: (source, rows) })
    }

    fn submit(&mut self, kind: Kind) {
        self.submits += 1;
        let which = self.submits as usize % MAX_PENDING;
        let decoder = self.decoder;
        match kind {
            Kind::Tokens(count) => {
                self.set_rows(1);
                decoder.submit(count, which);
            }
            Kind::Rounds { rounds, round } => {
                let (_, rows) = round;
                self.set_rows(rows);
                let encoder = decoder
                    .gpu
                    .encode_pass(|pass| (0..rounds).for_each(|_| decoder.encode_round(pass, round)));
                decoder.sampler.submit(&decoder.gpu, encoder, which);
            }
        }
        self.in_flight.push_back(Flight { which, kind });
    }

    /// Tells the device how many rows a step has.
    fn set_rows(&mut self, rows: u32) {
        if self.rows != rows {
            self.decoder.write_rows_of_step(rows);
            self.rows = rows;
        }
    }

    fn learn(&mut self, kind: Kind, count: u32, ms: f64) {
        match kind {
            Kind::Tokens(_) => {
                self.decoder.drafting_pace.borrow_mut().learn(count, ms);
                self.gain.learn_tokens(count, ms);
            }
            Kind::Rounds { rounds, round } => self.gain.learn_rounds(round, rounds, count, ms),
        }
        self.decoder.gain.set(self.gain);
    }
}

impl TokenSource for Speculating<'_> {
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Vec<u32>, StepError>> {
        async move {
            let mut has_encoded_rounds = false;
            while self.in_flight.len() < self.decoder.drafting_pace.borrow().depth()
                && let Some(kind) = self.next_kind()
            {
                has_encoded_rounds |= matches!(kind, Kind::Rounds { .. });
                self.submit(kind);
            }
            let Some(Flight { which, kind }) = self.in_flight.pop_front() else { return Ok(Vec::new()) };
            let ring = self.decoder.sampler.read(&self.decoder.gpu, which).await?;
            let upto = ring[OUT_LEN as usize];
            let ids: Vec<u32> =
                (self.seen..upto).map(|number| ring[number as usize % OUT_LEN as usize]).collect();
            self.history.extend(&ids);
            let now = Instant::now();
            let count = upto - self.seen;
            if let Kind::Rounds { rounds, round: (source, rows) } = kind {
                self.speculation.rounds += rounds;
                if source == DraftSource::LookUp {
                    self.speculation.looked_up += rounds;
                }
                self.speculation.drafted += rounds * (rows - 1);
                self.speculation.accepted += count.saturating_sub(rounds);
            }
            // The token was ready before the rounds were encoded, so the time since the last read says nothing about it.
            let is_delayed = has_encoded_rounds && matches!(kind, Kind::Tokens(_));
            if self.seen > 0 && !is_delayed {
                self.learn(kind, count, now.duration_since(self.read_at).as_secs_f64() * 1000.0);
            }
            (self.seen, self.read_at) = (upto, now);
            Ok(ids)
        }
        .boxed_local()
    }

    fn submitted(&self) -> u32 {
        self.most_submitted()
    }

    fn submits(&self) -> u32 {
        self.submits
    }

    fn speculation(&self) -> Option<Speculation> {
        Some(self.speculation)
    }
}
