// The codes of a unit of a quantised type but Q8_0, from its words in the planes (shaders/src/planes.rs). Include `with P=w,
// DTYPE=Q4_K`.

#if table(DTYPE)
// Converts four codes (one per byte) to four int8 values.
fn {{P}}_table(codes: u32) -> u32 {
    let n = vec4<u32>(codes) >> vec4<u32>(0u, 8u, 16u, 24u);
#if bits(DTYPE) == BITS_3
    let upper = (n & vec4<u32>(4u)) != vec4<u32>(0u);
    let words = select(vec4<u32>({{table0(DTYPE)}}u), vec4<u32>({{table1(DTYPE)}}u), upper);
#else
    var values = array<u32, 4>({{table0(DTYPE)}}u, {{table1(DTYPE)}}u, {{table2(DTYPE)}}u, {{table3(DTYPE)}}u);
    let i = (n & vec4<u32>(15u)) >> vec4<u32>(2u);
    let words = vec4<u32>(values[i.x], values[i.y], values[i.z], values[i.w]);
#endif
    let bytes = (words >> ((n & vec4<u32>(3u)) * 8u)) & vec4<u32>(0xffu);
    return bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | (bytes.w << 24u);
}
#endif

// Sixteen codes, four consecutive ones per word; signed for types with a table. `lo` has their lower two or four bits; of two
// bits, its first word. `hi` is the word with the bits above, for the types that have any; where it serves two units, it is
// shifted by four bits for the second.
fn {{P}}_codes(lo: vec2<u32>, hi: u32) -> vec4<u32> {
#if bits(DTYPE) == BITS_2 || bits(DTYPE) == BITS_3
    let low = (vec4<u32>(lo.x) >> vec4<u32>(0u, 2u, 4u, 6u)) & vec4<u32>(0x03030303u);
#else
    let low = vec4<u32>(lo.x, lo.x >> 4u, lo.y, lo.y >> 4u) & vec4<u32>(0x0f0f0f0fu);
#endif
#if bits(DTYPE) == BITS_6
    let high = (vec4<u32>(hi) >> vec4<u32>(0u, 2u, 4u, 6u)) & vec4<u32>(0x03030303u);
    let codes = low | (high << vec4<u32>(4u));
#elif bits(DTYPE) == BITS_5
    let high = (vec4<u32>(hi) >> vec4<u32>(0u, 1u, 2u, 3u)) & vec4<u32>(0x01010101u);
    let codes = low | (high << vec4<u32>(4u));
#elif bits(DTYPE) == BITS_3
    let high = (vec4<u32>(hi) >> vec4<u32>(0u, 1u, 2u, 3u)) & vec4<u32>(0x01010101u);
    let codes = low | (high << vec4<u32>(2u));
#else
    let codes = low;
#endif
#if table(DTYPE)
    return vec4<u32>({{P}}_table(codes.x), {{P}}_table(codes.y), {{P}}_table(codes.z), {{P}}_table(codes.w));
#else
    return codes;
#endif
}
