// Attention of a chunk of queries over a KV cache of f16 or Q8_0, by the matrix units of the device: what
// attention/block.wgsl computes, with q, the weights of the keys and what Q8_0 stands for rounded to halves; sums in f32.
//
// q, out         f32 [T, heads, HD], T = state.len;  the chunk's own keys and values are already in the cache
// k, v caches    [slots, kv_heads, HD], KV_TYPE: f16, eight halves a vec4, or Q8_0 (shared/kv_q8_0.wgsl); space for a
//                multiple of 32 slots, and so is a ring
// parts          where there are several splits: attention/split.wgsl
// visible_until  u32 [T], with UNTIL
//
// A workgroup takes ROWS rows (attention/rows.wgsl) of one kv head, and 32 keys at a time:
//   1. scores: a subgroup multiplies 16 rows by 16 keys, over all of the head or, with heads of 512, over half of it. Its
//      part of q stays in registers;
//   2. softmax: TEAM threads a row. The reference of the exponentials, `top`, follows the maximum of the row only if that
//      grows by more than SLACK: so weights are at most e^SLACK, and the sums are rarely rescaled, which takes a detour
//      through workgroup memory, since threads don't know which elements of a matrix they hold;
//   3. values: a subgroup sums COLUMNS/16 matrices of 16 rows.
// The keys and values of the next step are loaded into registers during the products of this one. A workgroup takes a split of the
// keys (attention/split.wgsl).
//
// Formulas: attention/block.wgsl; the rarely updated maximum: Ye et al., "FlashInfer", 2025, and FlashAttention-4.
// Workgroup: 256 threads, subgroups of 32. Grid: (⌈T·heads/kv_heads / ROWS⌉, kv heads from params.first_head on, splits).
// HD is 64, 128, 192, 256 or 512.

#include "attention/cooperative/{{DIALECT}}.wgsl"
#include "shared/state.wgsl"
#include "shared/ring.wgsl"
#include "attention/rows.wgsl"
#include "attention/split.wgsl"
#if KV_TYPE == Q8_0
#include "shared/kv_q8_0.wgsl"
#endif

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> q: array<vec4<f32>>;
#if KV_TYPE == Q8_0
var<storage, read> k_cache: array<vec2<u32>>;
var<storage, read> v_cache: array<vec2<u32>>;
#else
var<storage, read> k_cache: array<vec4<u32>>;
var<storage, read> v_cache: array<vec4<u32>>;
#endif
var<storage, read_write> out: array<f32>;
var<storage, read_write> parts: array<f32>;
#if UNTIL
var<storage, read> visible_until: array<u32>;
#endif

const ROWS = {{ROWS}}u;               // 64, or 32 with heads of 512
const QUADS = {{QUADS}}u;             // vec4s per head
const EIGHTHS = QUADS / 2u;           // vec4s, or octets of Q8_0, of the cache per head
#if KV_TYPE == Q8_0
const SCALES = (EIGHTHS + 15u) / 16u; // vec2s of scales per head
#endif
const KEYS = 32u;
const TEAM = 256u / ROWS;
const ROW_TILES = ROWS / 16u;
const COLUMNS = {{COLUMNS}}u;
const PARTS = 4u * QUADS / COLUMNS;
const PART_QUADS = COLUMNS / 4u;
// Row strides that keep eight rows of a matrix in different banks.
const STRIDE = PART_QUADS + 2u;
const Q_ROUNDS = {{Q_ROUNDS}}u;
const Q_WIDTH = QUADS / Q_ROUNDS;
const SCORE_STRIDE = 36u;
const WEIGHT_STRIDE = 40u;
const MASKED = -1.0e30;
const SLACK = 8.0;

// Queries, keys, values in turn, in blocks of 16 rows and COLUMNS dimensions. Keys and values are [PARTS][2], the queries of a
// round [row tile][1], and with heads of 512 [PARTS][row tile].
var<workgroup> kv_tile: array<array<array<vec4<f16>, 16u * STRIDE>, 2>, PARTS>;
// Scores, one or two parts of each; also a matrix of each subgroup.
var<workgroup> scores: array<f32, 64u * SCORE_STRIDE>;
var<workgroup> weights: array<array<f16, 16u * WEIGHT_STRIDE>, ROW_TILES>;
// For each row: what its sums are multiplied by, in a step and at the end.
var<workgroup> factors: array<f32, ROWS>;
// Whether a row of this subgroup has to be rescaled.
var<workgroup> votes: array<u32, 8>;

// Where eight dimensions of a key or value are staged.
fn staged_at(row: u32, octet: u32) -> vec3<u32> {
    let quad = octet * 2u;
    return vec3<u32>(quad / PART_QUADS, row / 16u, row % 16u * STRIDE + quad % PART_QUADS);
}

#if KV_TYPE == Q8_0
// An octet's codes, then the vec2 with its scale.
fn stage(row: u32, octet: u32, words: vec4<u32>) {
    let scale = q8_octet_scale(words.zw, octet);
    let at = staged_at(row, octet);
    kv_tile[at.x][at.y][at.z] = vec4<f16>(q8_values(words.x, scale));
    kv_tile[at.x][at.y][at.z + 1u] = vec4<f16>(q8_values(words.y, scale));
}
#else
fn stage(row: u32, octet: u32, words: vec4<u32>) {
    let at = staged_at(row, octet);
    kv_tile[at.x][at.y][at.z] = vec4<f16>(vec4<f32>(unpack2x16float(words.x), unpack2x16float(words.y)));
    kv_tile[at.x][at.y][at.z + 1u] = vec4<f16>(vec4<f32>(unpack2x16float(words.z), unpack2x16float(words.w)));
}
#endif

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let kv_head = params.first_head + wid.y;
    let group = params.heads / params.kv_heads;
    let rows = state.len * group;
    let first = (grid.x - 1u - wid.x) * ROWS;
    if (first >= rows) {
        return;
    }
    let splits = chunk_splits();
    if (wid.z >= splits) {
        return;
    }
    let seen = visible(first / group, (min(first + ROWS, rows) - 1u) / group);
    let keys = keys_of_split(vec2<u32>(seen.x - seen.x % KEYS, seen.y), splits, wid.z, KEYS);
    let begin = keys.x;
    let end = keys.y;
    let thread = subgroup * 32u + lane;

    // What this subgroup multiplies.
    let row_tile = subgroup % ROW_TILES;
    let row_at = row_tile * 16u;
    let part = subgroup / ROW_TILES;
    let key_tile = part % 2u;
    let half = part / 2u;
    let column_at = part * COLUMNS;

    // The part of q, staged in Q_ROUNDS rounds.
#for r in 0..Q_ROUNDS
    workgroupBarrier();
    for (var i = thread; i < ROWS * Q_WIDTH; i += 256u) {
        let row = row_of(first + i / Q_WIDTH, kv_head);
        var value = vec4<f32>(0.0);
        if (row.real) {
            value = clamp(q[row.at + {{r}}u * Q_WIDTH + i % Q_WIDTH], vec4<f32>(-65504.0), vec4<f32>(65504.0));
        }
        let quad = i % Q_WIDTH;
        let tile = i / Q_WIDTH / 16u;
        let at = i / Q_WIDTH % 16u * STRIDE + quad % PART_QUADS;
        kv_tile[quad / PART_QUADS + tile / 2u][tile % 2u][at] = vec4<f16>(value);
    }
    workgroupBarrier();
#for k in 0..Q_TILES
    let q{{r}}_{{k}} = load_q{{k}}(half * 2u + row_tile / 2u, row_tile % 2u);
#endfor
#endfor

    // The row of this thread in the softmax, and its share of the keys: every TEAM-th.
    let my_row = thread / TEAM;
    let row = row_of(first + my_row, kv_head);
    let share = thread % TEAM;
    var top = MASKED;
    var sum = 0.0;
#for j in 0..SUMS
    var sums{{j}}: Sums;
#endfor
    // Chromium zeroes a matrix that is declared in a loop in the first round only.
    var zero: Sums;

    // Where this thread loads and stages keys and values.
#for i in 0..LOADS
    let octet{{i}} = (thread + {{i}}u * 256u) % EIGHTHS;
    let stage_row{{i}} = (thread + {{i}}u * 256u) / EIGHTHS;
#endfor
#if KV_TYPE == Q8_0
    let pitch = params.kv_heads * (EIGHTHS + SCALES);
#for i in 0..LOADS
    let load_at{{i}} = stage_row{{i}} * pitch + kv_head * (EIGHTHS + SCALES) + octet{{i}};
    let scale_at{{i}} = load_at{{i}} - octet{{i}} + EIGHTHS + octet{{i}} / 16u;
#endfor
#else
    let pitch = params.kv_heads * EIGHTHS;
#for i in 0..LOADS
    let load_at{{i}} = stage_row{{i}} * pitch + kv_head * EIGHTHS + octet{{i}};
#endfor
#endif
    // A split without keys loads some, which it doesn't use.
    var slot = kv_slot(select(seen.x - seen.x % KEYS, begin, begin < end), params.ring) * pitch;
#for i in 0..LOADS
#if KV_TYPE == Q8_0
    var next{{i}} = vec4<u32>(k_cache[slot + load_at{{i}}], k_cache[slot + scale_at{{i}}]);
#else
    var next{{i}} = k_cache[slot + load_at{{i}}];
#endif
#endfor

    for (var tile = begin; tile < end; tile += KEYS) {
        workgroupBarrier();
#for i in 0..LOADS
        stage(stage_row{{i}}, octet{{i}}, next{{i}});
#endfor
        workgroupBarrier();
#for i in 0..LOADS
#if KV_TYPE == Q8_0
        next{{i}} = vec4<u32>(v_cache[slot + load_at{{i}}], v_cache[slot + scale_at{{i}}]);
#else
        next{{i}} = v_cache[slot + load_at{{i}}];
#endif
#endfor
        {
            var tile_scores = zero;
#for r in 0..Q_ROUNDS
#for k in 0..Q_TILES
            tile_scores = multiply_add(q{{r}}_{{k}}, load_k{{r}}_{{k}}(half * 2u, key_tile), tile_scores);
#endfor
#endfor
            store_scores(tile_scores, (half * ROWS + row_at) * SCORE_STRIDE + key_tile * 16u);
        }
        workgroupBarrier();

#for i in 0..LOADS
        stage(stage_row{{i}}, octet{{i}}, next{{i}});
#endfor
        var most = MASKED;
#for e in 0..SHARE
        var score{{e}} = scores[my_row * SCORE_STRIDE + share + {{e}}u * TEAM];
#if HALVED
        score{{e}} += scores[(ROWS + my_row) * SCORE_STRIDE + share + {{e}}u * TEAM];
#endif
        score{{e}} = select(MASKED, score{{e}}, sees(row, tile + share + {{e}}u * TEAM));
        most = max(most, score{{e}});
#endfor
        most = max(most, subgroupShuffleXor(most, 1u));
        most = max(most, subgroupShuffleXor(most, 2u));
#if HALVED
        most = max(most, subgroupShuffleXor(most, 4u));
#endif
        let grows = most > top + SLACK;
        let rescales = grows & (top > MASKED);
        let factor = select(1.0, exp(max(top - most, -100.0)), rescales);
        top = select(top, most, grows);
        sum *= factor;
#for e in 0..SHARE
        {
            let weight = f16(select(0.0, exp(max(score{{e}} - top, -100.0)), score{{e}} > MASKED));
            weights[my_row / 16u][my_row % 16u * WEIGHT_STRIDE + share + {{e}}u * TEAM] = weight;
            sum += f32(weight);
        }
#endfor
        if (share == 0u) {
            factors[my_row] = factor;
        }
        let vote = subgroupAny(rescales);
        if (lane == 0u) {
            votes[subgroup] = u32(vote);
        }
        let voted = workgroupUniformLoad(&votes);

        // The next keys; at the end the last ones again.
        slot = kv_slot(select(tile, tile + KEYS, tile + KEYS < end), params.ring) * pitch;
#for i in 0..LOADS
#if KV_TYPE == Q8_0
        next{{i}} = vec4<u32>(k_cache[slot + load_at{{i}}], k_cache[slot + scale_at{{i}}]);
#else
        next{{i}} = k_cache[slot + load_at{{i}}];
#endif
#endfor
        if ((voted[0] | voted[1] | voted[2] | voted[3] | voted[4] | voted[5] | voted[6] | voted[7]) != 0u) {
#for j in 0..SUMS
            store_sums(sums{{j}}, subgroup * 256u);
            workgroupBarrier();
            for (var i = lane; i < 256u; i += 32u) {
                scores[subgroup * 256u + i] *= factors[row_at + i / 16u];
            }
            workgroupBarrier();
            sums{{j}} = load_sums(subgroup * 256u);
            workgroupBarrier();
#endfor
        }
#for k in 0..2
        {
            let row_weights = load_weights{{k}}(row_tile);
#for j in 0..SUMS
            sums{{j}} = multiply_add(row_weights, load_v{{k}}_{{j}}(part), sums{{j}});
#endfor
        }
#endfor
    }

    sum += subgroupShuffleXor(sum, 1u);
    sum += subgroupShuffleXor(sum, 2u);
#if HALVED
    sum += subgroupShuffleXor(sum, 4u);
#endif
    workgroupBarrier();
    if (share == 0u) {
        factors[my_row] = select(1.0, 1.0 / sum, splits == 1u);
        if (splits > 1u && row.real) {
            let pair = pair_at(row.at / QUADS, splits, wid.z);
            parts[pair] = top;
            parts[pair + 1u] = sum;
        }
    }
#for j in 0..SUMS
    store_sums(sums{{j}}, subgroup * 256u);
    workgroupBarrier();
    for (var i = lane; i < 256u; i += 32u) {
        let index = row_at + i / 16u;
        let its = row_of(first + index, kv_head);
        if (its.real) {
            let column = column_at + {{j}}u * 16u + i % 16u;
            let value = scores[subgroup * 256u + i] * factors[index];
            if (splits == 1u) {
                out[its.at * 4u + column] = value;
            } else {
                parts[acc_at(its.at / QUADS, splits, wid.z) + column] = value;
            }
        }
    }
    workgroupBarrier();
#endfor
}
