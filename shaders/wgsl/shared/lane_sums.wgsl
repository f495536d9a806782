// Sums over the LANES lanes of each team, whose vec4s follow one another in workgroup memory MEM. First the lanes are folded: a
// quarter of them each add four vec4s. Then a thread adds what is left of a component. If it added all lanes alone, it would
// read the same banks of workgroup memory as the threads of other teams (MEASUREMENTS.md).

const FOLDED_LANES: u32 = LANES / 4u;

// Folds the lanes of a team into its first FOLDED_LANES places. `at` is the place of the lane that calls.
fn fold_lanes(at: u32, lane: u32) {
    if (lane < FOLDED_LANES) {
        {{MEM}}[at] += {{MEM}}[at + FOLDED_LANES] + {{MEM}}[at + 2u * FOLDED_LANES] + {{MEM}}[at + 3u * FOLDED_LANES];
    }
}

// The sum of a component over a team whose lanes were folded, the first of which is at `first`.
fn sum_of_lanes(first: u32, component: u32) -> f32 {
    var total = 0.0;
    for (var j = 0u; j < FOLDED_LANES; j += 1u) {
        total += {{MEM}}[first + j][component];
    }
    return total;
}
