// Gradients of attention with respect to keys and values, for each query head apart (group_sum.wgsl adds the heads that
// share a key):
//
//   dv_j = Σ_i P_ij·dO_i,   dk_j = Σ_i dS_ij·q_i,   P_ij = e^(q_i·k_j − L_i),  dS_ij = P_ij·(dO_i·v_j − D_i)
//
// over the queries i that see key j: j ≤ i and i − j < window (0: no bound); L and D are those of attention_q.wgsl.
// SPANS 1:  spans[j].x ≤ i in place of j ≤ i: the queries of a picture see all of its keys, also ahead.
//
// q, dout, dk, dv  f32 [T, heads, HD];  k, v  f32 [T, kv_heads, HD];  stats  vec2 (L, D) [T, heads]
// spans  vec2<u32> [T] behind the state: shared/spans.wgsl
//
// A workgroup takes 16 keys for one query head and walks over the queries in tiles of 16; thread (j, i) makes one score
// and then adds 4 dimensions of every GROUPS-th key in registers. No atomics, so the sum is the same every time.
//
// Formulas: specification §12.1 and §12.3. Workgroup: 256 threads. Grid: (⌈T / 16⌉, heads).

#include "shared/spans.wgsl"

struct Params {
    heads: u32,
    kv_heads: u32,
    window: u32,
    pad0: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> sequence: Sequence;
@group(0) @binding(2) var<storage, read> q: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> k: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> v: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> dout: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> stats: array<vec2<f32>>;
@group(0) @binding(7) var<storage, read_write> dk: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> dv: array<vec4<f32>>;

const TILE: u32 = 16u;
const QUADS: u32 = {{QUADS}}u;
const GROUPS: u32 = {{GROUPS}}u;
const SLAB: u32 = 8u;
const STRIDE: u32 = TILE + 1u;

var<workgroup> a_slab: array<vec4<f32>, SLAB * STRIDE>;
var<workgroup> b_slab: array<vec4<f32>, SLAB * STRIDE>;
var<workgroup> c_slab: array<vec4<f32>, SLAB * STRIDE>;
var<workgroup> d_slab: array<vec4<f32>, SLAB * STRIDE>;
var<workgroup> p_tile: array<f32, TILE * STRIDE>;
var<workgroup> ds_tile: array<f32, TILE * STRIDE>;

fn query_at(i: u32, head: u32) -> u32 {
    return (i * params.heads + head) * QUADS;
}

fn key_at(j: u32, head: u32) -> u32 {
    return (j * params.kv_heads + head / (params.heads / params.kv_heads)) * QUADS;
}

// The first half of the threads copies a slab of q and dO, the second of k and v.
fn stage(tid: u32, slab: u32, q0: u32, j0: u32, head: u32) {
    let quad = slab + tid % SLAB;
    let row = (tid / SLAB) % TILE;
    let slot = (tid % SLAB) * STRIDE + row;
    if (tid < SLAB * TILE) {
        var a = vec4<f32>(0.0);
        var c = vec4<f32>(0.0);
        if (q0 + row < sequence.state.len && quad < QUADS) {
            let at = query_at(q0 + row, head) + quad;
            a = q[at];
            c = dout[at];
        }
        a_slab[slot] = a;
        c_slab[slot] = c;
    } else {
        var b = vec4<f32>(0.0);
        var d = vec4<f32>(0.0);
        if (j0 + row < sequence.state.len && quad < QUADS) {
            let at = key_at(j0 + row, head) + quad;
            b = k[at];
            d = v[at];
        }
        b_slab[slot] = b;
        d_slab[slot] = d;
    }
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let j0 = wid.x * TILE;
    let head = wid.y;
    if (j0 >= sequence.state.len) {
        return;
    }
    let j = tid / TILE;
    let i = tid % TILE;
    var begin = j0;
#if SPANS
    for (var row = j0; row < min(j0 + TILE, sequence.state.len); row += 1u) {
        begin = min(begin, since(row));
    }
#endif
    var end = sequence.state.len;
    if (params.window != 0u) {
        end = min(end, j0 + TILE - 1u + params.window);
    }

    let column = tid % QUADS;
    let team = tid / QUADS;
#for A in 0..{{OWNED}}
    var dk_{{A}} = vec4<f32>(0.0);
    var dv_{{A}} = vec4<f32>(0.0);
#endfor
    for (var tile = begin; tile < end; tile += TILE) {
        var s = 0.0;
        var dp = 0.0;
        for (var slab = 0u; slab < QUADS; slab += SLAB) {
            workgroupBarrier();
            stage(tid, slab, tile, j0, head);
            workgroupBarrier();
            for (var d = 0u; d < SLAB; d += 1u) {
                s += dot(a_slab[d * STRIDE + i], b_slab[d * STRIDE + j]);
                dp += dot(c_slab[d * STRIDE + i], d_slab[d * STRIDE + j]);
            }
        }
        let query = tile + i;
        let key = j0 + j;
        var p = 0.0;
        var ds = 0.0;
        if (query < sequence.state.len && key < sequence.state.len && since(key) <= query && (params.window == 0u || key + params.window > query)) {
            let stat = stats[query * params.heads + head];
            p = exp(min(s - stat.x, 0.0));
            ds = p * (dp - stat.y);
        }
        p_tile[j * STRIDE + i] = p;
        ds_tile[j * STRIDE + i] = ds;
        workgroupBarrier();
        if (team < GROUPS) {
            for (var other = 0u; other < min(TILE, end - tile); other += 1u) {
                let at = query_at(tile + other, head) + column;
                let dout_i = dout[at];
                let q_i = q[at];
#for A in 0..{{OWNED}}
                {
                    let slot = min({{A}}u * GROUPS + team, TILE - 1u) * STRIDE + other;
                    dv_{{A}} += p_tile[slot] * dout_i;
                    dk_{{A}} += ds_tile[slot] * q_i;
                }
#endfor
            }
        }
    }
    if (team < GROUPS) {
#for A in 0..{{OWNED}}
        {
            let row = {{A}}u * GROUPS + team;
            if (row < TILE && j0 + row < sequence.state.len) {
                let at = query_at(j0 + row, head) + column;
                dk[at] = dk_{{A}};
                dv[at] = dv_{{A}};
            }
        }
#endfor
    }
}
