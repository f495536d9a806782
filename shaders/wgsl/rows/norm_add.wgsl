// RMS norm and residual addition over rows, in prefill.
//
//   ADD   h = (h + b·rms(branch; w1))·s                in place; b = params.branch_scale
//   PLAIN the branch without its norm: h = (h + b·branch)·s
//   NORM  x = rms(h; w2)                               of the new h if ADD is set
//   PACKED the result, x or else h, is rounded to int8 for a product of few_rows.wgsl, instead of being stored as x
//   MIXTURE with ADD, NORM and PACKED: what router and experts of a mixture read, x = rms(h; w3), and rms(h; w4) rounded
//   rms(v; w) = v·(mean(v²) + eps)^-½·w
//
// h, branch, x  f32 [rows, width], rows = state.len·rows_per_position; width a multiple of 4
// vectors       f32: w1 [width] from params.branch_norm, w2 from params.norm, w3 from params.router_norm, w4 from
//               params.expert_norm, and at params.scale_at the scalar that is multiplied with params.scale to s
//               (0xffffffff: none)
// codes, scales see matmul/pack_rows.wgsl; width is then a multiple of 16
//
// Formula: Gemma 4 specification §2 (norm weights are used as stored, not 1 + w) and §2.3 (layer_output_scale).
// With rows_per_position = layers and s = 2^-½ it also combines the per-layer embeddings (§2.2). The half-steps and
// the unnormed branch are for the audio tower (§10.3).
// Workgroup: 256 threads, one row. Grid: rows, in two dimensions.

#include "shared/state.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS=256
#if PACKED
#include "shared/pack_unit.wgsl"
#endif

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
#include "shared/vectors.wgsl"
#if ADD
var<storage, read_write> h: array<vec4<f32>>;
var<storage, read> branch: array<vec4<f32>>;
#else
var<storage, read> h: array<vec4<f32>>;
#endif
#if PACKED
var<storage, read_write> codes: array<vec4<u32>>;
var<storage, read_write> scales: array<vec2<f32>>;
#if MIXTURE
var<storage, read_write> x: array<vec4<f32>>;
var<storage, read_write> expert_codes: array<vec4<u32>>;
var<storage, read_write> expert_scales: array<vec2<f32>>;
#endif
#elif NORM
var<storage, read_write> x: array<vec4<f32>>;
#endif

const THREADS: u32 = 256u;
// Neighbouring vec4s that a thread takes in each of RUNS runs over the row: those of one unit if it is rounded. They stay
// in registers, so that everything is read at once.
const RUN: u32 = {{RUN}}u;

fn inverse_rms(squares: f32, tid: u32) -> f32 {
    return inverseSqrt(workgroup_sum(squares, tid) / f32(4u * params.width4) + params.eps);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let row = wid.x + wid.y * grid.x;
    if (row >= state.len * params.rows_per_position) {
        return;
    }
    let begin = row * params.width4;
#if ADD
    var s = params.scale;
    if (params.scale_at != 0xffffffffu) {
        s *= vector1(params.scale_at);
    }
#endif
    // Threads past the end of the row have zeros, which add nothing.
#for r in 0..RUNS
    let first{{r}} = ({{r}}u * THREADS + tid) * RUN;
    let is{{r}} = first{{r}} < params.width4;
#for j in 0..RUN
    var v{{r}}_{{j}} = vec4<f32>(0.0);
#if ADD
    var b{{r}}_{{j}} = vec4<f32>(0.0);
#if !PLAIN
    var w{{r}}_{{j}} = vec4<f32>(0.0);
#endif
#endif
#if NORM
    var n{{r}}_{{j}} = vec4<f32>(0.0);
#endif
#if MIXTURE
    var router{{r}}_{{j}} = vec4<f32>(0.0);
    var expert{{r}}_{{j}} = vec4<f32>(0.0);
#endif
#endfor
    if (is{{r}}) {
#for j in 0..RUN
        v{{r}}_{{j}} = h[begin + first{{r}} + {{j}}u];
#if ADD
        b{{r}}_{{j}} = branch[begin + first{{r}} + {{j}}u];
#if !PLAIN
        w{{r}}_{{j}} = vector4(params.branch_norm, first{{r}} + {{j}}u);
#endif
#endif
#if NORM
        n{{r}}_{{j}} = vector4(params.norm, first{{r}} + {{j}}u);
#endif
#if MIXTURE
        router{{r}}_{{j}} = vector4(params.router_norm, first{{r}} + {{j}}u);
        expert{{r}}_{{j}} = vector4(params.expert_norm, first{{r}} + {{j}}u);
#endif
#endfor
    }
#endfor

    var squares = 0.0;
#if ADD
#if PLAIN
    let branch_factor = params.branch_scale;
#else
#for r in 0..RUNS
#for j in 0..RUN
    squares += dot(b{{r}}_{{j}}, b{{r}}_{{j}});
#endfor
#endfor
    let branch_factor = params.branch_scale * inverse_rms(squares, tid);
    squares = 0.0;
#endif
#for r in 0..RUNS
#for j in 0..RUN
#if PLAIN
    v{{r}}_{{j}} = (v{{r}}_{{j}} + b{{r}}_{{j}} * branch_factor) * s;
#else
    v{{r}}_{{j}} = (v{{r}}_{{j}} + b{{r}}_{{j}} * branch_factor * w{{r}}_{{j}}) * s;
#endif
#endfor
    if (is{{r}}) {
#for j in 0..RUN
        h[begin + first{{r}} + {{j}}u] = v{{r}}_{{j}};
#endfor
    }
#endfor
#endif
#if NORM
#for r in 0..RUNS
#for j in 0..RUN
    squares += dot(v{{r}}_{{j}}, v{{r}}_{{j}});
#endfor
#endfor
    let factor = inverse_rms(squares, tid);
#if MIXTURE
#for r in 0..RUNS
    if (is{{r}}) {
#for j in 0..RUN
        x[begin + first{{r}} + {{j}}u] = v{{r}}_{{j}} * (factor * router{{r}}_{{j}});
        expert{{r}}_{{j}} *= factor * v{{r}}_{{j}};
#endfor
        let of_expert = pack_unit(array<vec4<f32>, 4>(expert{{r}}_0, expert{{r}}_1, expert{{r}}_2, expert{{r}}_3));
        expert_codes[(begin + first{{r}}) / 4u] = of_expert.codes;
        expert_scales[(begin + first{{r}}) / 4u] = of_expert.scale;
    }
#endfor
#endif
#for r in 0..RUNS
#for j in 0..RUN
    v{{r}}_{{j}} *= factor * n{{r}}_{{j}};
#endfor
#endfor
#endif
#if PACKED
#for r in 0..RUNS
    if (is{{r}}) {
        let packed = pack_unit(array<vec4<f32>, 4>(v{{r}}_0, v{{r}}_1, v{{r}}_2, v{{r}}_3));
        codes[(begin + first{{r}}) / 4u] = packed.codes;
        scales[(begin + first{{r}}) / 4u] = packed.scale;
    }
#endfor
#elif NORM
#for r in 0..RUNS
    if (is{{r}}) {
        x[begin + first{{r}}] = v{{r}}_0;
    }
#endfor
#endif
}
