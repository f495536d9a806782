// The clusters whose centroids have the largest logits: merges the lists that sampling/top_k.wgsl made of them.
//
// in   lists_in  (key, id) [params.lists, CANDIDATES], best first
// out  clusters  u32 [params.count], best first; params.count ≤ CANDIDATES. Clusters without a logit are 0.
//
// Workgroup: 256 threads. Grid: 1.

#include "sampling/lists.wgsl"
#include "sampling/gather.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> lists_in: array<vec2<u32>>;
var<storage, read_write> clusters: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) tid: u32) {
    gather(0u, params.lists, tid);
    if (tid < params.count) {
        let best = slots[tid];
        clusters[tid] = select(best.y, 0u, best.x == 0u);
    }
}
