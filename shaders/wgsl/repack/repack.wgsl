// Repacks rows of GGUF blocks into the planar layout (shaders/src/planes.rs has the tables).
//
// A tensor arrives in pieces of whole rows. The raw bytes of a piece are in `source`, at an even offset; the words
// go to their final places, so a piece can be discarded once it is repacked. If units share a word, one thread
// makes the whole word: a thread handles UNITS units, four or eight, so a piece starts at a unit whose number is a
// multiple of that (see `rows_alignment` in the launcher). Block formats: ggml.
//
// Bindings: params, source (raw bytes), planes (the words of the matrix).
// Workgroup: 64. Grid: threads / 64 workgroups over x and y. A thread makes one word (floats) or repacks UNITS units.

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> source: array<u32>;
var<storage, read_write> planes: array<u32>;

#include "repack/word_at.wgsl"

#if scales(DTYPE) == NONE

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * 64u + lane;
    if (i < params.units * {{LO_WORDS}}u) {
        planes[params.planes.x + params.first_unit * {{LO_WORDS}}u + i] = word_at(params.byte_offset + 4u * i);
    }
}

#else

const BLOCK_BYTES = {{BLOCK_BYTES}}u;
const UNITS_PER_BLOCK = {{UNITS_PER_BLOCK}}u;
const UNITS = {{UNITS}}u;

fn byte_at(at: u32) -> u32 {
    return (source[at >> 2u] >> ((at & 3u) * 8u)) & 0xffu;
}

fn half_at(at: u32) -> u32 {
    return (source[at >> 2u] >> ((at & 2u) * 8u)) & 0xffffu;
}

fn words_at(at: u32) -> vec4<u32> {
    return vec4<u32>(word_at(at), word_at(at + 4u), word_at(at + 8u), word_at(at + 12u));
}

// Two bits for each of four codes, or one bit for each, over four bytes.
fn spread_pairs(bits: u32) -> u32 {
    return (bits & 3u) | ((bits & 12u) << 6u) | ((bits & 48u) << 12u) | ((bits & 192u) << 18u);
}

fn spread_bits(bits: vec4<u32>) -> vec4<u32> {
    return ((bits & vec4<u32>(15u)) * 0x00204081u) & vec4<u32>(0x01010101u);
}

#if defined(GRID)
#include "repack/grid.wgsl"
#endif

// The 16 codes of unit j of the block at a byte offset, four consecutive ones per word.
fn codes(block: u32, j: u32) -> vec4<u32> {
#if DTYPE == Q8_0
    return words_at(block + 2u + 16u * j);
#elif DTYPE == Q4_0 || DTYPE == Q4_1 || DTYPE == Q5_0 || DTYPE == Q5_1 || DTYPE == IQ4_NL || DTYPE == MXFP4
    // Elements 0..16 are the low nibbles of the last sixteen bytes, 16..32 the high ones.
    let low = (words_at(block + BLOCK_BYTES - 16u) >> vec4<u32>(4u * j)) & vec4<u32>(0x0f0f0f0fu);
#if bits(DTYPE) == BITS_5
    // Bit e of the word before them is the fifth bit of element e.
    let bits = word_at(block + BLOCK_BYTES - 20u) >> (16u * j);
    return low | (spread_bits(vec4<u32>(bits) >> vec4<u32>(0u, 4u, 8u, 12u)) << vec4<u32>(4u));
#else
    return low;
#endif
#elif DTYPE == Q4_K || DTYPE == Q5_K
    let qs = block + BLOCK_BYTES - 128u + 32u * (j >> 2u) + 16u * (j & 1u);
    let low = (words_at(qs) >> vec4<u32>(4u * ((j >> 1u) & 1u))) & vec4<u32>(0x0f0f0f0fu);
#if DTYPE == Q5_K
    let high = (words_at(block + 16u + 16u * (j & 1u)) >> vec4<u32>(j >> 1u)) & vec4<u32>(0x01010101u);
    return low | (high << vec4<u32>(4u));
#else
    return low;
#endif
#elif DTYPE == Q6_K
    let half = j >> 3u;
    let quarter = (j & 7u) >> 1u; // 32 elements within the half
    let ql = words_at(block + 64u * half + 16u * (j & 3u));
    let qh = words_at(block + 128u + 32u * half + 16u * (j & 1u));
    let low = (ql >> vec4<u32>(4u * (quarter >> 1u))) & vec4<u32>(0x0f0f0f0fu);
    return low | (((qh >> vec4<u32>(2u * quarter)) & vec4<u32>(0x03030303u)) << vec4<u32>(4u));
#elif DTYPE == Q2_K || DTYPE == Q3_K || DTYPE == TQ2_0
#if DTYPE == Q2_K
    let first = block + 16u;
#elif DTYPE == Q3_K
    let first = block + 32u;
#else
    let first = block;
#endif
    let qs = words_at(first + 32u * (j >> 3u) + 16u * (j & 1u));
    let low = (qs >> vec4<u32>(2u * ((j & 7u) >> 1u))) & vec4<u32>(0x03030303u);
#if DTYPE == Q3_K
    let high = (words_at(block + 16u * (j & 1u)) >> vec4<u32>(j >> 1u)) & vec4<u32>(0x01010101u);
    return low | (high << vec4<u32>(2u));
#else
    return low;
#endif
#elif DTYPE == IQ4_XS
    let qs = words_at(block + 8u + 16u * (j >> 1u));
    return (qs >> vec4<u32>(4u * (j & 1u))) & vec4<u32>(0x0f0f0f0fu);
#elif DTYPE == NVFP4
    let low = word_at(block + 4u + 8u * j);
    let high = word_at(block + 8u + 8u * j);
    return vec4<u32>(low, high, low >> 4u, high >> 4u) & vec4<u32>(0x0f0f0f0fu);
#elif DTYPE == TQ1_0
    // A byte is a fraction of 256, of which multiplication by three gives one digit after the other.
    var qs: vec4<u32>;
    var powers: vec4<u32>;
    if (j == 15u) {
        qs = vec4<u32>(word_at(block + 48u));
        powers = vec4<u32>(1u, 3u, 9u, 27u);
    } else {
        var power = 1u;
        for (var n = select(j >> 1u, j - 10u, j >= 10u); n > 0u; n -= 1u) {
            power *= 3u;
        }
        qs = words_at(block + select(16u * (j & 1u), 32u, j >= 10u));
        powers = vec4<u32>(power);
    }
    let even = (((qs & vec4<u32>(0x00ff00ffu)) * powers) & vec4<u32>(0x00ff00ffu)) * 3u;
    let odd = ((((qs >> vec4<u32>(8u)) & vec4<u32>(0x00ff00ffu)) * powers) & vec4<u32>(0x00ff00ffu)) * 3u;
    return ((even >> vec4<u32>(8u)) & vec4<u32>(0x00030003u)) | (odd & vec4<u32>(0x03000300u));
#elif DTYPE == Q2_0
    let qs = word_at(block + 2u + 4u * j);
    return vec4<u32>(spread_pairs(qs), spread_pairs(qs >> 8u), spread_pairs(qs >> 16u), spread_pairs(qs >> 24u));
#elif DTYPE == Q1_0
    return spread_bits(vec4<u32>(half_at(block + 2u + 2u * j)) >> vec4<u32>(0u, 4u, 8u, 12u)) << vec4<u32>(1u);
#else
    return grid_codes(block, j);
#endif
}

#if DTYPE == Q4_K || DTYPE == Q5_K
// scale | min << 8 of 32-element group s, from the twelve bytes of 6-bit numbers at byte 4 of the block.
fn scale_min(block: u32, s: u32) -> u32 {
    let at = block + 4u + s;
    if (s < 4u) {
        return (byte_at(at) & 63u) | ((byte_at(at + 4u) & 63u) << 8u);
    }
    let low = byte_at(at + 4u);
    return (low & 15u) | ((byte_at(at - 4u) >> 6u) << 4u) | ((low >> 4u) << 8u) | ((byte_at(at) >> 6u) << 12u);
}
#endif

#if scales(DTYPE) == BYTES_16 || scales(DTYPE) == BYTES_32 || scales(DTYPE) == BLOCKS_256
// The f32 bits of a half. Most super-block scales are subnormal halves, which a device may flush to zero when it
// converts them (WGSL, "Floating Point Evaluation"). As f32 they are normal.
fn float_bits(half: u32) -> u32 {
    let sign = (half & 0x8000u) << 16u;
    let exponent = (half >> 10u) & 31u;
    let mantissa = half & 0x3ffu;
    if (exponent == 31u) {
        return sign | 0x7f800000u | (mantissa << 13u);
    }
    if (exponent != 0u) {
        return sign | ((exponent + 112u) << 23u) | (mantissa << 13u);
    }
    if (mantissa == 0u) {
        return sign;
    }
    let first = firstLeadingBit(mantissa);
    return sign | ((first + 103u) << 23u) | ((mantissa << (23u - first)) & 0x7fffffu);
}
#endif

// The scale of unit j, a byte.
#if DTYPE == Q2_K
fn scale(block: u32, j: u32) -> u32 {
    return byte_at(block + j);
}
#elif DTYPE == Q3_K
fn scale(block: u32, j: u32) -> u32 {
    let low = (byte_at(block + 96u + (j & 7u)) >> (4u * (j >> 3u))) & 15u;
    let high = (byte_at(block + 104u + (j & 3u)) >> (2u * (j >> 2u))) & 3u;
    return ((low | (high << 4u)) - 32u) & 0xffu;
}
#elif DTYPE == Q6_K
fn scale(block: u32, j: u32) -> u32 {
    return byte_at(block + 192u + j);
}
#elif DTYPE == IQ4_XS
fn scale(block: u32, j: u32) -> u32 {
    let s = j >> 1u;
    let low = (byte_at(block + 4u + (s >> 1u)) >> (4u * (s & 1u))) & 15u;
    let high = (half_at(block + 2u) >> (2u * s)) & 3u;
    return ((low | (high << 4u)) - 32u) & 0xffu;
}
#elif DTYPE == MXFP4
fn scale(block: u32, j: u32) -> u32 {
    return byte_at(block);
}
#elif DTYPE == NVFP4
fn scale(block: u32, j: u32) -> u32 {
    // This byte, which would be no number, stands for zero.
    let bits = byte_at(block + j);
    return select(bits & 0x7fu, 0u, bits == 0x7fu);
}
#endif

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
#if defined(GRID)
    fill_grid(lane);
    workgroupBarrier();
#endif
    let first = ((group.x + group.y * groups.x) * 64u + lane) * UNITS;
    if (first >= params.units) {
        return;
    }
    var scales = 0u;
    var high = 0u;
    for (var i = 0u; i < UNITS && first + i < params.units; i += 1u) {
        let unit = first + i;
        let g = params.first_unit + unit;
        let j = unit % UNITS_PER_BLOCK;
        let block = params.byte_offset + unit / UNITS_PER_BLOCK * BLOCK_BYTES;
        let c = codes(block, j);

#if bits(DTYPE) == BITS_8
        let lo = params.planes.x + 4u * g;
        planes[lo] = c.x;
        planes[lo + 1u] = c.y;
        planes[lo + 2u] = c.z;
        planes[lo + 3u] = c.w;
#elif bits(DTYPE) == BITS_2 || bits(DTYPE) == BITS_3
        let low = c & vec4<u32>(0x03030303u);
        planes[params.planes.x + g] = low.x | (low.y << 2u) | (low.z << 4u) | (low.w << 6u);
#else
        let low = c & vec4<u32>(0x0f0f0f0fu);
        planes[params.planes.x + 2u * g] = low.x | (low.y << 4u);
        planes[params.planes.x + 2u * g + 1u] = low.z | (low.w << 4u);
#endif

#if bits(DTYPE) == BITS_6
        let upper = (c >> vec4<u32>(4u)) & vec4<u32>(0x03030303u);
        planes[params.planes.y + g] = upper.x | (upper.y << 2u) | (upper.z << 4u) | (upper.w << 6u);
#elif bits(DTYPE) == BITS_3 || bits(DTYPE) == BITS_5
#if bits(DTYPE) == BITS_3
        let upper = (c >> vec4<u32>(2u)) & vec4<u32>(0x01010101u);
#else
        let upper = (c >> vec4<u32>(4u)) & vec4<u32>(0x01010101u);
#endif
        let bits = upper.x | (upper.y << 1u) | (upper.z << 2u) | (upper.w << 3u);
        if ((i & 1u) == 0u) {
            high = bits;
        } else {
            planes[params.planes.y + (g >> 1u)] = high | (bits << 4u);
        }
#endif

#if scales(DTYPE) == HALVES
        scales |= half_at(block) << ((i & 2u) * 8u);
#elif scales(DTYPE) == HALF_PAIRS
        planes[params.planes.z + (g >> 1u)] = word_at(block);
#elif scales(DTYPE) == BYTE_PAIRS
        scales |= scale_min(block, j >> 1u) << ((i & 2u) * 8u);
#elif scales(DTYPE) == BYTES_32 || scales(DTYPE) == EXPONENTS
        scales |= scale(block, j) << ((i & 6u) * 4u);
#elif scales(DTYPE) != BLOCKS_256
        scales |= scale(block, j) << (i * 8u);
#endif
    }

#if scales(DTYPE) != HALF_PAIRS && scales(DTYPE) != BLOCKS_256
    planes[params.planes.z + (params.first_unit + first) / UNITS] = scales;
#endif
#if block_scales(DTYPE)
    if (first % 16u == 0u) {
        let block = params.byte_offset + first / 16u * BLOCK_BYTES;
        let d = params.planes.w + ((params.first_unit + first) >> 4u);
#if DTYPE == Q4_K || DTYPE == Q5_K
        planes[d] = word_at(block);
#elif DTYPE == Q2_K
        planes[d] = word_at(block + 80u);
#elif DTYPE == Q3_K
        planes[d] = float_bits(half_at(block + 108u));
#elif DTYPE == Q6_K
        planes[d] = float_bits(half_at(block + 208u));
#elif DTYPE == TQ1_0
        planes[d] = float_bits(half_at(block + 52u));
#elif DTYPE == TQ2_0
        planes[d] = float_bits(half_at(block + 64u));
#elif DTYPE == IQ4_XS || DTYPE == IQ3_S
        planes[d] = float_bits(half_at(block));
#elif DTYPE == IQ1_M
        let top = vec4<u32>(half_at(block + 48u), half_at(block + 50u), half_at(block + 52u), half_at(block + 54u));
        let nibbles = (top >> vec4<u32>(12u)) << vec4<u32>(0u, 4u, 8u, 12u);
        planes[d] = bitcast<u32>(0.125 * bitcast<f32>(float_bits(nibbles.x | nibbles.y | nibbles.z | nibbles.w)));
#elif DTYPE == IQ3_XXS
        planes[d] = bitcast<u32>(0.25 * bitcast<f32>(float_bits(half_at(block))));
#else
        planes[d] = bitcast<u32>(0.125 * bitcast<f32>(float_bits(half_at(block))));
#endif
    }
#endif
}

#endif
