// Attention of a chunk of queries over the KV cache, in prefill, with online softmax (one pass over the keys).
//
//   s_j = q·k_j                                          scale 1: the head norms carry it
//   out = Σ_j e^(s_j − m)·v_j / Σ_j e^(s_j − m),  m = max s_j,  over the visible keys j
//   visible:  j ≤ p  and  p − j < window (0: no bound),  p = state.pos + t the position of query t
//   UNTIL 1:  or  j < visible_until[t]  and  p − j < window: the tokens of an image attend to all of it, also to later
//             ones
//   params.together 1:  state.pos − j < window instead of p − j < window: all rows of a canvas look back as far as its
//             first
//   params.texts 1:  |p − j| < window, and both are of the same text: begin ≤ j < visible_until[t]; begin is visible_until[T + t]
//
// q, out         f32 [T, heads, HD], T = state.len;  the chunk's own keys and values are already in the cache
// k, v caches    [slots, kv_heads, HD], f16, f32 or Q8_0: shared/kv.wgsl; kv head = head / (heads / kv_heads)
// visible_until  u32 [T], a position; 0 for none; of texts [2, T]. Positions from state.pos + T on are not in the cache, hence not
//                visible.
//
// A workgroup takes ROWS rows of one kv head. A row is a (query, head) pair. Rows run over the heads that share the
// kv head first, then over the queries, so that keys and values are read once for all of them. For each tile of 64
// keys:
//   1. scores: a thread computes 1/16 of the keys (kq, kq + 16, kq + 32, kq + 48) for every 16th row. q and k pass
//      through workgroup memory 32 dimensions at a time, transposed, so that neighbouring threads read neighbouring
//      vec4s;
//   2. softmax: the row maximum over its 16 threads; the weights go to workgroup memory (replacing q and k);
//   3. values: a thread accumulates 4 dimensions of every GROUPS-th row in registers.
// Tiles before the window of the first query and after the last visible key are skipped. The workgroups with the
// most keys start first. With SPLIT, a workgroup takes a split of the keys, and what it writes to `part` is merged by
// attention/merge.wgsl, unless there is one split (attention/split.wgsl).
//
// Formulas: Gemma 4 specification §2.4 (also for image blocks), §13.2; Milakov & Gimelshein, "Online normalizer
// calculation for softmax", 2018; Dao et al., "FlashAttention", 2022.
// Workgroup: 256 threads. Grid: (⌈T·heads/kv_heads / ROWS⌉, kv heads from params.first_head on, splits with SPLIT). A long image is
// processed a few heads at a time.

#include "shared/state.wgsl"
#include "shared/kv.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> q: array<vec4<f32>>;
#if KV_TYPE == Q8_0
var<storage, read> k_cache: array<u32>;
var<storage, read> v_cache: array<u32>;
#else
var<storage, read> k_cache: array<Kv4>;
var<storage, read> v_cache: array<Kv4>;
#endif
var<storage, read_write> out: array<vec4<f32>>;
#if SPLIT
var<storage, read_write> part: array<f32>;
#endif
#if UNTIL
var<storage, read> visible_until: array<u32>;
#endif

const ROWS: u32 = {{ROWS}}u;         // 16 or 32
const QUADS: u32 = {{QUADS}}u;       // vec4s per head
#if KV_TYPE == Q8_0
const SCALES: u32 = (QUADS + 31u) / 32u * 2u; // words of scales per head
#endif
const GROUPS: u32 = {{GROUPS}}u;     // rows that are accumulated at a time: 256 / QUADS
const TILE: u32 = 64u;               // keys
const SLAB: u32 = 8u;                // vec4s of a head that are staged at a time
const Q_STRIDE: u32 = ROWS + 1u;     // odd strides avoid bank conflicts
const K_STRIDE: u32 = TILE + 1u;
const P_STRIDE: u32 = TILE / 4u + 1u;
const K_AT: u32 = SLAB * Q_STRIDE;
const MASKED: f32 = -1.0e30;

// Slabs of q and k, later the weights of the tile.
var<workgroup> mem: array<vec4<f32>, K_AT + SLAB * K_STRIDE>;
// The maximum, at the end the sum, of each row and thread.
var<workgroup> partial: array<f32, ROWS * 16u>;
// The factor of each row's accumulators in this tile; at the end, with SPLIT, the maximum of the row.
var<workgroup> shrink: array<f32, ROWS>;

#include "attention/rows.wgsl"
#if SPLIT
#include "attention/split.wgsl"
#endif

// First vec4 (Q8_0: word) of the key or value `j` places after `slot`. A ring has at least as many slots as a tile.
fn cached(slot: u32, j: u32, kv_head: u32) -> u32 {
    var at = slot + j;
    if (params.ring != 0u && at >= params.ring) {
        at -= params.ring;
    }
#if KV_TYPE == Q8_0
    return (at * params.kv_heads + kv_head) * (QUADS + SCALES);
#else
    return (at * params.kv_heads + kv_head) * QUADS;
#endif
}

#if KV_TYPE == Q8_0
fn value(at: u32, quad: u32) -> vec4<f32> {
    return q8_values(v_cache[at + quad], q8_scale(v_cache[at + QUADS + quad / 16u], quad / 8u));
}
#endif

fn staged_k(at: u32, quad: u32, real: bool) -> vec4<f32> {
    if (real && quad < QUADS) {
#if KV_TYPE == Q8_0
        return q8_values(k_cache[at + quad], q8_scale(k_cache[at + QUADS + quad / 16u], quad / 8u));
#else
        return kv_unpack4(k_cache[at + quad]);
#endif
    }
    return vec4<f32>(0.0);
}

fn largest(x: vec4<f32>) -> f32 {
    return max(max(x.x, x.y), max(x.z, x.w));
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let kv_head = params.first_head + wid.y;
    let group = params.heads / params.kv_heads;
    let rows = state.len * group;
    let first = (grid.x - 1u - wid.x) * ROWS;
    if (first >= rows) {
        return;
    }
    let first_query = first / group;
    let last_query = (min(first + ROWS, rows) - 1u) / group;
#if SPLIT
    let splits = chunk_splits();
    if (wid.z >= splits) {
        return;
    }
    let keys = keys_of_split(visible(first_query, last_query), splits, wid.z, TILE);
#else
    let keys = visible(first_query, last_query);
#endif
    let end = keys.y;

    // Part 1: the rows this thread scores, and the row and vec4 it stages.
    let kq = tid & 15u;
    let lane = tid >> 4u;
#for R in 0..{{SCORED}}
    let row_{{R}} = row_of(first + {{R}}u * 16u + lane, kv_head);
    var top_{{R}} = MASKED;
    var sum_{{R}} = 0.0;
#endfor
    let quad = tid & 7u;
    let stage = tid >> 3u;
    let staged = row_of(first + stage, kv_head);
    // Part 3: the dimensions and rows this thread accumulates.
    let column = tid % QUADS;
    let team = tid / QUADS;
#for A in 0..{{OWNED}}
    var acc_{{A}} = vec4<f32>(0.0);
#endfor

    for (var tile = keys.x; tile < end; tile += TILE) {
        let count = min(TILE, end - tile);
        let slot = kv_slot(tile, params.ring);
        let k0 = cached(slot, stage, kv_head);
        let k1 = cached(slot, stage + 32u, kv_head);

#for R in 0..{{SCORED}}
        var s_{{R}} = vec4<f32>(0.0);
#endfor
        for (var slab = 0u; slab < QUADS; slab += SLAB) {
            workgroupBarrier();
            if (stage < ROWS) {
                var value = vec4<f32>(0.0);
                if (staged.real && slab + quad < QUADS) {
                    value = q[staged.at + slab + quad];
                }
                mem[quad * Q_STRIDE + stage] = value;
            }
            mem[K_AT + quad * K_STRIDE + stage] = staged_k(k0, slab + quad, stage < count);
            mem[K_AT + quad * K_STRIDE + stage + 32u] = staged_k(k1, slab + quad, stage + 32u < count);
            workgroupBarrier();
            for (var d = 0u; d < SLAB; d += 1u) {
                let k = K_AT + d * K_STRIDE + kq;
                let key_0 = mem[k];
                let key_1 = mem[k + 16u];
                let key_2 = mem[k + 32u];
                let key_3 = mem[k + 48u];
#for R in 0..{{SCORED}}
                let q_{{R}} = mem[d * Q_STRIDE + {{R}}u * 16u + lane];
                s_{{R}} += vec4<f32>(dot(q_{{R}}, key_0), dot(q_{{R}}, key_1), dot(q_{{R}}, key_2), dot(q_{{R}}, key_3));
#endfor
            }
        }

#for R in 0..{{SCORED}}
        let seen_{{R}} = vec4<bool>(
            sees(row_{{R}}, tile + kq),
            sees(row_{{R}}, tile + kq + 16u),
            sees(row_{{R}}, tile + kq + 32u),
            sees(row_{{R}}, tile + kq + 48u),
        );
        s_{{R}} = select(vec4<f32>(MASKED), s_{{R}}, seen_{{R}});
        partial[({{R}}u * 16u + lane) * 16u + kq] = largest(s_{{R}});
#endfor
        // Also waits until all threads have read the slabs, which the weights overwrite.
        workgroupBarrier();
#for R in 0..{{SCORED}}
        {
            let row = {{R}}u * 16u + lane;
            var next = top_{{R}};
            for (var i = 0u; i < 16u; i += 1u) {
                next = max(next, partial[row * 16u + i]);
            }
            let factor = exp(max(top_{{R}} - next, -100.0));
            let p = select(vec4<f32>(0.0), exp(max(s_{{R}} - next, vec4<f32>(-100.0))), seen_{{R}});
            mem[row * P_STRIDE + kq] = p;
            sum_{{R}} = sum_{{R}} * factor + p.x + p.y + p.z + p.w;
            top_{{R}} = next;
            if (kq == 0u) {
                shrink[row] = factor;
            }
        }
#endfor
        workgroupBarrier();
        if (team < GROUPS) {
#for A in 0..{{OWNED}}
            acc_{{A}} *= shrink[min({{A}}u * GROUPS + team, ROWS - 1u)];
#endfor
            for (var i = 0u; i < min(count, 16u); i += 1u) {
#if KV_TYPE == Q8_0
                let v_0 = value(cached(slot, i, kv_head), column);
                let v_1 = value(cached(slot, min(i + 16u, count - 1u), kv_head), column);
                let v_2 = value(cached(slot, min(i + 32u, count - 1u), kv_head), column);
                let v_3 = value(cached(slot, min(i + 48u, count - 1u), kv_head), column);
#else
                let v_0 = kv_unpack4(v_cache[cached(slot, i, kv_head) + column]);
                let v_1 = kv_unpack4(v_cache[cached(slot, min(i + 16u, count - 1u), kv_head) + column]);
                let v_2 = kv_unpack4(v_cache[cached(slot, min(i + 32u, count - 1u), kv_head) + column]);
                let v_3 = kv_unpack4(v_cache[cached(slot, min(i + 48u, count - 1u), kv_head) + column]);
#endif
#for A in 0..{{OWNED}}
                let p_{{A}} = mem[min({{A}}u * GROUPS + team, ROWS - 1u) * P_STRIDE + i];
                acc_{{A}} += p_{{A}}.x * v_0 + p_{{A}}.y * v_1 + p_{{A}}.z * v_2 + p_{{A}}.w * v_3;
#endfor
            }
        }
    }

    workgroupBarrier();
#for R in 0..{{SCORED}}
    partial[({{R}}u * 16u + lane) * 16u + kq] = sum_{{R}};
#if SPLIT
    if (kq == 0u) {
        shrink[{{R}}u * 16u + lane] = top_{{R}};
    }
#endif
#endfor
    workgroupBarrier();
    if (team < GROUPS) {
#for A in 0..{{OWNED}}
        {
            let row = {{A}}u * GROUPS + team;
            if (row < ROWS && first + row < rows) {
                var total = 0.0;
                for (var i = 0u; i < 16u; i += 1u) {
                    total += partial[row * 16u + i];
                }
                let at = row_of(first + row, kv_head).at;
#if SPLIT
                if (splits == 1u) {
                    out[at + column] = acc_{{A}} / total;
                } else {
                    let acc = acc_at(at / QUADS, splits, wid.z) + 4u * column;
                    for (var i = 0u; i < 4u; i += 1u) {
                        part[acc + i] = acc_{{A}}[i];
                    }
                    if (column == 0u) {
                        let pair = pair_at(at / QUADS, splits, wid.z);
                        part[pair] = shrink[row];
                        part[pair + 1u] = total;
                    }
                }
#else
                out[at + column] = acc_{{A}} / total;
#endif
            }
        }
#endfor
    }
}
