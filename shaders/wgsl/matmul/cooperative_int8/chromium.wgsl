// Matrices of matmul/cooperative_int8.wgsl as Chromium spells them (chromium-experimental-subgroup-matrix, version 156),
// 16×16×32. Offsets and strides count elements of the array, 16 bytes. Rows of both tiles run along the sum, so a matrix of W is
// column-major.

enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias XMatrix = subgroup_matrix_left<i8, 32, 16>;
alias WMatrix = subgroup_matrix_right<i8, 16, 32>;
alias YMatrix = subgroup_matrix_result<i32, 16, 16>;

// Places in an array are constants for the reason that matmul/cooperative/chromium.wgsl gives.
#for k in 0..DEPTHS
#for i in 0..M_TILES
fn load_x{{i}}_{{k}}(part: u32) -> XMatrix {
    return subgroupMatrixLoad<XMatrix, row_major>(&x_tile[part], {{i}}u * 16u * STRIDE + {{k}}u * 2u, STRIDE);
}
#endfor
#for j in 0..N_TILES
fn load_w{{j}}_{{k}}(part: u32) -> WMatrix {
    return subgroupMatrixLoad<WMatrix, col_major>(&w_tile[part], {{j}}u * 16u * STRIDE + {{k}}u * 2u, STRIDE);
}
#endfor
#endfor

fn multiply_add(x: XMatrix, w: WMatrix, y: YMatrix, lane: u32) -> YMatrix {
    return subgroupMatrixMultiplyAccumulate(x, w, y);
}

fn times_128(y: YMatrix) -> YMatrix {
    return subgroupMatrixScalarMultiply(y, 128);
}

fn store_y(y: YMatrix, at: u32, lane: u32) {
    subgroupMatrixStore<row_major>(&result[at], 0u, y, 16u);
}
