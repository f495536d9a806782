// Y[T, N] = X[T, K] · W[N, K]ᵀ for the rows of a prefill chunk, by matrix units that multiply int8 with sums in i32. X and W are
// rounded to two terms each, in blocks of 1024 along K (int8_blocks.wgsl): x ≈ dx·(128·qx + rx), w ≈ dw·(128·qw + rw). So the
// product of two blocks is 128·dx·dw·(128·Σ qx·qw + Σ rx·qw + Σ qx·rw). Σ rx·rw is left out: its terms are below 2^-15 of the
// largest product. The matrix units go through each block three times. The sums of a block fit in 31 bits.
//
// A workgroup computes BM×BN of Y, a subgroup BM/ROWS × BN/COLUMNS of it in matrices of 16×16. It loops over K in steps of BK:
// codes of X and W are copied into workgroup memory, rows of BK bytes and 16 more, so that the rows of a matrix are in different
// banks. The codes of the next step are loaded during the products of this one. At the end of each block the sums pass through
// workgroup memory, those of sixteen columns of a subgroup at a time: a matrix can't be scaled by row and column, so each
// invocation scales eight elements of it and adds them in f32. T is state.len: workgroups beyond it return at once. Rows beyond
// the last are read as the last, without a branch.
//
// Where few workgroups would have long rows to multiply, K is split: the grid has a third dimension, and y the sums of each
// part, for rows/group_sum.wgsl.
//
// Bindings: params, state, codes [N, 2, K/16] (16 a vec4) and scales [N, ⌈K/1024⌉] of W, the same of X for T
// rows, Y f32 [T, splits, width], of which this product writes the columns from y_at on.
// Workgroup: 32·ROWS·COLUMNS, for subgroups of 32. Grid: (ceil(N / BN), ceil(T / BM), splits).
// Workgroup memory: (BM + BN)·(BK + 16) + 64·BM·COLUMNS + 4·BM bytes. K is a multiple of BK.

#include "matmul/cooperative_int8/{{DIALECT}}.wgsl"
#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> w: array<vec4<u32>>;
var<storage, read> w_scales: array<f32>;
var<storage, read> x: array<vec4<u32>>;
var<storage, read> x_scales: array<f32>;
var<storage, read_write> y: array<f32>;

const BM = {{BM}}u;
const BN = {{BN}}u;
const THREADS = {{THREADS}}u;
const M_TILES = {{M_TILES}}u;
// Sixteen elements: in a row of a tile, and from one row to the next.
const UNITS = {{BK}}u / 16u;
const STRIDE = UNITS + 1u;
const BLOCK_STEPS = 1024u / {{BK}}u;

// The rows of X and W that a subgroup multiplies are an array of their own.
const X_ROWS = BM / {{ROWS}}u;
const W_ROWS = BN / {{COLUMNS}}u;
var<workgroup> x_tile: array<array<vec4<i32>, X_ROWS * STRIDE>, {{ROWS}}>;
var<workgroup> w_tile: array<array<vec4<i32>, W_ROWS * STRIDE>, {{COLUMNS}}>;
// Scales of the block for the rows of X.
var<workgroup> row_scales: array<f32, BM>;
// Matrices of Y for each subgroup.
var<workgroup> result: array<array<i32, 256>, THREADS / 32u * M_TILES>;

@compute @workgroup_size({{THREADS}})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
#if !PLAIN
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
#endif
) {
    let t0 = group.y * BM;
    if (t0 >= state.len) {
        return;
    }
#if PLAIN
    let subgroup = thread / 32u;
    let lane = thread % 32u;
#endif
    let count = state.len - t0;
    let n0 = group.x * BN;
    let x_part = subgroup / {{COLUMNS}}u;
    let w_part = subgroup % {{COLUMNS}}u;
    let m_at = x_part * X_ROWS;
    let n_at = w_part * W_ROWS;
    let blocks = params.blocks_per_row;
    let first = (blocks * group.z / grid.z) * BLOCK_STEPS;
    let end = min((blocks * (group.z + 1u) / grid.z) * BLOCK_STEPS, params.units_per_row / UNITS);
    // The steps of a block are taken three times, with these terms of X and W: (q, q), (r, q), (q, r).
    var s = first;
    var turn = 0u;

    // Where this thread reads in the first step.
#for i in 0..X_LOADS
    let x{{i}}_at = (t0 + min((thread + {{i}}u * THREADS) / UNITS, count - 1u)) * 2u * params.units_per_row + thread % UNITS;
#endfor
#for i in 0..W_LOADS
    let w{{i}}_at = min(n0 + (thread + {{i}}u * THREADS) / UNITS, params.n - 1u) * 2u * params.units_per_row + thread % UNITS;
#endfor

    // Where this lane's elements of the matrices are scaled: a column of each, and every second row.
    let column = lane % 16u;
    let scales_at = (t0 + min(thread, count - 1u)) * blocks;
#for j in 0..N_TILES
    let w_scale{{j}}_at = min(n0 + n_at + {{j}}u * 16u + column, params.n - 1u) * blocks;
#endfor

#for i in 0..M_TILES
#for j in 0..N_TILES
    var y{{i}}_{{j}} = YMatrix();
    var sum{{i}}_{{j}} = array<f32, 8>();
#endfor
#endfor
#for i in 0..X_LOADS
    var next_x{{i}} = x[x{{i}}_at + first * UNITS];
#endfor
#for i in 0..W_LOADS
    var next_w{{i}} = w[w{{i}}_at + first * UNITS];
#endfor

    while (s < end) {
#for i in 0..X_LOADS
        {
            let row = (thread + {{i}}u * THREADS) / UNITS;
            x_tile[row / X_ROWS][row % X_ROWS * STRIDE + thread % UNITS] = bitcast<vec4<i32>>(next_x{{i}});
        }
#endfor
#for i in 0..W_LOADS
        {
            let row = (thread + {{i}}u * THREADS) / UNITS;
            w_tile[row / W_ROWS][row % W_ROWS * STRIDE + thread % UNITS] = bitcast<vec4<i32>>(next_w{{i}});
        }
#endfor
        workgroupBarrier();

        let is_last = (s + 1u) % BLOCK_STEPS == 0u || s + 1u == end;
        let next_turn = select(turn, (turn + 1u) % 3u, is_last);
        let next = select(s + 1u, s - s % BLOCK_STEPS, is_last && turn < 2u);
        let x_next = min(next, end - 1u) * UNITS + select(0u, params.units_per_row, next_turn == 1u);
        let w_next = min(next, end - 1u) * UNITS + select(0u, params.units_per_row, next_turn == 2u);
#for i in 0..X_LOADS
        next_x{{i}} = x[x{{i}}_at + x_next];
#endfor
#for i in 0..W_LOADS
        next_w{{i}} = w[w{{i}}_at + w_next];
#endfor
#for k in 0..DEPTHS
        {
#for j in 0..N_TILES
            let w_matrix{{j}} = load_w{{j}}_{{k}}(w_part);
#endfor
#for i in 0..M_TILES
            let x_matrix{{i}} = load_x{{i}}_{{k}}(x_part);
#for j in 0..N_TILES
            y{{i}}_{{j}} = multiply_add(x_matrix{{i}}, w_matrix{{j}}, y{{i}}_{{j}}, lane);
#endfor
#endfor
        }
#endfor

        if (is_last && turn == 0u) {
#for i in 0..M_TILES
#for j in 0..N_TILES
            y{{i}}_{{j}} = times_128(y{{i}}_{{j}});
#endfor
#endfor
        }
        if (is_last && turn == 2u) {
            let block = s / BLOCK_STEPS;
            if (thread < BM) {
                row_scales[thread] = x_scales[scales_at + block];
            }
#for j in 0..N_TILES
            let w_scale{{j}} = w_scales[w_scale{{j}}_at + block];
#endfor
#for j in 0..N_TILES
#for i in 0..M_TILES
            store_y(y{{i}}_{{j}}, subgroup * M_TILES + {{i}}u, lane);
            y{{i}}_{{j}} = YMatrix();
#endfor
            workgroupBarrier();
#for i in 0..M_TILES
            for (var r = 0u; r < 8u; r += 1u) {
                let scale = 128.0 * w_scale{{j}} * row_scales[m_at + {{i}}u * 16u + r * 2u + lane / 16u];
                sum{{i}}_{{j}}[r] += scale * f32(result[subgroup * M_TILES + {{i}}u][r * 32u + lane]);
            }
#endfor
            workgroupBarrier();
#endfor
        } else {
            workgroupBarrier();
        }
        s = next;
        turn = next_turn;
    }

#for i in 0..M_TILES
#for j in 0..N_TILES
    for (var r = 0u; r < 8u; r += 1u) {
        let m = m_at + {{i}}u * 16u + r * 2u + lane / 16u;
        let n = n0 + n_at + {{j}}u * 16u + column;
        if (m < count && n < params.n) {
            y[((t0 + m) * grid.z + group.z) * params.width + params.y_at + n] = sum{{i}}_{{j}}[r];
        }
    }
#endfor
#endfor
}
