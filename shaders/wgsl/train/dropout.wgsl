// Dropout of the inputs of A: which element is kept follows from the seed of the step, the projection and the element
// alone, so that the forward pass, its repetition and the backward pass agree. The Rust mirror is
// `shaders::train::dropout::keeps`.
//
// Hash: PCG3D of Jarzynski & Olano, "Hash Functions for GPU Rendering", 2020.

// Whether element i of row t is kept; `bound` is the probability of leaving it out, times 2³².
fn dropout_keeps(seed_lo: u32, seed_hi: u32, salt: u32, t: u32, i: u32, bound: u32) -> bool {
    var h = vec3<u32>(seed_lo ^ i, seed_hi ^ t, salt) * 1664525u + 1013904223u;
    h.x += h.y * h.z;
    h.y += h.z * h.x;
    h.z += h.x * h.y;
    h ^= h >> vec3<u32>(16u);
    h.x += h.y * h.z;
    h.y += h.z * h.x;
    h.z += h.x * h.y;
    return h.x >= bound;
}
