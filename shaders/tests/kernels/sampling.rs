//! The sampling kernels against their CPU twins. Draws of several rows are in `rounds.rs`.

use shaders::Kernel as _;
use shaders::sampling::twin::{self, Candidate, Draw};
use shaders::sampling::{Candidates, MergeLists, NOTHING, Params, Sample, Sampling, Settings, TopK, look_up};
use shaders::state::State;

use crate::common::{BufferArg, Gpu, assert_close, is_thorough, random};

/// Length of the output ring in these tests.
pub const OUT_LEN: u32 = 5;
/// Length of the ring of all tokens.
pub const HISTORY: usize = 100;

/// What the kernels and their twin read and write.
#[derive(Clone, Debug, PartialEq)]
pub struct Rings {
    pub state: State,
    pub history: Vec<u32>,
    /// The inputs of the step: the last token, and the drafts.
    pub tokens: Vec<u32>,
    pub sampled: Vec<u32>,
}

impl Rings {
    pub fn new(state: State, history: &[u32], tokens: &[u32]) -> Self {
        Self {
            state,
            history: history.to_vec(),
            tokens: tokens.to_vec(),
            sampled: vec![0; OUT_LEN as usize + 1],
        }
    }

    /// The candidate lists of `top_k`, and the sums of the slices.
    fn top_k(&self, sampling: Sampling, params: &Params, logits: &[f32]) -> (Vec<u32>, Vec<f32>) {
        let rows = self.state.len;
        let mut args = vec![
            BufferArg::uniform(params),
            BufferArg::read(&[self.state]),
            BufferArg::read(&self.history),
            BufferArg::read(&self.tokens),
            BufferArg::read(logits),
            BufferArg::zeros(sampling.slice_list_bytes(rows) as usize / 4),
        ];
        if sampling.candidates == Candidates::Many {
            args.push(BufferArg::zeros(sampling.sum_bytes(rows) as usize / 4));
        }
        let source = TopK(sampling.candidates).source().expect("the template preprocesses");
        let outputs = Gpu::get().run(&source, &args, sampling.top_k_grid(rows));
        (outputs[0].u32s(), outputs.get(1).map(|sums| sums.f32s()).unwrap_or_default())
    }

    /// The lists that `sample` reads, for rows with these logits, and the sums of the slices.
    pub fn lists(&self, sampling: Sampling, params: &Params, logits: &[f32]) -> (Vec<u32>, Vec<f32>) {
        let (mut lists, sums) = self.top_k(sampling, params, logits);
        let rows = self.state.len;
        if sampling.merges() {
            let source = MergeLists(sampling.candidates).source().expect("the template preprocesses");
            let words = sampling.merged_list_bytes(rows) as usize / 4;
            let args = [BufferArg::uniform(params), BufferArg::read(&lists), BufferArg::zeros(words)];
            lists = Gpu::get().run(&source, &args, sampling.merge_lists_grid(rows))[0].u32s();
        }
        (lists, sums)
    }

    /// Samples from these lists.
    pub fn sample(&mut self, sampling: Sampling, params: &Params, (lists, sums): &(Vec<u32>, Vec<f32>)) {
        let mut args = vec![
            BufferArg::uniform(params),
            BufferArg::read_write(&[self.state]),
            BufferArg::read_write(&self.history),
            BufferArg::read_write(&self.tokens),
            BufferArg::read_write(&self.sampled),
            BufferArg::read(lists),
        ];
        args.extend((sampling.candidates == Candidates::Many).then(|| BufferArg::read(sums)));
        let source = Sample(sampling.candidates).source().expect("the template preprocesses");
        let outputs = Gpu::get().run(&source, &args, [1, 1, 1]);
        self.state = bytemuck::cast_slice(&outputs[0].u32s())[0];
        (self.history, self.tokens, self.sampled) = (outputs[1].u32s(), outputs[2].u32s(), outputs[3].u32s());
    }

    /// All dispatches of a step, whose rows have these logits.
    pub fn draw(&mut self, sampling: Sampling, params: &Params, logits: &[f32]) {
        let lists = self.lists(sampling, params, logits);
        self.sample(sampling, params, &lists);
    }

    /// Puts the token of a row where it belongs, as the twin does. Returns whether the draft behind it is accepted.
    pub fn advance(&mut self, row: u32, id: u32, params: &Params) -> bool {
        let Self { state, history, tokens, sampled } = self;
        twin::advance((row, id), params, state, history, tokens, sampled)
    }
}

/// A step of one row.
fn run(sampling: Sampling, settings: &Settings, logits: &[f32], state: &State, history: &[u32]) -> Rings {
    let mut rings = Rings::new(*state, history, &[0; 2]);
    rings.draw(sampling, &Params::new(settings, sampling, OUT_LEN), logits);
    rings
}

fn expected(sampling: Sampling, settings: &Settings, logits: &[f32], state: &State, history: &[u32]) -> Draw {
    let params = Params::new(settings, sampling, OUT_LEN);
    twin::sample(logits, &params, sampling.candidates.count() as usize, state, history)
}

/// A few bits of randomness for choosing cases.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }
}

/// Logits on a grid of 1/64, so that there are exact ties and no near ones, some of them −∞.
pub fn coarse_logits(dice: &mut Dice, vocab: u32) -> Vec<f32> {
    let spread = dice.pick(&[1.0, 6.0, 20.0]);
    let removed = dice.pick(&[0, 0, 3, 10]);
    random(u64::from(dice.below(1 << 30)), vocab as usize)
        .into_iter()
        .map(|value| {
            if dice.below(10) < removed {
                return f32::NEG_INFINITY;
            }
            (value * value * value * spread * 64.0).round() / 64.0
        })
        .collect()
}

pub fn random_settings(dice: &mut Dice, vocab: u32) -> Settings {
    let suppressed = (0..dice.below(4)).map(|_| dice.below(vocab)).collect();
    Settings {
        temperature: dice.pick(&[0.0, 1e-5, 0.3, 0.7, 1.0, 1.0, 2.5]),
        top_k: dice.pick(&[0, 0, 1, 2, 40, 64, 65, 200, 256, 1000]),
        top_p: dice.pick(&[0.05, 0.5, 0.9, 0.95, 1.0]),
        min_p: dice.pick(&[0.0, 0.0, 0.03, 0.31]),
        repeat_penalty: dice.pick(&[1.0, 1.0, 1.0837, 0.9241]),
        presence_penalty: dice.pick(&[0.0, 0.3131, -0.1717]),
        frequency_penalty: dice.pick(&[0.0, 0.0919]),
        penalty_window: dice.pick(&[0, 1, 17, 64]),
        softcap: dice.pick(&[0.0, 30.0]),
        suppressed,
    }
}

/// A ring with repetitions.
pub fn random_history(dice: &mut Dice, vocab: u32) -> Vec<u32> {
    let few: Vec<u32> = (0..20).map(|_| dice.below(vocab)).collect();
    (0..HISTORY).map(|_| dice.pick(&few)).collect()
}

#[test]
fn thousands_of_steps_draw_the_twins_token() {
    let mut dice = Dice(2026);
    let mut excused = 0;
    let cases = if is_thorough() { 2000 } else { 500 };
    for case in 0..cases {
        let vocab = match case % 50 {
            0 => 40_001,
            1..=5 => 3072,
            6..=12 => dice.pick(&[1, 2, 7, 63]),
            _ => dice.pick(&[255, 256, 257, 1021, 1025, 2500]),
        };
        let logits = coarse_logits(&mut dice, vocab);
        let settings = random_settings(&mut dice, vocab);
        let history = random_history(&mut dice, vocab);
        let state = State {
            pos: dice.below(1000),
            len: 1,
            step: case,
            history_len: dice.pick(&[0, 1, 30, 64, 65, 200]),
            seed_lo: dice.below(u32::MAX),
            seed_hi: dice.below(u32::MAX),
            ..State::default()
        };
        let least = settings.candidates();
        let candidates = dice.pick(&[least, least, Candidates::Many]);
        let sampling = Sampling { vocab, candidates };

        let step = run(sampling, &settings, &logits, &state, &history);
        let draw = expected(sampling, &settings, &logits, &state, &history);
        let id = step.sampled[(state.step % OUT_LEN) as usize];
        if id != draw.id {
            assert!(
                draw.margin < 1e-5,
                "case {case}: token {id}, the twin says {draw:?}; {sampling:?} {settings:?} {state:?}"
            );
            excused += 1;
        }
        let mut of_twin = Rings::new(state, &history, &[0; 2]);
        of_twin.advance(0, id, &Params::new(&settings, sampling, OUT_LEN));
        assert_eq!(step, of_twin, "case {case}");
    }
    assert!(excused <= 3, "{excused} draws on the edge of a decision fell otherwise");
}

#[test]
fn a_full_vocabulary_of_262144_is_sampled() {
    let vocab = 262_144;
    let mut logits: Vec<f32> =
        random(7, vocab as usize).into_iter().map(|v| (v * 9.0 * 64.0).round() / 64.0).collect();
    // The nucleus: a few dozen tokens spread over the slices, with ties.
    for i in 0..60usize {
        logits[(i * 43_691 + 11) % vocab as usize] = 14.0 + (i % 7) as f32 / 4.0;
    }
    let history = [11; 64];
    for step in 0..6 {
        let state = State { len: 1, step, history_len: 70, seed_lo: 5, seed_hi: 9, ..State::default() };
        for (temperature, top_k, top_p) in [(0.0, 0, 1.0), (1.0, 64, 0.95), (1.0, 0, 0.9), (0.8, 200, 1.0)] {
            let settings = Settings {
                temperature,
                top_k,
                top_p,
                repeat_penalty: 1.3,
                softcap: 30.0,
                ..Settings::default()
            };
            let sampling = Sampling { vocab, candidates: settings.candidates() };
            assert_eq!(sampling.merges(), temperature > 0.0);
            let got = run(sampling, &settings, &logits, &state, &history).tokens[0];
            let want = expected(sampling, &settings, &logits, &state, &history);
            assert!(got == want.id || want.margin < 1e-5, "{got}, the twin says {want:?}; {settings:?}");
        }
    }
}

#[test]
fn top_k_lists_the_best_of_each_slice_and_sums_it() {
    let mut dice = Dice(4);
    for vocab in [1, 1021, 1024, 3000] {
        for candidates in Candidates::ALL {
            let sampling = Sampling { vocab, candidates };
            let settings = Settings {
                temperature: 0.7,
                repeat_penalty: 1.0837,
                presence_penalty: 0.2,
                frequency_penalty: 0.11,
                suppressed: vec![0, vocab / 2],
                softcap: 30.0,
                ..Settings::default()
            };
            let logits = coarse_logits(&mut dice, vocab);
            let history = random_history(&mut dice, vocab);
            let state = State { len: 1, history_len: 64, ..State::default() };
            let params = Params::new(&settings, sampling, OUT_LEN);
            let (lists, sums) = Rings::new(state, &history, &[0]).top_k(sampling, &params, &logits);

            let count = candidates.count() as usize;
            let adjusted = twin::adjust(&logits, &params, &state, &history);
            for (slice, all) in adjusted.chunks(1024).enumerate() {
                let want = twin::best(all.to_vec(), count);
                let list = &lists[slice * count * 2..(slice + 1) * count * 2];
                for (rank, pair) in list.chunks(2).enumerate() {
                    let Some(Candidate { logit, id }) = want.get(rank) else {
                        assert_eq!(pair, [0, u32::MAX], "padding after {rank} candidates");
                        continue;
                    };
                    assert_eq!(pair[1], *id, "vocab {vocab}, {candidates:?}, slice {slice}, rank {rank}");
                    assert_eq!(pair[0] == 0, logit.is_none());
                    if let Some(logit) = logit {
                        let sign = if pair[0] >> 31 == 1 { pair[0] & 0x7fff_ffff } else { !pair[0] };
                        assert_close(&[f32::from_bits(sign)], &[*logit], 1e-5, 1e-6);
                    }
                }
                if candidates == Candidates::Many && want[0].logit.is_some() {
                    let top = want[0].logit.expect("checked");
                    let sum: f32 = all.iter().filter_map(|c| c.logit).map(|z| ((z - top) / 0.7).exp()).sum();
                    assert_close(&sums[2 * slice..2 * slice + 2], &[top, sum], 1e-5, 1e-5);
                }
            }
        }
    }
}

#[test]
fn greedy_takes_the_lowest_of_equal_tokens() {
    for candidates in Candidates::ALL {
        let mut logits = vec![-1.0; 5000];
        for id in [4999, 2048, 1023, 3000] {
            logits[id] = 2.5;
        }
        let sampling = Sampling { vocab: 5000, candidates };
        let state = State { len: 1, ..State::default() };
        let greedy = Settings::default();
        assert_eq!(run(sampling, &greedy, &logits, &state, &[0; 64]).tokens[0], 1023);
        let top_1 = Settings { temperature: 1.0, top_k: 1, ..Settings::default() };
        assert_eq!(run(sampling, &top_1, &logits, &state, &[0; 64]).tokens[0], 1023);
    }
}

#[test]
fn infinities_and_nan_are_never_drawn() {
    let state = State { len: 1, ..State::default() };
    for candidates in Candidates::ALL {
        let sampling = Sampling { vocab: 300, candidates };
        for softcap in [0.0, 30.0] {
            let settings = Settings { temperature: 1.0, top_k: 50, softcap, ..Settings::default() };
            let drawn = |logits: &[f32]| {
                let step = run(sampling, &settings, logits, &state, &[0; 64]);
                assert!(step.tokens[0] < 300, "the next step may have begun already");
                assert_eq!(step.sampled[0], expected(sampling, &settings, logits, &state, &[0; 64]).id);
                step.sampled[0]
            };
            let mut logits = vec![f32::NAN; 300];
            assert_eq!(drawn(&logits), NOTHING);
            logits[77] = -1e30;
            assert_eq!(drawn(&logits), 77);
            logits[78] = f32::INFINITY;
            assert_eq!(drawn(&logits), 77);
            assert_eq!(drawn(&[f32::INFINITY; 300]), NOTHING);
            assert_eq!(drawn(&[f32::NEG_INFINITY; 300]), NOTHING);
        }
    }
}

/// χ² of the draws of one seed against the softmax, once the twin is known to agree with the kernel.
#[test]
fn draws_follow_the_distribution() {
    let logits: Vec<f32> = (0..12).map(|i| -0.3 * i as f32).collect();
    let settings = Settings { temperature: 0.9, top_k: 10, top_p: 0.97, ..Settings::default() };
    let sampling = Sampling { vocab: 12, candidates: Candidates::Few };
    let params = Params::new(&settings, sampling, OUT_LEN);
    let weights: Vec<f64> = (0..10).map(|i| (-0.3 * f64::from(i) / 0.9).exp()).collect();
    let total: f64 = weights.iter().sum();
    let mut mass = 0.0;
    let kept: Vec<f64> = weights
        .iter()
        .take_while(|&&weight| {
            let keep = mass < 0.97 * total;
            mass += if keep { weight } else { 0.0 };
            keep
        })
        .copied()
        .collect();

    let draws = 40_000;
    for seed_lo in [0, 1, 0xdead_beef] {
        let mut counts = vec![0u32; kept.len()];
        for step in 0..draws {
            let state = State { len: 1, step, seed_lo, seed_hi: 3, ..State::default() };
            let id = twin::sample(&logits, &params, 64, &state, &[0; 64]).id;
            counts[id as usize] += 1;
            if step < 200 {
                assert_eq!(run(sampling, &settings, &logits, &state, &[0; 64]).tokens[0], id);
            }
        }
        let chi_squared: f64 = counts
            .iter()
            .zip(&kept)
            .map(|(&count, weight)| {
                let want = f64::from(draws) * weight / mass;
                (f64::from(count) - want).powi(2) / want
            })
            .sum();
        // 9 kept tokens, 8 degrees of freedom: above 26.1 in one of 1000 seeds.
        assert_eq!(kept.len(), 9);
        assert!(chi_squared < 26.1, "χ² = {chi_squared} for seed {seed_lo}, counts {counts:?}");
    }
}

/// Draws of neighbouring steps are not correlated.
#[test]
fn the_generator_has_no_memory_of_the_step_before() {
    let draw = |step| twin::uniform_draw(&State { step, seed_lo: 17, seed_hi: 0, ..State::default() }) - 0.5;
    let count = 100_000;
    let mean: f64 = (0..count).map(draw).sum::<f64>() / f64::from(count);
    let covariance: f64 = (0..count).map(|step| draw(step) * draw(step + 1)).sum::<f64>() / f64::from(count);
    // Standard errors: 0.29/√n and (1/12)/√n; five of them.
    assert!(mean.abs() < 5.0 * 0.289 / f64::from(count).sqrt(), "mean {mean}");
    assert!(covariance.abs() < 5.0 * 0.0833 / f64::from(count).sqrt(), "covariance {covariance}");
}

#[test]
fn settings_choose_the_smallest_form() {
    let with = |temperature, top_k| Settings { temperature, top_k, ..Settings::default() }.candidates();
    assert_eq!(with(0.0, 40), Candidates::One);
    assert_eq!(with(1.0, 1), Candidates::One);
    assert_eq!(with(1.0, 64), Candidates::Few);
    assert_eq!(with(1.0, 65), Candidates::Many);
    assert_eq!(with(1.0, 0), Candidates::Many);
    assert_eq!(with(f32::NAN, 0), Candidates::One);
}

/// Sequences of few different tokens, so that there are matches of every length.
#[test]
fn tokens_are_drafted_from_the_best_match() {
    let mut dice = Dice(77);
    for case in 0..60 {
        let count = dice.pick(&[1, 2, 5, 40, 300, 1000]);
        let few = dice.pick(&[1, 2, 3, 30]);
        let history: Vec<u32> = (0..count).map(|_| dice.below(few)).collect();
        let (shortest, len) = (dice.pick(&[1, 2, 3, 8]), dice.pick(&[2, 4, 8]));
        let state = State { len, history_len: count, ..State::default() };
        let mut ring = history.clone();
        ring.resize(count as usize + 3, history[0]);
        let args = [
            BufferArg::uniform(&look_up::Params::new(shortest)),
            BufferArg::read(&[state]),
            BufferArg::read(&ring),
            BufferArg::zeros(len as usize),
        ];
        let source = look_up::LookUp.source().expect("the template preprocesses");
        let tokens = Gpu::get().run(&source, &args, [1, 1, 1])[0].u32s();
        let want = look_up::look_up(&history, shortest, len as usize - 1);
        assert_eq!(tokens[1..], want, "case {case}: {count} tokens, {few} different, at least {shortest}");
    }
    assert_eq!(look_up::look_up(&[5, 6, 7, 5, 6], 2, 3), [7, 5, 6]);
    assert_eq!(look_up::find(&[5, 6, 7, 5, 8], 2), None);
}
