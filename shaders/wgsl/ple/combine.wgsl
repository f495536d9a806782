// The per-layer inputs of a step, computed once per token before layer 0 (Gemma 4, per-layer embeddings):
//
//   ple[t, l, :] = (rms(proj[t, l, :] * proj_scale; w) + table_scale * table[t, l, :]) * 2^(-1/2)
//   rms(x; w) = x * (mean(x²) + eps)^(-1/2) * w
//
// with proj_scale = d^(-1/2) and table_scale = √P. The table's row of P·L elements is gathered here by token from a
// planar matrix (TABLE is its storage type), or uploaded by the host as f32 [T, L, P] (HOST). A planar table may be
// one of several parts: tokens of other parts are skipped.
//
// Bindings: params, proj f32 [T, L, P], w f32 [P], state, table, ple f32 [T, L, P], (planar) tokens.
// Workgroup: 64 threads for one layer of one token. Grid: (L, T, 1).

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> proj: array<vec4<f32>>;
var<storage, read> norm: array<vec4<f32>>;
var<storage, read> state: State;
#if HOST
var<storage, read> table: array<vec4<f32>>;
var<storage, read_write> ple: array<vec4<f32>>;
#else
var<storage, read> table: array<vec2<u32>>;
var<storage, read_write> ple: array<vec4<f32>>;
var<storage, read> tokens: array<u32>;
#include "shared/planes.wgsl" with P=table, DTYPE={{TABLE}}, BUF=table
#endif

var<workgroup> partial: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let layer = group.x;
    let t = group.y;
    if (t >= state.len) {
        return;
    }
#if !HOST
    let row = tokens[t] - params.row0;
    if (row >= params.rows) {
        return;
    }
#endif
    let base = (t * params.layers + layer) * params.quads;

    var sum = 0.0;
    for (var i = lane; i < params.quads; i += 64u) {
        let x = proj[base + i] * params.proj_scale;
        sum += dot(x, x);
    }
    partial[lane] = sum;
    workgroupBarrier();
    for (var half = 32u; half > 0u; half >>= 1u) {
        if (lane < half) {
            partial[lane] += partial[lane + half];
        }
        workgroupBarrier();
    }
    let factor = params.proj_scale * inverseSqrt(partial[0] / f32(params.quads * 4u) + params.eps);

    for (var i = lane; i < params.quads; i += 64u) {
#if HOST
        let embedded = table[base + i];
#else
        let quad = layer * params.quads + i;
        var unit = table_values(params.planes, row * (params.layers * params.quads / 4u) + quad / 4u);
        let embedded = unit[quad & 3u];
#endif
        let projected = proj[base + i] * factor * norm[i];
        ple[base + i] = (projected + params.table_scale * embedded) * 0.70710678118654752;
    }
}
