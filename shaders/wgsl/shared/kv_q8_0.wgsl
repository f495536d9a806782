// Keys and values as Q8_0. A head of a slot, with octets of 8 elements:
//
//   codes   OCTETS vec2<u32>s: signed bytes in order
//   scales  ⌈OCTETS / 16⌉ vec2<u32>s: an f16 for every 32 elements, two a word
//
// value = scale·code, scale = max|x| / 127 over its elements, rounded to f16, and at least the smallest normal half: a
// device may read a subnormal one as zero (WGSL, "Floating Point Evaluation").

// The scale of block `block` of a head, from the word that holds it.
fn q8_scale(word: u32, block: u32) -> f32 {
    let halves = unpack2x16float(word);
    return select(halves.x, halves.y, (block & 1u) != 0u);
}

// The scale of an octet, from the vec2 that holds it: number octet / 16 behind the codes.
fn q8_octet_scale(pair: vec2<u32>, octet: u32) -> f32 {
    return q8_scale(select(pair.x, pair.y, (octet & 8u) != 0u), octet >> 2u);
}

// Four values. A code is inserted into the mantissa of a half, 1 + (code + 128) / 256, as in shared/planes.wgsl.
fn q8_values(codes: u32, scale: f32) -> vec4<f32> {
    let bytes = codes ^ 0x80808080u;
    let even = unpack2x16float(((bytes << 2u) & 0x03fc03fcu) | 0x3c003c00u);
    let odd = unpack2x16float(((bytes >> 6u) & 0x03fc03fcu) | 0x3c003c00u);
    return 256.0 * scale * vec4<f32>(even.x, odd.x, even.y, odd.y) - 384.0 * scale;
}

fn q8_largest(x: vec4<f32>) -> f32 {
    let most = max(abs(x.xy), abs(x.zw));
    return max(most.x, most.y);
}

// The scale of a block whose largest magnitude is `most`, as the cache holds it.
fn q8_scale_of(most: f32) -> f32 {
    return unpack2x16float(pack2x16float(vec2<f32>(max(most / 127.0, 0x1p-14), 0.0))).x;
}

// The codes of four values.
fn q8_codes(x: vec4<f32>, scale: f32) -> u32 {
    let codes = vec4<i32>(clamp(round(x / scale), vec4<f32>(-127.0), vec4<f32>(127.0)));
    let bytes = (vec4<u32>(codes) & vec4<u32>(0xffu)) << vec4<u32>(0u, 8u, 16u, 24u);
    return bytes.x | bytes.y | bytes.z | bytes.w;
}
