//! The plans before the layers: token embeddings and per-layer inputs.

use std::ops::Range;

use shaders::PlanarLayout;
use shaders::embed::gather;
use shaders::ple::combine::{self as combine_kernel, Table};
use shaders::ple::locate as locate_kernel;

use super::few_rows::FewRows;
use super::rows::{product, product_of_one};
use super::{Parts, RowCacheValues, Tuning};
use crate::media::{Block, MediaError};
use crate::plan::{Plan, PlanError, Value};

/// Token embeddings into `h[0]`, scaled by the square root of the width, for any number of rows.
pub fn tokens(parts: &Parts) -> Result<Plan, PlanError> {
    let s = &parts.scratch;
    let mut steps = Plan::default();
    let table = parts.matrix("token_embd")?;
    for part in &table.parts {
        let params = gather::Params::new(&part.layout, part.row0, (parts.config.width as f32).sqrt());
        let buffers = [&part.value, &s.tokens, &s.state, &s.h[0]];
        let kernel = gather::Gather(table.dtype);
        steps.push_rows(kernel, &params, &buffers, move |rows| params.dispatch(rows))?;
    }
    Ok(steps)
}

/// Encodes the copy of soft tokens over the embeddings of their slots in a stream of this width; `part` are positions, of which
/// the first is row `row`.
///
/// # Errors
/// [`MediaError`] when there are none, or those of another width.
pub fn place(
    encoder: &mut wgpu::CommandEncoder,
    stream: &wgpu::Buffer,
    width: u32,
    block: &Block,
    (part, row): (&Range<u32>, u32),
) -> Result<(), MediaError> {
    let at = block.range().start;
    let rows = block.rows().ok_or(MediaError::NotEncoded { at })?;
    if rows.width() != width {
        return Err(MediaError::Width { found: rows.width(), expected: width });
    }
    let bytes = |rows: u32| 4 * u64::from(rows) * u64::from(width);
    let (from, to) = (bytes(part.start - at), bytes(row));
    encoder.copy_buffer_to_buffer(rows.rows(), from, stream, to, bytes(part.end - part.start));
    Ok(())
}

/// Per-layer inputs into `ple`, from `h[0]` and the table (or rows from the host), for any number of rows.
pub fn per_layer(parts: &Parts) -> Result<Plan, PlanError> {
    let (s, mut plan) = (&parts.scratch, Plan::default());
    if parts.weights.ple_norm.is_some() {
        product(parts, &mut plan, "per_layer_model_proj", &s.h[0], &s.ple_projected)?;
        combine(parts, &mut plan, false)?;
    }
    Ok(plan)
}

/// Returns the same for a few rows.
pub fn per_layer_of_few(parts: &Parts, rows: FewRows) -> Result<Plan, PlanError> {
    let (s, mut plan) = (&parts.scratch, Plan::default());
    if parts.weights.ple_norm.is_some() {
        let matrix = parts.matrix("per_layer_model_proj")?;
        rows.apart(parts, &mut plan, &s.h[0], &[(matrix, &s.ple_projected)])?;
        combine(parts, &mut plan, true)?;
    }
    Ok(plan)
}

/// Returns the same for a single row, with the product of decode.
pub fn per_layer_of_one(parts: &Parts, tuning: Tuning) -> Result<Plan, PlanError> {
    if !tuning.is_fused(&parts.config) {
        return per_layer_of_few(parts, FewRows::new(&parts.config, 1, tuning));
    }
    let (s, mut plan) = (&parts.scratch, Plan::default());
    if parts.weights.ple_norm.is_none() {
        return Ok(plan);
    }
    product_of_one(parts, &mut plan, tuning, "per_layer_model_proj", [&s.h[0], &s.ple_projected])?;
    combine(parts, &mut plan, true)?;
    Ok(plan)
}

/// Adds and scales the normed projection and the row of the table. `few_rows`: of a token and drafts, whose rows need not be in
/// the cache of a table that is on the host.
fn combine(parts: &Parts, steps: &mut Plan, few_rows: bool) -> Result<(), PlanError> {
    let (s, config) = (&parts.scratch, &parts.config);
    let Some(norm) = &parts.weights.ple_norm else { return Ok(()) };
    let params =
        combine_kernel::Params::new(config.width, config.layers.len() as u32, config.ple, config.eps);
    if let Some(cache) = &s.row_cache {
        locate(parts, steps, cache, few_rows)?;
    }
    let mut rows_of = |layout: &PlanarLayout, row0: u32, table: &Value, rows: &Value| {
        let kernel = combine_kernel::Combine(Table::Planar(layout.dtype));
        let params = params.with_table(layout, row0);
        let buffers = [&s.ple_projected, norm, &s.state, table, &s.ple, rows];
        steps.push_rows(kernel, &params, &buffers, move |rows| params.dispatch(rows))
    };
    if let Some(cache) = &s.row_cache {
        return rows_of(&cache.layout, 0, &cache.rows, &cache.located);
    }
    let table = parts.matrix("per_layer_token_embd")?;
    table.parts.iter().try_for_each(|part| rows_of(&part.layout, part.row0, &part.value, &s.tokens))
}

/// Finds the rows of the tokens in the cache.
fn locate(parts: &Parts, steps: &mut Plan, cache: &RowCacheValues, few_rows: bool) -> Result<(), PlanError> {
    let s = &parts.scratch;
    let params = locate_kernel::Params::new(cache.line);
    let buffers = [&s.state, &cache.slots, &s.tokens, &cache.located];
    steps.push_rows(locate_kernel::Locate { few_rows }, &params, &buffers, locate_kernel::dispatch)
}
