// Gradient of a product with respect to its input: dX[T, K] = dY[T, N] · W[N, K], W planar of any storage type.
// With params.add the result is added to dX.
//
// A workgroup computes BM rows × 4·QUADS columns of dX; a thread computes TM × 4·TQ of it in registers. It loops
// over N in steps of BN: rows of W are decoded once into workgroup memory as vec4s along K, and dY is copied as
// vec4s along T, so that a thread reads TM/4 + TQ vec4s for 4·TM·TQ products. No two workgroups write the same
// element.
//
// EXPERTS: W is one of several matrices of a mixture, [experts, N, K]. A workgroup takes one tile of
// experts/buckets.wgsl: at most BM pairs of one expert. Pair p reads row p / pairs_per_row of dY, in columns dy_at.. of
// rows with stride dy_stride, and writes row p of dX. Tiles of experts outside of begin..end belong to another dispatch.
//
// Bindings: params, weights (planar, [N, K]), state (its len is T), dY f32 [T, N], dX f32 [T, K].
// With EXPERTS: params, weights, tiles, pairs, dY f32, dX f32 [pairs, K].
// Formula: specification §12.1, linear. Workgroup: BM/TM · QUADS/TQ. Grid: (⌈K / (4·QUADS)⌉, ⌈T / BM⌉ or the maximum
// number of tiles).

#include "shared/row_products.wgsl"

var<storage, read> dy: array<f32>;
var<storage, read_write> dx: array<vec4<f32>>;

const BM = {{BM}}u;
const BN = {{BN}}u;
const QUADS = {{QUADS}}u;
const UNITS = QUADS / 4u;
const ROWS = {{ROWS}}u;       // BM / TM
const COLUMNS = {{COLUMNS}}u; // QUADS / TQ
const THREADS = ROWS * COLUMNS;
const STRIDE = BM / 4u + 1u;  // odd, to avoid bank conflicts between neighbours along N

var<workgroup> d_tile: array<vec4<f32>, BN * STRIDE>;
var<workgroup> w_tile: array<vec4<f32>, BN * QUADS>;
#if EXPERTS
var<workgroup> tile_pairs: array<u32, BM>;
#endif

fn gradient(t: u32, count: u32, n: u32) -> f32 {
    if (t < count && n < params.n) {
#if EXPERTS
        return dy[tile_pairs[t] / params.pairs_per_row * params.dy_stride + params.dy_at + n];
#else
        return dy[t * params.n + n];
#endif
    }
    return 0.0;
}

fn store(t: u32, quad: u32, value: vec4<f32>) {
    let quads_per_row = params.units_per_row * 4u;
    if (quad < quads_per_row) {
        let at = t * quads_per_row + quad;
        if (params.add != 0u) {
            dx[at] += value;
        } else {
            dx[at] = value;
        }
    }
}

@compute @workgroup_size({{THREADS}})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let u0 = group.x * UNITS;
#if EXPERTS
    let tile = tiles[group.y]; // expert, first pair, number of pairs
    let t0 = 0u;
    let count = tile.z;
    if (count == 0u || tile.x < params.begin || tile.x >= params.end) {
        return;
    }
    let w0 = (tile.x - params.begin) * params.n;
    if (lane < count) {
        tile_pairs[lane] = pairs[tile.y + lane];
    }
    workgroupBarrier();
#else
    let t0 = group.y * BM;
    let count = state.len;
    if (t0 >= count) {
        return;
    }
    let w0 = 0u;
#endif
    let column = lane % COLUMNS;
    let row = lane / COLUMNS;

#for i in 0..TM4
#for c in 0..4
#for j in 0..TQ
    var x{{i}}{{c}}_{{j}} = vec4<f32>(0.0);
#endfor
#endfor
#endfor

    for (var n0 = 0u; n0 < params.n; n0 += BN) {
#for i in 0..D_LOADS
        {
            let n = (lane + {{i}}u * THREADS) % BN;
            let m = (lane + {{i}}u * THREADS) / BN;
            let t = t0 + 4u * m;
            d_tile[n * STRIDE + m] = vec4<f32>(
                gradient(t, count, n0 + n),
                gradient(t + 1u, count, n0 + n),
                gradient(t + 2u, count, n0 + n),
                gradient(t + 3u, count, n0 + n),
            );
        }
#endfor
#for i in 0..W_LOADS
        {
            let u = (lane + {{i}}u * THREADS) % UNITS;
            let n = (lane + {{i}}u * THREADS) / UNITS;
            var unit: w_Unit;
            let g = (w0 + n0 + n) * params.units_per_row + u0 + u;
            if (n0 + n < params.n && u0 + u < params.units_per_row) {
                unit = w_load(params.planes, g);
            }
            let value = w_unpack(unit, g);
#for q in 0..4
            w_tile[n * QUADS + u * 4u + {{q}}u] = value[{{q}}];
#endfor
        }
#endfor
        workgroupBarrier();
        for (var n = 0u; n < BN; n += 1u) {
#for j in 0..TQ
            let w{{j}} = w_tile[n * QUADS + column + {{j}}u * COLUMNS];
#endfor
#for i in 0..TM4
            {
                let d = d_tile[n * STRIDE + row + {{i}}u * ROWS];
#for j in 0..TQ
                x{{i}}0_{{j}} += d.x * w{{j}};
                x{{i}}1_{{j}} += d.y * w{{j}};
                x{{i}}2_{{j}} += d.z * w{{j}};
                x{{i}}3_{{j}} += d.w * w{{j}};
#endfor
            }
#endfor
        }
        workgroupBarrier();
    }

#for i in 0..TM4
#for c in 0..4
    {
        let t = t0 + 4u * (row + {{i}}u * ROWS) + {{c}}u;
        if (t < count) {
#if EXPERTS
            let to = tile_pairs[t];
#else
            let to = t;
#endif
#for j in 0..TQ
            store(to, u0 * 4u + column + {{j}}u * COLUMNS, x{{i}}{{c}}_{{j}});
#endfor
        }
    }
#endfor
#endfor
}
