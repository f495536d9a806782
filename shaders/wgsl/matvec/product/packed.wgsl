// Product: each staged unit of x is rounded to int8 with its own scale, and integers are multiplied.

// The int8 values of x; their scales are in `mem`.
var<workgroup> bytes: array<vec4<u32>, TILE_UNITS>;

// Rounds staged unit `u` to int8 values q, x ≈ d·q with d = max|x| / 127, and replaces it with (d, d·Σq).
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
