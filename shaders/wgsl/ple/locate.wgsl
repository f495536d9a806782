// Finds the rows of a step's tokens in the row cache of the per-layer table, for the kernel that reads them there:
//
//   located[t] = slots[tokens[t] / line]·line + tokens[t] mod line
//
// The cache holds lines of `line` consecutive rows of the table. The row of a token that is not in it is NONE, which that
// kernel skips. ONE_ROW: a single token, which may have been drawn on the device. If its row is missing, the step ends here:
// state.len becomes 0, so that the steps behind it do nothing. The host then fetches the row, and runs the step again.
//
// Bindings: params, state, slots u32 [lines], tokens u32 [T], located u32 [T]. T = state.len.
// Workgroup: 64 threads, a token each. Grid: (⌈T/64⌉, 1, 1).

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
#if ONE_ROW
var<storage, read_write> state: State;
#else
var<storage, read> state: State;
#endif
var<storage, read> slots: array<u32>;
var<storage, read> tokens: array<u32>;
var<storage, read_write> located: array<u32>;

const NONE = 0xffffffffu;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let t = id.x;
#if ONE_ROW
    // One thread: the others would read what it writes.
    if (t > 0u) {
        return;
    }
#endif
    if (t >= state.len) {
        return;
    }
    let token = tokens[t];
    let slot = slots[token / params.line];
    if (slot == NONE) {
        located[t] = NONE;
#if ONE_ROW
        state.len = 0u;
#endif
    } else {
        located[t] = slot * params.line + token % params.line;
    }
}
