// Matrices of matmul/cooperative.wgsl as wgpu spells them (EXPERIMENTAL_COOPERATIVE_MATRIX), 16×16, in units of a vec4.

enable f16;
enable wgpu_cooperative_matrix;

alias XMatrix = coop_mat16x16<f16, A>;
alias WMatrix = coop_mat16x16<f16, B>;
alias YMatrix = coop_mat16x16<f32, C>;

fn load_x(at: u32) -> XMatrix {
    return coopLoadT<XMatrix>(&x_tile[at], STRIDE);
}

fn load_w(at: u32) -> WMatrix {
#if COLUMN_PRODUCT
    return coopLoadT<WMatrix>(&w_tile[at], W_STRIDE);
#else
    return coopLoad<WMatrix>(&w_tile[at], W_STRIDE);
#endif
}

fn multiply_add(x: XMatrix, w: WMatrix, y: YMatrix) -> YMatrix {
    return coopMultiplyAdd(x, w, y);
}

fn store_y(y: YMatrix, at: u32) {
    coopStoreT(y, &result[at], 16u);
}
