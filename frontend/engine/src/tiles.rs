//! Which kernels multiply the rows of prompts where a device has no matrix units.

use std::rc::Rc;

use shaders::matmul::pack_rows::PackRows;
use shaders::matmul::{PackedMatmul, PackedTile};
use shaders::state::State;
use shaders::{DType, Kernel, PlanarLayout};

use crate::check::check;
use crate::gpu::{Gpu, GpuError, Memory, Timer};
use crate::model::product::{push_floats, push_packed, push_packed_rows};
use crate::plan::{Plan, Value};

/// The matrix whose products are timed: elements along K, rows. 43 ms in f32 for 256 rows of X at 50 GFLOP/s.
const TIMED: [u32; 2] = [1024, 4096];
/// Rows of a long prompt, then of shorter ones, with the minimum gain: products of int8 round more.
const TIMED_ROWS: [(u32, f64); 3] = [(256, 1.1), (64, 1.0), (16, 1.0)];
/// Maximum number of runs of a timing.
const MOST_RUNS: u32 = 32;
/// Milliseconds of both products together from which one timing of each is enough.
const LONG: f64 = 20.0;

/// Decides whether rows of prompts are rounded to int8 for products with matrices of these types: as `known` or the device's
/// options say, or else if the device computes those kernels right, and faster than products in f32. A software device has
/// f32 alone, whose instructions it has, too. Calls `timing` before it times them.
///
/// # Errors
/// When the device was lost or has no memory.
pub async fn choose(
    gpu: &Gpu,
    dtypes: impl IntoIterator<Item = DType>,
    known: Option<bool>,
    timing: &mut dyn FnMut(),
) -> Result<bool, GpuError> {
    let limits = gpu.plan_limits();
    if limits.matrix_units {
        return Ok(false);
    }
    if let Some(known) = known.or(gpu.packed_tiles()) {
        return Ok(known);
    }
    let mut types: Vec<DType> = dtypes.into_iter().filter(|dtype| !dtype.is_float()).collect();
    types.sort_by_key(|dtype| dtype.name());
    types.dedup();
    let Some(&first) = types.first().filter(|_| !limits.software) else { return Ok(false) };
    timing();
    // Where these are slow, the others need not be compiled.
    match is_faster(gpu, first).await {
        Ok(true) => {}
        // Some browsers do not support products of integers.
        Ok(false) | Err(GpuError::Kernel { .. }) => return Ok(false),
        Err(error) => return Err(error),
    }
    let products = types.into_iter().flat_map(|dtype| {
        PackedTile::ALL.map(|tile| Rc::new(PackedMatmul { tile, dtype, experts: false }) as Rc<dyn Kernel>)
    });
    for kernel in products.chain([Rc::new(PackRows) as Rc<dyn Kernel>]) {
        if check(gpu, &*kernel).await?.problem.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether products of int8 are faster than those in f32, rounding included.
async fn is_faster(gpu: &Gpu, dtype: DType) -> Result<bool, GpuError> {
    let [k, n] = TIMED;
    let rows = TIMED_ROWS[0].0;
    let Ok(layout) = PlanarLayout::new(dtype, k.into(), n.into()) else { return Ok(false) };
    let [floats, bytes] = [rows * k * 4, rows * k].map(u64::from);
    let state = &Value::state("state", size_of::<State>() as u64);
    let weights = &Value::state("weights", layout.bytes());
    let x = &Value::state("rows", floats);
    let packed = [("rows in int8", bytes), ("scales of rows", bytes / 2)];
    let packed = packed.map(|(name, bytes)| Value::state(name, bytes));
    let y = &Value::state("products", u64::from(rows * n * 4));
    let limits = gpu.plan_limits();
    let matrix = (dtype, &layout, weights);
    let (mut in_f32, mut in_int8) = (Plan::default(), Plan::default());
    push_floats(&mut in_f32, limits, matrix, None, [state, x, y], rows)?;
    push_packed_rows(&mut in_int8, k, [state, x], &packed)?;
    push_packed(&mut in_int8, matrix, [state, y], &packed, rows)?;
    let mut memory = Memory::default();
    let values = in_f32.values().into_iter().chain(in_int8.values());
    gpu.allocate("a measurement of products", values, &mut memory).await?;
    let programs = [gpu.bind(&in_f32, &memory).await?, gpu.bind(&in_int8, &memory).await?];
    let timer = Timer::new(gpu)?;
    for (rows, gain) in TIMED_ROWS {
        let written = State { len: rows, ..State::default() };
        gpu.queue().write_buffer(memory.get(state)?, 0, bytemuck::bytes_of(&written));
        let mut least = [f64::INFINITY; 2];
        // In turns, as the clock of an idle device rises.
        for _ in 0..2 {
            for (least, program) in least.iter_mut().zip(&programs) {
                *least = least.min(timer.time_rows(program, rows, MOST_RUNS, &|| ()).await?);
            }
            if least[0] + least[1] > LONG {
                break;
            }
        }
        if least[0] < gain * least[1] {
            return Ok(false);
        }
    }
    Ok(true)
}
