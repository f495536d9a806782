//! The values of the row cache.

use std::rc::Rc;

use shaders::repack::{self, Repack, rows_alignment};
use shaders::{LayoutError, PlanarLayout};

use crate::plan::{Grid, Limits, Origin, Plan, PlanError, Value};
use crate::weights::MatrixSpec;

/// The share of a table whose rows stay on the device: the first ones, as a tokenizer numbers its merges by frequency. As
/// many others make room for one another.
const SHARE: u64 = 32;
/// Maximum size of the cache, but for the rows of a step.
const MAX_BYTES: u64 = 128 << 20;
/// Bytes that are fetched at once.
const STAGED_BYTES: u64 = 2 << 20;

/// The row cache. Its rows are in lines of a few consecutive ones: as many as have planes of whole words.
#[derive(Debug)]
pub struct RowCacheValues {
    /// Rows of a line.
    pub line: u32,
    /// Lines of the table.
    pub lines: u32,
    /// Lines that stay, counted from the first one of the table.
    pub fixed: u32,
    /// Lines that are fetched at once.
    pub staged: u32,
    /// Bytes of a row in the file.
    pub row_bytes: u64,
    /// The layout of [`Self::rows`].
    pub layout: PlanarLayout,
    /// The rows in the cache.
    pub rows: Value,
    /// The slot of each line, or [`NONE`](shaders::ple::locate::NONE). u32 `[lines]`.
    pub slots: Value,
    /// The rows of a step in the cache, u32 `[T]`.
    pub located: Value,
    /// Rows as the file has them.
    pub staging: Value,
    /// The parameters of repacking them.
    pub params: Value,
}

impl RowCacheValues {
    /// Describes the values for a table and steps of up to `rows` rows.
    ///
    /// # Errors
    /// When the table has no planar layout.
    pub fn describe(table: &MatrixSpec, rows: u32, limits: Limits) -> Result<Self, LayoutError> {
        let layout = |n: u64| PlanarLayout::new(table.dtype, table.k, n);
        let line = rows_alignment(table.dtype, layout(1)?.k);
        let lines = table.n.div_ceil(line.into());
        let of_line = layout(line.into())?.bytes();
        let (fixed, moving) = (lines / SHARE, (lines / SHARE).max(rows.into()));
        let most = (limits.largest_binding.min(MAX_BYTES) / of_line).max(rows.into());
        let held = (fixed + moving).min(lines).min(most);
        // The others must have room for all rows of a step.
        let fixed = fixed.min(held / 2).min(held.saturating_sub(rows.into()));
        let layout = layout(held * u64::from(line))?;
        let row_bytes = table.row_bytes();
        let staged = (STAGED_BYTES / (row_bytes * u64::from(line)).max(1)).clamp(1, held.max(1));
        let staging = (staged * u64::from(line) * row_bytes).next_multiple_of(4);
        Ok(Self {
            line,
            lines: lines as u32,
            fixed: fixed as u32,
            staged: staged as u32,
            row_bytes,
            layout,
            rows: Value::state("per-layer rows", layout.bytes()),
            slots: Value::state("slots of per-layer rows", 4 * lines),
            located: Value::temporary("located rows", 4 * u64::from(rows)),
            staging: Value::state("per-layer rows of the file", staging),
            params: Value::new("their places", size_of::<repack::Params>() as u64, Origin::Params),
        })
    }

    /// Lines in the cache.
    pub const fn held(&self) -> u32 {
        self.layout.n / self.line
    }

    /// Repacks staged rows into their places, for so many rows.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        let (dtype, layout) = (self.layout.dtype, self.layout);
        let grid = move |rows| {
            repack::Params::new(&layout, 0, rows, 0).map_or([0; 3], |params| repack::dispatch(dtype, &params))
        };
        let mut plan = Plan::default();
        let operands = [&self.staging, &self.rows];
        plan.push_shared(Repack(dtype), &self.params, &operands, Grid::Rows(Rc::new(grid)))?;
        Ok(plan)
    }
}
