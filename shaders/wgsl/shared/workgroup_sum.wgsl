// Sum over the workgroup. Argument: THREADS, a multiple of 16.

var<workgroup> summands: array<f32, {{THREADS}}>;
var<workgroup> partial_sums: array<f32, 16>;

// The sum of the values of all threads, returned to every thread. All threads must call it. Two barriers, whatever the
// number of threads: a barrier costs more than the additions, above all on software devices. None is needed at the end:
// who writes `partial_sums` again is behind the first barrier of the next call, and by then everybody has read it.
fn workgroup_sum(value: f32, tid: u32) -> f32 {
    summands[tid] = value;
    workgroupBarrier();
    if (tid < 16u) {
        var part = summands[tid];
        for (var i = tid + 16u; i < {{THREADS}}u; i += 16u) {
            part += summands[i];
        }
        partial_sums[tid] = part;
    }
    workgroupBarrier();
    var total = partial_sums[0];
    for (var i = 1u; i < 16u; i += 1u) {
        total += partial_sums[i];
    }
    return total;
}
