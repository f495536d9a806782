// The router's choice of experts for one token, computed by one workgroup: the USED largest of EXPERTS logits l,
// the lower expert first if two are equal, with the weights e^l_i / Σ_j e^l_j · s_i, summed over the chosen
// experts. This is the softmax over all experts, renormalised over the chosen ones (Gemma 4 specification §2.7).
//
// Defines: EXPERTS, USED and THREADS. The including kernel has `logits` and `vectors`, both array<f32>.

#include "experts/choice.wgsl"

var<workgroup> ranked: array<u32, {{EXPERTS}}>;
var<workgroup> chosen: array<Choice, {{USED}}>;

// An integer with the order of the number, also for NaN, so that ranks are always a permutation.
fn order_of(value: f32) -> u32 {
    let bits = bitcast<u32>(value);
    return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}

// Sets expert and logit of each place in `chosen`, for all threads. The logits are scale·logits[begin..].
fn choose(begin: u32, scale: f32, tid: u32) {
    for (var i = tid; i < {{EXPERTS}}u; i += {{THREADS}}u) {
        ranked[i] = order_of(logits[begin + i]);
    }
    workgroupBarrier();
    for (var i = tid; i < {{EXPERTS}}u; i += {{THREADS}}u) {
        let own = ranked[i];
        var place = 0u;
        for (var j = 0u; j < {{EXPERTS}}u; j += 1u) {
            let other = ranked[j];
            place += u32(other > own || (other == own && j < i));
        }
        if (place < {{USED}}u) {
            chosen[place] = Choice(i, scale * logits[begin + i]);
        }
    }
    workgroupBarrier();
}

// The choice at a place, with its weight. The scales s start at `scales` in `vectors`. Every calling thread
// computes the sum.
fn weighted(place: u32, scales: u32) -> Choice {
    let top = chosen[0].weight;
    var total = 0.0;
    for (var j = 0u; j < {{USED}}u; j += 1u) {
        total += exp(chosen[j].weight - top);
    }
    let choice = chosen[place];
    return Choice(choice.expert, exp(choice.weight - top) / total * vectors[scales + choice.expert]);
}
