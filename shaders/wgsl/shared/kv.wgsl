// Elements of the KV cache, KV_TYPE: [slots, kv_heads, head size], f16 packed two per word, f32, or Q8_0
// (shared/kv_q8_0.wgsl).
//
// Of f16 and f32, kernels read Kv4, four elements, and write Kv2, two elements. Both are element types of the storage
// buffers, so one index formula serves both. Of Q8_0, they read words and write vec2<u32>s.

#include "shared/ring.wgsl"

#if KV_TYPE == Q8_0
#include "shared/kv_q8_0.wgsl"
#elif KV_TYPE == F16
alias Kv4 = vec2<u32>;
alias Kv2 = u32;

fn kv_unpack4(packed: Kv4) -> vec4<f32> {
    return vec4<f32>(unpack2x16float(packed.x), unpack2x16float(packed.y));
}

fn kv_pack2(value: vec2<f32>) -> Kv2 {
    return pack2x16float(value);
}
#else
alias Kv4 = vec4<f32>;
alias Kv2 = vec2<f32>;

fn kv_unpack4(packed: Kv4) -> vec4<f32> {
    return packed;
}

fn kv_pack2(value: vec2<f32>) -> Kv2 {
    return value;
}
#endif
