// Y[T, N] = X[T, K] · W[N, K]ᵀ for the rows of a prefill chunk, W planar of any storage type, f32 throughout.
//
// A workgroup computes BM×BN of Y; a thread computes TM×TN of it in registers: rows m + i·BM/TM, columns n +
// j·BN/TN, so that neighbouring threads access neighbouring words. It loops over K in steps of BK: X is copied and
// W is decoded once, into workgroup memory as vec4s along K, [BK/4][BM] and [BK/4][BN]. A thread then reads TM + TN
// vec4s for 4·TM·TN products. The words of the next step are loaded during the products of this one. T is
// state.len: workgroups beyond it return at once.
//
// CLAMP: a clipped linear of the towers. Elements of X are clamped to clamps.xy as they are read, those of Y to
// clamps.zw as they are written (Gemma 4 specification §10.3).
//
// EXPERTS: W is one of several matrices of a mixture, [experts, N, K]. A workgroup takes one tile of
// experts/buckets.wgsl: at most BM pairs of one expert. Pair p reads row p / pairs_per_row of X and writes row p of
// Y, in columns y_at.. of rows with stride y_stride. Tiles of experts outside of begin..end belong to another
// dispatch.
//
// Bindings: params, weights (planar, [N, K]), state, X f32 [T, K], Y f32 [T, N].
// With EXPERTS: 0 params, 1 weights, 2 tiles, 3 pairs, 4 X f32 [T, K], 5 Y f32 [pairs, y_stride].
// Workgroup: BM/TM · BN/TN. Grid: (ceil(N / BN), ceil(T / BM) or the maximum number of tiles, 1). Workgroup memory:
// STAGES·(BM + BN)·BK·4 bytes. Two stages need one barrier per step instead of two.

#include "shared/row_products.wgsl"

var<storage, read> x: array<vec4<f32>>;
var<storage, read_write> y: array<f32>;

const BM = {{BM}}u;
const BN = {{BN}}u;
const BK = {{BK}}u;
const COLUMNS = {{COLUMNS}}u; // BN / TN: threads along N
const ROWS = {{ROWS}}u;       // BM / TM: threads along T
const THREADS = ROWS * COLUMNS;
const QUADS = BK / 4u;
const UNITS = BK / 16u;

var<workgroup> x_tile: array<vec4<f32>, {{STAGES}}u * BM * QUADS>;
var<workgroup> w_tile: array<vec4<f32>, {{STAGES}}u * BN * QUADS>;

// Index of vec4 q of row m in x_tile. Rows are permuted in groups of eight, so that the eight threads that write
// together (neighbouring vec4s of the same rows) have no bank conflicts.
fn x_slot(q: u32, m: u32) -> u32 {
#if SHALLOW
    return q * BM + (m ^ (q << 1u));
#else
    return q * BM + (m ^ (q & 7u));
#endif
}

@compute @workgroup_size({{THREADS}})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let n0 = group.x * BN;
#if EXPERTS
    let tile = tiles[group.y]; // expert, first pair, number of pairs
    let t0 = 0u;
    let count = tile.z;
    if (count == 0u || tile.x < params.begin || tile.x >= params.end) {
        return;
    }
    let w0 = (tile.x - params.begin) * params.n + n0;
#else
    let t0 = group.y * BM;
    let count = state.len;
    if (t0 >= count) {
        return;
    }
    let w0 = n0;
#endif
    let column = lane % COLUMNS;
    let row = lane / COLUMNS;
    let quads_per_row = params.units_per_row * 4u;
    let steps = (params.units_per_row + UNITS - 1u) / UNITS;

#for i in 0..TM
#for j in 0..TN
    var y{{i}}_{{j}} = 0.0;
#endfor
#endfor

    // Round s loads the words of step s, computes the products of step s − 1, then stores the words of step s.
    for (var s = 0u; s <= steps; s += 1u) {
        // Neighbouring threads load neighbouring vec4s of a row of X, and neighbouring rows of W.
#for i in 0..X_LOADS
        var next_x{{i}} = vec4<f32>(0.0);
#endfor
#for i in 0..W_LOADS
        var next_w{{i}}: w_Unit;
#endfor
        if (s < steps) {
#for i in 0..X_LOADS
            {
                let m = (lane + {{i}}u * THREADS) / QUADS;
                let quad = s * QUADS + (lane + {{i}}u * THREADS) % QUADS;
                if (t0 + m < count && quad < quads_per_row) {
#if EXPERTS
                    let x_row = pairs[tile.y + m] / params.pairs_per_row;
#else
                    let x_row = t0 + m;
#endif
#if CLAMP
                    next_x{{i}} = clamp(x[x_row * quads_per_row + quad],
                        vec4<f32>(params.clamps.x), vec4<f32>(params.clamps.y));
#else
                    next_x{{i}} = x[x_row * quads_per_row + quad];
#endif
                }
            }
#endfor
#for i in 0..W_LOADS
            {
                let n = (lane + {{i}}u * THREADS) % BN;
                let u = (lane + {{i}}u * THREADS) / BN;
                if (u < UNITS && n0 + n < params.n && s * UNITS + u < params.units_per_row) {
                    next_w{{i}} = w_load(params.planes, (w0 + n) * params.units_per_row + s * UNITS + u);
                }
            }
#endfor
        }

        if (s > 0u) {
#if TWO_STAGES
            let x_from = ((s - 1u) & 1u) * BM * QUADS;
            let w_from = ((s - 1u) & 1u) * BN * QUADS;
#else
            let x_from = 0u;
            let w_from = 0u;
#endif
            for (var q = 0u; q < QUADS; q += 1u) {
#for i in 0..TM
                let a{{i}} = x_tile[x_from + x_slot(q, row + {{i}}u * ROWS)];
#endfor
#for j in 0..TN
                let b{{j}} = w_tile[w_from + q * BN + column + {{j}}u * COLUMNS];
#for i in 0..TM
                y{{i}}_{{j}} += a{{i}}.x * b{{j}}.x;
#endfor
#for i in 0..TM
                y{{i}}_{{j}} += a{{i}}.y * b{{j}}.y;
#endfor
#for i in 0..TM
                y{{i}}_{{j}} += a{{i}}.z * b{{j}}.z;
#endfor
#for i in 0..TM
                y{{i}}_{{j}} += a{{i}}.w * b{{j}}.w;
#endfor
#endfor
            }
#if !TWO_STAGES
            workgroupBarrier();
#endif
        }

        if (s < steps) {
#if TWO_STAGES
            let x_to = (s & 1u) * BM * QUADS;
            let w_to = (s & 1u) * BN * QUADS;
#else
            let x_to = 0u;
            let w_to = 0u;
#endif
#for i in 0..X_LOADS
            {
                let m = (lane + {{i}}u * THREADS) / QUADS;
                let q = (lane + {{i}}u * THREADS) % QUADS;
                x_tile[x_to + x_slot(q, m)] = next_x{{i}};
            }
#endfor
#for i in 0..W_LOADS
            {
                let n = (lane + {{i}}u * THREADS) % BN;
                let u = (lane + {{i}}u * THREADS) / BN;
                if (u < UNITS) {
                    let unit = s * UNITS + u;
                    let value = w_unpack(next_w{{i}}, (w0 + n) * params.units_per_row + unit);
#for q in 0..4
                    w_tile[w_to + (u * 4u + {{q}}u) * BN + n] = value[{{q}}];
#endfor
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
        let out = (t0 + row + {{i}}u * ROWS) * params.n + n0 + column;
#endif
#for j in 0..TN
        if (n0 + column + {{j}}u * COLUMNS < params.n) {
#if CLAMP
            y[out + {{j}}u * COLUMNS] = clamp(y{{i}}_{{j}}, params.clamps.z, params.clamps.w);
#else
            y[out + {{j}}u * COLUMNS] = y{{i}}_{{j}};
#endif
        }
#endfor
    }
#endfor
}
