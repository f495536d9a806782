// Sums over the LANES lanes of each team, whose vec4s follow one another in workgroup memory MEM: first four lanes of a team are
// added at a time, by LANES / 4 threads, then a thread adds what is left of a component. Two steps read less than one thread
// would alone, and their code is short: kernels that follow one another wait for it.

const FOLDED_LANES: u32 = LANES / 4u;

// Leaves the sums of every fourth lane of a team in its first FOLDED_LANES places, `at` for the thread `lane` of the team.
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
