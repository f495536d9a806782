// Removes the logits of the tokens that a mask forbids, before they are sampled.
//
//   z_i = −∞   if bit i mod 32 of word ⌊i / 32⌋ of the mask is 0
//
// in   mask     u32 [⌈vocab / 32⌉]
// in out logits f32 [vocab], as bits: top_k.wgsl removes infinities
//
// Workgroup: 256 threads. Grid: ⌈vocab / 256⌉.

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> mask: array<u32>;
var<storage, read_write> logits: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let id = gid.x;
    if (id < params.vocab && ((mask[id >> 5u] >> (id & 31u)) & 1u) == 0u) {
        logits[id] = 0xff800000u;
    }
}
