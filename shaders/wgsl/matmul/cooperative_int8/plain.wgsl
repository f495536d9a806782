// Matrices of matmul/cooperative_int8.wgsl without matrix units, for tests on devices that have none: a lane has eight elements
// of a matrix of Y, in the order in which they are stored, and a matrix of X or W is its place: the part of a tile, and where in it.

alias XMatrix = vec2<u32>;
alias WMatrix = vec2<u32>;
alias YMatrix = array<i32, 8>;

#for k in 0..DEPTHS
#for i in 0..M_TILES
fn load_x{{i}}_{{k}}(part: u32) -> XMatrix {
    return vec2<u32>(part, {{i}}u * 16u * STRIDE + {{k}}u * 2u);
}
#endfor
#for j in 0..N_TILES
fn load_w{{j}}_{{k}}(part: u32) -> WMatrix {
    return vec2<u32>(part, {{j}}u * 16u * STRIDE + {{k}}u * 2u);
}
#endfor
#endfor

fn dot16(a: vec4<i32>, b: vec4<i32>) -> i32 {
    let p = bitcast<vec4<u32>>(a);
    let q = bitcast<vec4<u32>>(b);
    return dot4I8Packed(p.x, q.x) + dot4I8Packed(p.y, q.y) + dot4I8Packed(p.z, q.z) + dot4I8Packed(p.w, q.w);
}

fn multiply_add(x: XMatrix, w: WMatrix, y: YMatrix, lane: u32) -> YMatrix {
    var sum = y;
    let w_at = w.y + (lane % 16u) * STRIDE;
    for (var r = 0u; r < 8u; r += 1u) {
        let x_at = x.y + (r * 2u + lane / 16u) * STRIDE;
        sum[r] += dot16(x_tile[x.x][x_at], w_tile[w.x][w_at])
            + dot16(x_tile[x.x][x_at + 1u], w_tile[w.x][w_at + 1u]);
    }
    return sum;
}

fn times_128(y: YMatrix) -> YMatrix {
    var product = y;
    for (var r = 0u; r < 8u; r += 1u) {
        product[r] *= 128;
    }
    return product;
}

fn store_y(y: YMatrix, at: u32, lane: u32) {
    for (var r = 0u; r < 8u; r += 1u) {
        result[at][r * 32u + lane] = y[r];
    }
}
