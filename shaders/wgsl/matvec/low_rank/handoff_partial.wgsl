// Output for the next product, which uses low_rank/partial.wgsl, stored after y: A·y over the rows of the
// workgroup. `adapter` has the columns of A, [row, quads].

#include "matvec/low_rank/adapter.wgsl"
const ROWS_MADE: u32 = TEAMS * {{ROWS}}u;

// The results of the workgroup, by row.
var<workgroup> made: array<f32, ROWS_MADE>;

// The vec4 of the columns of A that thread `tid` multiplies first: row tid / quads of the workgroup.
fn read_column(first: u32, rows: u32, tid: u32) -> vec4<f32> {
    if (tid / QUADS >= min(ROWS_MADE, rows - first)) {
        return vec4<f32>(0.0);
    }
    return adapter[params.factors_at + first * QUADS + tid];
}

// Writes the workgroup's part of A·y. `first` is its first row, `column` the vec4 that was loaded before. Uses
// `mem`.
fn leave_partial(column: vec4<f32>, group: u32, first: u32, rows: u32, tid: u32) {
    let step = THREADS / QUADS;
    let count = min(ROWS_MADE, rows - first);
    var sum = vec4<f32>(0.0);
    if (tid < step * QUADS) {
        for (var i = tid / QUADS; i < count; i += step) {
            var a = column;
            if (i * QUADS > tid) {
                a = adapter[params.factors_at + (first + i) * QUADS + tid % QUADS];
            }
            sum += made[i] * a;
        }
    }
    mem[tid] = sum;
    workgroupBarrier();
    if (tid < QUADS) {
        var total = vec4<f32>(0.0);
        for (var i = 0u; i < min(step, count); i += 1u) {
            total += mem[i * QUADS + tid];
        }
        let at = 4u * (params.output_at + group * QUADS + tid);
        y[at] = total.x;
        y[at + 1u] = total.y;
        y[at + 2u] = total.z;
        y[at + 3u] = total.w;
    }
}

#fill begin
    let column = read_column(start * ROWS_MADE, rows, tid);
#endfill

#fill made
            made[tid] = total;
#endfill

#fill end
    workgroupBarrier();
    leave_partial(column, start, start * ROWS_MADE, rows, tid);
#endfill
