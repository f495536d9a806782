//! What a file says of a vision tower, and the computation that follows.

use std::ops::Range;

use super::config::TowerConfig;
use super::stages::StagePlans;
use super::{Budget, VisionError, tensors};
use crate::gguf::Header;
use crate::gpu::GpuError;
use crate::plan::{Limits, Plan};
use crate::weights::{self, TensorList, Weights};

/// The configuration and the tensors of a tower, from a header.
#[derive(Clone, Debug)]
pub struct TowerPlan {
    /// Its configuration.
    pub config: TowerConfig,
    pub(super) tensors: TensorList,
}

impl TowerPlan {
    /// Reads the tower of a file, if it has one.
    ///
    /// # Errors
    /// When the file is inconsistent, or the tower belongs to a model of another width.
    pub fn read(header: &Header, model_width: u32) -> Result<Option<Self>, VisionError> {
        let Some(config) = TowerConfig::read(header, model_width)? else { return Ok(None) };
        let tensors = tensors::find(header, &config)?;
        weights::check_layouts(&tensors)?;
        Ok(Some(Self { config, tensors }))
    }

    /// Byte ranges of its weights in the file.
    pub fn ranges(&self) -> Vec<Range<u64>> {
        weights::ranges(&self.tensors)
    }

    /// Returns the plan of an image with the default budget, without a device. The bounds of its clipped linears are in the
    /// file's data, not in its header, so none are assumed.
    ///
    /// # Errors
    /// When a matrix has no layout on such a device.
    pub fn computation(&self, limits: Limits) -> Result<Plan, VisionError> {
        let (_, stages) = self.describe(Budget::default(), limits)?;
        let mut plan = Plan::default();
        stages.plans().for_each(|part| plan.extend(part));
        Ok(plan)
    }

    fn describe(&self, budget: Budget, limits: Limits) -> Result<(Weights, StagePlans), VisionError> {
        let weights = Weights::describe(&self.tensors, limits)?;
        let rows = self.config.rows(budget);
        let stages = StagePlans::new(&weights, &self.config, rows).map_err(GpuError::from)?;
        Ok((weights, stages))
    }

    /// Bytes on the device for images of this budget: weights and working memory.
    ///
    /// # Errors
    /// Same as [`Self::computation`].
    pub fn bytes(&self, budget: Budget, limits: Limits) -> Result<u64, VisionError> {
        let (weights, stages) = self.describe(budget, limits)?;
        Ok(stages.bytes(&weights, limits))
    }
}
