//! An adapter in memory, independent of its file format.

use std::collections::BTreeMap;
use std::fmt;

use super::AdapterError;

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
}

impl Projection {
    /// All of them.
    pub const ALL: [Self; 10] = [
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
    ];

    /// The tensor name in a GGUF file, without `blk.N.` and `.weight`; also the engine's name of the matrix.
    #[must_use]
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
        }
    }

    /// The module name in transformers, within a layer.
    #[must_use]
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

/// The factors of one correction, `scale·B·(A·x)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors {
    /// Rows of A, columns of B.
    pub rank: u32,
    /// Columns of A: the length of x.
    pub input: u32,
    /// Rows of B: the length of y.
    pub output: u32,
    /// `[rank, input]`, row-major.
    pub a: Vec<f32>,
    /// `[output, rank]`, row-major.
    pub b: Vec<f32>,
    /// α/r, or α/√r for rank-stabilised LoRA.
    pub scale: f32,
}

impl Factors {
    fn check(&self, target: Target) -> Result<(), AdapterError> {
        let tensor = |part: &str| format!("{target}.{part}");
        if self.rank == 0 || self.rank > MAX_RANK {
            return Err(AdapterError::Rank { tensor: tensor("A"), rank: self.rank.into(), most: MAX_RANK });
        }
        let parts = [("A", &self.a, [self.rank, self.input]), ("B", &self.b, [self.output, self.rank])];
        for (part, values, [rows, columns]) in parts {
            if values.len() as u64 != u64::from(rows) * u64::from(columns) {
                return Err(AdapterError::Shape {
                    tensor: tensor(part),
                    found: vec![values.len() as u64],
                    expected: vec![rows.into(), columns.into()],
                });
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

/// Corrections of a model's projections. All factors have the stated lengths, a rank of at most [`MAX_RANK`], and
/// finite values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adapter {
    targets: BTreeMap<Target, Factors>,
}

impl Adapter {
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

    /// The correction of a projection.
    #[must_use]
    pub fn get(&self, target: Target) -> Option<&Factors> {
        self.targets.get(&target)
    }

    /// All corrections, by layer and projection.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Target, &Factors)> {
        self.targets.iter().map(|(target, factors)| (*target, factors))
    }

    /// Number of corrected projections.
    #[must_use]
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are no corrections.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The largest rank of the factors; 0 if there are none.
    #[must_use]
    pub fn rank(&self) -> u32 {
        self.targets.values().map(|factors| factors.rank).max().unwrap_or(0)
    }

    /// Number of parameters in all factors.
    #[must_use]
    pub fn parameters(&self) -> u64 {
        self.targets.values().map(|factors| (factors.a.len() + factors.b.len()) as u64).sum()
    }

    /// The part of this adapter that a model uses. All shapes are checked: `shape` returns columns and rows of a
    /// target's matrix. Corrections of keys and values are omitted on layers that use another layer's KV cache
    /// (`shares_kv`), because such layers do not compute them, although some published files contain the tensors
    /// (specification, adapters).
    ///
    /// # Errors
    /// The first target that the model does not have, or that has another shape; [`AdapterError::Empty`] if nothing
    /// is left.
    pub fn fit(
        mut self,
        shares_kv: impl Fn(usize) -> bool,
        shape: impl Fn(Target) -> Option<(u32, u32)>,
    ) -> Result<Self, AdapterError> {
        self.targets.retain(|target, _| {
            let of_keys = matches!(target.projection, Projection::K | Projection::V);
            !(of_keys && shares_kv(target.layer))
        });
        for (target, factors) in &self.targets {
            let (input, output) =
                shape(*target).ok_or_else(|| AdapterError::NoProjection { tensor: target.to_string() })?;
            let found = [[factors.rank, factors.input], [factors.output, factors.rank]];
            let expected = [[factors.rank, input], [output, factors.rank]];
            for (part, (found, expected)) in ["A", "B"].into_iter().zip(found.into_iter().zip(expected)) {
                if found != expected {
                    return Err(AdapterError::Shape {
                        tensor: format!("{target}.{part}"),
                        found: found.map(u64::from).to_vec(),
                        expected: expected.map(u64::from).to_vec(),
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
