// Reads a quantised weight matrix in the planar layout (shaders/src/planes.rs) by blocks of 32 consecutive elements of a
// row, two units. In most types these share their scales, so a block costs little more than a unit.
//
// Include `with P=w, DTYPE=Q4_K, BUF=weights`, as planes.wgsl, where BUF is an `array<vec4<u32>>`. `b` is the number of a
// block: b = row * (K / 32) + block.
//
//   P_load_block(p, b)         the words of a block, a P_Block
//   P_block_codes(block)       its codes, four consecutive ones per word, by unit; signed for Q8_0 and types with a table
//   P_block_scales(block, b)   (s, m) of both units, with value = s * code - m
//   P_block_dot(codes, scales, q, d)  the dot product with 32 x, where x = d.x·q of the first unit, d.z·q of the second,
//                              q int8, four per word; d.y and d.w are d.x·Σq and d.z·Σq
//   P_dot_packed(p, b, q, d)   the same of block b

struct {{P}}_Block {
#if bits(DTYPE) == BITS_8
    lo: array<vec4<u32>, 2>,
#else
    lo: vec4<u32>,
#endif
#if bits(DTYPE) == BITS_6
    hi: vec2<u32>,
#elif bits(DTYPE) == BITS_3 || bits(DTYPE) == BITS_5
    hi: u32,
#endif
#if scales(DTYPE) != BLOCKS_256
    sc: u32,
#endif
#if block_scales(DTYPE)
    d: u32,
#endif
}

fn {{P}}_word(at: u32) -> u32 {
    return {{BUF}}[at >> 2u][at & 3u];
}

fn {{P}}_load_block(p: vec4<u32>, b: u32) -> {{P}}_Block {
    var block: {{P}}_Block;
#if bits(DTYPE) == BITS_8
    let at = (p.x >> 2u) + b * 2u;
    block.lo = array<vec4<u32>, 2>({{BUF}}[at], {{BUF}}[at + 1u]);
#elif bits(DTYPE) == BITS_2 || bits(DTYPE) == BITS_3
    // Only every other component is of this block.
    let pair = {{BUF}}[(p.x >> 2u) + (b >> 1u)];
    block.lo = select(pair.xxyy, pair.zzww, (b & 1u) != 0u);
#else
    block.lo = {{BUF}}[(p.x >> 2u) + b];
#endif
#if bits(DTYPE) == BITS_6
    block.hi = vec2<u32>({{P}}_word(p.y + b * 2u), {{P}}_word(p.y + b * 2u + 1u));
#elif bits(DTYPE) == BITS_3 || bits(DTYPE) == BITS_5
    block.hi = {{P}}_word(p.y + b);
#endif
#if scales(DTYPE) == HALF_PAIRS
    block.sc = {{P}}_word(p.z + b);
#elif scales(DTYPE) == BYTES_32 || scales(DTYPE) == EXPONENTS
    block.sc = {{P}}_word(p.z + (b >> 2u));
#elif scales(DTYPE) != BLOCKS_256
    block.sc = {{P}}_word(p.z + (b >> 1u));
#endif
#if block_scales(DTYPE)
    block.d = {{P}}_word(p.w + (b >> 3u));
#endif
    return block;
}

#if bits(DTYPE) != BITS_8
#include "shared/codes.wgsl" with P={{P}}, DTYPE={{DTYPE}}
#endif

fn {{P}}_block_codes(block: {{P}}_Block) -> array<vec4<u32>, 2> {
#if bits(DTYPE) == BITS_8
    return block.lo;
#elif bits(DTYPE) == BITS_6
    return array<vec4<u32>, 2>({{P}}_codes(block.lo.xy, block.hi.x), {{P}}_codes(block.lo.zw, block.hi.y));
#elif bits(DTYPE) == BITS_3 || bits(DTYPE) == BITS_5
    return array<vec4<u32>, 2>({{P}}_codes(block.lo.xy, block.hi), {{P}}_codes(block.lo.zw, block.hi >> 4u));
#else
    return array<vec4<u32>, 2>({{P}}_codes(block.lo.xy, 0u), {{P}}_codes(block.lo.zw, 0u));
#endif
}

#include "shared/scales.wgsl" with P={{P}}, DTYPE={{DTYPE}}

fn {{P}}_block_scales(block: {{P}}_Block, b: u32) -> vec4<f32> {
#if scales(DTYPE) == HALF_PAIRS
    let pair = unpack_halves(block.sc);
    return vec4<f32>(pair.x, -pair.y, pair.x, -pair.y);
#elif scales(DTYPE) == BYTE_PAIRS
    let bits = block.sc >> ((b & 1u) * 16u);
    let pair = unpack_halves(block.d) * vec2<f32>(vec2<u32>(bits & 0xffu, (bits >> 8u) & 0xffu));
    return pair.xyxy;
#elif scales(DTYPE) == NIBBLE_PAIRS
    let bits = block.sc >> ((b & 1u) * 16u);
    let small = (vec4<u32>(bits) >> vec4<u32>(0u, 4u, 8u, 12u)) & vec4<u32>(15u);
    return unpack_halves(block.d).xyxy * vec4<f32>(small);
#else
#if scales(DTYPE) == HALVES
    let s = vec2<f32>(unpack_half(block.sc >> ((b & 1u) * 16u)));
#elif scales(DTYPE) == BLOCKS_256
    let s = vec2<f32>(bitcast<f32>(block.d));
#elif scales(DTYPE) == EXPONENTS
    let s = vec2<f32>({{P}}_byte_scale(block.sc >> ((b & 3u) * 8u)));
#elif scales(DTYPE) == BYTES_32
    let s = vec2<f32>(bitcast<f32>(block.d) * {{P}}_byte_scale(block.sc >> ((b & 3u) * 8u)));
#else
    let bits = block.sc >> ((b & 1u) * 16u);
    let small = vec2<f32>({{P}}_byte_scale(bits), {{P}}_byte_scale(bits >> 8u));
#if scales(DTYPE) == BYTES_16
    let s = bitcast<f32>(block.d) * small;
#else
    let s = small;
#endif
#endif
    return vec4<f32>(s.x, {{zero(DTYPE)}}.0 * s.x, s.y, {{zero(DTYPE)}}.0 * s.y);
#endif
}

fn {{P}}_block_dot(codes: array<vec4<u32>, 2>, scales: vec4<f32>, q: array<vec4<u32>, 2>, d: vec4<f32>) -> f32 {
    let first = dot4I8Packed(codes[0].x, q[0].x) + dot4I8Packed(codes[0].y, q[0].y)
        + dot4I8Packed(codes[0].z, q[0].z) + dot4I8Packed(codes[0].w, q[0].w);
    let second = dot4I8Packed(codes[1].x, q[1].x) + dot4I8Packed(codes[1].y, q[1].y)
        + dot4I8Packed(codes[1].z, q[1].z) + dot4I8Packed(codes[1].w, q[1].w);
#if scales(DTYPE) == NIBBLE_PAIRS || scales(DTYPE) == BYTES_16 || scales(DTYPE) == MINIFLOATS
    return scales.x * d.x * f32(first) - scales.y * d.y + (scales.z * d.z * f32(second) - scales.w * d.w);
#else
    return scales.x * (d.x * f32(first) + d.z * f32(second)) - scales.y * (d.y + d.w);
#endif
}

fn {{P}}_dot_packed(p: vec4<u32>, b: u32, q: array<vec4<u32>, 2>, d: vec4<f32>) -> f32 {
    let block = {{P}}_load_block(p, b);
    return {{P}}_block_dot({{P}}_block_codes(block), {{P}}_block_scales(block, b), q, d);
}
