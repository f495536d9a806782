// The best token of the chosen clusters: z = W[id, :]·x for the ids of each, and the best of every workgroup.
//
//   candidate i: id = ordering[clusters[i / size]·size + i mod size],  i < count·size
//
// in   weights    planar W, [vocab, K]
//      ordering   u32 [vocab]: the ids of cluster c are the `size` from c·size on. Ids beyond the vocabulary count as its last.
//      clusters   u32 [count]
//      x          f32 [K]
// out  lists_out  (key, id) [⌈count·size / ROWS⌉]: see sampling/lists.wgsl
//
// LANES threads share a row. Workgroup: 256 threads. Grid: ⌈count·size / ROWS⌉. Formula: specification §14.2.

#include "sampling/lists.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> weights: array<vec2<u32>>;
var<storage, read> ordering: array<u32>;
var<storage, read> clusters: array<u32>;
var<storage, read> x: array<vec4<f32>>;
var<storage, read_write> lists_out: array<vec2<u32>>;

#include "shared/planes.wgsl" with P=w, DTYPE={{DTYPE}}, BUF=weights

const LANES: u32 = 8u;
const ROWS: u32 = THREADS / LANES;

var<workgroup> partial: array<f32, THREADS>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let total = params.count * params.size;
    let candidate = wid.x * ROWS + tid / LANES;
    let i = min(candidate, total - 1u);
    let id = min(ordering[clusters[i / params.size] * params.size + i % params.size], params.vocab - 1u);
    var sum = 0.0;
    for (var unit = tid % LANES; unit < params.units_per_row; unit += LANES) {
        let values = w_values(params.planes, id * params.units_per_row + unit);
#for q in 0..4
        sum += dot(values[{{q}}], x[unit * 4u + {{q}}u]);
#endfor
    }
    partial[tid] = sum;
    for (var slot = tid; slot < SLOTS; slot += THREADS) {
        slots[slot] = vec2<u32>(0u, NO_ID);
    }
    workgroupBarrier();
    if (tid % LANES == 0u && candidate < total) {
        var z = 0.0;
        for (var lane = 0u; lane < LANES; lane += 1u) {
            z += partial[tid + lane];
        }
        slots[tid / LANES] = vec2<u32>(key_of(z), id);
    }
    workgroupBarrier();
    fold_lists(tid);
    if (tid == 0u) {
        lists_out[wid.x] = slots[0];
    }
}
