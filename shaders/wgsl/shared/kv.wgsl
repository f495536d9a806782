// Elements of the KV cache: [slots, kv_heads, head size], f16 packed two per word (KV_F16) or f32.
//
// Kernels read Kv4, four elements, and write Kv2, two elements. Both are element types of the storage buffers, so
// one index formula serves both.

#include "shared/ring.wgsl"

#if KV_F16
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
