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

struct Params {
    width4: u32,
    weight: u32,
    bias: u32,
    before: u32,
    eps: f32,
    rms_eps: f32,
    pad0: u32,
    pad1: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> state: State;
@group(0) @binding(2) var<storage, read> vectors: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> y: array<vec4<f32>>;

fn at(begin: u32, i: u32) -> vec4<f32> {
    let first = begin + 4u * i;
    return vec4<f32>(vectors[first], vectors[first + 1u], vectors[first + 2u], vectors[first + 3u]);
}

fn value(begin: u32, i: u32) -> vec4<f32> {
#if BIAS
    return x[begin + i] + at(params.before, i);
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
        let normed = (value(begin, i) - mean) * factor * at(params.weight, i) + at(params.bias, i);
        y[begin + i] = normed;
        squares += dot(normed, normed);
    }
#if RMS
    // A thread reads back only what it wrote itself.
    let rms = inverseSqrt(workgroup_sum(squares, tid) / count + params.rms_eps);
    for (var i = tid; i < params.width4; i += 256u) {
        y[begin + i] *= rms;
    }
#endif
}
