//! Launcher and CPU twin of `wgsl/draft/input.wgsl`: the input of a draft step.

use crate::case::{Case, CaseError, Expected, args, matrix, random};
use crate::embed::gather::gather;
use crate::state::State;
use crate::{DType, Defines, Kernel, PlanarLayout, Planes, PreprocessError, Source};

/// The kernel for one storage type of the embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input(pub DType);

params! {
    /// The uniform at binding 0. Then: the planar embedding, token ids, the state, hidden f32 `[T, K]`, u f32
    /// `[2·K]`, and the drafter's state.
    pub struct Params {
        /// Planes of this part of the embedding.
        pub planes: Planes,
        /// Units of a row.
        pub units_per_row: u32,
        /// First row of the embedding in this part.
        pub row0: u32,
        /// Rows in this part.
        pub rows: u32,
        /// Factor of the embedding.
        pub scale: f32,
        /// Index of the token in the ids.
        pub at: u32,
        /// Not 0 in the first step: `hidden` has the rows of the target's last step.
        pub first: u32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

impl Params {
    /// Parameters of draft step `at`, for the part of an embedding that starts at row `row0`.
    pub const fn new(part: &PlanarLayout, row0: u32, scale: f32, at: u32) -> Self {
        let (planes, units_per_row, rows) = (part.planes, part.units_per_row, part.n);
        Self { planes, units_per_row, row0, rows, scale, at, first: (at == 0) as u32, pad: [0; 2] }
    }

    /// Workgroups.
    pub const fn dispatch(&self) -> [u32; 3] {
        [self.units_per_row.div_ceil(64), 1, 1]
    }
}

/// CPU twin: writes `u` and the drafter's state. A token of another part leaves the first half of `u` as it is.
pub fn input(
    part: &PlanarLayout,
    words: &[u32],
    params: &Params,
    tokens: &[u32],
    state: &State,
    hidden: &[f32],
    u: &mut [f32],
) -> State {
    let width = part.k as usize;
    let row = if params.first == 0 { 0 } else { state.hidden_row as usize };
    let (embedding, h) = u.split_at_mut(width);
    h.copy_from_slice(&hidden[row * width..][..width]);
    gather(part, words, params.row0, params.scale, &[tokens[params.at as usize]], embedding);
    State { pos: state.pos.max(1) - 1, len: 1, history_len: state.history_len, ..State::default() }
}

impl Kernel for Input {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self(dtype) = *self;
        let defines = Defines::new().set("DTYPE", dtype);
        Source::build::<Params>("draft/input.wgsl", format!("draft_input_{dtype}"), &defines)
    }

    /// Returns the input of the first step of a drafter, behind a step of three rows.
    fn case(&self) -> Result<Case, CaseError> {
        let (k, tokens) = (512, [7, 0]);
        let table = matrix(self.0, k, 11, 43)?;
        let state = State { pos: 9, len: 3, history_len: 12, hidden_row: 2, ..State::default() };
        let params = Params::new(&table.layout, 0, 1.5, 0);
        let hidden = random(44, 3 * k as usize);
        let mut u = vec![0.0; 2 * k as usize];
        let drafter = input(&table.layout, &table.words, &params, &tokens, &state, &hidden, &mut u);
        let args = args![
            uniform(&params),
            Words(table.words),
            Words(tokens.to_vec()),
            words(&[state]),
            floats(&hidden),
            zeros(u.len()),
            words(&[State::default()])
        ];
        let expected = vec![Expected::new(5, u, 1e-5), Expected::words(6, bytemuck::cast_slice(&[drafter]))];
        Ok(Case { args, grid: params.dispatch(), expected })
    }
}
