// Gradient of a product with respect to its input: dX[T, K] = dY[T, N] · W[N, K], W planar of any storage type.
// With params.add the result is added to dX.
//
// A workgroup computes BM rows × 4·QUADS columns of dX; a thread computes TM × 4·TQ of it in registers. It loops
// over N in steps of BN: rows of W are decoded once into workgroup memory as vec4s along K, and dY is copied as
// vec4s along T, so that a thread reads TM/4 + TQ vec4s for 4·TM·TQ products. No two workgroups write the same
// element.
//
// Bindings: params, weights (planar, [N, K]), state (its len is T), dY f32 [T, N], dX f32 [T, K].
// Formula: specification §12.1, linear. Workgroup: BM/TM · QUADS/TQ. Grid: (⌈K / (4·QUADS)⌉, ⌈T / BM⌉).

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> weights: array<vec2<u32>>;
var<storage, read> state: State;
var<storage, read> dy: array<f32>;
var<storage, read_write> dx: array<vec4<f32>>;

#include "shared/planes.wgsl" with P=w, DTYPE={{DTYPE}}, BUF=weights

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

fn gradient(t: u32, n: u32) -> f32 {
    if (t < state.len && n < params.n) {
        return dy[t * params.n + n];
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
    let t0 = group.y * BM;
    let u0 = group.x * UNITS;
    let count = state.len;
    if (t0 >= count) {
        return;
    }
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
                gradient(t, n0 + n),
                gradient(t + 1u, n0 + n),
                gradient(t + 2u, n0 + n),
                gradient(t + 3u, n0 + n),
            );
        }
#endfor
#for i in 0..W_LOADS
        {
            let u = (lane + {{i}}u * THREADS) % UNITS;
            let n = (lane + {{i}}u * THREADS) / UNITS;
            var unit: w_Unit;
            let g = (n0 + n) * params.units_per_row + u0 + u;
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
#for j in 0..TQ
            store(t, u0 * 4u + column + {{j}}u * COLUMNS, x{{i}}{{c}}_{{j}});
#endfor
        }
    }
#endfor
#endfor
}
