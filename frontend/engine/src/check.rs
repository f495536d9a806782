//! The self-test: kernels on the device against their CPU twins.

use std::sync::Arc;

use shaders::attention::{KvType, cooperative::Cooperative};
use shaders::matmul::{CooperativeMatmul, CooperativeTile, Product, half_rows::HalfRows};
use shaders::selftest::{Arg, Case, Expected};
use shaders::{Access, DType, Kernel, Source};

use crate::gpu::{Gpu, GpuError, Memory};
use crate::plan::{Grid, Origin, Params, Plan, Value};

/// The result for one kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Check {
    /// The kernel.
    pub name: String,
    /// Maximum deviation relative to the tolerance.
    pub deviation: f64,
    /// The error, if any.
    pub problem: Option<Problem>,
}

/// The error of a kernel.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum Problem {
    /// It computes a wrong value.
    #[error("element {element} is {found}, but should be {expected}")]
    Differs { element: usize, found: f32, expected: f32 },
    /// The device rejected it.
    #[error("refused: {reason}")]
    Refused { reason: String },
}

/// Runs a kernel on small inputs and compares its output with the CPU twin's.
///
/// # Errors
/// When the device was lost or has no memory. A rejected kernel is reported in [`Check::problem`].
pub async fn check(gpu: &Gpu, kernel: &dyn Kernel) -> Result<Check, GpuError> {
    let source = kernel.source()?;
    let case = kernel.case().map_err(|error| fault(&source, &format!("cannot be tried: {error}")))?;
    let mut check = Check { name: source.name.clone(), ..Check::default() };
    match run(gpu, &source, &case).await {
        Ok(buffers) => {
            for (expected, words) in case.expected.iter().zip(&buffers) {
                compare(expected, words, &mut check);
            }
        }
        Err(GpuError::Kernel { reason, .. }) => check.problem = Some(Problem::Refused { reason }),
        Err(error) => return Err(error),
    }
    Ok(check)
}

fn fault(source: &Source, what: &str) -> GpuError {
    GpuError::Fault { reason: format!("{} {what}", source.name) }
}

/// Returns the words of each binding with an expected value.
async fn run(gpu: &Gpu, source: &Source, case: &Case) -> Result<Vec<Vec<u32>>, GpuError> {
    let [Arg::Uniform(params), args @ ..] = case.args.as_slice() else {
        return Err(fault(source, "has no parameters"));
    };
    let mut memory = Memory::default();
    let mut insert = |buffer, origin| {
        let value = Value::new("self-test", 0, origin);
        memory.insert(value.clone(), buffer);
        value
    };
    let uniform = insert(gpu.uniform_with(&source.name, params)?, Origin::Params);
    let (mut buffers, mut values) = (Vec::with_capacity(args.len()), Vec::with_capacity(args.len()));
    for arg in args {
        match arg {
            Arg::Words(words) => {
                let buffer = gpu.storage_with(&source.name, words)?;
                values.push(insert(Arc::clone(&buffer), Origin::State));
                buffers.push(buffer);
            }
            Arg::Uniform(_) => return Err(fault(source, "has two uniforms")),
        }
    }
    let mut plan = Plan::default();
    let operands: Vec<&Value> = values.iter().collect();
    plan.push_source(source, Params::Shared(uniform), &operands, Grid::Fixed(case.grid))?;
    gpu.run(&gpu.bind(&plan, &memory).await?, 1);
    let mut read = Vec::with_capacity(case.expected.len());
    for expected in &case.expected {
        debug_assert_eq!(source.bindings[expected.binding].access, Access::ReadWrite);
        let buffer = &buffers[expected.binding - 1];
        let bytes = gpu.read_once(buffer, 0, buffer.size()).await?;
        read.push(bytemuck::pod_collect_to_vec(&bytes));
    }
    Ok(read)
}

/// Tries matrix units, if the device has them, and gives them up if it computes a kernel wrongly or rejects it.
///
/// # Errors
/// When the device was lost or has no memory.
pub async fn try_matrix_units(gpu: &Gpu) -> Result<(), GpuError> {
    if !gpu.plan_limits().matrix_units {
        return Ok(());
    }
    let attention = Cooperative { head_dim: 256, kv_type: KvType::F16, until: false };
    let (tile, dtype) = (CooperativeTile::LARGE, DType::Q4_K);
    let product = CooperativeMatmul { tile, dtype, product: Product::Rows };
    for kernel in [&HalfRows as &dyn Kernel, &product, &attention] {
        if check(gpu, kernel).await?.problem.is_some() {
            gpu.give_up_matrix_units();
            return Ok(());
        }
    }
    Ok(())
}

fn compare(expected: &Expected, words: &[u32], check: &mut Check) {
    let got = expected.reading.read(words, expected.values.len());
    for (index, &want) in expected.values.iter().enumerate() {
        let found = got.get(index).copied().unwrap_or(f32::NAN);
        let allowed = expected.absolute + expected.relative * want.abs();
        let differs = f64::from((found - want).abs());
        // With zero tolerance, values must be equal. NaN is never close to a number.
        let share = if differs == 0.0 { 0.0 } else { differs / f64::from(allowed) };
        let share = if share.is_nan() { f64::INFINITY } else { share };
        check.deviation = check.deviation.max(share);
        if share > 1.0 && check.problem.is_none() {
            check.problem = Some(Problem::Differs { element: index, found, expected: want });
        }
    }
}
