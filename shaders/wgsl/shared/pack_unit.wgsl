// Rounds a unit of x to int8 values q, x ≈ d·q with d = max|x| / 127.

struct Packed {
    codes: vec4<u32>, // q, four per word
    scale: vec2<f32>, // d, d·Σq
}

fn pack_unit(x: array<vec4<f32>, 4>) -> Packed {
    let most4 = max(max(abs(x[0]), abs(x[1])), max(abs(x[2]), abs(x[3])));
    let most = max(max(most4.x, most4.y), max(most4.z, most4.w));
    let inverse = select(0.0, 127.0 / most, most > 0.0);
    let q = vec4<u32>(
        pack4xI8(vec4<i32>(round(x[0] * inverse))), pack4xI8(vec4<i32>(round(x[1] * inverse))),
        pack4xI8(vec4<i32>(round(x[2] * inverse))), pack4xI8(vec4<i32>(round(x[3] * inverse))));
    let ones = 0x01010101u;
    let sum = dot4I8Packed(q.x, ones) + dot4I8Packed(q.y, ones) + dot4I8Packed(q.z, ones) + dot4I8Packed(q.w, ones);
    let d = most / 127.0;
    return Packed(q, vec2<f32>(d, d * f32(sum)));
}
