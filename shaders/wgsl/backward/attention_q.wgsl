// Gradient of attention with respect to the queries, and the row statistics for the gradients of keys and values:
//
//   s_j = q·k_j,  P_j = e^(s_j − L),  L = log Σ e^s_j,  D = dO·O,  dS_j = P_j·(dO·v_j − D),  dq = Σ_j dS_j·k_j
//
// over the keys j that query i sees: j ≤ i and i − j < window (0: no bound). Scores are recomputed, never stored.
// SPANS 1:  j < spans[i].until instead of j ≤ i: the tokens of an image attend to all of it (attention/block.wgsl).
//
// q, out, dout, dq  f32 [T, heads, HD];  k, v  f32 [T, kv_heads, HD];  stats  vec2 (L, D) [T, heads]
// spans  Span [T], after the state: shared/spans.wgsl
//
// A workgroup takes 16 queries of one head and loops over the keys in tiles of 16, twice: for L, then for dq.
// Thread (i, j) computes one score of a tile from slabs of 32 dimensions in workgroup memory, then accumulates 4
// dimensions of every GROUPS-th query in registers. No atomics: each element of dq is computed by one workgroup.
//
// Formulas: specification §12.1; Dao et al., "FlashAttention", 2022, for the recomputation.
// Workgroup: 256 threads. Grid: (⌈T / 16⌉, heads).

#include "backward/scores.wgsl"

var<storage, read> out: array<vec4<f32>>;
var<storage, read_write> dq: array<vec4<f32>>;
var<storage, read_write> stats: array<vec2<f32>>;

const MASKED: f32 = -1.0e30;

var<workgroup> ds: array<f32, TILE * STRIDE>;
var<workgroup> partial: array<vec2<f32>, 256>;

fn sees(i: u32, j: u32) -> bool {
    return i < sequence.state.len && j < until(i) && (params.window == 0u || j + params.window > i);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let q0 = wid.x * TILE;
    let head = wid.y;
    if (q0 >= sequence.state.len) {
        return;
    }
    let i = tid / TILE;
    let j = tid % TILE;
    var end = min(q0 + TILE, sequence.state.len);
#if SPANS
    for (var row = q0; row < min(q0 + TILE, sequence.state.len); row += 1u) {
        end = max(end, until(row));
    }
#endif
    var begin = 0u;
    if (params.window != 0u) {
        begin = (max(q0 + 1u, params.window) - params.window) / TILE * TILE;
    }

    // Each thread's maximum and sum over the keys j, j + 16, …, merged below.
    var top = MASKED;
    var sum = 0.0;
    for (var tile = begin; tile < end; tile += TILE) {
        let s = scores(tid, i, j, q0, tile, head, false).x;
        if (sees(q0 + i, tile + j)) {
            let next = max(top, s);
            sum = sum * exp(top - next) + exp(s - next);
            top = next;
        }
    }
    partial[tid] = vec2<f32>(top, sum);
    workgroupBarrier();
    var all_top = MASKED;
    for (var other = 0u; other < TILE; other += 1u) {
        all_top = max(all_top, partial[i * TILE + other].x);
    }
    var all_sum = 0.0;
    for (var other = 0u; other < TILE; other += 1u) {
        let one = partial[i * TILE + other];
        all_sum += one.y * exp(one.x - all_top);
    }
    let lse = all_top + log(max(all_sum, 1e-37));

    // D, computed by the 16 threads of the row.
    workgroupBarrier();
    var products = 0.0;
    if (q0 + i < sequence.state.len) {
        let at = query_at(q0 + i, head);
        for (var quad = j; quad < QUADS; quad += TILE) {
            products += dot(out[at + quad], dout[at + quad]);
        }
    }
    partial[tid] = vec2<f32>(products, 0.0);
    workgroupBarrier();
    var delta = 0.0;
    for (var other = 0u; other < TILE; other += 1u) {
        delta += partial[i * TILE + other].x;
    }
    if (j == 0u && q0 + i < sequence.state.len) {
        stats[(q0 + i) * params.heads + head] = vec2<f32>(lse, delta);
    }

    let column = tid % QUADS;
    let team = tid / QUADS;
#for A in 0..{{OWNED}}
    var acc_{{A}} = vec4<f32>(0.0);
#endfor
    for (var tile = begin; tile < end; tile += TILE) {
        let sp = scores(tid, i, j, q0, tile, head, true);
        var gradient = 0.0;
        if (sees(q0 + i, tile + j)) {
            gradient = exp(min(sp.x - lse, 0.0)) * (sp.y - delta);
        }
        ds[i * STRIDE + j] = gradient;
        workgroupBarrier();
        if (team < GROUPS) {
            for (var other = 0u; other < min(TILE, end - tile); other += 1u) {
                let key = k[key_at(tile + other, head) + column];
#for A in 0..{{OWNED}}
                acc_{{A}} += ds[min({{A}}u * GROUPS + team, TILE - 1u) * STRIDE + other] * key;
#endfor
            }
        }
    }
    if (team < GROUPS) {
#for A in 0..{{OWNED}}
        {
            let row = {{A}}u * GROUPS + team;
            if (row < TILE && q0 + row < sequence.state.len) {
                dq[query_at(q0 + row, head) + column] = acc_{{A}};
            }
        }
#endfor
    }
}
