// Finds the chosen experts in the expert cache, for the products that read them there:
//
//   located[p] = (slots[layer + expert of choices[p]], weight of choices[p])
//
// A slot is a place for one expert in the layer's matrices. The slot of an expert that is not in the cache is NONE, and
// products skip it. FEW_ROWS: a token and drafts behind it, at most MAX_ROWS rows, which need all of their experts. If one is
// missing, the step ends here: state.len becomes 0, so that the steps behind it do nothing, and record says which layer it
// was. The host then loads the experts, and runs the step again from here.
//
// Bindings: params, state, slots u32 [layers, EXPERTS], choices [T, USED], located [T, USED],
// FEW_ROWS: record u32: the layer that missed plus 1 (0: none), its experts [MAX_ROWS, USED], of which T rows are written, then
// the number of times that each expert was used [layers, EXPERTS]. T = state.len.
// Workgroup: 64 threads, a pair each. Grid: (⌈T·USED/64⌉, 1, 1); FEW_ROWS: a workgroup for all pairs.

#include "shared/state.wgsl"
#include "experts/choice.wgsl"

{{PARAMS}}
var<uniform> params: Params;
#if FEW_ROWS
var<storage, read_write> state: State;
#else
var<storage, read> state: State;
#endif
var<storage, read> slots: array<u32>;
var<storage, read> choices: array<Choice>;
var<storage, read_write> located: array<Choice>;
#if FEW_ROWS
var<storage, read_write> record: array<u32>;

var<workgroup> rows: u32;
var<workgroup> missing: atomic<u32>;
var<workgroup> chosen: array<u32, {{MAX_ROWS}}u * {{USED}}u>;
#endif

const THREADS = 64u;
const NONE = 0xffffffffu;

// The slot of an expert of this layer.
fn slot_of(expert: u32) -> u32 {
    return slots[params.layer * {{EXPERTS}}u + expert];
}

#if FEW_ROWS
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) tid: u32) {
    if (tid == 0u) {
        rows = state.len;
        atomicStore(&missing, 0u);
    }
    // The same for all threads, as barriers follow.
    let pairs = min(workgroupUniformLoad(&rows), {{MAX_ROWS}}u) * {{USED}}u;
    if (pairs == 0u) {
        return;
    }
    for (var place = tid; place < pairs; place += THREADS) {
        let choice = choices[place];
        let slot = slot_of(choice.expert);
        located[place] = Choice(slot, choice.weight);
        record[1u + place] = choice.expert;
        chosen[place] = choice.expert;
        if (slot == NONE) {
            atomicStore(&missing, 1u);
        }
    }
    workgroupBarrier();
    storageBarrier();
    if (atomicLoad(&missing) != 0u) {
        if (tid == 0u) {
            record[0] = params.layer + 1u;
            state.len = 0u;
        }
        return;
    }
    // The first row that chose an expert counts it for all.
    for (var place = tid; place < pairs; place += THREADS) {
        let expert = chosen[place];
        var uses = 0u;
        var first = place;
        for (var other = 0u; other < pairs; other += 1u) {
            if (chosen[other] == expert) {
                uses += 1u;
                first = min(first, other);
            }
        }
        if (first == place) {
            record[1u + {{MAX_ROWS}}u * {{USED}}u + params.layer * {{EXPERTS}}u + expert] += uses;
        }
    }
}
#else
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < state.len * {{USED}}u) {
        let choice = choices[id.x];
        located[id.x] = Choice(slot_of(choice.expert), choice.weight);
    }
}
#endif
