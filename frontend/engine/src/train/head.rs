//! Norm, head, softcap and cross-entropy for the rows with targets, one tile of the vocabulary at a time, so that
//! the logits of a sequence are never stored as a whole. They are computed twice: for the loss, and for its gradient.

use shaders::PlanarLayout;
use shaders::backward::cross_entropy::{self, Params};

use super::builder::{Builder, InputGradient};
use super::working::tile;
use super::{Base, Settings};
use crate::plan::{PlanError, Value};

impl Builder<'_> {
    /// Statistics of every picked row, for the loss. The input is the last layer's output; the normed rows remain
    /// in `x1`.
    pub fn loss(&mut self) -> Result<(), PlanError> {
        let (w, base) = (self.work, self.base);
        let norm = base.weights.vector("output_norm")?;
        self.pick(&w.head_state, &w.picked, &w.inputs[base.config.layers.len()], &w.b1)?;
        self.norm(&w.head_state, &w.b1, norm, &w.x1)?;
        for HeadTile { params, rows, buffer } in tiles(base, self.settings)? {
            let head = (rows.dtype, &rows, buffer);
            self.matmul(head, &w.head_state, &w.x1, &w.logits)?;
            let buffers = [&w.head_state, &w.targets, &w.logits, &w.stats];
            self.push(&cross_entropy::loss()?, &params, &buffers, Params::loss_dispatch)?;
        }
        Ok(())
    }

    /// From the statistics to the gradient of the last layer's output: `dh[0]` for picked rows. [`Self::spread`]
    /// adds zero rows for the others.
    pub fn loss_back(&mut self) -> Result<(), PlanError> {
        let (w, base) = (self.work, self.base);
        let norm = base.weights.vector("output_norm")?;
        for (index, tile) in tiles(base, self.settings)?.into_iter().enumerate() {
            let HeadTile { params, rows, buffer } = tile;
            let head = (rows.dtype, &rows, buffer);
            self.matmul(head, &w.head_state, &w.x1, &w.logits)?;
            let buffers = [&w.head_state, &w.targets, &w.logits, &w.stats, &w.weights];
            let grid = move |rows| params.gradient_dispatch(rows);
            self.push(&cross_entropy::gradient()?, &params, &buffers, grid)?;
            let into = InputGradient { dx: &w.b2, add: index > 0 };
            self.matmul_back(head, &w.head_state, &w.logits, into)?;
        }
        self.norm_back(&w.head_state, &w.b1, norm, &w.b2, InputGradient { dx: &w.b3, add: false })?;
        Ok(())
    }

    /// Moves gradients of the picked rows to their positions in the sequence.
    pub fn spread(&mut self) -> Result<(), PlanError> {
        let w = self.work;
        self.pick(&w.state, &w.places, &w.b3, &w.dh[0])
    }
}

/// A tile of the head.
struct HeadTile<'a> {
    params: Params,
    rows: PlanarLayout,
    buffer: &'a Value,
}

/// Returns the head in tiles.
fn tiles<'a>(base: &'a Base, settings: &Settings) -> Result<Vec<HeadTile<'a>>, PlanError> {
    let head = base.head()?;
    let size = tile(settings, base.vocabulary);
    let softcap = base.config.softcap;
    let mut all = Vec::new();
    for part in &head.parts {
        for row in (0..part.layout.n).step_by(size as usize) {
            let n = size.min(part.layout.n - row);
            let params = Params { n, row0: part.row0 + row, first: all.is_empty().into(), softcap };
            all.push(HeadTile { params, rows: part.layout.rows(row, n), buffer: &part.value });
        }
    }
    Ok(all)
}
