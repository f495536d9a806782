// Prologue: h' = (in + rms(branch; w1))·s is written to h_out; x = rms(h'; w2) with NORMED, otherwise h'.
//
// rms(v; w) = v·(mean(v²) + eps)^-½·w; s is a scalar in `vectors`, or 1.

#include "shared/vectors.wgsl"
#include "matvec/prologue/sum_all.wgsl"
var<storage, read> branch: array<vec4<f32>>;
var<storage, read_write> h_out: array<vec4<f32>>;

#if AHEAD_Z
var<private> ahead_factors: vec2<f32>; // r·s and rb
#endif

fn stage(tile: u32, tid: u32, group: u32) {
    let base = params.x_offset >> 2u;
    var sums = vec4<f32>(0.0); // Σb², Σh², Σh·b·w, Σ(b·w)²: one reduction for both norms
    for (var j = tid; j < {{K}}u / 4u; j += THREADS) {
        let h = x_in[base + j];
        let b = branch[j];
        let bw = b * vector4(params.branch_norm, j);
        sums += vec4<f32>(dot(b, b), dot(h, h), dot(h, bw), dot(bw, bw));
    }
    sums = sum_all(sums, tid);
    let rb = inverseSqrt(sums.x / {{K}}.0 + params.eps);
    var s = 1.0;
    if (params.scale_at != 0xffffffffu) {
        s = vector1(params.scale_at);
    }
    // mean(h'²) with h' = (h + rb·b·w)·s
    let square = max(0.0, (sums.y + 2.0 * rb * sums.z + rb * rb * sums.w) * s * s / {{K}}.0);
    let r = inverseSqrt(square + params.eps);
#if AHEAD_Z
    ahead_factors = vec2<f32>(r * s, rb);
#endif
    for (var j = tid; j < {{K}}u / 4u; j += THREADS) {
        let h = (x_in[base + j] + rb * branch[j] * vector4(params.branch_norm, j)) * s;
        if (group == 0u) {
            h_out[j] = h;
        }
#if NORMED
        mem[staged(j)] = h * r * vector4(params.input_norm, j);
#else
        mem[staged(j)] = h;
#endif
    }
}
