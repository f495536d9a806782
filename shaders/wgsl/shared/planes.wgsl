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
#if DTYPE == Q8_0
    lo: vec4<u32>,
#else
    lo: vec2<u32>,
#endif
#if DTYPE == Q6_K || DTYPE == Q5_0 || DTYPE == Q5_1 || DTYPE == Q5_K
    hi: vec2<u32>,
#endif
    sc: vec2<u32>,
#if DTYPE == Q2_K || DTYPE == Q3_K || DTYPE == Q4_K || DTYPE == Q5_K || DTYPE == Q6_K
    d: vec2<u32>,
#endif
}

fn {{P}}_load(p: vec4<u32>, g: u32) -> {{P}}_Unit {
    var unit: {{P}}_Unit;
#if DTYPE == Q8_0
    let at = (p.x >> 1u) + g * 2u;
    unit.lo = vec4<u32>({{BUF}}[at], {{BUF}}[at + 1u]);
#else
    unit.lo = {{BUF}}[(p.x >> 1u) + g];
#endif
#if DTYPE == Q6_K
    unit.hi = {{BUF}}[(p.y >> 1u) + (g >> 1u)];
#elif DTYPE == Q5_0 || DTYPE == Q5_1 || DTYPE == Q5_K
    unit.hi = {{BUF}}[(p.y >> 1u) + (g >> 2u)];
#endif
#if DTYPE == Q4_1 || DTYPE == Q5_1
    unit.sc = {{BUF}}[(p.z >> 1u) + (g >> 2u)];
#else
    unit.sc = {{BUF}}[(p.z >> 1u) + (g >> 3u)];
#endif
#if DTYPE == Q2_K || DTYPE == Q3_K || DTYPE == Q4_K || DTYPE == Q5_K || DTYPE == Q6_K
    unit.d = {{BUF}}[(p.w >> 1u) + (g >> 5u)];
#endif
    return unit;
}

// Word i of a plane, from the vec2 that contains it.
fn {{P}}_pick(pair: vec2<u32>, i: u32) -> u32 {
    return select(pair.x, pair.y, (i & 1u) != 0u);
}

#if DTYPE != Q8_0
#include "shared/codes.wgsl" with P={{P}}, DTYPE={{DTYPE}}
#endif

fn {{P}}_unit_codes(unit: {{P}}_Unit, g: u32) -> vec4<u32> {
#if DTYPE == Q8_0
    return unit.lo;
#elif DTYPE == Q6_K
    return {{P}}_codes(unit.lo, {{P}}_pick(unit.hi, g));
#elif DTYPE == Q5_0 || DTYPE == Q5_1 || DTYPE == Q5_K
    return {{P}}_codes(unit.lo, {{P}}_pick(unit.hi, g >> 1u) >> ((g & 1u) * 4u));
#else
    return {{P}}_codes(unit.lo, 0u);
#endif
}

#if DTYPE != Q3_K && DTYPE != Q6_K
#include "shared/unpack_halves.wgsl"
#endif

fn {{P}}_unit_scale(unit: {{P}}_Unit, g: u32) -> vec2<f32> {
#if DTYPE == Q4_0 || DTYPE == Q5_0 || DTYPE == Q8_0 || DTYPE == IQ4_NL
    let halves = unpack_halves({{P}}_pick(unit.sc, g >> 2u));
    let s = select(halves.x, halves.y, (g & 2u) != 0u);
#if DTYPE == Q4_0
    return vec2<f32>(s, 8.0 * s);
#elif DTYPE == Q5_0
    return vec2<f32>(s, 16.0 * s);
#else
    return vec2<f32>(s, 0.0);
#endif
#elif DTYPE == Q4_1 || DTYPE == Q5_1
    let pair = unpack_halves({{P}}_pick(unit.sc, g >> 1u));
    return vec2<f32>(pair.x, -pair.y);
#elif DTYPE == Q4_K || DTYPE == Q5_K
    let bits = {{P}}_pick(unit.sc, g >> 2u) >> ((g & 2u) * 8u);
    let small = vec2<f32>(vec2<u32>(bits & 0xffu, (bits >> 8u) & 0xffu));
    return unpack_halves({{P}}_pick(unit.d, g >> 4u)) * small;
#elif DTYPE == Q2_K
    let bits = {{P}}_pick(unit.sc, g >> 2u) >> ((g & 3u) * 8u);
    let small = vec2<f32>(vec2<u32>(bits & 15u, (bits >> 4u) & 15u));
    return unpack_halves({{P}}_pick(unit.d, g >> 4u)) * small;
#else
    let small = i32({{P}}_pick(unit.sc, g >> 2u) << (24u - (g & 3u) * 8u)) >> 24u;
    let s = bitcast<f32>({{P}}_pick(unit.d, g >> 4u)) * f32(small);
#if DTYPE == Q6_K
    return vec2<f32>(s, 32.0 * s);
#else
    return vec2<f32>(s, 4.0 * s);
#endif
#endif
}

// Four codes as numbers h in 1..2: a code is inserted into the mantissa of a half, which on some devices is several
// times as fast as converting integers. Unsigned codes are below 64, so h = 1 + code / 64; for signed ones h = 1 +
// (code + 128) / 256.
fn {{P}}_numbers(codes: u32) -> vec4<f32> {
#if DTYPE == Q8_0 || DTYPE == IQ4_NL
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
#if DTYPE == Q8_0 || DTYPE == IQ4_NL
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
