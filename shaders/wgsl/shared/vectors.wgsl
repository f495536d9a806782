// The weights of norms and other vectors of a layer, concatenated.

var<storage, read> vectors: array<f32>;

// vec4 `i` of the vector at offset `begin`.
fn vector4(begin: u32, i: u32) -> vec4<f32> {
    let at = begin + 4u * i;
    return vec4<f32>(vectors[at], vectors[at + 1u], vectors[at + 2u], vectors[at + 3u]);
}
