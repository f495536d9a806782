// The codes of a unit of a quantised type but Q8_0, from its words in the planes (shaders/src/planes.rs). Include `with P=w,
// DTYPE=Q4_K`.

#if DTYPE == IQ4_NL
#include "shared/iq4_nl.wgsl"
#endif

// Sixteen codes, four consecutive ones per word; signed for IQ4_NL. `lo` has their lower four bits. `hi` is the word with the
// bits above, for the types that have any; for five-bit types it is shifted by four bits for the second unit of a word.
fn {{P}}_codes(lo: vec2<u32>, hi: u32) -> vec4<u32> {
    let low = vec4<u32>(lo.x, lo.x >> 4u, lo.y, lo.y >> 4u) & vec4<u32>(0x0f0f0f0fu);
#if DTYPE == Q6_K
    let high = (vec4<u32>(hi) >> vec4<u32>(0u, 2u, 4u, 6u)) & vec4<u32>(0x03030303u);
    return low | (high << vec4<u32>(4u));
#elif DTYPE == Q5_0 || DTYPE == Q5_1 || DTYPE == Q5_K
    let high = (vec4<u32>(hi) >> vec4<u32>(0u, 1u, 2u, 3u)) & vec4<u32>(0x01010101u);
    return low | (high << vec4<u32>(4u));
#elif DTYPE == IQ4_NL
    return vec4<u32>(iq4_nl(low.x), iq4_nl(low.y), iq4_nl(low.z), iq4_nl(low.w));
#else
    return low;
#endif
}
