// Scores of 16 queries and 16 keys of one head, from slabs of 32 dimensions in workgroup memory; and the bindings
// that both kernels of the backward pass of attention begin with. The including kernel binds the rest.

#include "shared/spans.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> sequence: Sequence;
var<storage, read> q: array<vec4<f32>>;
var<storage, read> k: array<vec4<f32>>;
var<storage, read> v: array<vec4<f32>>;
var<storage, read> dout: array<vec4<f32>>;

const TILE: u32 = {{TILE}}u;
const QUADS: u32 = {{QUADS}}u;
const GROUPS: u32 = {{GROUPS}}u; // rows whose gradients are accumulated at a time: 256 / QUADS
const SLAB: u32 = 8u;
const STRIDE: u32 = TILE + 1u;

var<workgroup> a_slab: array<vec4<f32>, SLAB * STRIDE>;
var<workgroup> b_slab: array<vec4<f32>, SLAB * STRIDE>;
var<workgroup> c_slab: array<vec4<f32>, SLAB * STRIDE>;
var<workgroup> d_slab: array<vec4<f32>, SLAB * STRIDE>;

fn query_at(i: u32, head: u32) -> u32 {
    return (i * params.heads + head) * QUADS;
}

fn key_at(j: u32, head: u32) -> u32 {
    return (j * params.kv_heads + head / (params.heads / params.kv_heads)) * QUADS;
}

// Copies a slab to workgroup memory: the first half of the threads copies queries, the second half keys.
fn stage(tid: u32, slab: u32, q0: u32, j0: u32, head: u32, values: bool) {
    let quad = slab + tid % SLAB;
    let row = (tid / SLAB) % TILE;
    let slot = (tid % SLAB) * STRIDE + row;
    if (tid < SLAB * TILE) {
        let real = q0 + row < sequence.state.len && quad < QUADS;
        let at = query_at(q0 + row, head) + quad;
        var a = vec4<f32>(0.0);
        var c = vec4<f32>(0.0);
        if (real) {
            a = q[at];
            if (values) {
                c = dout[at];
            }
        }
        a_slab[slot] = a;
        c_slab[slot] = c;
    } else {
        let real = j0 + row < sequence.state.len && quad < QUADS;
        let at = key_at(j0 + row, head) + quad;
        var b = vec4<f32>(0.0);
        var d = vec4<f32>(0.0);
        if (real) {
            b = k[at];
            if (values) {
                d = v[at];
            }
        }
        b_slab[slot] = b;
        d_slab[slot] = d;
    }
}

// The score of query i and key j of the tiles and, with `values`, dO·v.
fn scores(tid: u32, i: u32, j: u32, q0: u32, j0: u32, head: u32, values: bool) -> vec2<f32> {
    var s = 0.0;
    var p = 0.0;
    for (var slab = 0u; slab < QUADS; slab += SLAB) {
        workgroupBarrier();
        stage(tid, slab, q0, j0, head, values);
        workgroupBarrier();
        for (var d = 0u; d < SLAB; d += 1u) {
            s += dot(a_slab[d * STRIDE + i], b_slab[d * STRIDE + j]);
            if (values) {
                p += dot(c_slab[d * STRIDE + i], d_slab[d * STRIDE + j]);
            }
        }
    }
    return vec2<f32>(s, p);
}
