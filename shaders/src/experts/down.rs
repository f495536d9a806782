//! `wgsl/experts/down.wgsl`: the sum of the chosen experts' down projections for a few rows.

use super::case::made_up;
use super::{Choice, Mixture};
use crate::case::{Case, CaseError, Expected, args, as_f32, matrix, random, rows_of, tolerance};
use crate::matvec::{Form, twin};
use crate::planes::UNIT;
use crate::{DType, Kernel, Planes, PreprocessError, Source};

/// One permutation of the kernel.
///
/// Bindings: params, down, state, choices, act, y. Packed activations are two buffers: codes and scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Down {
    /// The mixture.
    pub mixture: Mixture,
    /// Storage type.
    pub dtype: DType,
    /// How the work is divided, and whether the activations were rounded to int8.
    pub form: Form,
}

params! {
    /// The uniform at binding 0.
    #[derive(Default, Eq)]
    pub struct Params {
        /// Planes of the matrix, in the first place.
        pub planes: [Planes; 3],
        /// Rows per expert.
        pub rows: u32,
        /// Units per row.
        pub units_per_row: u32,
        /// First expert of this dispatch: the first one in the matrix.
        pub begin: u32,
        /// One past the last expert.
        pub end: u32,
        /// If not 0, the sum is added to y.
        pub more: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

impl Down {
    /// Workgroups for experts of `rows` rows, and a step of `positions`.
    pub const fn dispatch(&self, rows: u32, positions: u32) -> [u32; 3] {
        [rows.div_ceil(self.form.rows_per_workgroup()), positions, 1]
    }
}

/// CPU twin, in f64: the sums that one dispatch adds. `act` is `[T·used, K]`; `down` is dequantised and holds the experts
/// of the dispatch.
pub fn down(kernel: &Down, params: &Params, choices: &[Choice], act: &[f32], down: &[f32]) -> Vec<f64> {
    let (k, rows) = ((params.units_per_row * UNIT) as usize, params.rows as usize);
    let used = kernel.mixture.used as usize;
    let mut y = vec![0.0; choices.len() / used * rows];
    for (pair, (choice, act)) in choices.iter().zip(act.chunks_exact(k)).enumerate() {
        if (params.begin..params.end).contains(&choice.expert) {
            let act: Vec<f64> = act.iter().map(|&v| f64::from(v)).collect();
            let matrix = &down[(choice.expert - params.begin) as usize * rows * k..][..rows * k];
            let y = &mut y[pair / used * rows..][..rows];
            y.iter_mut().zip(twin::product(matrix, &act)).for_each(|(y, v)| *y += v);
        }
    }
    y
}

impl Kernel for Down {
    fn source(&self) -> Result<Source, PreprocessError> {
        let defines = self.form.define_few_rows(self.mixture.defines(), false);
        let defines = defines.set("DTYPE", self.dtype).set("ROWS", 1).set("SUMS", self.form.rows);
        let name = format!("experts_down_{}_{}_{}", self.mixture.name(), self.dtype, self.form.name());
        Source::build::<Params>("experts/down.wgsl", name, &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        let (k, positions, used, rows) = (256, 3, self.mixture.used, 19);
        let mixture = Mixture { experts: used + 1, used };
        let chosen = made_up(mixture, positions);
        let (act, inputs) = rows_of(random(77, (positions * used * k) as usize), self.form.packed);
        let w = matrix(self.dtype, k, mixture.experts * rows, 78)?;
        let params = Params {
            planes: [w.layout.planes, Planes::default(), Planes::default()],
            rows,
            units_per_row: w.layout.units_per_row,
            end: mixture.experts,
            ..Default::default()
        };
        let want = as_f32(&down(self, &params, &chosen, &act, &w.values));
        let mut args = args![uniform(&params), Words(w.words), state(0, positions), words(&chosen)];
        args.extend(inputs);
        let expected = Expected::rows(&mut args, want, tolerance(k * used), false);
        Ok(Case { args, grid: self.dispatch(rows, positions), expected })
    }

    fn is_packed(&self) -> bool {
        self.form.packed
    }
}
