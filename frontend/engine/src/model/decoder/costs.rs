//! What tokens and rounds of drafted tokens cost: timed before an answer, and corrected by the times of answers.
//!
//! They are timed by the clock, in submits like those of an answer, several of which are pending: where the device is fast,
//! encoding a round takes as long as it runs, which timestamps would not say.

use std::time::Duration;

use web_time::Instant;

use super::Decoder;
use crate::gpu::GpuError;

/// Rows of a round: few, or many where nearly every draft is accepted.
pub const ROWS: [u32; 2] = [4, 8];

/// What drafts tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftSource {
    /// Look-up of the last tokens in the sequence.
    LookUp,
    /// The drafter.
    Drafter,
}

/// What drafts a round, and its number of rows.
pub type Round = (DraftSource, u32);

/// Weight of the newest time of a token or a round.
const NEWEST: f64 = 0.25;
/// What a round with many rows costs until it was timed, relative to one with few.
const MANY_TO_FEW: f64 = 1.5;

/// Number of positions that timing overwrites: less than a chunk.
pub const TIMED_POSITIONS: u32 = 64;
/// Submits are pending together for so many milliseconds: waiting for the last one is a few per cent of it.
const MIN_MS: f64 = 8.0;
/// Where a token takes longer, the rounds of the answer tell their costs soon enough, and give tokens.
const SLOW_MS: f64 = 30.0;
/// Maximum number of turns.
const TURNS: usize = 3;
/// Time after which no further run is timed.
const MAX_TIME: Duration = Duration::from_millis(150);

/// What a token and rounds cost, in milliseconds, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Costs {
    token: Option<f64>,
    /// In the order of [`ROWS`].
    look_up: [Option<f64>; ROWS.len()],
    drafter: [Option<f64>; ROWS.len()],
}

impl Costs {
    /// Milliseconds of a token without drafts.
    pub fn token(&self) -> Option<f64> {
        self.token
    }

    /// Returns all rounds whose milliseconds are known.
    pub fn rounds(&self) -> impl Iterator<Item = (Round, f64)> + '_ {
        [DraftSource::LookUp, DraftSource::Drafter].into_iter().flat_map(|source| {
            ROWS.into_iter().zip(self.of(source)).filter_map(move |(rows, ms)| Some(((source, rows), ms?)))
        })
    }

    /// Sets the milliseconds of a token, or of a round.
    pub(super) fn set(&mut self, round: Option<Round>, ms: f64) {
        if let Some(known) = self.get_mut(round) {
            *known = Some(ms);
        }
    }

    /// Corrects the milliseconds of a token, or of a round. An interruption of the page may have prolonged them.
    pub(super) fn learn(&mut self, round: Option<Round>, ms: f64) {
        if let Some(known) = self.get_mut(round) {
            let before = known.unwrap_or(ms);
            *known = Some(before + NEWEST * (ms.min(2.0 * before) - before));
        }
    }

    fn get_mut(&mut self, round: Option<Round>) -> Option<&mut Option<f64>> {
        let Some((source, rows)) = round else { return Some(&mut self.token) };
        let rounds = match source {
            DraftSource::LookUp => &mut self.look_up,
            DraftSource::Drafter => &mut self.drafter,
        };
        rounds.iter_mut().zip(ROWS).find(|&(_, number)| number == rows).map(|(ms, _)| ms)
    }

    fn of(&self, source: DraftSource) -> [Option<f64>; ROWS.len()] {
        match source {
            DraftSource::LookUp => self.look_up,
            DraftSource::Drafter => self.drafter,
        }
    }

    /// Returns the time of a round in tokens. One that was never timed is taken for cheap, so that it is tried.
    pub(super) fn in_tokens(&self, (source, rows): Round) -> Option<f64> {
        let token = self.token?;
        let [few, many] = self.of(source);
        let few = few.unwrap_or(token);
        let ms = if rows == ROWS[0] { few } else { many.unwrap_or(MANY_TO_FEW * few) };
        Some(ms / token.max(1e-6))
    }
}

impl Decoder {
    /// Times tokens and these rounds in turns, after one run each that may still compile and upload. They write keys and values
    /// from `position` on, [`TIMED_POSITIONS`] at most, and change the state, the ids and the end of the history.
    ///
    /// # Errors
    /// When the device was lost.
    pub(super) async fn time_costs(&self, rounds: &[Round], position: u32) -> Result<Costs, GpuError> {
        let mut costs = Costs::default();
        self.time_runs(None, position, 1).await?;
        let token_ms = self.time_runs(None, position, 1).await?;
        if token_ms > SLOW_MS {
            costs.set(None, token_ms);
            return Ok(costs);
        }
        let mut runs = vec![Timed::new(None, token_ms)];
        for &round in rounds {
            self.time_runs(Some(round), position, 1).await?;
            runs.push(Timed::new(Some(round), token_ms));
        }
        let started = Instant::now();
        for _ in 0..TURNS {
            for timed in &mut runs {
                if started.elapsed() < MAX_TIME {
                    timed.ms.push(self.time_runs(timed.round, position, timed.count).await?);
                }
            }
            // An idle card raises its clock meanwhile, which then favours neither end.
            runs.reverse();
        }
        for Timed { round, mut ms, .. } in runs {
            ms.sort_by(f64::total_cmp);
            if let Some(&median) = ms.get(ms.len() / 2) {
                costs.set(round, median);
            }
        }
        Ok(costs)
    }

    /// Milliseconds of a token, or of a round, by as many submits that are pending together.
    async fn time_runs(&self, round: Option<Round>, position: u32, count: u32) -> Result<f64, GpuError> {
        self.write_state(position, round.map_or(1, |(_, rows)| rows), 0);
        let started = Instant::now();
        for _ in 0..count {
            let encoder = self.gpu.encode_pass(|pass| match round {
                Some(round) => self.encode_round(pass, round),
                None => self.encode_token(pass),
            });
            self.gpu.submit(encoder);
        }
        self.gpu.drained().await?;
        Ok(started.elapsed().as_secs_f64() * 1000.0 / f64::from(count))
    }
}

/// The times of a token, or of a round.
struct Timed {
    round: Option<Round>,
    /// Number of submits that are timed together.
    count: u32,
    ms: Vec<f64>,
}

impl Timed {
    fn new(round: Option<Round>, token_ms: f64) -> Self {
        let rows = round.map_or(1, |(_, rows)| rows);
        let count = (MIN_MS / token_ms.max(1e-3)) as u32;
        Self { round, count: count.clamp(1, TIMED_POSITIONS / rows), ms: Vec::new() }
    }
}
