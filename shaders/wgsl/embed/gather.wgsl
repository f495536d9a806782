// y[t, :] = scale * W[tokens[t], :] for the rows of this step (token embeddings: Gemma 4 scales by √d).
//
// A table too large for one binding is split by rows over several buffers. Each dispatch handles the rows
// row0..row0+rows of its part and skips tokens of other parts.
//
// Bindings: params, weights (planar, [rows, K]), tokens, state, y f32 [T, K].
// Workgroup: 64 threads, one per unit of 16 elements. Grid: (ceil(K / 16 / 64), T, 1).

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> weights: array<vec2<u32>>;
var<storage, read> tokens: array<u32>;
var<storage, read> state: State;
var<storage, read_write> y: array<vec4<f32>>;

#include "shared/planes.wgsl" with P=w, DTYPE={{DTYPE}}, BUF=weights

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let unit = id.x;
    let t = id.y;
    if (unit >= params.units_per_row || t >= state.len) {
        return;
    }
    // Wraps to a large number below row0.
    let row = tokens[t] - params.row0;
    if (row >= params.rows) {
        return;
    }
    let values = w_values(params.planes, row * params.units_per_row + unit);
    let out = (t * params.units_per_row + unit) * 4u;
#for q in 0..4
    y[out + {{q}}u] = params.scale * values[{{q}}];
#endfor
}
