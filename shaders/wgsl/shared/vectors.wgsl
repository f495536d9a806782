// The weights of norms and other vectors of a layer, concatenated; each begins at a multiple of 4 elements.

var<storage, read> vectors: array<vec4<f32>>;

// vec4 `i` of the vector at offset `begin`.
fn vector4(begin: u32, i: u32) -> vec4<f32> {
    return vectors[(begin >> 2u) + i];
}

// The element at an offset.
fn vector1(at: u32) -> f32 {
    return vectors[at >> 2u][at & 3u];
}
