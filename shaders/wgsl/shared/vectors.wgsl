// The weights of norms and other vectors of a layer, one after the other.

var<storage, read> vectors: array<f32>;

// vec4 `i` of the vector that begins at `begin`.
fn vector4(begin: u32, i: u32) -> vec4<f32> {
    let at = begin + 4u * i;
    return vec4<f32>(vectors[at], vectors[at + 1u], vectors[at + 2u], vectors[at + 3u]);
}
