//! Rounds of speculative decoding: of the tokens that are drawn behind drafts, those up to the first wrong draft count.

use shaders::sampling::{Candidates, Params, Sampling, Settings, twin};
use shaders::state::State;

use crate::common::{BufferArg, Gpu};
use crate::sampling::{HISTORY, OUT_LEN, run_top_k};

/// What the kernels and their twin read and write.
#[derive(Clone, Debug, PartialEq)]
struct Rings {
    state: State,
    history: Vec<u32>,
    /// The inputs of the round: the last token, and the drafts.
    tokens: Vec<u32>,
    sampled: Vec<u32>,
}

impl Rings {
    fn new(state: State, tokens: &[u32]) -> Self {
        Self {
            state,
            history: vec![0; HISTORY],
            tokens: tokens.to_vec(),
            sampled: vec![0; OUT_LEN as usize + 1],
        }
    }

    /// Draws behind the next row on the device.
    fn draw(&mut self, sampling: Sampling, params: &Params, logits: &[f32]) {
        let (lists, sums) = run_top_k(sampling, params, logits, &self.state, &self.history);
        let mut args = vec![
            BufferArg::uniform(params),
            BufferArg::read_write(&[self.state]),
            BufferArg::read_write(&self.history),
            BufferArg::read_write(&self.tokens),
            BufferArg::read_write(&self.sampled),
            BufferArg::read(&lists),
        ];
        args.extend((sampling.candidates == Candidates::Many).then(|| BufferArg::read(&sums)));
        let source = sampling.sample().expect("the template preprocesses");
        let outputs = Gpu::get().run(&source, &args, [1, 1, 1]);
        self.state = bytemuck::cast_slice(&outputs[0].u32s())[0];
        (self.history, self.tokens, self.sampled) = (outputs[1].u32s(), outputs[2].u32s(), outputs[3].u32s());
    }

    /// Puts the token that was drawn behind the next row where it belongs, as the twin does.
    fn advance(&mut self, id: u32, params: &Params) {
        let Self { state, history, tokens, sampled } = self;
        twin::advance(id, params, state, history, tokens, sampled);
    }
}

/// The best ids of the rows, one of which is drafted wrongly at `wrong`: tokens up to there count, and the next step
/// begins behind them.
#[test]
fn drafted_tokens_count_up_to_the_first_wrong_one() {
    const BEST: [u32; 4] = [7, 3, 3, 9];
    let vocab = 10;
    for candidates in Candidates::ALL {
        let sampling = Sampling { vocab, candidates };
        let params = Params::new(&Settings::default(), sampling, OUT_LEN);
        let mut logits = vec![0.0; 40];
        for (row, id) in BEST.into_iter().enumerate() {
            logits[row * vocab as usize + id as usize] = 1.0;
        }
        for wrong in 0..4 {
            let mut tokens = [1, 7, 3, 3];
            if wrong < 3 {
                tokens[wrong + 1] = 5;
            }
            let state = State { pos: 100, len: 4, step: 12, history_len: 99, ..State::default() };
            let mut rings = Rings::new(state, &tokens);
            let mut of_twin = rings.clone();
            for (row, best) in BEST.into_iter().enumerate() {
                rings.draw(sampling, &params, &logits);
                of_twin.advance(best, &params);
                assert_eq!(rings, of_twin, "row {row}, {wrong} wrong");
            }
            let Rings { state, history, tokens, .. } = rings;
            let taken = wrong as u32 + 1;
            assert_eq!((state.pos, state.len, state.step), (100 + taken, 4, 12 + taken));
            assert_eq!((state.row, state.rejected, state.history_len), (0, 0, 99 + taken));
            assert_eq!((tokens[0], history[99]), (BEST[wrong], BEST[0]));
        }
    }
}

/// χ² of 10⁵ tokens that were drawn in rounds, against the softmax behind the token before. Each token has a distribution
/// of its own for the next one, and the likeliest one is drafted, so that drafts are accepted and rejected in turn.
#[test]
fn tokens_drawn_in_rounds_follow_the_distribution() {
    const VOCAB: usize = 6;
    const ROWS: usize = 4;
    const TOKENS: u32 = 100_000;
    const TEMPERATURE: f32 = 0.9;
    let logit = |token: usize, next: usize| -0.6 * ((next + 2 * token) % VOCAB) as f32;
    let rows: Vec<Vec<f32>> =
        (0..VOCAB).map(|token| (0..VOCAB).map(|next| logit(token, next)).collect()).collect();
    let likeliest =
        |token: u32| (0..VOCAB).max_by(|&a, &b| rows[token as usize][a].total_cmp(&rows[token as usize][b]));

    let sampling = Sampling { vocab: VOCAB as u32, candidates: Candidates::Few };
    let settings = Settings { temperature: TEMPERATURE, top_k: VOCAB as u32, ..Settings::default() };
    let params = Params::new(&settings, sampling, OUT_LEN);
    // 6 · 5 degrees of freedom: above 59.7 in one of 1000 seeds.
    for seed_lo in [0, 1, 0xdead_beef] {
        let state = State { len: ROWS as u32, seed_lo, seed_hi: 3, ..State::default() };
        let mut rings = Rings::new(state, &[0; ROWS]);
        let mut counts = [[0u32; VOCAB]; VOCAB];
        let (mut rounds, mut before) = (0, 0);
        while rings.state.step < TOKENS {
            for row in 1..ROWS {
                rings.tokens[row] = likeliest(rings.tokens[row - 1]).expect("a token") as u32;
            }
            let logits: Vec<&[f32]> = rings.tokens.iter().map(|&token| &*rows[token as usize]).collect();
            let mut of_device = (rounds < 30).then(|| rings.clone());
            for row in &logits {
                let step = rings.state.step;
                let draw = twin::sample(row, &params, VOCAB, &rings.state, &rings.history);
                rings.advance(draw.id, &params);
                if let Some(of_device) = &mut of_device {
                    of_device.draw(sampling, &params, &logits.concat());
                    assert_eq!(*of_device, rings, "round {rounds}");
                }
                if rings.state.step > step {
                    counts[before as usize][draw.id as usize] += 1;
                    before = draw.id;
                }
            }
            rounds += 1;
        }
        let drafted = f64::from(rounds) * (ROWS - 1) as f64;
        let accepted = f64::from(rings.state.step - rounds);
        assert!((0.2..0.8).contains(&(accepted / drafted)), "{accepted} of {drafted} drafts accepted");
        let mut chi_squared = 0.0;
        for (row, counts) in rows.iter().zip(&counts) {
            let weights = row.iter().map(|&z| f64::from(z / TEMPERATURE).exp());
            let total: f64 = weights.clone().sum();
            let drawn = f64::from(counts.iter().sum::<u32>());
            for (weight, &count) in weights.zip(counts) {
                let want = drawn * weight / total;
                chi_squared += (f64::from(count) - want).powi(2) / want;
            }
        }
        assert!(chi_squared < 59.7, "χ² = {chi_squared} for seed {seed_lo}, counts {counts:?}");
    }
}
