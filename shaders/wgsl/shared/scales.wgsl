// Scales of quantised types that are bytes. Include `with P=w, DTYPE=Q6_K`.

#if scales(DTYPE) != BYTES_16 && scales(DTYPE) != BYTES_32 && scales(DTYPE) != EXPONENTS && scales(DTYPE) != BLOCKS_256
#include "shared/unpack_halves.wgsl"
#endif

#if scales(DTYPE) == BYTES_16 || scales(DTYPE) == BYTES_32

// The scale in the low byte of a word.
fn {{P}}_byte_scale(bits: u32) -> f32 {
    return f32(i32(bits << 24u) >> 24u);
}

#elif scales(DTYPE) == EXPONENTS

// The scale in the low byte of a word. The two that are no normal numbers are zero.
fn {{P}}_byte_scale(bits: u32) -> f32 {
    return bitcast<f32>((max(bits & 0xffu, 1u) - 1u) << 23u);
}

#elif scales(DTYPE) == MINIFLOATS

// The scale in the low byte of a word.
fn {{P}}_byte_scale(bits: u32) -> f32 {
    return 128.0 * unpack_half((bits & 0x7fu) << 7u);
}

#endif
