// Matrices of attention/cooperative.wgsl as wgpu spells them (EXPERIMENTAL_COOPERATIVE_MATRIX), 16×16. Strides count
// elements of the array, vec4s in kv_tile.

enable f16;
enable wgpu_cooperative_matrix;

alias Left = coop_mat16x16<f16, A>;
alias Right = coop_mat16x16<f16, B>;
alias Sums = coop_mat16x16<f32, C>;

fn load_q(at: u32) -> Left {
    return coopLoadT<Left>(&kv_tile[at], Q_STRIDE);
}

// Columns are keys.
fn load_k(at: u32) -> Right {
    return coopLoad<Right>(&kv_tile[at], STRIDE);
}

// Rows are keys.
fn load_v(at: u32) -> Right {
    return coopLoadT<Right>(&kv_tile[at], STRIDE);
}

fn load_weights(at: u32) -> Left {
    return coopLoadT<Left>(&weights[at], WEIGHT_STRIDE);
}

fn multiply_add(a: Left, b: Right, sums: Sums) -> Sums {
    return coopMultiplyAdd(a, b, sums);
}

fn store_scores(scores_of: Sums, at: u32) {
    coopStoreT(scores_of, &scores[at], SCORE_STRIDE);
}

fn load_sums(at: u32) -> Sums {
    return coopLoadT<Sums>(&scores[at], 16u);
}

fn store_sums(sums: Sums, at: u32) {
    coopStoreT(sums, &scores[at], 16u);
}
