// Gradient of the gated activation y = gelu_tanh(a)⊙u, in place: a becomes da = dy⊙u⊙gelu'(a), and with BOTH u
// becomes du = dy⊙gelu_tanh(a). Without BOTH, u is a constant: the per-layer input of a token. JOINED: a and u are in
// one buffer, `gate`.
//
// With σ = 1/(1 + e^(−2v)), v = √(2/π)(a + 0.044715a³): gelu = a·σ and gelu' = σ + 2a·σ(1 − σ)·√(2/π)(1 + 0.134145a²).
//
// Strides and offsets in vec4s, as in rows/gelu_mul.wgsl. Formula: specification §12.1.
// Workgroup: 256 threads, four elements each. Grid: ⌈rows·width/1024⌉, in two dimensions; rows =
// state.len·rows_per_position.

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> dy: array<vec4<f32>>;
var<storage, read_write> gate: array<vec4<f32>>;
#if !JOINED
#if BOTH
var<storage, read_write> up: array<vec4<f32>>;
#else
var<storage, read> up: array<vec4<f32>>;
#endif
#endif

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let index = (wid.x + wid.y * grid.x) * 256u + tid;
    let row = index / params.width4;
    if (row >= state.len * params.rows_per_position) {
        return;
    }
    let i = index % params.width4;
    let gate_at = params.gate_at4 + row * params.gate_stride4 + i;
    let up_at = params.up_at4 + row * params.up_stride4 + i;
    let d = dy[params.out_at4 + row * params.out_stride4 + i];
    let a = gate[gate_at];
#if JOINED
    let u = gate[up_at];
#else
    let u = up[up_at];
#endif
    // Beyond 20, the derivative is 0 or 1 to the last bit. The clamp keeps the squares finite.
    let b = clamp(a, vec4<f32>(-20.0), vec4<f32>(20.0));
    let v = 0.7978845608 * (b + 0.044715 * b * b * b);
    let s = 1.0 / (1.0 + exp(clamp(-2.0 * v, vec4<f32>(-88.0), vec4<f32>(88.0))));
    let slope = s + 2.0 * b * s * (1.0 - s) * 0.7978845608 * (1.0 + 0.134145 * b * b);
    gate[gate_at] = d * u * slope;
#if JOINED
    gate[up_at] = d * a * s;
#endif
#if BOTH
    up[up_at] = d * a * s;
#endif
}
