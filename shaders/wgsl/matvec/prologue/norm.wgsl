// Prologue: x = rms(in; w2), with rms(v; w) = v·(mean(v²) + eps)^-½·w.

#include "shared/vectors.wgsl"
#include "matvec/prologue/sum_all.wgsl"

fn stage(tile: u32, tid: u32, group: u32) {
    let base = params.x_offset >> 2u;
    var squares = 0.0;
    for (var j = tid; j < {{K}}u / 4u; j += THREADS) {
        let v = x_in[base + j];
        squares += dot(v, v);
    }
    let total = sum_all(vec4<f32>(squares, 0.0, 0.0, 0.0), tid).x;
    let r = inverseSqrt(total / {{K}}.0 + params.eps);
    for (var j = tid; j < {{K}}u / 4u; j += THREADS) {
        mem[staged(j)] = x_in[base + j] * r * vector4(params.input_norm, j);
    }
}
