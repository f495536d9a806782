//! What a file says of an audio tower, and the plan that computes the soft tokens of a step.

use std::ops::Range;

use shaders::audio::unit_norm;
use shaders::state::State;

use super::config::{EPS, Kind, STEP_TOKENS, TowerConfig};
use super::conformer::{self, Buffers, Relatives, Stem};
use super::{AudioError, CLIP_SAMPLES, tensors};
use crate::gguf::Header;
use crate::gpu::GpuError;
use crate::model::product;
use crate::plan::{Layout, Limits, ParamsArena, Plan, PlanError, Value};
use crate::weights::{self, TensorList, Weights};

/// The configuration and the tensors of a tower, before loading.
#[derive(Clone, Debug)]
pub struct TowerPlan {
    pub(super) config: TowerConfig,
    pub(super) tensors: TensorList,
}

impl TowerPlan {
    /// Reads the tower of a file, if it has one. The file is a model or a projector; `width` is the model's.
    ///
    /// # Errors
    /// When the file is inconsistent, or the tower is for a model of another width.
    pub fn read(header: &Header, width: u32) -> Result<Option<Self>, AudioError> {
        let Some(config) = TowerConfig::read(header, width)? else { return Ok(None) };
        let tensors = tensors::find(header, &config)?;
        weights::check_layouts(&tensors)?;
        Ok(Some(Self { config, tensors }))
    }

    /// What the file says.
    pub fn config(&self) -> &TowerConfig {
        &self.config
    }

    /// Byte ranges of its weights in the file.
    pub fn ranges(&self) -> Vec<Range<u64>> {
        weights::ranges(&self.tensors)
    }

    /// Returns the plan of a step, without a device. The bounds of its clipped linears are in the file's data, not in its
    /// header, so none are assumed.
    ///
    /// # Errors
    /// When a matrix has no layout on such a device.
    pub fn computation(&self, limits: Limits) -> Result<Plan, AudioError> {
        let weights = Weights::describe(&self.tensors, limits)?;
        Ok(Description::new(&self.config, &weights).map_err(GpuError::from)?.plan)
    }

    /// Bytes on the device while the tower is loaded.
    ///
    /// # Errors
    /// Same as [`Self::computation`].
    pub fn bytes(&self, limits: Limits) -> Result<u64, AudioError> {
        let mut weights = Weights::describe(&self.tensors, limits)?;
        let description = Description::new(&self.config, &weights).map_err(GpuError::from)?;
        if let Kind::Conformer(conformer) = &self.config.kind {
            conformer::take_relatives(conformer, &mut weights);
        }
        let params = ParamsArena::of(&[&description.plan], limits).buffer_bytes();
        Ok(description.layout().with(weights.values()).total() + params)
    }
}

/// The plan of a step, and the values that the host writes and reads.
pub(super) struct Description {
    pub plan: Plan,
    /// `State`.
    pub state: Value,
    /// Features or samples of the step.
    pub rows: Value,
    /// Soft tokens of the step, and of the longest clip.
    pub soft: Value,
    pub clip: Value,
    /// Additional parts of a conformer.
    pub conformer: Option<([Stem; 2], Relatives)>,
}

impl Description {
    pub fn new(config: &TowerConfig, weights: &Weights) -> Result<Self, PlanError> {
        let row = 4 * u64::from(config.width);
        let state = Value::state("audio state", size_of::<State>() as u64);
        let clip = Value::state("soft tokens of a clip", u64::from(config.tokens(CLIP_SAMPLES)) * row);
        let soft = Value::state("soft tokens", u64::from(STEP_TOKENS) * row);
        let (plan, rows, conformer) = match &config.kind {
            Kind::Conformer(conformer) => {
                let buffers = Buffers::describe(conformer, &state);
                let (plan, stems) = conformer::plan(conformer, weights, &buffers, &soft)?;
                let relatives = conformer::relatives(conformer, weights, &buffers)?;
                (plan, buffers.mel, Some((stems, relatives)))
            }
            Kind::Raw { frame } => {
                let (plan, rows) = raw(*frame, weights, &state, &soft)?;
                (plan, rows, None)
            }
        };
        Ok(Self { plan, state, rows, soft, clip, conformer })
    }

    pub fn layout(&self) -> Layout {
        Layout::of(&[vec![&self.plan]]).with([&self.clip])
    }
}

/// Returns the embedder of raw samples (norm and projection), and the input buffer of a step.
fn raw(frame: u32, weights: &Weights, state: &Value, soft: &Value) -> Result<(Plan, Value), PlanError> {
    let bytes = 4 * u64::from(STEP_TOKENS) * u64::from(frame);
    let (rows, normed) = (Value::state("samples", bytes), Value::temporary("normed samples", bytes));
    let mut plan = Plan::default();
    let params = unit_norm::Params::new(frame, None, EPS);
    let operands = [state, &weights.vectors, &rows, &normed];
    plan.push_rows(unit_norm::UnitNorm, &params, &operands, unit_norm::dispatch)?;
    let matrix = weights.require("projection")?;
    product::push(&mut plan, weights.limits, matrix, None, [state, &normed, soft])?;
    Ok((plan, rows))
}
