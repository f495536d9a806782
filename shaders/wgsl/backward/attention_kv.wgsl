// Gradients of attention with respect to keys and values, separately for each query head (group_sum.wgsl sums over
// the heads that share a key):
//
//   dv_j = Σ_i P_ij·dO_i,   dk_j = Σ_i dS_ij·q_i,   P_ij = e^(q_i·k_j − L_i),  dS_ij = P_ij·(dO_i·v_j − D_i)
//
// over the queries i that see key j: j ≤ i and i − j < window (0: no bound); L and D are those of attention_q.wgsl.
// SPANS 1:  spans[j].since ≤ i instead of j ≤ i: all queries of an image attend to all of its keys.
//
// q, dout, dk, dv  f32 [T, heads, HD];  k, v  f32 [T, kv_heads, HD];  stats  vec2 (L, D) [T, heads]
// spans  Span [T], after the state: shared/spans.wgsl
//
// A workgroup takes 16 keys for one query head and loops over the queries in tiles of 16. Thread (j, i) computes
// one score, then accumulates 4 dimensions of every GROUPS-th key in registers. There are no atomics, so the result
// is deterministic.
//
// Formulas: specification §12.1 and §12.3. Workgroup: 256 threads. Grid: (⌈T / 16⌉, heads).

#include "backward/scores.wgsl"

var<storage, read> stats: array<vec2<f32>>;
var<storage, read_write> dk: array<vec4<f32>>;
var<storage, read_write> dv: array<vec4<f32>>;

var<workgroup> p_tile: array<f32, TILE * STRIDE>;
var<workgroup> ds_tile: array<f32, TILE * STRIDE>;

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
        let sp = scores(tid, i, j, tile, j0, head, true);
        let query = tile + i;
        let key = j0 + j;
        var p = 0.0;
        var ds = 0.0;
        if (query < sequence.state.len && key < sequence.state.len && since(key) <= query && (params.window == 0u || key + params.window > query)) {
            let stat = stats[query * params.heads + head];
            p = exp(min(sp.x - stat.x, 0.0));
            ds = p * (sp.y - stat.y);
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
