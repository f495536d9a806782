// Gate and up of the chosen experts for one token, in one dispatch, fused with the router's choice and the norm in
// front and the gated activation behind.
//
//   x = rms(h; w)                                               [K]
//   out[place][row] = gelu_tanh(gate_e[row]·x)·(up_e[row]·x)     e: the expert at that place, row < rows
//
// Every workgroup repeats the choice (experts/ranking.wgsl), which costs less than a dispatch; the first one writes
// it for the next kernel. Experts begin..end are in this dispatch's matrices; if a device cannot bind all experts,
// there is a dispatch per range. A matrix holds `stride` rows per expert; gate and up may be in one matrix or in
// two.
//
// Formula: Gemma 4 specification §2.7. Bindings: params, out f32 [USED, rows], choices [USED], h f32 [K],
// logits f32 [EXPERTS], vectors, gate, up (planar, K columns).
// Workgroup: GROUPS·32 threads, 32 per row; x is staged as in matvec/matvec.wgsl.
// Grid: (⌈rows / GROUPS⌉, USED, 1).

#include "experts/ranking.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS={{THREADS}}
#include "shared/gelu.wgsl"
#include "shared/planes.wgsl" with P=gate, DTYPE={{GATE}}, BUF=gates
#include "shared/planes.wgsl" with P=up, DTYPE={{UP}}, BUF=ups

{{PARAMS}}
var<uniform> params: Params;
var<storage, read_write> out: array<f32>;
var<storage, read_write> choices: array<Choice>;
var<storage, read> h: array<vec4<f32>>;
var<storage, read> logits: array<f32>;
#include "shared/vectors.wgsl"
var<storage, read> gates: array<vec2<u32>>;
var<storage, read> ups: array<vec2<u32>>;

const UNITS = {{K}}u / 16u;

// x, later the partial sums.
var<workgroup> mem: array<vec4<f32>, {{MEM}}>;

@compute @workgroup_size({{THREADS}})
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    choose(0u, params.scale, tid);
    if (wid.x == 0u && wid.y == 0u && tid < {{USED}}u) {
        choices[tid] = weighted(tid, params.scales);
    }
    let expert = workgroupUniformLoad(&chosen[wid.y]).expert;
    if (expert < params.begin || expert >= params.end) {
        return;
    }

    var squares = 0.0;
    for (var j = tid; j < UNITS * 4u; j += {{THREADS}}u) {
        squares += dot(h[j], h[j]);
    }
    let r = inverseSqrt(workgroup_sum(squares, tid) / {{K}}.0 + params.eps);
    for (var j = tid; j < UNITS * 4u; j += {{THREADS}}u) {
        // Neighbouring lanes read neighbouring units.
        mem[(j & 3u) * UNITS + (j >> 2u)] = h[j] * r * vector4(params.norm, j);
    }
    workgroupBarrier();

    // Rows past the end repeat the last one; their sums are discarded.
    let row = wid.x * {{GROUPS}}u + tid / 32u;
    let own = min(row, params.rows - 1u);
    let gate_base = ((expert - params.gate_first) * params.gate_stride + own) * UNITS;
    let up_base = ((expert - params.up_first) * params.up_stride + params.up_at + own) * UNITS;
    var sums = vec2<f32>(0.0);
    for (var u = tid % 32u; u < UNITS; u += 32u) {
        let x = array<vec4<f32>, 4>(mem[u], mem[UNITS + u], mem[2u * UNITS + u], mem[3u * UNITS + u]);
        let x4 = x[0] + x[1] + x[2] + x[3];
        let xsum = x4.x + x4.y + x4.z + x4.w;
        sums += vec2<f32>(
            gate_dot(params.gate_planes, gate_base + u, x, xsum),
            up_dot(params.up_planes, up_base + u, x, xsum));
    }
    workgroupBarrier();
    mem[tid] = vec4<f32>(sums, 0.0, 0.0);
    workgroupBarrier();
    if (tid % 32u == 0u && row < params.rows) {
        var total = vec4<f32>(0.0);
        for (var i = 0u; i < 32u; i += 1u) {
            total += mem[tid + i];
        }
        out[wid.y * params.rows + row] = gelu_tanh(total.x) * total.y;
    }
}
