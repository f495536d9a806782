// The input of a draft step (multi-token prediction): the embedding of the newest token, and the hidden state before it.
//
//   u = [ scale·E[tokens[params.at]], hidden[row] ]        row = state.hidden_row if params.first, else 0
//
// E is the embedding of the target model, [rows, K]. hidden is f32 [T, K]: in the first step the target's stream after
// its output norm, later the output of the step before.
//
// The steps of a drafter have a state of their own. Its token is at state.pos but has no key in the cache, so attention
// must see the keys before it: `drafter.pos` is that of the last key (attention/decode.wgsl, params.ahead).
//
// A table that is too large for one binding is split by rows. Each dispatch handles the rows row0..row0+rows of its
// part; all of them write the hidden state.
//
// Bindings: params, weights (planar E), tokens, state, hidden, u f32 [2·K], drafter.
// Workgroup: 64 threads, one per unit of 16 elements. Grid: (⌈K / 16 / 64⌉, 1, 1).
// Formula: specification §14.1.

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> weights: array<vec2<u32>>;
var<storage, read> tokens: array<u32>;
var<storage, read> state: State;
var<storage, read> hidden: array<vec4<f32>>;
var<storage, read_write> u: array<vec4<f32>>;
var<storage, read_write> drafter: State;

#include "shared/planes.wgsl" with P=w, DTYPE={{DTYPE}}, BUF=weights

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let unit = id.x;
    let units = params.units_per_row;
    if (unit == 0u) {
        drafter.pos = max(state.pos, 1u) - 1u;
        drafter.len = 1u;
        drafter.history_len = state.history_len;
    }
    if (unit >= units) {
        return;
    }
    let row = select(0u, state.hidden_row, params.first != 0u);
    let source = (row * units + unit) * 4u;
    let behind = (units + unit) * 4u;
#for q in 0..4
    u[behind + {{q}}u] = hidden[source + {{q}}u];
#endfor
    // Wraps to a large number below row0.
    let token = tokens[params.at] - params.row0;
    if (token >= params.rows) {
        return;
    }
    let values = w_values(params.planes, token * units + unit);
#for q in 0..4
    u[unit * 4u + {{q}}u] = params.scale * values[{{q}}];
#endfor
}
