// Takes the best candidate of all slices as a drafted token: tokens[params.at] = its id.
//
// in   lists_in (key, id) [params.lists, 1], best of each slice (top_k.wgsl)
// out  tokens[params.at]; without candidates, the id 0: a draft may be any token.
//
// Workgroup: 256 threads. Grid: 1.

#include "sampling/lists.wgsl"
#include "sampling/gather.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> lists_in: array<vec2<u32>>;
var<storage, read_write> tokens: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) tid: u32) {
    gather(0u, params.lists, tid);
    if (tid == 0u) {
        let best = slots[0];
        tokens[params.at] = select(min(best.y, params.vocab - 1u), 0u, best.x == 0u);
    }
}
