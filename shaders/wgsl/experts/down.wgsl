// The down projections of the chosen experts for one token, and their weighted sum:
//
//   y[row] = Σ_place weight·(down_e[row]·act[place])     e: the expert at that place
//
// This is one long product: its columns are those of the chosen experts, USED·K in all, so the order of summation
// is fixed. Experts begin..end are in this dispatch's matrix; dispatches of further ranges add to y. Each expert
// has `rows` rows.
//
// Formula: Gemma 4 specification §2.7. Bindings: params, y f32, choices [USED], act f32 [USED, K], down
// (planar, K columns).
// Workgroup: GROUPS·32 threads, 32 per row; act is staged as in matvec/matvec.wgsl.
// Grid: (⌈rows / GROUPS⌉, 1, 1).

#include "shared/planes.wgsl" with P=down, DTYPE={{DTYPE}}, BUF=downs
#include "experts/choice.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read_write> y: array<f32>;
var<storage, read> choices: array<Choice>;
var<storage, read> act: array<vec4<f32>>;
var<storage, read> downs: array<vec2<u32>>;

const UNITS = {{K}}u / 16u;
const ALL_UNITS = {{USED}}u * UNITS;
const TILE_UNITS = {{TILE}}u / 16u;

// A tile of the weighted act, later the partial sums.
var<workgroup> mem: array<vec4<f32>, {{MEM}}>;

@compute @workgroup_size({{THREADS}})
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let row = wid.x * {{GROUPS}}u + tid / 32u;
    let own = min(row, params.rows - 1u);
    var sum = 0.0;
    for (var begin = 0u; begin < ALL_UNITS; begin += TILE_UNITS) {
        for (var j = tid; j < TILE_UNITS * 4u; j += {{THREADS}}u) {
            let at = begin * 4u + j;
            var value = vec4<f32>(0.0);
            if (at < ALL_UNITS * 4u) {
                value = act[at] * choices[at / (UNITS * 4u)].weight;
            }
            mem[(j & 3u) * TILE_UNITS + (j >> 2u)] = value;
        }
        workgroupBarrier();
        let units = min(TILE_UNITS, ALL_UNITS - begin);
        for (var u = tid % 32u; u < units; u += 32u) {
            let at = begin + u;
            let expert = choices[at / UNITS].expert;
            if (expert >= params.begin && expert < params.end) {
                let x = array<vec4<f32>, 4>(
                    mem[u], mem[TILE_UNITS + u], mem[2u * TILE_UNITS + u], mem[3u * TILE_UNITS + u]);
                let x4 = x[0] + x[1] + x[2] + x[3];
                let unit = ((expert - params.begin) * params.rows + own) * UNITS + at % UNITS;
                sum += down_dot(params.planes, unit, x, x4.x + x4.y + x4.z + x4.w);
            }
        }
        workgroupBarrier();
    }
    mem[tid] = vec4<f32>(sum);
    workgroupBarrier();
    if (tid % 32u == 0u && row < params.rows) {
        var total = 0.0;
        for (var i = 0u; i < 32u; i += 1u) {
            total += mem[tid + i].x;
        }
        if (params.more != 0u) {
            total += y[params.y_at + row];
        }
        y[params.y_at + row] = total;
    }
}
