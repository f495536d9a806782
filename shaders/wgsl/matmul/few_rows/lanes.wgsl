// The sums of the lanes that share rows of W. The including kernel has PASS, THREADS and LANES.

var<workgroup> partial: array<vec4<f32>, PASS * THREADS>;

// The sum of a component over LANES lanes, the first of which is `first`.
fn sum_of_lanes(first: u32, component: u32) -> f32 {
    var total = 0.0;
    for (var j = 0u; j < LANES; j += 1u) {
        total += partial[first + j][component];
    }
    return total;
}

// Sixteen results that threads from `first` on stored in their first component.
fn made_unit(first: u32) -> array<vec4<f32>, 4> {
    var made: array<vec4<f32>, 4>;
#for q in 0..4
    let at{{q}} = first + 4u * {{q}}u;
    made[{{q}}] = vec4<f32>(
        partial[at{{q}}].x, partial[at{{q}} + 1u].x, partial[at{{q}} + 2u].x, partial[at{{q}} + 3u].x);
#endfor
    return made;
}
