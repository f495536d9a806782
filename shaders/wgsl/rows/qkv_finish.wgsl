// From the products q, k, v of a chunk to the inputs of attention, in prefill: head norms, RoPE, append to the KV
// cache.
//
//   q = rope(rms(q; q_norm))  in place
//   k = rope(rms(k; k_norm))  into the key cache         (OWN_KV)
//   v = rms(v)                into the value cache       (OWN_KV; with V_IS_K, v = k before its norm and rotation; with
//                                                        params.raw_v, and without V_IS_K, v as it is)
//
// q         f32 [T, heads, HD];  k, v  f32 [T, kv_heads, HD];  T = state.len; row t has position state.pos + t
//           JOINED: k and v lie in the buffer of q, from params.k_at and params.v_at on (in vec2s), as the product of a
//           few rows leaves them
// caches    [slots, kv_heads, HD], f16, f32 or Q8_0: shared/kv.wgsl. A ring must have at least window + T − 1 slots, so
//           that no key is overwritten that a query of this chunk still sees.
// vectors   f32: q_norm [HD], k_norm [HD] at their offsets;  rope  the table of shared/rope.wgsl
//
// Formulas: Gemma 4 specification §2.4 and §2.5.
// Workgroup: 64 threads, one head of one row; a thread takes the pairs (j, j + HD/2) of two neighbouring j at a
// time.
// Grid: (heads + (OWN_KV ? kv_heads : 0), T).

#include "shared/state.wgsl"
#include "shared/kv.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS=64
#include "shared/rope.wgsl" with TABLE=rope, HALF={{HALF}}, HI_ROWS=params.rope_hi_rows

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> vectors: array<f32>;
var<storage, read> rope: array<vec2<f32>>;
var<storage, read_write> q: array<vec2<f32>>;
#if OWN_KV
#if KV_TYPE == Q8_0
var<storage, read_write> k_cache: array<vec2<u32>>;
var<storage, read_write> v_cache: array<vec2<u32>>;
#else
var<storage, read_write> k_cache: array<Kv2>;
var<storage, read_write> v_cache: array<Kv2>;
#endif
#if !JOINED
var<storage, read> k: array<vec2<f32>>;
#if !V_IS_K
var<storage, read> v: array<vec2<f32>>;
#endif
#endif

fn k_of(i: u32) -> vec2<f32> {
#if JOINED
    return q[params.k_at + i];
#else
    return k[i];
#endif
}

#if !V_IS_K
fn v_of(i: u32) -> vec2<f32> {
#if JOINED
    return q[params.v_at + i];
#else
    return v[i];
#endif
}
#endif
#endif

const THREADS: u32 = 64u;
const TWOS: u32 = {{HALF}}u;       // vec2s per head
const PAIRS2: u32 = {{HALF}}u / 2u; // pairs of neighbouring pairs

#if OWN_KV && KV_TYPE == Q8_0
const OCTETS: u32 = TWOS / 4u;
const SCALES: u32 = (OCTETS + 15u) / 16u; // vec2s of scales per head
const BLOCKS: u32 = 4u * SCALES;          // scales per head, with those that fill the last vec2

// The finished k, then v.
var<workgroup> finished: array<vec2<f32>, 2u * TWOS>;
var<workgroup> scales: array<f32, 2u * BLOCKS>;

fn finished4(i: u32) -> vec4<f32> {
    return vec4<f32>(finished[i], finished[i + 1u]);
}

// The scale of block `i` of k and v; 0 behind the last one of a head.
fn scale_of(i: u32) -> f32 {
    let begin = i % BLOCKS * 16u;
    if (begin >= TWOS) {
        return 0.0;
    }
    let head = i / BLOCKS * TWOS;
    var most = 0.0;
    for (var e = begin; e < min(begin + 16u, TWOS); e += 2u) {
        most = max(most, q8_largest(finished4(head + e)));
    }
    return q8_scale_of(most);
}

// The codes of octet `i` of k and v.
fn codes_of(i: u32) -> vec2<u32> {
    let scale = scales[i / OCTETS * BLOCKS + i % OCTETS / 4u];
    return vec2<u32>(q8_codes(finished4(4u * i), scale), q8_codes(finished4(4u * i + 2u), scale));
}

// Vec2 `i` of the scales of k and v.
fn scales_of(i: u32) -> vec2<u32> {
    return vec2<u32>(pack2x16float(vec2<f32>(scales[4u * i], scales[4u * i + 1u])),
                     pack2x16float(vec2<f32>(scales[4u * i + 2u], scales[4u * i + 3u])));
}

// Quantises the finished k and v and writes them to the caches, from `at` on.
fn append(at: u32, tid: u32) {
    workgroupBarrier();
    for (var i = tid; i < 2u * BLOCKS; i += THREADS) {
        scales[i] = scale_of(i);
    }
    workgroupBarrier();
    for (var i = tid; i < OCTETS; i += THREADS) {
        k_cache[at + i] = codes_of(i);
        v_cache[at + i] = codes_of(OCTETS + i);
    }
    if (tid < SCALES) {
        k_cache[at + OCTETS + tid] = scales_of(tid);
        v_cache[at + OCTETS + tid] = scales_of(SCALES + tid);
    }
}
#endif

// Two neighbouring pairs: (a.x, b.x) and (a.y, b.y) are rotated together.
struct Pairs {
    a: vec2<f32>,
    b: vec2<f32>,
}

fn weighted(x: Pairs, norm: u32, j2: u32) -> Pairs {
    let at = norm + 2u * j2;
    return Pairs(
        x.a * vec2<f32>(vectors[at], vectors[at + 1u]),
        x.b * vec2<f32>(vectors[at + TWOS], vectors[at + TWOS + 1u]),
    );
}

fn rotated(x: Pairs, position: u32, j2: u32) -> Pairs {
    let first = rope_cos_sin(position, 2u * j2);
    let second = rope_cos_sin(position, 2u * j2 + 1u);
    let cosines = vec2<f32>(first.x, second.x);
    let sines = vec2<f32>(first.y, second.y);
    return Pairs(x.a * cosines - x.b * sines, x.b * cosines + x.a * sines);
}

fn inverse_rms(squares: f32, tid: u32) -> f32 {
    return inverseSqrt(workgroup_sum(squares, tid) / f32(2u * TWOS) + params.eps);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let row = wid.y;
    if (row >= state.len) {
        return;
    }
    let position = state.pos + row;
    var squares = 0.0;

    if (wid.x < params.heads) {
        let begin = (row * params.heads + wid.x) * TWOS;
        for (var i = tid; i < TWOS; i += THREADS) {
            let value = q[begin + i];
            squares += dot(value, value);
        }
        let factor = inverse_rms(squares, tid);
        // All threads have read the values that are overwritten below.
        storageBarrier();
        for (var j2 = tid; j2 < PAIRS2; j2 += THREADS) {
            let raw = Pairs(q[begin + j2] * factor, q[begin + PAIRS2 + j2] * factor);
            let turned = rotated(weighted(raw, params.q_norm, j2), position, j2);
            q[begin + j2] = turned.a;
            q[begin + PAIRS2 + j2] = turned.b;
        }
        return;
    }

#if OWN_KV
    let head = wid.x - params.heads;
    let begin = (row * params.kv_heads + head) * TWOS;
#if KV_TYPE == Q8_0
    let cached = (kv_slot(position, params.ring) * params.kv_heads + head) * (OCTETS + SCALES);
#else
    let cached = (kv_slot(position, params.ring) * params.kv_heads + head) * TWOS;
#endif
    for (var i = tid; i < TWOS; i += THREADS) {
        let value = k_of(begin + i);
        squares += dot(value, value);
    }
    let k_factor = inverse_rms(squares, tid);
#if !V_IS_K
    squares = 0.0;
    for (var i = tid; i < TWOS; i += THREADS) {
        let value = v_of(begin + i);
        squares += dot(value, value);
    }
    let v_factor = select(inverse_rms(squares, tid), 1.0, params.raw_v != 0u);
#endif
    for (var j2 = tid; j2 < PAIRS2; j2 += THREADS) {
        let raw = Pairs(k_of(begin + j2) * k_factor, k_of(begin + PAIRS2 + j2) * k_factor);
        let turned = rotated(weighted(raw, params.k_norm, j2), position, j2);
#if KV_TYPE == Q8_0
        finished[j2] = turned.a;
        finished[PAIRS2 + j2] = turned.b;
#if !V_IS_K
        finished[TWOS + j2] = v_of(begin + j2) * v_factor;
        finished[TWOS + PAIRS2 + j2] = v_of(begin + PAIRS2 + j2) * v_factor;
#else
        finished[TWOS + j2] = raw.a;
        finished[TWOS + PAIRS2 + j2] = raw.b;
#endif
#else
        k_cache[cached + j2] = kv_pack2(turned.a);
        k_cache[cached + PAIRS2 + j2] = kv_pack2(turned.b);
#if !V_IS_K
        v_cache[cached + j2] = kv_pack2(v_of(begin + j2) * v_factor);
        v_cache[cached + PAIRS2 + j2] = kv_pack2(v_of(begin + PAIRS2 + j2) * v_factor);
#else
        v_cache[cached + j2] = kv_pack2(raw.a);
        v_cache[cached + PAIRS2 + j2] = kv_pack2(raw.b);
#endif
#endif
    }
#if KV_TYPE == Q8_0
    append(cached, tid);
#endif
#endif
}
