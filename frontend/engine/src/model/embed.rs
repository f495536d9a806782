//! The dispatches in front of the layers: token embeddings, and the per-layer inputs.

use std::rc::Rc;

use shaders::embed::gather;
use shaders::matvec::{Epilogue, Matvec, Prologue};
use shaders::ple::combine::{self, Table};
use shaders::selftest::Form;

use super::Parts;
use super::forms::matvec_form;
use super::prefill::product;
use crate::gpu::{Gpu, GpuError, Grid, Reads, Steps};

/// Embeddings into `h[0]`, scaled by the root of the width, for any number of rows.
///
/// # Errors
/// When the device refuses a kernel.
pub async fn tokens(gpu: &Gpu, parts: &Parts) -> Result<Steps, GpuError> {
    let s = &parts.scratch;
    let mut steps = Steps::default();
    let table = parts.matrix("token_embd")?;
    for part in &table.parts {
        let params = gather::Params::new(&part.layout, part.row0, (parts.config.width as f32).sqrt());
        let buffers: [&wgpu::Buffer; 4] = [&part.buffer, &s.tokens, &s.state, &s.h[0]];
        let grid = Grid::Rows(Rc::new(move |rows| params.dispatch(rows)));
        steps.push(gpu, &gather::source(table.dtype)?, &params, &buffers, grid).await?;
        steps.tried_as(Form::Gather(table.dtype));
    }
    Ok(steps)
}

/// Per-layer inputs into `ple`, from `h[0]` and the table (or the rows that the host brought). With `one`, for a single
/// row, by the product of decode.
///
/// # Errors
/// When the device refuses a kernel.
pub async fn per_layer(gpu: &Gpu, parts: &Parts, one: bool) -> Result<Steps, GpuError> {
    let (s, config) = (&parts.scratch, &parts.config);
    let mut steps = Steps::default();
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
        kernel.form = matvec_form(gpu, parts.packed, &kernel, matrix.n);
        let (mut params, grid) = kernel.dispatch(&[matrix.n]);
        params.planes[0] = matrix.whole().layout.planes;
        let buffers: [&wgpu::Buffer; 3] = [&s.ple_projected, &s.h[0], &matrix.whole().buffer];
        steps.push(gpu, &kernel.source()?, &params, &buffers, Grid::Fixed(grid)).await?;
        steps.reading(Reads::Fixed(matrix.whole().layout.bytes()));
        steps.tried_as(Form::Matvec(kernel));
    } else {
        product(gpu, parts, &mut steps, "per_layer_model_proj", &s.h[0], &s.ple_projected).await?;
    }
    let params = combine::Params::new(config.width, config.layers.len() as u32, config.ple, config.eps);
    match parts.weights.matrix("per_layer_token_embd") {
        Some(table) => {
            for part in &table.parts {
                let params = params.with_table(&part.layout, part.row0);
                let buffers: [&wgpu::Buffer; 6] =
                    [&s.ple_projected, norm, &s.state, &part.buffer, &s.ple, &s.tokens];
                let grid = Grid::Rows(Rc::new(move |rows| params.dispatch(rows)));
                let from = Table::Planar(table.dtype);
                steps.push(gpu, &combine::source(from)?, &params, &buffers, grid).await?;
                steps.tried_as(Form::Combine(from));
            }
        }
        None => {
            let buffers: [&wgpu::Buffer; 5] = [&s.ple_projected, norm, &s.state, &s.ple_rows, &s.ple];
            let grid = Grid::Rows(Rc::new(move |rows| params.dispatch(rows)));
            steps.push(gpu, &combine::source(Table::Host)?, &params, &buffers, grid).await?;
            steps.tried_as(Form::Combine(Table::Host));
        }
    }
    Ok(steps)
}
