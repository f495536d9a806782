//! `wgsl/experts/gate_up.wgsl`: gate, up and activation of the chosen experts for a few rows.

use super::case::made_up;
use super::{Choice, Mixture};
use crate::case::{Arg, Case, CaseError, Expected, args, as_f32, matrix, random, rows_of, tolerance};
use crate::math::gelu_tanh;
use crate::matvec::{Form, twin};
use crate::planes::UNIT;
use crate::{DType, Kernel, Planes, PreprocessError, Source};

/// One permutation of the kernel.
///
/// Bindings: params, gate, up, state, choices, X, what an adapter adds if there is one, act. Packed rows are two buffers:
/// codes and scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GateUp {
    /// The mixture.
    pub mixture: Mixture,
    /// Storage type of gate.
    pub gate: DType,
    /// Storage type of up.
    pub up: DType,
    /// Whether the activations are rounded to int8 ([`crate::matmul::pack_rows`]).
    pub packs: bool,
    /// Whether an adapter's share of gate and up is added before the activation.
    pub corrected: bool,
    /// How the work is divided, and whether X was rounded to int8: one or two rows per group, nothing split along K.
    /// With 16 rows per workgroup, activations can be rounded.
    pub form: Form,
}

params! {
    /// The uniform at binding 0. Rows are numbered within an expert, experts within the layer.
    #[derive(Default, Eq)]
    pub struct Params {
        /// Planes of gate and of up; equal if both are in one matrix.
        pub planes: [Planes; 3],
        /// Rows of gate, and of up.
        pub rows: u32,
        /// Units per row of both.
        pub units_per_row: u32,
        /// First expert of this dispatch.
        pub begin: u32,
        /// One past the last expert.
        pub end: u32,
        /// First expert in the gate matrix.
        pub gate_first: u32,
        /// First expert in the up matrix.
        pub up_first: u32,
        /// Rows per expert in the gate matrix.
        pub gate_stride: u32,
        /// Rows per expert in the up matrix.
        pub up_stride: u32,
        /// First row of up within an expert.
        pub up_at: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

impl GateUp {
    /// Rows of gate per workgroup.
    const fn rows_per_workgroup(&self) -> u32 {
        self.form.groups * self.form.rows
    }

    /// Workgroups for experts of `rows` rows, and a step of `positions`.
    pub const fn dispatch(&self, rows: u32, positions: u32) -> [u32; 3] {
        [rows.div_ceil(self.rows_per_workgroup()), positions * self.mixture.used, 1]
    }
}

/// CPU twin, in f64: the activations of each pair with the weight of its expert, `None` for experts outside of the
/// dispatch. `x` is `[T, K]`, and `added` what an adapter adds to gate and up, `[T·used, 2·rows]`. `gate` and `up` are dequantised, laid out as on the device, and hold all experts of the
/// dispatch.
pub fn gate_up(
    kernel: &GateUp,
    params: &Params,
    choices: &[Choice],
    x: &[f32],
    (gate, up): (&[f32], &[f32]),
    added: Option<&[f32]>,
) -> Vec<Option<Vec<f64>>> {
    let (k, rows) = ((params.units_per_row * UNIT) as usize, params.rows as usize);
    let x: Vec<f64> = x.iter().map(|&v| f64::from(v)).collect();
    let activated = |(pair, choice): (usize, &Choice)| {
        (params.begin..params.end).contains(&choice.expert).then(|| {
            let x = &x[pair / kernel.mixture.used as usize * k..][..k];
            let half =
                |values: &[f32], first: u32| twin::product(&values[first as usize * k..][..rows * k], x);
            let gate = half(gate, (choice.expert - params.gate_first) * params.gate_stride);
            let up = half(up, (choice.expert - params.up_first) * params.up_stride + params.up_at);
            let weight = f64::from(choice.weight);
            let added = |at: usize| added.map_or(0.0, |added| f64::from(added[2 * pair * rows + at]));
            let values = gate.iter().zip(up).enumerate();
            let activated = |(j, (&gate, up)): (usize, (&f64, f64))| {
                weight * gelu_tanh(gate + added(j)) * (up + added(rows + j))
            };
            values.map(activated).collect()
        })
    };
    choices.iter().enumerate().map(activated).collect()
}

impl Kernel for GateUp {
    fn source(&self) -> Result<Source, PreprocessError> {
        debug_assert!(self.form.ksplit == 1 && (!self.packs || self.rows_per_workgroup() == UNIT));
        let defines = self
            .form
            .define_few_rows(self.mixture.defines(), false)
            .set("GATE", self.gate)
            .set("UP", self.up)
            .set("ROWS", 1)
            .set("SUMS", 2 * self.form.rows)
            .set("PACK_Y", self.packs)
            .set("CORRECTED", self.corrected);
        let name = format!(
            "experts_gate_up_{}_{}_{}_{}{}{}",
            self.mixture.name(),
            self.gate,
            self.up,
            self.form.name(),
            if self.packs { "_packs" } else { "" },
            if self.corrected { "_corrected" } else { "" },
        );
        Source::build::<Params>("experts/gate_up.wgsl", name, &defines)
    }

    /// Gate, up and activation for a few rows. Only the experts that may be chosen have weights.
    fn case(&self) -> Result<Case, CaseError> {
        let (k, positions, experts) = (512, 3, self.mixture.used + 1);
        let mixture = Mixture { experts, used: self.mixture.used };
        let rows = 48;
        let chosen = made_up(mixture, positions);
        let (x, inputs) = rows_of(random(71, (positions * k) as usize), self.form.packed);
        let gate = matrix(self.gate, k, experts * rows, 74)?;
        let up = matrix(self.up, k, experts * rows, 75)?;
        let params = Params {
            planes: [gate.layout.planes, up.layout.planes, Planes::default()],
            rows,
            units_per_row: gate.layout.units_per_row,
            end: experts,
            gate_stride: rows,
            up_stride: rows,
            ..Default::default()
        };
        let added = self.corrected.then(|| random(76, chosen.len() * 2 * rows as usize));
        let matrices = (gate.values.as_slice(), up.values.as_slice());
        let act = gate_up(self, &params, &chosen, &x, matrices, added.as_deref());
        let act = as_f32(&act.into_iter().flatten().flatten().collect::<Vec<_>>());
        let largest = act.iter().fold(1.0_f32, |most, v| most.max(v.abs()));
        let mut args =
            args![uniform(&params), Words(gate.words), Words(up.words), state(0, positions), words(&chosen)];
        args.extend(inputs);
        args.extend(added.as_deref().map(Arg::floats));
        let expected = Expected::rows(&mut args, act, 2.0 * largest * tolerance(k), self.packs);
        Ok(Case { args, grid: self.dispatch(rows, positions), expected })
    }

    fn is_packed(&self) -> bool {
        self.form.packed || self.packs
    }
}
