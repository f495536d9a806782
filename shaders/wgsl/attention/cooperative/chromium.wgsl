// Matrices of attention/cooperative.wgsl as Chromium spells them (chromium-experimental-subgroup-matrix, version 156), 16×16.
// Offsets and strides count elements of the array, vec4s in kv_tile.

enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;

alias Left = subgroup_matrix_left<f16, 16, 16>;
alias Right = subgroup_matrix_right<f16, 16, 16>;
alias Sums = subgroup_matrix_result<f32, 16, 16>;

// Places in an array are constants for the reason that matmul/cooperative/chromium.wgsl gives.
#for k in 0..Q_TILES
fn load_q{{k}}(part: u32, tile: u32) -> Left {
    return subgroupMatrixLoad<Left, row_major>(&kv_tile[part + {{k}}u * 4u / PART_QUADS][tile], {{k}}u * 4u % PART_QUADS, STRIDE);
}
#for r in 0..Q_ROUNDS
// Columns are keys.
fn load_k{{r}}_{{k}}(first_part: u32, tile: u32) -> Right {
    return subgroupMatrixLoad<Right, col_major>(&kv_tile[first_part + ({{r}}u * Q_WIDTH + {{k}}u * 4u) / PART_QUADS][tile], ({{r}}u * Q_WIDTH + {{k}}u * 4u) % PART_QUADS, STRIDE);
}
#endfor
#endfor
#for k in 0..2
#for j in 0..SUMS
// Rows are keys.
fn load_v{{k}}_{{j}}(part: u32) -> Right {
    return subgroupMatrixLoad<Right, row_major>(&kv_tile[part][{{k}}], {{j}}u * 4u, STRIDE);
}
#endfor
fn load_weights{{k}}(tile: u32) -> Left {
    return subgroupMatrixLoad<Left, row_major>(&weights[tile], {{k}}u * 16u, WEIGHT_STRIDE);
}
#endfor

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
