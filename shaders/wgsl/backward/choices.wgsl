// Gradient of the weighted sum of the chosen experts, with respect to their activations and to the router's logits. A
// row has the chosen experts p with logits l, softmax w over their scale·l, and weights v = w⊙(scales of the experts).
// With g_p, the gradient of the sum through the down projection of p:
//
//   d_p = g_p·act_p                           the gradient of v_p: the sum's gradient times the output of p
//   dact_p = v_p·g_p                          in place of g_p
//   dlogits_p = scale·(v_p·d_p − w_p·Σ_q v_q·d_q)      0 for experts that were not chosen
//
// v_p·d_p is also the gradient of w_p times w_p, so that the scales of the experts are not needed.
//
// Bindings: params, state, choices [T, USED], logits f32 [T, EXPERTS], act f32 [T·USED, width], gradients f32
// [T·USED, width], dlogits f32 [T, EXPERTS]; T = state.len. Formula: specification §12.5.
// Workgroup: 64 threads, one row. Grid: T, in two dimensions.

#include "shared/state.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS=64
#include "experts/choice.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> choices: array<Choice>;
var<storage, read> logits: array<f32>;
var<storage, read> act: array<vec4<f32>>;
var<storage, read_write> gradients: array<vec4<f32>>;
var<storage, read_write> dlogits: array<f32>;

const THREADS = 64u;
const EXPERTS = {{EXPERTS}}u;
const USED = {{USED}}u;

// v_p·d_p of each place.
var<workgroup> products: array<f32, USED>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let row = wid.x + wid.y * grid.x;
    if (row >= state.len) {
        return;
    }
    let first = row * USED;
    for (var place = 0u; place < USED; place += 1u) {
        let weight = choices[first + place].weight;
        let begin = (first + place) * params.width4;
        var sum = 0.0;
        for (var i = tid; i < params.width4; i += THREADS) {
            let gradient = gradients[begin + i];
            sum += dot(gradient, act[begin + i]);
            gradients[begin + i] = weight * gradient;
        }
        let product = weight * workgroup_sum(sum, tid);
        if (tid == 0u) {
            products[place] = product;
        }
    }
    workgroupBarrier();

    let row0 = row * EXPERTS;
    // The largest one is first.
    let top = logits[row0 + choices[first].expert];
    var total = 0.0;
    var along = 0.0;
    for (var place = 0u; place < USED; place += 1u) {
        total += exp(params.scale * (logits[row0 + choices[first + place].expert] - top));
        along += products[place];
    }
    for (var expert = tid; expert < EXPERTS; expert += THREADS) {
        var value = 0.0;
        for (var place = 0u; place < USED; place += 1u) {
            if (choices[first + place].expert == expert) {
                let weight = exp(params.scale * (logits[row0 + expert] - top)) / total;
                value = params.scale * (products[place] - weight * along);
            }
        }
        dlogits[row0 + expert] = value;
    }
}
