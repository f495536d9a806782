// One step of AdamW over a buffer, with gradient clipping:
//
//   g = clip·gradient;   m ← β1·m + (1 − β1)·g;   v ← β2·v + (1 − β2)·g²
//   θ ← θ·(1 − rate·decay) − rate·(m/(1 − β1^t)) / (√(v/(1 − β2^t)) + ε)
//
// The corrections 1/(1 − β^t) come from the CPU. Formula: specification §12.4; Loshchilov & Hutter, "Decoupled Weight
// Decay Regularization", 2019. Workgroup: 256 threads, one number each. Grid: in two dimensions.

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> gradients: array<f32>;
var<storage, read_write> theta: array<f32>;
var<storage, read_write> m: array<f32>;
var<storage, read_write> v: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let i = (wid.x + wid.y * grid.x) * 256u + tid;
    if (i >= arrayLength(&theta)) {
        return;
    }
    let g = params.clip * gradients[i];
    let next_m = params.beta1 * m[i] + (1.0 - params.beta1) * g;
    let next_v = params.beta2 * v[i] + (1.0 - params.beta2) * g * g;
    m[i] = next_m;
    v[i] = next_v;
    let step = next_m * params.correction1 / (sqrt(next_v * params.correction2) + params.eps);
    theta[i] = theta[i] - params.decay * theta[i] - params.rate * step;
}
