// The light convolution of the audio tower between its two products: GLU, causal depthwise convolution, norm, SiLU.
//
//   g[t][c] = x[t][c]·sigmoid(x[t][width + c])
//   z[t][c] = Σ_{j < taps} w[c][j]·g[t − (taps − 1) + j][c]           zero before position 0
//   y[t]    = silu(z·(mean(z²) + eps)^-½·norm)
//
// x        f32 [rows, 2·width], rows = state.len; row t is position state.pos + t; width a multiple of 4
// y        f32 [rows, width]
// vectors  f32: w [width, taps] from params.weights, norm [width] from params.norm
// past     f32 [slots, width]: g of position p is in slot p mod slots. Positions before this step are read, those of
//          this step are written; slots ≥ rows of a step + taps − 1.
//
// Formula: Gemma 4 specification §10.3.
// Workgroup: 256 threads, one row. Grid: rows, in two dimensions.

#include "shared/state.wgsl"
#include "shared/sigmoid.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS=256

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
#include "shared/vectors.wgsl"
var<storage, read> x: array<vec4<f32>>;
var<storage, read_write> past: array<vec4<f32>>;
var<storage, read_write> y: array<vec4<f32>>;

const THREADS: u32 = 256u;

fn glu(row: u32, i: u32) -> vec4<f32> {
    let at = row * 2u * params.width4 + i;
    return x[at] * sigmoid4(x[at + params.width4]);
}

// The weights of four neighbouring channels for one tap.
fn weights(i: u32, tap: u32) -> vec4<f32> {
    let at = params.weights + 4u * i * params.taps + tap;
    let next = params.taps;
    return vec4<f32>(vector1(at), vector1(at + next), vector1(at + 2u * next), vector1(at + 3u * next));
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let t = wid.x + wid.y * grid.x;
    if (t >= state.len) {
        return;
    }
    let position = state.pos + t;
    let reach = min(position, params.taps - 1u);
    var squares = 0.0;
    for (var i = tid; i < params.width4; i += THREADS) {
        let own = glu(t, i);
        past[position % params.slots * params.width4 + i] = own;
        var z = own * weights(i, params.taps - 1u);
        for (var back = 1u; back <= reach; back += 1u) {
            var g: vec4<f32>;
            if (back <= t) {
                g = glu(t - back, i);
            } else {
                g = past[(position - back) % params.slots * params.width4 + i];
            }
            z += g * weights(i, params.taps - 1u - back);
        }
        y[t * params.width4 + i] = z;
        squares += dot(z, z);
    }
    // A thread reads only what it wrote itself.
    let factor = inverseSqrt(workgroup_sum(squares, tid) / f32(4u * params.width4) + params.eps);
    for (var i = tid; i < params.width4; i += THREADS) {
        y[t * params.width4 + i] = silu4(y[t * params.width4 + i] * factor * vector4(params.norm, i));
    }
}
