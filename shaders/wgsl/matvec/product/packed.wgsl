// Product: each staged unit of x is rounded to signed bytes with a scale of its own, and the products are of integers.

// Signed bytes of the units of x; what they are worth is in `mem`.
var<workgroup> bytes: array<vec4<u32>, TILE_UNITS>;

// Rounds staged unit `u` to signed bytes q, x ≈ d·q with d = max|x| / 127, and puts (d, d·Σq) in its place.
fn pack(u: u32) {
    let x = array<vec4<f32>, 4>(
        mem[u], mem[TILE_UNITS + u], mem[2u * TILE_UNITS + u], mem[3u * TILE_UNITS + u]);
    let most4 = max(max(abs(x[0]), abs(x[1])), max(abs(x[2]), abs(x[3])));
    let most = max(max(most4.x, most4.y), max(most4.z, most4.w));
    let inverse = select(0.0, 127.0 / most, most > 0.0);
    let q = vec4<u32>(
        pack4xI8(vec4<i32>(round(x[0] * inverse))), pack4xI8(vec4<i32>(round(x[1] * inverse))),
        pack4xI8(vec4<i32>(round(x[2] * inverse))), pack4xI8(vec4<i32>(round(x[3] * inverse))));
    let ones = 0x01010101u;
    let sum = dot4I8Packed(q.x, ones) + dot4I8Packed(q.y, ones) + dot4I8Packed(q.z, ones) + dot4I8Packed(q.w, ones);
    bytes[u] = q;
    let d = most / 127.0;
    mem[u] = vec4<f32>(d, d * f32(sum), 0.0, 0.0);
}

#fill product
        for (var u = tid; u < units; u += THREADS) {
            pack(u);
        }
        workgroupBarrier();
        for (var u = lane; u < units; u += LANES) {
            let x = bytes[u];
            let xsum = mem[u].xy;
            let at = begin + u;
#include "matvec/product/matrices.wgsl"
        }
#endfill
