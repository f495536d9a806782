// The values of the sixteen codes of IQ4_NL, as int8.
const IQ4_NL_VALUES = array<u32, 4>(0xbfad9881u, 0xf6eaddcfu, 0x26190d01u, 0x71594535u);

// Converts four codes (one per byte) to four int8 values.
fn iq4_nl(codes: u32) -> u32 {
    var values = IQ4_NL_VALUES;
    let n = (vec4<u32>(codes) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(15u);
    let words = vec4<u32>(values[n.x >> 2u], values[n.y >> 2u], values[n.z >> 2u], values[n.w >> 2u]);
    let bytes = (words >> ((n & vec4<u32>(3u)) * 8u)) & vec4<u32>(0xffu);
    return bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | (bytes.w << 24u);
}
