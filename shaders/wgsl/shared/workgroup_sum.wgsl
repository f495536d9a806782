// Sum over the workgroup. Argument: THREADS, a power of two.

var<workgroup> summands: array<f32, {{THREADS}}>;

// The sum of the values of all threads, returned to every thread. All threads must call it.
fn workgroup_sum(value: f32, tid: u32) -> f32 {
    summands[tid] = value;
    workgroupBarrier();
    for (var stride = {{THREADS}}u / 2u; stride > 0u; stride /= 2u) {
        if (tid < stride) {
            summands[tid] += summands[tid + stride];
        }
        workgroupBarrier();
    }
    let sum = summands[0];
    workgroupBarrier();
    return sum;
}
