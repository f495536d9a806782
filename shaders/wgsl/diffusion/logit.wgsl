// A logit of a canvas as its step has it: softcapped, divided by the temperature. Needs `params.softcap` (0: off) and
// `temperature`.

#include "shared/tanh.wgsl"

fn tempered(raw: f32) -> f32 {
    if (params.softcap == 0.0) {
        return raw / temperature[0];
    }
    return params.softcap * tanh_exp(raw / params.softcap) / temperature[0];
}

// e^x for x ≤ 0, which need not be exact where a float cannot hold it: some devices make anything of that.
fn exp_below(x: f32) -> f32 {
    return exp(max(x, -100.0));
}
