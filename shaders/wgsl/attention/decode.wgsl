// Attention of one token (flash decoding): a workgroup computes one query head over one split of the keys. From
// `params.grouped_from` splits on, it computes GROUP heads that share a kv head, and reads the keys once for all of them; with
// fewer splits, that would leave a device idle. Head norms, RoPE and the append to the cache are fused in front.
//
//   q = rope(rms(q; q_norm)),  k = rope(rms(k; k_norm)),  v = rms(v)          (scale 1: the norms carry it)
//                                                         v = v with params.raw_v
//   s_j = q·k_j,  m = max s_j,  l = Σ e^(s_j − m),  acc = Σ e^(s_j − m)·v_j    over the keys j of the split
//
// in    qkv   f32: q [heads, HD], then (OWN_KV) k [kv_heads, HD], then v [kv_heads, HD] unless V_IS_K
// cache k, v  [slots, kv_heads, HD], f16, f32 or Q8_0 (KV_TYPE): attention/decode/cache.wgsl; slot = position, or position
//             mod ring
// out   part  f32: acc [heads, max_splits, HD], then (m, l) [heads, max_splits, 2]
//
// PARTIAL_OUT (GROUP 1): for adapters on the output projection, part continues with A·acc over the elements of the head,
// in vec4s [max_splits, heads, quads]. `adapter` has the columns of A, [heads·HD, quads].
//
// OWN_KV 0: the layer uses the cache of another layer, which already holds this token's key and value. OWN_KV 1:
// they are computed here, by the workgroups whose split contains the token. The first group of each kv head appends
// them; no workgroup of this dispatch reads that slot. The slot's previous key is outside of every window, since a
// ring is longer than the window. The query may be `params.ahead` of the last key, state.pos: a drafter's token has no key.
//
// SEVERAL: several rows, which are tokens that are verified together, with queries f32 [T, heads, HD], T = state.len.
// The cache holds their keys and values. Row t has position state.pos + t; its partial results follow those of the row
// before. FINISHED: rows/qkv_finish.wgsl has finished the queries, when it appended keys and values.
//
// SHARED_ROWS: a workgroup computes a block of ROWS rows, the last one perhaps fewer, and reads the keys once for all of them: from the
// first one that its first row sees to the last row's own. A key that a row does not see has no weight for it; its m is −3e38
// and its l 0 where it sees none of the split. The queries of a workgroup are the heads of its first row, then those of the next.
//
// KEY_LOADS, VALUE_LOADS: octets that a thread loads before it uses the first, so that their latencies overlap.
//
// Formulas: Gemma 4 specification §2.4 (scale 1.0; v is normed without weights); Dao et al., "Flash-Decoding", for
// the splits.
// Workgroup: 256 threads. Grid: (max_splits, heads, SEVERAL: rows, or blocks of them with SHARED_ROWS). Workgroups beyond the last
// split or the last row return at once, and so do those whose query head another workgroup of the group computes.

#include "shared/state.wgsl"
#include "shared/splits.wgsl"
#if !FINISHED
#include "shared/rope.wgsl" with TABLE=rope, HALF={{HALF}}, HI_ROWS=params.rope_hi_rows
#endif

{{PARAMS}}
var<uniform> params: Params;
var<storage, read_write> part: array<f32>;
var<storage, read> state: State;
#if FINISHED
var<storage, read> queries: array<vec4<f32>>;
#else
var<storage, read> qkv: array<f32>;
#include "shared/vectors.wgsl"
var<storage, read> rope: array<vec2<f32>>;
#endif
#if OWN_KV
var<storage, read_write> k_cache: array<CacheUnit>;
var<storage, read_write> v_cache: array<CacheUnit>;
#else
var<storage, read> k_cache: array<CacheUnit>;
var<storage, read> v_cache: array<CacheUnit>;
#endif

#if PARTIAL_OUT
var<storage, read> adapter: array<vec4<f32>>;
#endif

#if PARTIAL_OUT
const QUADS: u32 = {{QUADS}}u; // rank of the adapters in vec4s
const SUMMING: u32 = THREADS / QUADS * QUADS;
#endif
const HD: u32 = {{HD}}u;
const THREADS: u32 = 256u;
const TILE: u32 = 64u;             // keys scored at a time
const PER_KEY: u32 = THREADS / TILE; // threads that share a key
const OCTETS: u32 = HD / 8u;       // groups of 8 elements of a head
const TEAMS: u32 = THREADS / OCTETS; // keys whose values are accumulated at a time

const GROUP: u32 = {{GROUP}}u;     // query heads per workgroup
const QUERIES: u32 = {{QUERIES}}u;   // ROWS * GROUP, at most 4

// The queries. After the loop over the keys, the sums of all threads.
var<workgroup> own: array<vec4<f32>, {{OWN_LEN}}>;
#if OWN_KV
// The token's k, then its v, as the cache holds them, four elements each.
var<workgroup> own_kv: array<Stored, HD / 2u>;
#endif
// Each thread's partial scores, one for each query. While values are weighed, e^(old m − new m) of query h, which
// rescales its sums, in scratch[h].x: an array of its own would be beyond 16 KiB. Before, with Q8_0, the token's k and v
// until they are quantised.
var<workgroup> scratch: array<vec4<f32>, THREADS>;
var<workgroup> scores: array<vec4<f32>, QUERIES * TILE / 4u>;
var<workgroup> weights: array<vec4<f32>, QUERIES * TILE / 4u>;

#include "attention/decode/cache.wgsl"

// The row of a query and its head, both from the workgroup's first one, if it computes `heads` heads of each row.
fn row_of(query: u32, heads: u32) -> u32 {
#if !SHARED_ROWS
    return 0u;
#else
    return query / heads;
#endif
}

fn head_of(query: u32, heads: u32) -> u32 {
#if !SHARED_ROWS
    return query;
#else
    return query % heads;
#endif
}

#if !FINISHED
// Offset in `qkv` of head `place`: QUERIES queries, k, v. `src` has the offsets of the first query, of k and of v.
fn source_of(place: u32, heads: u32, src: vec3<u32>) -> u32 {
    if (place < QUERIES) {
        return src.x + (row_of(place, heads) * params.heads + head_of(place, heads)) * HD;
    }
    return select(src.y, src.z, place > QUERIES);
}

// Whether head `place` is one of the first `live` queries, or k or v of the token.
fn is_needed(place: u32, live: u32, holds_own: bool) -> bool {
    return place < live || (holds_own && place >= QUERIES && place < QUERIES + 2u);
}

// Norm and RoPE of the heads that are needed, to `own` and `own_kv`. Four are normed side by side because one alone would leave most
// threads idle. `position` is that of the first row.
fn finish(live: u32, heads: u32, holds_own: bool, src: vec3<u32>, position: u32, tid: u32) {
#for set in 0..SETS
    var squares{{set}} = vec4<f32>(0.0);
    for (var i = tid; i < HD; i += THREADS) {
        var v = vec4<f32>(0.0);
#for p in 0..4
        if (is_needed({{set}}u * 4u + {{p}}u, live, holds_own)) {
            v[{{p}}] = qkv[source_of({{set}}u * 4u + {{p}}u, heads, src) + i];
        }
#endfor
        squares{{set}} += v * v;
    }
    scratch[tid] = squares{{set}};
    workgroupBarrier();
    if (tid < 16u) {
        var part_sum = scratch[tid];
        for (var i = tid + 16u; i < THREADS; i += 16u) {
            part_sum += scratch[i];
        }
        scratch[tid] = part_sum;
    }
    workgroupBarrier();
    var total{{set}} = scratch[0];
    for (var i = 1u; i < 16u; i += 1u) {
        total{{set}} += scratch[i];
    }
    let scales{{set}} = inverseSqrt(total{{set}} / f32(HD) + params.eps);
    workgroupBarrier();
#endfor
    // Four pairs at a time, so that whole vectors are written: writing one component may race with its neighbours.
    for (var i = tid; i < {{PLACES}}u * HD / 8u; i += THREADS) {
        let place = i / (HD / 8u);
        if (!is_needed(place, live, holds_own)) {
            continue;
        }
        let j = i % (HD / 8u);
        let early = source_of(place, heads, src) + 4u * j;
        let late = early + HD / 2u;
#if TWO_SETS
        var scale = select(scales0, scales1, place >= 4u)[place % 4u];
#else
        var scale = scales0[place];
#endif
        if (params.raw_v != 0u && place > QUERIES) {
            scale = 1.0;
        }
        var a = vec4<f32>(qkv[early], qkv[early + 1u], qkv[early + 2u], qkv[early + 3u]) * scale;
        var b = vec4<f32>(qkv[late], qkv[late + 1u], qkv[late + 2u], qkv[late + 3u]) * scale;
        if (place <= QUERIES) {
            let norm = select(params.q_norm, params.k_norm, place == QUERIES);
            a *= vector4(norm, j);
            b *= vector4(norm + HD / 2u, j);
            let row_position = position + row_of(place, heads);
            let t0 = rope_cos_sin(row_position, 4u * j);
            let t1 = rope_cos_sin(row_position, 4u * j + 1u);
            let t2 = rope_cos_sin(row_position, 4u * j + 2u);
            let t3 = rope_cos_sin(row_position, 4u * j + 3u);
            let c = vec4<f32>(t0.x, t1.x, t2.x, t3.x);
            let s = vec4<f32>(t0.y, t1.y, t2.y, t3.y);
            let turned = a * c - b * s;
            b = b * c + a * s;
            a = turned;
        }
#if OWN_KV
        if (place >= QUERIES) {
#if KV_TYPE == Q8_0
            scratch[(place - QUERIES) * HD / 4u + j] = a;
            scratch[(place - QUERIES) * HD / 4u + HD / 8u + j] = b;
#else
            own_kv[(place - QUERIES) * HD / 4u + j] = stored(a);
            own_kv[(place - QUERIES) * HD / 4u + HD / 8u + j] = stored(b);
#endif
            continue;
        }
#endif
        own[place * HD / 4u + j] = a;
        own[place * HD / 4u + HD / 8u + j] = b;
    }
    workgroupBarrier();
#if OWN_KV && KV_TYPE == Q8_0
    if (holds_own && tid < HD / 2u) {
        own_kv[tid] = quantised(tid);
    }
    workgroupBarrier();
#endif
}
#endif

#if PARTIAL_OUT
// The columns of A at `at`, for element `i` of the head; zero beyond its end.
fn column(at: u32, i: u32) -> vec4<f32> {
    if (i >= HD * QUADS) {
        return vec4<f32>(0.0);
    }
    return adapter[at];
}

// The element of the head's result that goes with column `i`.
fn element(i: u32) -> f32 {
    let row = min(i / QUADS, HD - 1u);
    return own[row >> 2u][row & 3u];
}
#endif

// The part of q·k that an octet of the key contributes, for query `h`.
fn product(h: u32, octet: u32, k: Octet) -> f32 {
    let at = h * HD / 4u + 2u * octet;
    return dot(own[at], k.a) + dot(own[at + 1u], k.b);
}

fn weight(h: u32, key: u32) -> f32 {
    return weights[h * TILE / 4u + (key >> 2u)][key & 3u];
}

// The sum of the partial scores of one key for query `h`.
fn score(key: u32, h: u32) -> f32 {
    let at = key * PER_KEY;
    return scratch[at][h] + scratch[at + 1u][h] + scratch[at + 2u][h] + scratch[at + 3u][h];
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let head = wid.y;
    // The first row, its position, and the number of rows.
#if SEVERAL
    let row = wid.z * {{ROWS}}u;
    if (row >= state.len) {
        return;
    }
    let pos = state.pos + row;
#else
    let row = 0u;
    let pos = state.pos;
#endif
#if !SHARED_ROWS
    let rows = 1u;
#else
    let rows = min({{ROWS}}u, state.len - row);
#endif
    let splits = attention_splits(pos + 1u, rows, params.window, params.min_split_keys, params.max_splits);
    if (wid.x >= splits.count) {
        return;
    }
    var heads = 1u;
    if (GROUP > 1u && splits.count >= params.grouped_from) {
        heads = GROUP;
        if (head % GROUP != 0u) {
            return;
        }
    }
    let live = rows * heads;
    let begin = splits.first + wid.x * splits.run;
    let end = min(begin + splits.run, pos + rows);
    let kv_head = head / (params.heads / params.kv_heads);
#if PARTIAL_OUT
    // Loaded first, to hide the latency.
    let first_column = params.columns + head * HD * QUADS;
    let columns = array<vec4<f32>, 4>(
        column(first_column + tid, tid),
        column(first_column + tid + SUMMING, tid + SUMMING),
        column(first_column + tid + 2u * SUMMING, tid + 2u * SUMMING),
        column(first_column + tid + 3u * SUMMING, tid + 3u * SUMMING));
#endif

#if FINISHED
    for (var i = tid; i < live * HD / 4u; i += THREADS) {
        let query = i / (HD / 4u);
        let source = (row + row_of(query, heads)) * params.heads + head + head_of(query, heads);
        own[i] = queries[source * (HD / 4u) + i % (HD / 4u)];
    }
    workgroupBarrier();
#else
    let q_src = (row * params.heads + head) * HD;
#if OWN_KV
    let k_src = (params.heads + kv_head) * HD;
#if V_IS_K
    let v_src = k_src;
#else
    let v_src = k_src + params.kv_heads * HD;
#endif
    let holds_own = end == pos + 1u;
    finish(live, heads, holds_own, vec3<u32>(q_src, k_src, v_src), pos, tid);
    if (holds_own && head % (params.heads / params.kv_heads) == 0u) {
        let slot = cached(pos, kv_head);
#if KV_TYPE == Q8_0
        append(slot, tid);
#else
        for (var c = tid; c < OCTETS; c += THREADS) {
#if KV_TYPE == F16
            k_cache[slot + c] = vec4<u32>(own_kv[2u * c], own_kv[2u * c + 1u]);
            v_cache[slot + c] = vec4<u32>(own_kv[HD / 4u + 2u * c], own_kv[HD / 4u + 2u * c + 1u]);
#else
            k_cache[slot + 2u * c] = own_kv[2u * c];
            k_cache[slot + 2u * c + 1u] = own_kv[2u * c + 1u];
            v_cache[slot + 2u * c] = own_kv[HD / 4u + 2u * c];
            v_cache[slot + 2u * c + 1u] = own_kv[HD / 4u + 2u * c + 1u];
#endif
        }
#endif
    }
#else
    finish(live, heads, false, vec3<u32>(q_src), pos + params.ahead, tid);
#endif
#endif

    // Maximum and sum of weights of the query whose scores this thread weighs; the sum covers this thread's keys alone.
    var m = -3.0e38;
    var l = 0.0;
    let weighed = tid / (TILE / 4u);
#if SHARED_ROWS
    // The keys that its row sees.
    let seen_until = pos + row_of(weighed, heads) + 1u;
    let seen_from = select(0u, seen_until - min(seen_until, params.window), params.window != 0u);
#endif
#for h in 0..QUERIES
    var acc{{h}} = Octet(vec4<f32>(0.0), vec4<f32>(0.0));
#endfor
    let team = tid / OCTETS;
    let octet = tid % OCTETS;
    for (var tile = begin; tile < end; tile += TILE) {
        let count = min(TILE, end - tile);
#if OWN_KV
        // Keys of the tile that the cache holds; only the token's own one may follow them.
        let in_cache = min(count, pos - tile);
#else
        let in_cache = count;
#endif
        let key = tid / PER_KEY;
        var s = vec4<f32>(0.0);
        if (key < in_cache) {
            let row = cached(tile + key, kv_head);
            for (var c = tid % PER_KEY; c < OCTETS; c += PER_KEY * {{KEY_LOADS}}u) {
#if KV_TYPE == Q8_0
                // At most 16 octets, from a multiple of their number on: one vec2 has all their scales.
                let scales = k_cache[row + OCTETS + c / 16u];
#for u in 0..KEY_LOADS
                let k{{u}} = load_k(row, c + {{u}}u * PER_KEY, scales);
#endfor
#else
#for u in 0..KEY_LOADS
                let k{{u}} = load_k(row + (c + {{u}}u * PER_KEY) * WORDS4);
#endfor
#endif
#for h in 0..QUERIES
                if ({{h}}u < live) {
#for u in 0..KEY_LOADS
                    s[{{h}}] += product({{h}}u, c + {{u}}u * PER_KEY, k{{u}});
#endfor
                }
#endfor
            }
        }
#if OWN_KV
        if (key == in_cache && key < count) {
            for (var c = tid % PER_KEY; c < OCTETS; c += PER_KEY) {
                let k = load_own(c);
#for h in 0..QUERIES
                if ({{h}}u < live) {
                    s[{{h}}] += product({{h}}u, c, k);
                }
#endfor
            }
        }
#endif
        scratch[tid] = s;
        workgroupBarrier();
        var four = vec4<f32>(-3.0e38);
        if (weighed < live) {
            let at = 4u * (tid % (TILE / 4u));
#if !SHARED_ROWS
            let seen = vec2<u32>(0u, count);
#else
            let seen = vec2<u32>(max(seen_from, tile) - tile, min(max(seen_until, tile) - tile, count));
#endif
#for e in 0..4
            if (at + {{e}}u >= seen.x && at + {{e}}u < seen.y) {
                four[{{e}}] = score(at + {{e}}u, weighed);
            }
#endfor
            scores[tid] = four;
        }
        workgroupBarrier();
        if (weighed < live) {
            var top = vec4<f32>(m);
            for (var i = 0u; i < TILE / 4u; i += 1u) {
                top = max(top, scores[weighed * TILE / 4u + i]);
            }
            let next = max(max(top.x, top.y), max(top.z, top.w));
            // Clamped: e^−100 is 0 on every device, while exp(−3e38) is not reliable.
            var four_weights = exp(max(four - next, vec4<f32>(-100.0)));
#if SHARED_ROWS
            // Where the row has seen no key yet, `next` is no score.
            four_weights = select(vec4<f32>(0.0), four_weights, four > vec4<f32>(-3.0e38));
#endif
            let rescale = exp(max(m - next, -100.0));
            weights[tid] = four_weights;
            l = l * rescale + four_weights.x + four_weights.y + four_weights.z + four_weights.w;
            m = next;
            if (tid % (TILE / 4u) == 0u) {
                scratch[weighed].x = rescale;
            }
        }
        workgroupBarrier();
#for h in 0..QUERIES
        if ({{h}}u < live) {
            acc{{h}}.a *= scratch[{{h}}].x;
            acc{{h}}.b *= scratch[{{h}}].x;
        }
#endfor
        for (var i = team; i < in_cache; i += TEAMS * {{VALUE_LOADS}}u) {
#for u in 0..VALUE_LOADS
            let i{{u}} = i + {{u}}u * TEAMS;
#if KV_TYPE == Q8_0
            let v{{u}} = load_v(cached(tile + min(i{{u}}, in_cache - 1u), kv_head), octet);
#else
            let v{{u}} = load_v(cached(tile + min(i{{u}}, in_cache - 1u), kv_head) + octet * WORDS4);
#endif
#endfor
#for h in 0..QUERIES
            if ({{h}}u < live) {
#for u in 0..VALUE_LOADS
                let weight{{u}} = select(0.0, weight({{h}}u, i{{u}}), i{{u}} < in_cache);
                acc{{h}}.a += weight{{u}} * v{{u}}.a;
                acc{{h}}.b += weight{{u}} * v{{u}}.b;
#endfor
            }
#endfor
        }
#if OWN_KV
        if (in_cache < count && team == 0u) {
            let v = load_own(OCTETS + octet);
#for h in 0..QUERIES
            if ({{h}}u < live) {
                acc{{h}}.a += weight({{h}}u, in_cache) * v.a;
                acc{{h}}.b += weight({{h}}u, in_cache) * v.b;
            }
#endfor
        }
#endif
        workgroupBarrier();
    }

    // Sixteen threads weigh a query; each has summed the weights of its own keys.
    scratch[tid] = vec4<f32>(m, l, 0.0, 0.0);
    let splits_of_row = params.heads * params.max_splits;
#for h in 0..QUERIES
    if ({{h}}u < live) {
        own[2u * tid] = acc{{h}}.a;
        own[2u * tid + 1u] = acc{{h}}.b;
        workgroupBarrier();
        let of_row = (row + row_of({{h}}u, heads)) * splits_of_row * (HD + 2u);
        let pairs = of_row + splits_of_row * HD;
        let place = (head + head_of({{h}}u, heads)) * params.max_splits + wid.x;
        for (var i = tid; i < HD / 4u; i += THREADS) {
            var total = vec4<f32>(0.0);
            for (var t = 0u; t < TEAMS; t += 1u) {
                total += own[t * OCTETS * 2u + i];
            }
            let at = of_row + place * HD + 4u * i;
            part[at] = total.x;
            part[at + 1u] = total.y;
            part[at + 2u] = total.z;
            part[at + 3u] = total.w;
#if PARTIAL_OUT
            // No other thread reads this place.
            own[i] = total;
#endif
        }
        if (tid == 0u) {
            var total = 0.0;
            for (var i = 0u; i < TILE / 4u; i += 1u) {
                total += scratch[{{h}}u * TILE / 4u + i].y;
            }
            part[pairs + place * 2u] = scratch[{{h}}u * TILE / 4u].x;
            part[pairs + place * 2u + 1u] = total;
        }
        workgroupBarrier();
    }
#endfor
#if PARTIAL_OUT
    var z = vec4<f32>(0.0);
    if (tid < SUMMING) {
        z = columns[0] * element(tid) + columns[1] * element(tid + SUMMING)
            + columns[2] * element(tid + 2u * SUMMING) + columns[3] * element(tid + 3u * SUMMING);
        for (var i = tid + 4u * SUMMING; i < HD * QUADS; i += 4u * SUMMING) {
            let a = column(first_column + i, i) * element(i);
            let b = column(first_column + i + SUMMING, i + SUMMING) * element(i + SUMMING);
            let c = column(first_column + i + 2u * SUMMING, i + 2u * SUMMING) * element(i + 2u * SUMMING);
            let d = column(first_column + i + 3u * SUMMING, i + 3u * SUMMING) * element(i + 3u * SUMMING);
            z += (a + b) + (c + d);
        }
    }
    scratch[tid] = z;
    workgroupBarrier();
    if (tid < QUADS) {
        var total = vec4<f32>(0.0);
        for (var i = tid; i < SUMMING; i += QUADS) {
            total += scratch[i];
        }
        let behind = (splits_of_row * (HD + 2u) + 3u) / 4u;
        let at = 4u * (behind + (wid.x * params.heads + head) * QUADS + tid);
        part[at] = total.x;
        part[at + 1u] = total.y;
        part[at + 2u] = total.z;
        part[at + 3u] = total.w;
    }
#endif
}
