//! An adapter in memory, independent of its file format.

use std::collections::BTreeMap;
use std::fmt;

use super::AdapterError;
use crate::gguf::Family;

/// Maximum rank of a factor.
pub const MAX_RANK: u32 = 64;

/// A projection of a layer that an adapter may correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Projection {
    /// Queries.
    Q,
    /// Keys.
    K,
    /// Values.
    V,
    /// The output of attention.
    Output,
    /// The gate projection of the feed-forward layer.
    Gate,
    /// The up projection of the feed-forward layer.
    Up,
    /// The down projection of the feed-forward layer.
    Down,
    /// The gate of the per-layer input.
    PleGate,
    /// The projection of the per-layer input.
    PleProjection,
    /// The router of a mixture of experts: from its normed and scaled input to a logit for each expert.
    Router,
    /// Gate and up of the experts of a mixture, one above the other. Each expert has factors of its own.
    ExpertGateUp,
    /// The down projection of the experts of a mixture. Each expert has factors of its own.
    ExpertDown,
}

impl Projection {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Q,
        Self::K,
        Self::V,
        Self::Output,
        Self::Gate,
        Self::Up,
        Self::Down,
        Self::PleGate,
        Self::PleProjection,
        Self::Router,
        Self::ExpertGateUp,
        Self::ExpertDown,
    ];

    /// Those of the experts of a mixture, in the order in which transformers declares them.
    pub const OF_EXPERTS: [Self; 2] = [Self::ExpertGateUp, Self::ExpertDown];

    /// Returns whether each expert of a mixture has a matrix of its own.
    pub const fn is_of_experts(self) -> bool {
        matches!(self, Self::ExpertGateUp | Self::ExpertDown)
    }

    /// Returns the tensor name in a GGUF file, without `blk.N.` and `.weight`; also the engine's name of the matrix.
    pub const fn tensor(self) -> &'static str {
        match self {
            Self::Q => "attn_q",
            Self::K => "attn_k",
            Self::V => "attn_v",
            Self::Output => "attn_output",
            Self::Gate => "ffn_gate",
            Self::Up => "ffn_up",
            Self::Down => "ffn_down",
            Self::PleGate => "inp_gate",
            Self::PleProjection => "proj",
            Self::Router => "ffn_gate_inp",
            Self::ExpertGateUp => "ffn_gate_up_exps",
            Self::ExpertDown => "ffn_down_exps",
        }
    }

    /// Returns the module name in transformers, within a layer; of experts, that of their parameter.
    pub const fn module(self) -> &'static str {
        match self {
            Self::Q => "self_attn.q_proj",
            Self::K => "self_attn.k_proj",
            Self::V => "self_attn.v_proj",
            Self::Output => "self_attn.o_proj",
            Self::Gate => "mlp.gate_proj",
            Self::Up => "mlp.up_proj",
            Self::Down => "mlp.down_proj",
            Self::PleGate => "per_layer_input_gate",
            Self::PleProjection => "per_layer_projection",
            Self::Router => "router.proj",
            Self::ExpertGateUp => "experts.gate_up_proj",
            Self::ExpertDown => "experts.down_proj",
        }
    }
}

/// A projection of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The layer.
    pub layer: usize,
    /// The projection.
    pub projection: Projection,
}

/// The engine's name of the matrix: `blk.3.attn_q`.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blk.{}.{}", self.layer, self.projection.tensor())
    }
}

/// The shape of what a target names: one matrix, or one for each expert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of matrices.
    pub experts: u32,
    /// Columns of each.
    pub input: u32,
    /// Rows of each.
    pub output: u32,
}

/// The factors of one correction, `scale·B·(A·x)`: one pair, or one for each expert of a mixture.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors {
    /// Rows of A, columns of B.
    pub rank: u32,
    /// Columns of A: the length of x.
    pub input: u32,
    /// Rows of B: the length of y.
    pub output: u32,
    /// `[rank, input]`, row-major; of experts `[experts, rank, input]`.
    pub a: Vec<f32>,
    /// `[output, rank]`, row-major; of experts `[experts, output, rank]`.
    pub b: Vec<f32>,
    /// α/r, or α/√r for rank-stabilised LoRA.
    pub scale: f32,
}

impl Factors {
    /// Returns the number of pairs: 1, or the experts of a mixture.
    pub fn experts(&self) -> u32 {
        let each = u64::from(self.rank) * u64::from(self.input);
        u32::try_from(self.a.len() as u64 / each.max(1)).unwrap_or(u32::MAX)
    }

    /// Returns the factors of experts that PEFT 0.18 and earlier wrote for weights `[experts, output, input]`, whose dimensions
    /// it took for `[experts, input, output]`: as it applied them, A is what others call the transpose of B.
    fn turned(&self) -> Self {
        let transposed = |values: &[f32], columns: u32| {
            let columns = columns as usize;
            let rows = values.len() / self.experts() as usize / columns;
            let of = |i: usize| {
                let (expert, column, row) = (i / (rows * columns), i / rows % columns, i % rows);
                values[(expert * rows + row) * columns + column]
            };
            (0..values.len()).map(of).collect()
        };
        let (a, b) = (transposed(&self.b, self.rank), transposed(&self.a, self.input));
        Self { input: self.output, output: self.input, a, b, ..*self }
    }

    /// Returns the shape of A or B, as stored.
    fn shape(&self, target: Target, rows: u32, columns: u32) -> Vec<u64> {
        let experts = target.projection.is_of_experts().then(|| self.experts().max(1));
        experts.into_iter().chain([rows, columns]).map(u64::from).collect()
    }

    fn check(&self, target: Target) -> Result<(), AdapterError> {
        let tensor = |part: &str| format!("{target}.{part}");
        if self.rank == 0 || self.rank > MAX_RANK {
            return Err(AdapterError::Rank { tensor: tensor("A"), rank: self.rank.into(), most: MAX_RANK });
        }
        let parts = [("A", &self.a, [self.rank, self.input]), ("B", &self.b, [self.output, self.rank])];
        for (part, values, [rows, columns]) in parts {
            let expected = self.shape(target, rows, columns);
            if values.len() as u64 != expected.iter().fold(1, |all: u64, &n| all.saturating_mul(n)) {
                let found = vec![values.len() as u64];
                return Err(AdapterError::Shape { tensor: tensor(part), found, expected });
            }
            if values.iter().any(|v| !v.is_finite()) {
                return Err(AdapterError::NotFinite { tensor: tensor(part) });
            }
        }
        if !self.scale.is_finite() {
            return Err(AdapterError::NotFinite { tensor: tensor("scale") });
        }
        Ok(())
    }
}

/// The largest ranks of an adapter; 0 where it has no factors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ranks {
    /// Of matrices that all tokens share.
    pub shared: u32,
    /// Of experts.
    pub experts: u32,
}

impl Ranks {
    /// Returns the same for both.
    pub const fn both(rank: u32) -> Self {
        Self { shared: rank, experts: rank }
    }
}

/// Corrections of a model's projections. All factors have the stated lengths, a rank of at most [`MAX_RANK`], and
/// finite values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adapter {
    /// The family of the models that it is for. Formats other than GGUF don't say it: Gemma 4 then.
    family: Family,
    targets: BTreeMap<Target, Factors>,
}

impl Adapter {
    /// Returns the same for models of this family.
    pub fn of(self, family: Family) -> Self {
        Self { family, ..self }
    }

    /// Adds the correction of one projection.
    ///
    /// # Errors
    /// When the factors contradict each other, or the projection already has a correction.
    pub fn insert(&mut self, target: Target, factors: Factors) -> Result<(), AdapterError> {
        factors.check(target)?;
        if self.targets.contains_key(&target) {
            return Err(AdapterError::Twice { tensor: target.to_string() });
        }
        self.targets.insert(target, factors);
        Ok(())
    }

    /// Returns the correction of a projection.
    pub fn get(&self, target: Target) -> Option<&Factors> {
        self.targets.get(&target)
    }

    /// Returns all corrections, by layer and projection.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Target, &Factors)> {
        self.targets.iter().map(|(target, factors)| (*target, factors))
    }

    /// Returns the family of the models that it is for.
    pub fn family(&self) -> Family {
        self.family
    }

    /// Returns the number of corrected projections.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Returns whether there are no corrections.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Returns the largest rank of the factors; 0 if there are none.
    pub fn rank(&self) -> u32 {
        let Ranks { shared, experts } = self.ranks();
        shared.max(experts)
    }

    /// Returns the largest ranks of the factors.
    pub fn ranks(&self) -> Ranks {
        let largest = |of_experts: bool| {
            let some = self.iter().filter(|(target, _)| target.projection.is_of_experts() == of_experts);
            some.map(|(_, factors)| factors.rank).max().unwrap_or(0)
        };
        Ranks { shared: largest(false), experts: largest(true) }
    }

    /// Returns the number of parameters in all factors.
    pub fn parameters(&self) -> u64 {
        self.targets.values().map(|factors| (factors.a.len() + factors.b.len()) as u64).sum()
    }

    /// Returns the part of this adapter that a model uses. All shapes are checked: `shape` returns that of a target's matrix or
    /// matrices. Corrections of keys and values are omitted on layers that use another layer's KV cache
    /// (`shares_kv`), because such layers do not compute them, although some published files contain the tensors
    /// (specification, adapters). Factors of experts that old versions of PEFT wrote are turned.
    ///
    /// # Errors
    /// The first target that the model does not have, or that has another shape; [`AdapterError::Empty`] if nothing
    /// is left.
    pub fn fit(
        mut self,
        shares_kv: impl Fn(usize) -> bool,
        shape: impl Fn(Target) -> Option<Shape>,
    ) -> Result<Self, AdapterError> {
        self.targets.retain(|target, _| {
            let of_keys = matches!(target.projection, Projection::K | Projection::V);
            !(of_keys && shares_kv(target.layer))
        });
        for (target, factors) in &mut self.targets {
            let Shape { experts, input, output } =
                shape(*target).ok_or_else(|| AdapterError::NoProjection { tensor: target.to_string() })?;
            let is_turned = [factors.input, factors.output] == [output, input] && input != output;
            if is_turned && target.projection.is_of_experts() && factors.experts() == experts {
                *factors = factors.turned();
            }
            let found = [[factors.rank, factors.input], [factors.output, factors.rank]];
            let expected = [[factors.rank, input], [output, factors.rank]];
            for (part, (found, expected)) in ["A", "B"].into_iter().zip(found.into_iter().zip(expected)) {
                if found != expected || factors.experts() != experts {
                    let of_experts = target.projection.is_of_experts();
                    let whole = |experts: u32, [rows, columns]: [u32; 2]| {
                        let all = of_experts.then_some(experts).into_iter().chain([rows, columns]);
                        all.map(u64::from).collect()
                    };
                    return Err(AdapterError::Shape {
                        tensor: format!("{target}.{part}"),
                        found: whole(factors.experts(), found),
                        expected: whole(experts, expected),
                    });
                }
            }
        }
        if self.targets.is_empty() {
            return Err(AdapterError::Empty);
        }
        Ok(self)
    }
}
