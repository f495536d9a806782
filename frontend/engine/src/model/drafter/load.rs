//! A drafter whose weights are on the device.

use std::rc::Rc;

use super::{DraftParts, DrafterSpec};
use crate::bytes::{ByteSource, CancelToken};
use crate::gpu::{Gpu, Memory};
use crate::model::Parts;
use crate::weights::{self, LoadError, Progress};

/// A loaded drafter.
pub struct Drafter {
    /// Its description.
    pub parts: DraftParts,
    /// The buffers of its weights.
    pub weights: Memory,
}

impl Drafter {
    /// Loads the weights of a drafter for `target`.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub async fn load(
        gpu: &Gpu,
        source: &Rc<dyn ByteSource>,
        spec: &DrafterSpec,
        target: &Parts,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Self, LoadError> {
        let mut parts = DraftParts::describe(spec, target, gpu.plan_limits())?;
        let of = &mut parts.parts.weights;
        let mut weights = weights::load(gpu, source, &spec.tensors, of, cancel, progress).await?;
        if let (Some(head), Some(ordered)) = (&spec.ordered, &parts.ordered) {
            let bytes = cancel.guard(source.read(head.ordering.clone())).await?;
            gpu.allocate("ordering", [&ordered.ordering], &mut weights).await?;
            gpu.queue().write_buffer(weights.get(&ordered.ordering)?, 0, &bytes.to_vec());
        }
        Ok(Self { parts, weights })
    }
}
