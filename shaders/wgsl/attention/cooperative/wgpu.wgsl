// Matrices of attention/cooperative.wgsl as wgpu spells them (EXPERIMENTAL_COOPERATIVE_MATRIX), 16×16. Strides count
// elements of the array, vec4s in kv_tile.

enable f16;
enable wgpu_cooperative_matrix;

alias Left = coop_mat16x16<f16, A>;
alias Right = coop_mat16x16<f16, B>;
alias Sums = coop_mat16x16<f32, C>;

#for k in 0..Q_TILES
fn load_q{{k}}(part: u32, tile: u32) -> Left {
    return coopLoadT<Left>(&kv_tile[part + {{k}}u * 4u / PART_QUADS][tile][{{k}}u * 4u % PART_QUADS], STRIDE);
}
#for r in 0..Q_ROUNDS
// Columns are keys.
fn load_k{{r}}_{{k}}(first_part: u32, tile: u32) -> Right {
    return coopLoad<Right>(&kv_tile[first_part + ({{r}}u * Q_WIDTH + {{k}}u * 4u) / PART_QUADS][tile][({{r}}u * Q_WIDTH + {{k}}u * 4u) % PART_QUADS], STRIDE);
}
#endfor
#endfor
#for k in 0..2
#for j in 0..SUMS
// Rows are keys.
fn load_v{{k}}_{{j}}(part: u32) -> Right {
    return coopLoadT<Right>(&kv_tile[part][{{k}}][{{j}}u * 4u], STRIDE);
}
#endfor
fn load_weights{{k}}(tile: u32) -> Left {
    return coopLoadT<Left>(&weights[tile][{{k}}u * 16u], WEIGHT_STRIDE);
}
#endfor

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
