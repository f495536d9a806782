// Matrices of matmul/cooperative.wgsl as Chromium spells them (chromium-experimental-subgroup-matrix, version 156), 16×16.
// Offsets and strides count elements of the array. Rows of both tiles run along the sum, so a matrix of W is column-major, except with COLUMN_PRODUCT.

enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias XMatrix = subgroup_matrix_left<f16, 16, 16>;
alias WMatrix = subgroup_matrix_right<f16, 16, 16>;
alias YMatrix = subgroup_matrix_result<f32, 16, 16>;

fn load_x(at: u32) -> XMatrix {
    return subgroupMatrixLoad<XMatrix, row_major>(&x_tile, at, STRIDE);
}

fn load_w(at: u32) -> WMatrix {
#if COLUMN_PRODUCT
    return subgroupMatrixLoad<WMatrix, row_major>(&w_tile, at, W_STRIDE);
#else
    return subgroupMatrixLoad<WMatrix, col_major>(&w_tile, at, W_STRIDE);
#endif
}

fn multiply_add(x: XMatrix, w: WMatrix, y: YMatrix) -> YMatrix {
    return subgroupMatrixMultiplyAccumulate(x, w, y);
}

fn store_y(y: YMatrix, at: u32) {
    subgroupMatrixStore<row_major>(&result, at, y, 16u);
}
