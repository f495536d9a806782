// Y[T, N] = X[T, K] · W[N, K]ᵀ for the rows of a prefill chunk, X rounded to int8, W planar of a quantised type: dot products of
// integers by units of 16 elements, whose sums are scaled and added in f32. A scale for each 32 is a tenth faster, and misses what
// llama.cpp reaches on two golden models (MEASUREMENTS.md).
//
// A workgroup computes BM×BN of Y; a thread computes TM×TN of it in registers: rows m + i·BM/TM, columns n + j·BN/TN. It
// loops over K in steps of STEP blocks: the codes of X are copied and those of W unpacked once, into workgroup memory, by
// units of 16 codes. The words of the next step are loaded during the products of this one. T is state.len: workgroups
// beyond it return at once.
//
// EXPERTS: W is one of several matrices of a mixture, and a workgroup takes one tile of pairs, as in matmul.wgsl.
//
// Bindings: params, weights (planar, [N, K]), state (with EXPERTS tiles and pairs), codes of X [T, K/16, 4] and its scales [T, K/16, 2], as
// matmul/pack_rows.wgsl writes them, Y f32 [T, splits, N]: where there would be few workgroups, each takes a part of K, and
// rows/group_sum.wgsl adds them.
// Workgroup: BM/TM · BN/TN. Grid: (ceil(N / BN), ceil(T / BM), splits). Workgroup memory: at most
// (BM + BN)·STEP·48 bytes.

#if !EXPERTS
#include "shared/state.wgsl"
#endif

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> weights: array<vec4<u32>>;
#if EXPERTS
var<storage, read> tiles: array<vec4<u32>>; // expert, first pair, number of pairs
var<storage, read> pairs: array<u32>;
#else
var<storage, read> state: State;
#endif
#include "shared/blocks.wgsl" with P=w, DTYPE={{DTYPE}}, BUF=weights
var<storage, read> x: array<vec4<u32>>;
var<storage, read> x_scales: array<vec4<f32>>;
var<storage, read_write> y: array<f32>;

const BM = {{BM}}u;
const BN = {{BN}}u;
const STEP = {{STEP}}u;       // blocks along K
const COLUMNS = {{COLUMNS}}u; // BN / TN: threads along N
const ROWS = {{ROWS}}u;       // BM / TM: threads along T
const THREADS = ROWS * COLUMNS;

var<workgroup> x_tile: array<vec4<u32>, STEP * 2u * BM>;
var<workgroup> w_tile: array<vec4<u32>, STEP * 2u * BN>;
// Scales of a block: of X d of both units and the sum of d·Σq, of W (s, m). UNIT_SCALES: of both units, where W has them.
var<workgroup> x_d: array<vec4<f32>, STEP * BM>;
#if UNIT_SCALES
var<workgroup> w_s: array<vec4<f32>, STEP * BN>;
#else
var<workgroup> w_s: array<vec2<f32>, STEP * BN>;
#endif

// Index of unit u of row m in x_tile, permuted so that threads that write together have no bank conflicts.
fn x_slot(u: u32, m: u32) -> u32 {
    return u * BM + (m ^ ((u & 1u) << 2u));
}

// The row of X of number i: of a tile of pairs, or itself.
fn x_row(i: u32) -> u32 {
#if EXPERTS
    return pairs[i] / params.pairs_per_row;
#else
    return i;
#endif
}

// The dot product of two units, added to `sum`.
fn dot_unit(sum: i32, a: vec4<u32>, b: vec4<u32>) -> i32 {
    return sum + dot4I8Packed(a.x, b.x) + dot4I8Packed(a.y, b.y) + dot4I8Packed(a.z, b.z) + dot4I8Packed(a.w, b.w);
}

// A sum, from ZERO on, as a float: it is in the mantissa already. Converting it takes a few per cent longer.
const ZERO = 0x4b400000i;
fn float(sum: i32) -> f32 {
    return bitcast<f32>(sum) - 12582912.0;
}

@compute @workgroup_size({{THREADS}})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let n0 = group.x * BN;
#if EXPERTS
    let tile = tiles[group.y];
    let t0 = 0u;
    let count = tile.z;
    if (count == 0u || tile.x < params.begin || tile.x >= params.end) {
        return;
    }
    let w0 = (tile.x - params.begin) * params.n + n0;
    let first = tile.y;
#else
    let t0 = group.y * BM;
    let count = state.len;
    if (t0 >= count) {
        return;
    }
    let w0 = n0;
    let first = t0;
#endif
    let column = lane % COLUMNS;
    let row = lane / COLUMNS;
    let blocks_per_row = params.units_per_row / 2u;
    let steps = (blocks_per_row + STEP - 1u) / STEP;
    // The steps of this part of K, which may be none.
    let most = (steps + grid.z - 1u) / grid.z;
    let begin = min(group.z * most, steps);
    let end = min(begin + most, steps);

#for i in 0..TM
#for j in 0..TN
    var y{{i}}_{{j}} = 0.0;
#endfor
#endfor

    // Round s loads the words of step s, computes the products of step s − 1, then stores the words of step s.
    for (var s = begin; s <= end; s += 1u) {
#for i in 0..X_LOADS
        var next_x{{i}} = vec4<u32>(0u);
#endfor
#for i in 0..D_LOADS
        var next_d{{i}} = vec4<f32>(0.0);
#endfor
#for i in 0..W_LOADS
        var next_w{{i}}: w_Block;
        var has_w{{i}} = false;
#endfor
        if (s < end) {
#for i in 0..X_LOADS
            {
                let m = (lane + {{i}}u * THREADS) / (2u * STEP);
                let unit = s * STEP * 2u + (lane + {{i}}u * THREADS) % (2u * STEP);
                if (t0 + m < count && unit < params.units_per_row) {
                    next_x{{i}} = x[x_row(first + m) * params.units_per_row + unit];
                }
            }
#endfor
#for i in 0..D_LOADS
            {
                let m = (lane + {{i}}u * THREADS) / STEP;
                let block = s * STEP + (lane + {{i}}u * THREADS) % STEP;
                if (m < BM && t0 + m < count && block < blocks_per_row) {
                    next_d{{i}} = x_scales[x_row(first + m) * blocks_per_row + block];
                }
            }
#endfor
#for i in 0..W_LOADS
            {
                let n = (lane + {{i}}u * THREADS) % BN;
                let block = s * STEP + (lane + {{i}}u * THREADS) / BN;
                has_w{{i}} = lane + {{i}}u * THREADS < BN * STEP && n0 + n < params.n && block < blocks_per_row;
                if (has_w{{i}}) {
                    next_w{{i}} = w_load_block(params.planes, (w0 + n) * blocks_per_row + block);
                }
            }
#endfor
        }

        if (s > begin) {
            for (var b = 0u; b < STEP; b += 1u) {
#for i in 0..TM
                let a{{i}} = x_tile[x_slot(2u * b, row + {{i}}u * ROWS)];
                let c{{i}} = x_tile[x_slot(2u * b + 1u, row + {{i}}u * ROWS)];
                let d{{i}} = x_d[b * BM + row + {{i}}u * ROWS];
#endfor
#for j in 0..TN
                {
                    let e = w_tile[2u * b * BN + column + {{j}}u * COLUMNS];
                    let f = w_tile[(2u * b + 1u) * BN + column + {{j}}u * COLUMNS];
                    let scale = w_s[b * BN + column + {{j}}u * COLUMNS];
#for i in 0..TM
#if UNIT_SCALES
                    y{{i}}_{{j}} += scale.x * d{{i}}.x * float(dot_unit(ZERO, a{{i}}, e)) - scale.y * d{{i}}.y;
                    y{{i}}_{{j}} += scale.z * d{{i}}.z * float(dot_unit(ZERO, c{{i}}, f)) - scale.w * d{{i}}.w;
#else
                    y{{i}}_{{j}} += scale.x * (d{{i}}.x * float(dot_unit(ZERO, a{{i}}, e)) + d{{i}}.y * float(dot_unit(ZERO, c{{i}}, f))) - scale.y * d{{i}}.z;
#endif
#endfor
                }
#endfor
            }
            workgroupBarrier();
        }

        if (s < end) {
#for i in 0..X_LOADS
            {
                let m = (lane + {{i}}u * THREADS) / (2u * STEP);
                let u = (lane + {{i}}u * THREADS) % (2u * STEP);
                x_tile[x_slot(u, m)] = next_x{{i}};
            }
#endfor
#for i in 0..D_LOADS
            {
                let m = (lane + {{i}}u * THREADS) / STEP;
                let b = (lane + {{i}}u * THREADS) % STEP;
                if (m < BM) {
#if UNIT_SCALES
                    x_d[b * BM + m] = next_d{{i}};
#else
                    x_d[b * BM + m] = vec4<f32>(next_d{{i}}.xz, next_d{{i}}.y + next_d{{i}}.w, 0.0);
#endif
                }
            }
#endfor
#for i in 0..W_LOADS
            {
                let n = (lane + {{i}}u * THREADS) % BN;
                let b = (lane + {{i}}u * THREADS) / BN;
                if (b < STEP) {
                    let codes = w_block_codes(next_w{{i}});
                    w_tile[2u * b * BN + n] = codes[0];
                    w_tile[(2u * b + 1u) * BN + n] = codes[1];
                    var scales = vec4<f32>(0.0);
                    if (has_w{{i}}) {
                        scales = w_block_scales(next_w{{i}}, (w0 + n) * blocks_per_row + s * STEP + b);
                    }
#if UNIT_SCALES
                    w_s[b * BN + n] = scales;
#else
                    w_s[b * BN + n] = scales.xy;
#endif
                }
            }
#endfor
            workgroupBarrier();
        }
    }

#for i in 0..TM
    if (t0 + row + {{i}}u * ROWS < count) {
#if EXPERTS
        let out = pairs[tile.y + row + {{i}}u * ROWS] * params.y_stride + params.y_at + n0 + column;
#else
        let out = ((t0 + row + {{i}}u * ROWS) * grid.z + group.z) * params.n + n0 + column;
#endif
#for j in 0..TN
        if (n0 + column + {{j}}u * COLUMNS < params.n) {
            y[out + {{j}}u * COLUMNS] = y{{i}}_{{j}};
        }
#endfor
    }
#endfor
}
