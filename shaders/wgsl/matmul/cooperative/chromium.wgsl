// Matrices of matmul/cooperative.wgsl as Chromium spells them (chromium-experimental-subgroup-matrix, version 156), 16×16.
// Offsets and strides count elements of the array. Rows of both tiles run along the sum, so a matrix of W is column-major, except with COLUMN_PRODUCT.

enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias XMatrix = subgroup_matrix_left<f16, 16, 16>;
alias WMatrix = subgroup_matrix_right<f16, 16, 16>;
alias YMatrix = subgroup_matrix_result<f32, 16, 16>;

// Tint checks a load at run time unless the length of the array, the place in it and the stride are constants: hence a function
// for each place in a subgroup's part of a tile (MEASUREMENTS.md).
#for k in 0..DEPTHS
#for i in 0..M_TILES
fn load_x{{i}}_{{k}}(part: u32) -> XMatrix {
    return subgroupMatrixLoad<XMatrix, row_major>(&x_tile[part], {{i}}u * 16u * STRIDE + {{k}}u * 4u, STRIDE);
}
#endfor
#for j in 0..N_TILES
#if COLUMN_PRODUCT
fn load_w{{j}}_{{k}}(column: u32) -> WMatrix {
    return subgroupMatrixLoad<WMatrix, row_major>(&w_tile[0], {{k}}u * 16u * W_STRIDE + column / 4u + {{j}}u * 4u, W_STRIDE);
}
#else
fn load_w{{j}}_{{k}}(part: u32) -> WMatrix {
    return subgroupMatrixLoad<WMatrix, col_major>(&w_tile[part], {{j}}u * 16u * W_STRIDE + {{k}}u * 4u, W_STRIDE);
}
#endif
#endfor
#endfor

fn multiply_add(x: XMatrix, w: WMatrix, y: YMatrix) -> YMatrix {
    return subgroupMatrixMultiplyAccumulate(x, w, y);
}

fn store_y(y: YMatrix, at: u32) {
    subgroupMatrixStore<row_major>(&result[at], 0u, y, 16u);
}
