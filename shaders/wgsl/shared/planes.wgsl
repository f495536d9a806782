// Reads a weight matrix in the planar layout (documented in shaders/src/planes.rs).
//
// Include `with P=w, DTYPE=Q4_K, BUF=weights`: P is a prefix of the names, DTYPE the storage type, BUF the
// `array<vec2<u32>>` with the matrix. `p` has the word offsets of the planes (lo, hi, sc, d); `g` is the number of
// a unit, 16 consecutive elements of a row: g = row * (K / 16) + unit.
//
//   P_values(p, g)          the 16 values
//   P_dot(p, g, x, xsum)    their dot product with x, where xsum is the sum of the 16 x
//   P_load(p, g)            the words of a unit, a P_Unit; all words zero means 16 zeros
//   P_unpack(unit, g)       the 16 values of a loaded unit, so that a kernel can do other work between load and unpack

#if DTYPE == F32

struct {{P}}_Unit { words: array<vec4<u32>, 4> }

fn {{P}}_load(p: vec4<u32>, g: u32) -> {{P}}_Unit {
    let at = (p.x >> 1u) + g * 8u;
    return {{P}}_Unit(array<vec4<u32>, 4>(
        vec4<u32>({{BUF}}[at], {{BUF}}[at + 1u]),
        vec4<u32>({{BUF}}[at + 2u], {{BUF}}[at + 3u]),
        vec4<u32>({{BUF}}[at + 4u], {{BUF}}[at + 5u]),
        vec4<u32>({{BUF}}[at + 6u], {{BUF}}[at + 7u]),
    ));
}

fn {{P}}_unpack(unit: {{P}}_Unit, g: u32) -> array<vec4<f32>, 4> {
    return array<vec4<f32>, 4>(
        bitcast<vec4<f32>>(unit.words[0]),
        bitcast<vec4<f32>>(unit.words[1]),
        bitcast<vec4<f32>>(unit.words[2]),
        bitcast<vec4<f32>>(unit.words[3]),
    );
}

#elif DTYPE == F16 || DTYPE == BF16

struct {{P}}_Unit { words: array<vec2<u32>, 4> }

fn {{P}}_load(p: vec4<u32>, g: u32) -> {{P}}_Unit {
    let at = (p.x >> 1u) + g * 4u;
    return {{P}}_Unit(array<vec2<u32>, 4>({{BUF}}[at], {{BUF}}[at + 1u], {{BUF}}[at + 2u], {{BUF}}[at + 3u]));
}

// Four values from two words.
fn {{P}}_widen(pair: vec2<u32>) -> vec4<f32> {
#if DTYPE == F16
    return vec4<f32>(unpack2x16float(pair.x), unpack2x16float(pair.y));
#else
    return bitcast<vec4<f32>>(vec4<u32>(pair.x << 16u, pair.x & 0xffff0000u, pair.y << 16u, pair.y & 0xffff0000u));
#endif
}

fn {{P}}_unpack(unit: {{P}}_Unit, g: u32) -> array<vec4<f32>, 4> {
    return array<vec4<f32>, 4>(
        {{P}}_widen(unit.words[0]),
        {{P}}_widen(unit.words[1]),
        {{P}}_widen(unit.words[2]),
        {{P}}_widen(unit.words[3]),
    );
}

#else

// Scales and upper bits are loaded as whole vec2s: selecting a component here would wait for the memory.
struct {{P}}_Unit {
#if bits(DTYPE) == BITS_8
    lo: vec4<u32>,
#else
    lo: vec2<u32>,
#endif
#if bits(DTYPE) == BITS_3 || bits(DTYPE) == BITS_5 || bits(DTYPE) == BITS_6
    hi: vec2<u32>,
#endif
#if scales(DTYPE) != BLOCKS_256
    sc: vec2<u32>,
#endif
#if block_scales(DTYPE)
    d: vec2<u32>,
#endif
}

fn {{P}}_load(p: vec4<u32>, g: u32) -> {{P}}_Unit {
    var unit: {{P}}_Unit;
#if bits(DTYPE) == BITS_8
    let at = (p.x >> 1u) + g * 2u;
    unit.lo = vec4<u32>({{BUF}}[at], {{BUF}}[at + 1u]);
#elif bits(DTYPE) == BITS_2 || bits(DTYPE) == BITS_3
    unit.lo = {{BUF}}[(p.x >> 1u) + (g >> 1u)];
#else
    unit.lo = {{BUF}}[(p.x >> 1u) + g];
#endif
#if bits(DTYPE) == BITS_6
    unit.hi = {{BUF}}[(p.y >> 1u) + (g >> 1u)];
#elif bits(DTYPE) == BITS_3 || bits(DTYPE) == BITS_5
    unit.hi = {{BUF}}[(p.y >> 1u) + (g >> 2u)];
#endif
#if scales(DTYPE) == HALF_PAIRS
    unit.sc = {{BUF}}[(p.z >> 1u) + (g >> 2u)];
#elif scales(DTYPE) == BYTES_32 || scales(DTYPE) == EXPONENTS
    unit.sc = {{BUF}}[(p.z >> 1u) + (g >> 4u)];
#elif scales(DTYPE) != BLOCKS_256
    unit.sc = {{BUF}}[(p.z >> 1u) + (g >> 3u)];
#endif
#if block_scales(DTYPE)
    unit.d = {{BUF}}[(p.w >> 1u) + (g >> 5u)];
#endif
    return unit;
}

// Word i of a plane, from the vec2 that contains it.
fn {{P}}_pick(pair: vec2<u32>, i: u32) -> u32 {
    return select(pair.x, pair.y, (i & 1u) != 0u);
}

#if bits(DTYPE) != BITS_8
#include "shared/codes.wgsl" with P={{P}}, DTYPE={{DTYPE}}
#endif

fn {{P}}_unit_codes(unit: {{P}}_Unit, g: u32) -> vec4<u32> {
#if bits(DTYPE) == BITS_8
    return unit.lo;
#elif bits(DTYPE) == BITS_6
    return {{P}}_codes(unit.lo, {{P}}_pick(unit.hi, g));
#elif bits(DTYPE) == BITS_5
    return {{P}}_codes(unit.lo, {{P}}_pick(unit.hi, g >> 1u) >> ((g & 1u) * 4u));
#elif bits(DTYPE) == BITS_4
    return {{P}}_codes(unit.lo, 0u);
#elif bits(DTYPE) == BITS_3
    return {{P}}_codes(vec2<u32>({{P}}_pick(unit.lo, g)), {{P}}_pick(unit.hi, g >> 1u) >> ((g & 1u) * 4u));
#else
    return {{P}}_codes(vec2<u32>({{P}}_pick(unit.lo, g)), 0u);
#endif
}

#include "shared/scales.wgsl" with P={{P}}, DTYPE={{DTYPE}}

fn {{P}}_unit_scale(unit: {{P}}_Unit, g: u32) -> vec2<f32> {
#if scales(DTYPE) == HALVES
    let halves = unpack_halves({{P}}_pick(unit.sc, g >> 2u));
    let s = select(halves.x, halves.y, (g & 2u) != 0u);
#elif scales(DTYPE) == HALF_PAIRS
    let pair = unpack_halves({{P}}_pick(unit.sc, g >> 1u));
    return vec2<f32>(pair.x, -pair.y);
#elif scales(DTYPE) == BYTE_PAIRS
    let bits = {{P}}_pick(unit.sc, g >> 2u) >> ((g & 2u) * 8u);
    let small = vec2<f32>(vec2<u32>(bits & 0xffu, (bits >> 8u) & 0xffu));
    return unpack_halves({{P}}_pick(unit.d, g >> 4u)) * small;
#elif scales(DTYPE) == NIBBLE_PAIRS
    let bits = {{P}}_pick(unit.sc, g >> 2u) >> ((g & 3u) * 8u);
    let small = vec2<f32>(vec2<u32>(bits & 15u, (bits >> 4u) & 15u));
    return unpack_halves({{P}}_pick(unit.d, g >> 4u)) * small;
#elif scales(DTYPE) == EXPONENTS
    let s = {{P}}_byte_scale({{P}}_pick(unit.sc, g >> 3u) >> ((g & 6u) * 4u));
#elif scales(DTYPE) == MINIFLOATS
    let s = {{P}}_byte_scale({{P}}_pick(unit.sc, g >> 2u) >> ((g & 3u) * 8u));
#elif scales(DTYPE) == BYTES_32
    let s = bitcast<f32>({{P}}_pick(unit.d, g >> 4u)) * {{P}}_byte_scale({{P}}_pick(unit.sc, g >> 3u) >> ((g & 6u) * 4u));
#elif scales(DTYPE) == BYTES_16
    let s = bitcast<f32>({{P}}_pick(unit.d, g >> 4u)) * {{P}}_byte_scale({{P}}_pick(unit.sc, g >> 2u) >> ((g & 3u) * 8u));
#else
    let s = bitcast<f32>({{P}}_pick(unit.d, g >> 4u));
#endif
#if !(scales(DTYPE) == HALF_PAIRS || scales(DTYPE) == BYTE_PAIRS || scales(DTYPE) == NIBBLE_PAIRS)
    return vec2<f32>(s, {{zero(DTYPE)}}.0 * s);
#endif
}

// Four codes as numbers h in 1..2: a code is inserted into the mantissa of a half, which on some devices is several
// times as fast as converting integers. Unsigned codes are below 64, so h = 1 + code / 64; for signed ones h = 1 +
// (code + 128) / 256.
fn {{P}}_numbers(codes: u32) -> vec4<f32> {
#if bits(DTYPE) == BITS_8 || table(DTYPE)
    let bytes = codes ^ 0x80808080u;
    let even = unpack2x16float(((bytes << 2u) & 0x03fc03fcu) | 0x3c003c00u);
    let odd = unpack2x16float(((bytes >> 6u) & 0x03fc03fcu) | 0x3c003c00u);
#else
    let even = unpack2x16float(((codes << 4u) & 0x03f003f0u) | 0x3c003c00u);
    let odd = unpack2x16float(((codes >> 4u) & 0x03f003f0u) | 0x3c003c00u);
#endif
    return vec4<f32>(even.x, odd.x, even.y, odd.y);
}

// (a, b) of a unit, with value = a * number - b.
fn {{P}}_number_scale(unit: {{P}}_Unit, g: u32) -> vec2<f32> {
    let scale = {{P}}_unit_scale(unit, g);
#if bits(DTYPE) == BITS_8 || table(DTYPE)
    return vec2<f32>(256.0 * scale.x, scale.y + 384.0 * scale.x);
#else
    return vec2<f32>(64.0 * scale.x, scale.y + 64.0 * scale.x);
#endif
}

fn {{P}}_unpack(unit: {{P}}_Unit, g: u32) -> array<vec4<f32>, 4> {
    let c = {{P}}_unit_codes(unit, g);
    let scale = {{P}}_number_scale(unit, g);
    return array<vec4<f32>, 4>(
        scale.x * {{P}}_numbers(c.x) - scale.y,
        scale.x * {{P}}_numbers(c.y) - scale.y,
        scale.x * {{P}}_numbers(c.z) - scale.y,
        scale.x * {{P}}_numbers(c.w) - scale.y,
    );
}

#endif

fn {{P}}_values(p: vec4<u32>, g: u32) -> array<vec4<f32>, 4> {
    return {{P}}_unpack({{P}}_load(p, g), g);
}

fn {{P}}_dot(p: vec4<u32>, g: u32, x: array<vec4<f32>, 4>, xsum: f32) -> f32 {
#if DTYPE == F32 || DTYPE == F16 || DTYPE == BF16
    let w = {{P}}_values(p, g);
    return dot(w[0], x[0]) + dot(w[1], x[1]) + dot(w[2], x[2]) + dot(w[3], x[3]);
#else
    let unit = {{P}}_load(p, g);
    let c = {{P}}_unit_codes(unit, g);
    let scale = {{P}}_number_scale(unit, g);
    let sum = dot({{P}}_numbers(c.x), x[0]) + dot({{P}}_numbers(c.y), x[1])
        + dot({{P}}_numbers(c.z), x[2]) + dot({{P}}_numbers(c.w), x[3]);
    return scale.x * sum - scale.y * xsum;
#endif
}
