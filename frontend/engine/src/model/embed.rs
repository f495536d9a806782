//! The dispatches in front of the layers: token embeddings, and the per-layer inputs.

use std::rc::Rc;

use shaders::embed::gather;
use shaders::matvec::{Epilogue, Matvec, Prologue};
use shaders::ple::combine::{self, Table};
use shaders::selftest::Form;

use super::Parts;
use super::forms::matvec_form;
use super::prefill::product;
use crate::plan::{Grid, Plan, PlanError, Traffic, Value};

/// Embeddings into `h[0]`, scaled by the root of the width, for any number of rows.
///
/// # Errors
/// [`PlanError`].
pub fn tokens(parts: &Parts) -> Result<Plan, PlanError> {
    let s = &parts.scratch;
    let mut steps = Plan::default();
    let table = parts.matrix("token_embd")?;
    for part in &table.parts {
        let params = gather::Params::new(&part.layout, part.row0, (parts.config.width as f32).sqrt());
        let buffers: [&Value; 4] = [&part.value, &s.tokens, &s.state, &s.h[0]];
        let grid = Grid::Rows(Rc::new(move |rows| params.dispatch(rows)));
        steps.push(&gather::source(table.dtype)?, &params, &buffers, grid)?;
        steps.tried_as(Form::Gather(table.dtype));
    }
    Ok(steps)
}

/// Per-layer inputs into `ple`, from `h[0]` and the table (or the rows that the host brought). With `one`, for a single
/// row, by the product of decode.
///
/// # Errors
/// [`PlanError`].
pub fn per_layer(parts: &Parts, one: bool) -> Result<Plan, PlanError> {
    let (s, config) = (&parts.scratch, &parts.config);
    let mut steps = Plan::default();
    let Some(norm) = &parts.weights.ple_norm else { return Ok(steps) };
    if one {
        let matrix = parts.matrix("per_layer_model_proj")?;
        let mut kernel = Matvec {
            k: matrix.k,
            dtypes: vec![matrix.dtype],
            prologue: Prologue::Plain,
            epilogue: Epilogue::Store,
            adapted: shaders::matvec::Adapted::NOT,
            form: shaders::matvec::Form::default(),
        };
        kernel.form = matvec_form(parts.limits, parts.packed, &kernel, matrix.n);
        let (mut params, grid) = kernel.dispatch(&[matrix.n]);
        params.planes[0] = matrix.whole().layout.planes;
        let buffers: [&Value; 3] = [&s.ple_projected, &s.h[0], &matrix.whole().value];
        steps.push(&kernel.source()?, &params, &buffers, Grid::Fixed(grid))?;
        steps.reading(Traffic::Fixed(matrix.whole().layout.bytes()));
        steps.tried_as(Form::Matvec(kernel));
    } else {
        product(parts, &mut steps, "per_layer_model_proj", &s.h[0], &s.ple_projected)?;
    }
    let params = combine::Params::new(config.width, config.layers.len() as u32, config.ple, config.eps);
    match parts.weights.matrix("per_layer_token_embd") {
        Some(table) => {
            for part in &table.parts {
                let params = params.with_table(&part.layout, part.row0);
                let buffers: [&Value; 6] = [&s.ple_projected, norm, &s.state, &part.value, &s.ple, &s.tokens];
                let grid = Grid::Rows(Rc::new(move |rows| params.dispatch(rows)));
                let from = Table::Planar(table.dtype);
                steps.push(&combine::source(from)?, &params, &buffers, grid)?;
                steps.tried_as(Form::Combine(from));
            }
        }
        None => {
            let buffers: [&Value; 5] = [&s.ple_projected, norm, &s.state, &s.ple_rows, &s.ple];
            let grid = Grid::Rows(Rc::new(move |rows| params.dispatch(rows)));
            steps.push(&combine::source(Table::Host)?, &params, &buffers, grid)?;
            steps.tried_as(Form::Combine(Table::Host));
        }
    }
    Ok(steps)
}
