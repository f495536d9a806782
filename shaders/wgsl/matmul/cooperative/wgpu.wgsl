// Matrices of matmul/cooperative.wgsl as wgpu spells them (EXPERIMENTAL_COOPERATIVE_MATRIX), 16×16, in units of a vec4.

enable f16;
enable wgpu_cooperative_matrix;

alias XMatrix = coop_mat16x16<f16, A>;
alias WMatrix = coop_mat16x16<f16, B>;
alias YMatrix = coop_mat16x16<f32, C>;

#for k in 0..DEPTHS
#for i in 0..M_TILES
fn load_x{{i}}_{{k}}(part: u32) -> XMatrix {
    return coopLoadT<XMatrix>(&x_tile[part][{{i}}u * 16u * STRIDE + {{k}}u * 4u], STRIDE);
}
#endfor
#for j in 0..N_TILES
#if COLUMN_PRODUCT
fn load_w{{j}}_{{k}}(column: u32) -> WMatrix {
    return coopLoadT<WMatrix>(&w_tile[0][{{k}}u * 16u * W_STRIDE + column / 4u + {{j}}u * 4u], W_STRIDE);
}
#else
fn load_w{{j}}_{{k}}(part: u32) -> WMatrix {
    return coopLoad<WMatrix>(&w_tile[part][{{j}}u * 16u * W_STRIDE + {{k}}u * 4u], W_STRIDE);
}
#endif
#endfor
#endfor

fn multiply_add(x: XMatrix, w: WMatrix, y: YMatrix) -> YMatrix {
    return coopMultiplyAdd(x, w, y);
}

fn store_y(y: YMatrix, at: u32) {
    coopStoreT(y, &result[at][0], 16u);
}
