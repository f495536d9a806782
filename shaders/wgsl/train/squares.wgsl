// Sum of squares of a buffer, in 64 partial sums: sums[at + w] is that of workgroup w. The CPU adds them.
//
// Workgroup: 256 threads. Grid: (64).

#include "shared/workgroup_sum.wgsl" with THREADS=256

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> values: array<f32>;
var<storage, read_write> sums: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    var sum = 0.0;
    for (var i = wid.x * 256u + tid; i < params.count; i += 16384u) {
        sum += values[i] * values[i];
    }
    let total = workgroup_sum(sum, tid);
    if (tid == 0u) {
        sums[params.at + wid.x] = total;
    }
}
