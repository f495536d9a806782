// The mean of the rows of each text: out[n, :] = Σ_t x[t, :] / (end − begin), t from begin to end of text n.
//
// x  f32 [T, 4·quads];  texts  (begin, end) [N];  out  f32 [N, 4·quads];  N = state.len
//
// Workgroup: 256 threads, 16 threads for each of 16 vec4s. Grid: (⌈quads / 16⌉, N).

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> texts: array<vec2<u32>>;
var<storage, read> x: array<vec4<f32>>;
var<storage, read_write> out: array<vec4<f32>>;

var<workgroup> sums: array<vec4<f32>, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    if (wid.y >= state.len) {
        return;
    }
    let text = texts[wid.y];
    let quad = wid.x * 16u + tid % 16u;
    var sum = vec4<f32>(0.0);
    if (quad < params.quads) {
        for (var t = text.x + tid / 16u; t < text.y; t += 16u) {
            sum += x[t * params.quads + quad];
        }
    }
    sums[tid] = sum;
    workgroupBarrier();
    if (tid < 16u && quad < params.quads) {
        for (var i = 1u; i < 16u; i += 1u) {
            sum += sums[i * 16u + tid];
        }
        out[wid.y * params.quads + quad] = sum / f32(max(text.y, text.x + 1u) - text.x);
    }
}
