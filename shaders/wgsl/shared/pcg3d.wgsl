// PCG3D, a hash of three words: Jarzynski & Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020. Its CPU twin is
// `shaders::math::pcg3d`.

fn pcg3d(words: vec3<u32>) -> vec3<u32> {
    var v = words * 1664525u + 1013904223u;
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v ^= v >> vec3<u32>(16u);
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    return v;
}
