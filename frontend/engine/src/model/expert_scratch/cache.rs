//! The values of the expert cache.

use shaders::experts::{Choice, locate};
use shaders::matmul::FewRows;
use shaders::repack;

use crate::model::{Config, Experts};
use crate::plan::{Origin, Value};
use crate::weights::{Matrix, Weights};

const _: () = assert!(locate::MAX_ROWS == FewRows::MAX_ROWS);

/// The values of the expert cache, for chunks of up to `T` rows.
#[derive(Debug)]
pub struct CacheValues {
    /// Slots per layer.
    pub slots: u32,
    /// The slot of each expert, or [`locate::NONE`]. u32 `[layers, experts]`.
    pub table: Value,
    /// The choices with slots instead of experts, `[T, used]`.
    pub located: Value,
    /// What a step missed, and the number of uses (`wgsl/experts/locate.wgsl`).
    pub record: Value,
    /// Readback buffers: of the record, and of the choices.
    pub readbacks: [Value; 2],
    /// For each matrix of an expert, its bytes as the file has them, and the parameters of repacking.
    pub staging: Vec<[Value; 2]>,
}

/// Returns the matrices of the experts of layer `i`, each with its rows per expert: gate and up, or both in one, and down.
pub fn expert_matrices(
    weights: &Weights,
    experts: Experts,
    width: u32,
    i: usize,
) -> Vec<(String, &Matrix, u32)> {
    let ff = experts.feed_forward;
    [("gate_up", 2 * ff), ("gate", ff), ("up", ff), ("down", width)]
        .into_iter()
        .filter_map(|(part, rows)| {
            let name = format!("blk.{i}.ffn_{part}_exps");
            weights.matrix(&name).map(|matrix| (name, matrix, rows))
        })
        .collect()
}

impl CacheValues {
    /// What the host writes and reads, whether or not a plan uses it.
    pub fn of_host(&self) -> impl Iterator<Item = &Value> {
        [&self.table, &self.record].into_iter().chain(&self.readbacks)
    }

    /// Describes the values, if the weights have places for only some experts.
    pub fn describe(config: &Config, weights: &Weights, rows: u32) -> Option<Self> {
        let (experts, slots) = config.experts.zip(weights.expert_slots)?;
        let mixture = experts.mixture;
        let all = 4 * config.layers.len() as u64 * u64::from(mixture.experts);
        let choices = u64::from(rows) * u64::from(mixture.used) * size_of::<Choice>() as u64;
        let record = 4 * u64::from(locate::record_header(mixture)) + all;
        // The layers may be stored differently.
        let mut staged: Vec<u64> = Vec::new();
        for i in 0..config.layers.len() {
            let layer = expert_matrices(weights, experts, config.width, i);
            staged.resize(staged.len().max(layer.len()), 0);
            for (bytes, (_, matrix, rows)) in staged.iter_mut().zip(layer) {
                *bytes = (*bytes).max(matrix.dtype.row_bytes(matrix.k.into()).unwrap_or(0) * u64::from(rows));
            }
        }
        let staging = |bytes| {
            let params = size_of::<repack::Params>() as u64;
            [Value::state("an expert of the file", bytes), Value::new("its place", params, Origin::Params)]
        };
        Some(Self {
            slots,
            table: Value::state("slots of experts", all),
            located: Value::temporary("located experts", choices),
            record: Value::state("uses of experts", record),
            readbacks: [record, choices].map(|bytes| Value::new("chosen experts", bytes, Origin::Readback)),
            staging: staged.into_iter().map(staging).collect(),
        })
    }
}
