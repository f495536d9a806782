// The sum over the workgroup, returned to every thread.
fn sum_all(value: vec4<f32>, tid: u32) -> vec4<f32> {
    mem[tid] = value;
    workgroupBarrier();
    if (tid < 16u) {
        var part = mem[tid];
        for (var i = tid + 16u; i < THREADS; i += 16u) {
            part += mem[i];
        }
        mem[tid] = part;
    }
    workgroupBarrier();
    var total = mem[0];
    for (var i = 1u; i < 16u; i += 1u) {
        total += mem[i];
    }
    workgroupBarrier();
    return total;
}
