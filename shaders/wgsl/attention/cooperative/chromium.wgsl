// Matrices of attention/cooperative.wgsl as Chromium spells them (chromium-experimental-subgroup-matrix, version 156), 16×16.
// Offsets and strides count elements of the array, vec4s in kv_tile.

enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias Left = subgroup_matrix_left<f16, 16, 16>;
alias Right = subgroup_matrix_right<f16, 16, 16>;
alias Sums = subgroup_matrix_result<f32, 16, 16>;

fn load_q(at: u32) -> Left {
    return subgroupMatrixLoad<Left, row_major>(&kv_tile, at, Q_STRIDE);
}

// Columns are keys.
fn load_k(at: u32) -> Right {
    return subgroupMatrixLoad<Right, col_major>(&kv_tile, at, STRIDE);
}

// Rows are keys.
fn load_v(at: u32) -> Right {
    return subgroupMatrixLoad<Right, row_major>(&kv_tile, at, STRIDE);
}

fn load_weights(at: u32) -> Left {
    return subgroupMatrixLoad<Left, row_major>(&weights, at, WEIGHT_STRIDE);
}

fn multiply_add(a: Left, b: Right, sums: Sums) -> Sums {
    return subgroupMatrixMultiplyAccumulate(a, b, sums);
}

fn store_scores(scores_of: Sums, at: u32) {
    subgroupMatrixStore<row_major>(&scores, at, scores_of, SCORE_STRIDE);
}

fn load_sums(at: u32) -> Sums {
    return subgroupMatrixLoad<Sums, row_major>(&scores, at, 16u);
}

fn store_sums(sums: Sums, at: u32) {
    subgroupMatrixStore<row_major>(&scores, at, sums, 16u);
}
