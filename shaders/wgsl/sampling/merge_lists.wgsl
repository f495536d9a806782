// The best candidates of FAN_IN lists: the step between top_k.wgsl and sample.wgsl when the vocabulary is large.
//
// in   lists_in   (key, id) [rows, slices, CANDIDATES], best first
// out  lists_out  (key, id) [rows, lists, CANDIDATES], best first; lists = ⌈slices / FAN_IN⌉
//
// Workgroup: 256 threads. Grid: (lists, rows).

#include "sampling/lists.wgsl"
#include "sampling/gather.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> lists_in: array<vec2<u32>>;
var<storage, read_write> lists_out: array<vec2<u32>>;

const FAN_IN: u32 = {{FAN_IN}}u;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let first = wid.y * params.slices;
    gather(first + wid.x * FAN_IN, first + min((wid.x + 1u) * FAN_IN, params.slices), tid);
    if (tid < LIST) {
        lists_out[(wid.y * params.lists + wid.x) * LIST + tid] = slots[tid];
    }
}
