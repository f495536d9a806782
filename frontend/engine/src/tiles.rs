//! Which kernels multiply the rows of prompts where a device has no matrix units.

use std::rc::Rc;

use shaders::matmul::pack_rows::{self, PackRows};
use shaders::matmul::{Matmul, PackedMatmul, PackedTile, Params, Tile};
use shaders::state::State;
use shaders::{DType, Kernel, PlanarLayout};

use crate::check::check;
use crate::gpu::{Gpu, GpuError, Memory, Timer};
use crate::plan::{Plan, Value};

/// The product that is timed: rows of X, elements along K, rows of W.
const TIMED: [u32; 3] = [256, 2048, 4096];
/// Minimum gain, as products of int8 round more.
const MIN_GAIN: f64 = 1.1;
/// Maximum number of runs of a timing.
const MOST_RUNS: u32 = 32;

/// Decides whether rows of prompts are rounded to int8 for products with matrices of these types: if the device computes those
/// kernels right, and faster than products in f32. A software device has f32 alone, whose instructions it has, too.
///
/// # Errors
/// When the device was lost or has no memory.
pub async fn choose(gpu: &Gpu, dtypes: impl IntoIterator<Item = DType>) -> Result<(), GpuError> {
    let limits = gpu.plan_limits();
    if limits.matrix_units || gpu.packed_tiles() == Some(false) {
        return Ok(());
    }
    let mut types: Vec<DType> = dtypes.into_iter().filter(|dtype| !dtype.is_float()).collect();
    types.sort_by_key(|dtype| dtype.name());
    types.dedup();
    let Some(&first) = types.first() else { return Ok(()) };
    if gpu.packed_tiles().is_none() && limits.software {
        gpu.set_packed_tiles(false);
        return Ok(());
    }
    let products = types.into_iter().flat_map(|dtype| {
        PackedTile::ALL.map(|tile| Rc::new(PackedMatmul { tile, dtype }) as Rc<dyn Kernel>)
    });
    for kernel in products.chain([Rc::new(PackRows) as Rc<dyn Kernel>]) {
        if check(gpu, &*kernel).await?.problem.is_some() {
            gpu.set_packed_tiles(false);
            return Ok(());
        }
    }
    if gpu.packed_tiles().is_none() {
        gpu.set_packed_tiles(is_faster(gpu, first).await?);
    }
    Ok(())
}

/// Returns whether a product of int8 is faster than one in f32, rounding included.
async fn is_faster(gpu: &Gpu, dtype: DType) -> Result<bool, GpuError> {
    let [rows, k, n] = TIMED;
    let Ok(layout) = PlanarLayout::new(dtype, k.into(), n.into()) else { return Ok(false) };
    let [floats, bytes] = [rows * k * 4, rows * k].map(u64::from);
    let values @ [state, weights, x, codes, scales, y] = &[
        Value::state("state", size_of::<State>() as u64),
        Value::state("weights", layout.bytes()),
        Value::state("rows", floats),
        Value::state("rows in int8", bytes),
        Value::state("scales of rows", bytes / 2),
        Value::state("products", u64::from(rows * n * 4)),
    ];
    let mut memory = Memory::default();
    gpu.allocate("a measurement of products", values, &mut memory).await?;
    let written = State { len: rows, ..State::default() };
    gpu.queue().write_buffer(memory.get(state)?, 0, bytemuck::bytes_of(&written));

    let params = Params::new(&layout);
    let (mut in_f32, mut in_int8) = (Plan::default(), Plan::default());
    let tile = Tile::choose(rows, n, false);
    let kernel = Matmul { tile, dtype, clamped: false };
    in_f32.push_rows(kernel, &params, &[weights, state, x, y], move |rows| tile.dispatch(&params, rows))?;
    let packing = pack_rows::Params::new(k);
    let grid = move |rows| packing.dispatch(rows);
    in_int8.push_rows(PackRows, &packing, &[state, x, codes, scales], grid)?;
    let tile = PackedTile::choose(rows, n);
    let grid = move |rows| tile.dispatch(&params, rows);
    let operands = [weights, state, codes, scales, y];
    in_int8.push_rows(PackedMatmul { tile, dtype }, &params, &operands, grid)?;
    let programs = [gpu.bind(&in_f32, &memory).await?, gpu.bind(&in_int8, &memory).await?];
    let timer = Timer::new(gpu)?;
    let mut least = [f64::INFINITY; 2];
    // In turns, as the clock of an idle device rises.
    for _ in 0..2 {
        for (least, program) in least.iter_mut().zip(&programs) {
            *least = least.min(timer.time_rows(program, rows, MOST_RUNS, &|| ()).await?);
        }
    }
    Ok(least[0] >= MIN_GAIN * least[1])
}
