// The KV cache of attention/decode.wgsl, and the token's own key and value as it holds them.
//
// A head of a slot has OCTETS octets of 8 elements: one vec4<u32> each as f16, two as f32, and as Q8_0 a vec2<u32> of codes,
// with vec2s of scales behind the codes of the head (shared/kv_q8_0.wgsl).

#if KV_TYPE == Q8_0
#include "shared/kv_q8_0.wgsl"

alias CacheUnit = vec2<u32>;

const SCALES: u32 = (OCTETS + 15u) / 16u; // vec2s of scales per head
#else
alias CacheUnit = vec4<u32>;

#if KV_TYPE == F16
const WORDS4: u32 = 1u;            // vec4<u32>s per 8 elements
#else
const WORDS4: u32 = 2u;
#endif
#endif

struct Octet {
    a: vec4<f32>,
    b: vec4<f32>,
}

#if KV_TYPE == Q8_0
fn octet_of(codes: vec2<u32>, scales: vec2<u32>, octet: u32) -> Octet {
    let scale = q8_octet_scale(scales, octet);
    return Octet(q8_values(codes.x, scale), q8_values(codes.y, scale));
}

// An octet of the key that begins at `at`. The caller has loaded its scale, which other octets share.
fn load_k(at: u32, octet: u32, scales: vec2<u32>) -> Octet {
    return octet_of(k_cache[at + octet], scales, octet);
}

fn load_v(at: u32, octet: u32) -> Octet {
    return octet_of(v_cache[at + octet], v_cache[at + OCTETS + octet / 16u], octet);
}
#else
fn load_k(at: u32) -> Octet {
#if KV_TYPE == F16
    let w = k_cache[at];
    return Octet(vec4<f32>(unpack2x16float(w.x), unpack2x16float(w.y)),
                 vec4<f32>(unpack2x16float(w.z), unpack2x16float(w.w)));
#else
    return Octet(bitcast<vec4<f32>>(k_cache[at]), bitcast<vec4<f32>>(k_cache[at + 1u]));
#endif
}

fn load_v(at: u32) -> Octet {
#if KV_TYPE == F16
    let w = v_cache[at];
    return Octet(vec4<f32>(unpack2x16float(w.x), unpack2x16float(w.y)),
                 vec4<f32>(unpack2x16float(w.z), unpack2x16float(w.w)));
#else
    return Octet(bitcast<vec4<f32>>(v_cache[at]), bitcast<vec4<f32>>(v_cache[at + 1u]));
#endif
}
#endif

#if OWN_KV
#if KV_TYPE == F16
alias Stored = vec2<u32>;

fn stored(v: vec4<f32>) -> Stored {
    return vec2<u32>(pack2x16float(v.xy), pack2x16float(v.zw));
}

fn restored(v: Stored) -> vec4<f32> {
    return vec4<f32>(unpack2x16float(v.x), unpack2x16float(v.y));
}
#elif KV_TYPE == Q8_0
// Four codes, and the bits of their scale as f32.
alias Stored = vec2<u32>;

const BLOCK: u32 = min(8u, HD / 4u); // vec4s that share a scale

// Four elements of the token's k or, behind that, v, which `scratch` holds as vec4s. Every thread of a block finds its scale.
fn quantised(i: u32) -> Stored {
    let block = i / BLOCK * BLOCK;
    var most = 0.0;
    for (var e = 0u; e < BLOCK; e += 1u) {
        most = max(most, q8_largest(scratch[block + e]));
    }
    let scale = q8_scale_of(most);
    return Stored(q8_codes(scratch[i], scale), bitcast<u32>(scale));
}

fn restored(v: Stored) -> vec4<f32> {
    return q8_values(v.x, bitcast<f32>(v.y));
}

// The scale of a block of k, or of v with `first` HD / 4; 0 behind the last one.
fn own_scale(first: u32, block: u32) -> f32 {
    let i = block * BLOCK;
    return select(0.0, bitcast<f32>(own_kv[first + min(i, HD / 4u - 1u)].y), i < HD / 4u);
}

fn own_scales(first: u32, i: u32) -> vec2<u32> {
    return vec2<u32>(pack2x16float(vec2<f32>(own_scale(first, 4u * i), own_scale(first, 4u * i + 1u))),
                     pack2x16float(vec2<f32>(own_scale(first, 4u * i + 2u), own_scale(first, 4u * i + 3u))));
}

// Writes the token's k and v to the cache, from `slot` on.
fn append(slot: u32, tid: u32) {
    if (tid < OCTETS) {
        k_cache[slot + tid] = vec2<u32>(own_kv[2u * tid].x, own_kv[2u * tid + 1u].x);
        v_cache[slot + tid] = vec2<u32>(own_kv[HD / 4u + 2u * tid].x, own_kv[HD / 4u + 2u * tid + 1u].x);
    }
    if (tid < SCALES) {
        k_cache[slot + OCTETS + tid] = own_scales(0u, tid);
        v_cache[slot + OCTETS + tid] = own_scales(HD / 4u, tid);
    }
}
#else
alias Stored = vec4<u32>;

fn stored(v: vec4<f32>) -> Stored {
    return bitcast<vec4<u32>>(v);
}

fn restored(v: Stored) -> vec4<f32> {
    return bitcast<vec4<f32>>(v);
}
#endif

// An octet of the token's own k, or of its v behind that.
fn load_own(octet: u32) -> Octet {
    return Octet(restored(own_kv[2u * octet]), restored(own_kv[2u * octet + 1u]));
}
#endif

// Index of the first unit of a position's key or value.
fn cached(position: u32, kv_head: u32) -> u32 {
    var slot = position;
    if (params.ring != 0u) {
        slot = position % params.ring;
    }
#if KV_TYPE == Q8_0
    return (slot * params.kv_heads + kv_head) * (OCTETS + SCALES);
#else
    return (slot * params.kv_heads + kv_head) * OCTETS * WORDS4;
#endif
}
