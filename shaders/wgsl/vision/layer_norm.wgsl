// Layer norm over rows, for the encoder-free model:
//
//   v = x + before                                 BIAS
//   y = (v − mean(v))·(var(v) + eps)^-½·weight + bias
//   y = y·(mean(y²) + rms_eps)^-½                  RMS
//
// x, y     f32 [T, width], T = state.len; width a multiple of 4; var is the mean of the squared differences
// vectors  f32: weight, bias and before, [width] each at their offsets
//
// Formula: Gemma 4 specification §9.5.
// Workgroup: 256 threads, one row. Grid: T, in two dimensions.

#include "shared/state.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS=256

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
#include "shared/vectors.wgsl"
var<storage, read> x: array<vec4<f32>>;
var<storage, read_write> y: array<vec4<f32>>;

fn value(begin: u32, i: u32) -> vec4<f32> {
#if BIAS
    return x[begin + i] + vector4(params.before, i);
#else
    return x[begin + i];
#endif
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let row = wid.x + wid.y * grid.x;
    if (row >= state.len) {
        return;
    }
    let begin = row * params.width4;
    let count = 4.0 * f32(params.width4);
    var sum = 0.0;
    for (var i = tid; i < params.width4; i += 256u) {
        sum += dot(value(begin, i), vec4<f32>(1.0));
    }
    let mean = workgroup_sum(sum, tid) / count;
    var squares = 0.0;
    for (var i = tid; i < params.width4; i += 256u) {
        let difference = value(begin, i) - mean;
        squares += dot(difference, difference);
    }
    let factor = inverseSqrt(workgroup_sum(squares, tid) / count + params.eps);
    squares = 0.0;
    for (var i = tid; i < params.width4; i += 256u) {
        let normed = (value(begin, i) - mean) * factor * vector4(params.weight, i) + vector4(params.bias, i);
        y[begin + i] = normed;
        squares += dot(normed, normed);
    }
#if RMS
    // A thread reads only what it wrote itself.
    let rms = inverseSqrt(workgroup_sum(squares, tid) / count + params.rms_eps);
    for (var i = tid; i < params.width4; i += 256u) {
        y[begin + i] *= rms;
    }
#endif
}
