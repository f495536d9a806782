//! Speculative decoding: tokens are drafted, by a drafter or by look-up in the sequence, and several are verified in one
//! step.
//!
//! A round drafts, verifies and samples on the device ([`crate::model::verify`]). A row is sampled as it would be
//! without drafts, with the same random number, and counts if every draft before it was right. So the answer does not
//! depend on drafts, up to the rounding of other kernels. [`Gain`](super::gain::Gain) decides when rounds pay, by what they
//! [cost](super::costs).

use super::costs::{Costs, DraftSource, Round};
use super::gain::Drafts;
use super::{AdapterPrograms, Decoder};
use crate::gpu::{GpuError, Memory, Program};
use crate::model::verify;
use crate::plan::{Layout, Plan};

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
    /// Returns all programs.
    pub fn programs(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter().map(|(_, program)| program)
    }

    pub(super) fn program(&self, round: Round) -> Option<&Program> {
        self.programs.iter().find(|(of, _)| *of == round).map(|(_, program)| program)
    }
}

impl Decoder {
    /// Binds the programs of rounds, if they are not bound yet. Nothing is bound where memory is lacking: answers then come
    /// without drafts.
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
        if self.lacks_memory_for_rounds || wanted.is_empty() || self.rounds.as_ref().is_some_and(fit) {
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
            verify::plan(&self.parts, rows, self.tuning, corrections, drafter)
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

    /// Returns whether [`Self::time_rounds`] has anything to time: rounds that are drafted where they are faster, and were not
    /// timed since they were bound. Skipped on software devices, on devices with late readbacks, and with an expert cache: there
    /// the first answer provides the costs.
    pub fn has_untimed_rounds(&self, drafts: Drafts) -> bool {
        drafts == Drafts::Measured
            && self.times_rounds
            && self.experts.is_none()
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
        if let Some((_, rows)) = &self.table {
            rows.assume_resident();
        }
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

    /// Sets whether rounds are timed before they are used. By default they are, except on software devices and on devices with
    /// late readbacks.
    pub fn set_times_rounds(&mut self, times: bool) {
        self.times_rounds = times;
    }

    /// What tokens and rounds cost, as far as it is known.
    pub fn draft_costs(&self) -> Costs {
        self.gain.get().costs()
    }

    /// Encodes a round, and the sampling of its rows.
    pub(super) fn encode_round(&self, pass: &mut wgpu::ComputePass<'_>, round: Round) {
        let (_, rows) = round;
        if let Some(program) = self.rounds.as_ref().and_then(|rounds| rounds.program(round)) {
            program.encode(pass, rows);
        }
        self.sampler.program().encode(pass, rows);
    }

    /// What may draft.
    pub(super) fn sources(&self, drafts: Drafts) -> &'static [DraftSource] {
        match (drafts, self.drafter.is_some()) {
            (Drafts::Never, _) => &[],
            (Drafts::Measured | Drafts::LookUpFirst { .. }, true) => {
                &[DraftSource::LookUp, DraftSource::Drafter]
            }
            (Drafts::Always { .. }, true) => &[DraftSource::Drafter],
            (_, false) => &[DraftSource::LookUp],
        }
    }

    /// Returns the dispatches of one round with these rows, by the drafter if there is one; empty if [`Self::prepare_rounds`] has
    /// not bound it.
    pub fn round(&self, rows: u32) -> Program {
        let source = if self.drafter.is_some() { DraftSource::Drafter } else { DraftSource::LookUp };
        let program = self.rounds.as_ref().and_then(|rounds| rounds.program((source, rows)));
        let mut program = program.cloned().unwrap_or_default();
        program.extend(self.sampler.program());
        program
    }
}
