// Finds the rows of a step's tokens in the row cache of the per-layer table, for the kernel that reads them there:
//
//   located[t] = slots[tokens[t] / line]·line + tokens[t] mod line
//
// The cache holds lines of `line` consecutive rows of the table. The row of a token that is not in it is NONE, which that
// kernel skips. FEW_ROWS: the last token, which may have been sampled on the device, and drafts behind it. If the token's row
// is missing, the step ends here: state.len becomes 0, so that the steps behind it do nothing. The host then fetches the row,
// and runs the step again. A draft whose row is missing becomes NONE, so that sampling rejects it and those behind it.
//
// Bindings: params, state, slots u32 [lines], tokens u32 [T], located u32 [T]. T = state.len.
// Workgroup: 64 threads, a token each. Grid: (⌈T/64⌉, 1, 1); FEW_ROWS: one workgroup for T ≤ 64.

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
#if FEW_ROWS
var<storage, read_write> state: State;
#else
var<storage, read> state: State;
#endif
var<storage, read> slots: array<u32>;
#if FEW_ROWS
var<storage, read_write> tokens: array<u32>;
#else
var<storage, read> tokens: array<u32>;
#endif
var<storage, read_write> located: array<u32>;

const NONE = 0xffffffffu;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let t = id.x;
#if FEW_ROWS
    // All threads have read the state before one writes it.
    let len = state.len;
    storageBarrier();
    if (t >= len) {
        return;
    }
#else
    if (t >= state.len) {
        return;
    }
#endif
    let token = tokens[t];
    let slot = slots[token / params.line];
    if (slot == NONE) {
        located[t] = NONE;
#if FEW_ROWS
        if (t == 0u) {
            state.len = 0u;
        } else {
            tokens[t] = NONE;
        }
#endif
    } else {
        located[t] = slot * params.line + token % params.line;
    }
}
