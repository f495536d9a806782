// Gradient through head norm and RoPE, between the products q, k, v and attention, for each head of each row:
//
//   TURNED 1 (q, k): y = rope(rms(x; w));   dx = rms'(x; w)ᵀ · rope⁻¹(dy)
//   TURNED 0 (v):    y = rms(x);            dx = rms'(x)ᵀ · dy
//
// with rms' as in norm.wgsl over the elements of one head, and rope⁻¹ the rotation by the negative angle. With
// params.add the result is added to dx: if v = k, both paths end in the same product.
//
// x, dy, dx  f32 [T, heads, HD]; row t has position t;  vectors  f32: w [HD] from params.norm;  rope  as forward
//
// Formulas: specification §12.1 and §12.2. Workgroup: 64 threads, one head of one row. Grid: (heads, T).

#include "shared/state.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS=64
#if TURNED
#include "shared/rope.wgsl" with TABLE=rope, HALF={{HALF}}, HI_ROWS=params.rope_hi_rows
#endif

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> x: array<f32>;
var<storage, read> dy: array<f32>;
var<storage, read_write> dx: array<f32>;
#if TURNED
var<storage, read> vectors: array<f32>;
var<storage, read> rope: array<vec2<f32>>;
#endif

const HALF: u32 = {{HALF}}u;

// The gradient at the norm's output times the norm's weights, for pair j.
fn gradient(begin: u32, row: u32, j: u32) -> vec2<f32> {
    let d = vec2<f32>(dy[begin + j], dy[begin + j + HALF]);
#if TURNED
    let turn = rope_cos_sin(row, j);
    let back = vec2<f32>(d.x * turn.x + d.y * turn.y, d.y * turn.x - d.x * turn.y);
    return back * vec2<f32>(vectors[params.norm + j], vectors[params.norm + j + HALF]);
#else
    return d;
#endif
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let row = wid.y;
    if (row >= state.len) {
        return;
    }
    let begin = (row * params.heads + wid.x) * 2u * HALF;
    var squares = 0.0;
    var products = 0.0;
    for (var j = tid; j < HALF; j += 64u) {
        let value = vec2<f32>(x[begin + j], x[begin + j + HALF]);
        squares += dot(value, value);
        products += dot(value, gradient(begin, row, j));
    }
    let n = f32(2u * HALF);
    let r = inverseSqrt(workgroup_sum(squares, tid) / n + params.eps);
    let along = workgroup_sum(products, tid) * r * r / n;
    for (var j = tid; j < HALF; j += 64u) {
        let value = vec2<f32>(x[begin + j], x[begin + j + HALF]);
        var d = r * (gradient(begin, row, j) - value * along);
        if (params.add != 0u) {
            d += vec2<f32>(dx[begin + j], dx[begin + j + HALF]);
        }
        dx[begin + j] = d.x;
        dx[begin + j + HALF] = d.y;
    }
}
