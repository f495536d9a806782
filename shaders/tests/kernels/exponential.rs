//! Exponentials far below zero, on a device that makes something else than 0 of them: WGSL says how exact `exp` is, not
//! what it is where a float cannot hold it.

use shaders::Source;
use shaders::attention::KvType;
use shaders::attention::block::Block;
use shaders::attention::decode::{Decode, Kv};
use shaders::diffusion::{statistics::Statistics, weigh::Weigh};
use shaders::sampling::{Candidates, Sample};

use crate::common::{check_as, is_thorough};

/// The kernel as a device computes it whose `exp` is infinite below −200.
fn careless(source: Source) -> Source {
    let mut wgsl = String::new();
    let mut rest = &*source.wgsl;
    // Not `tanh_exp(`.
    while let Some(at) = rest.find(" exp(") {
        let (before, call) = rest.split_at(at + " exp(".len());
        let mut depth = 1;
        let end = call.find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        let (argument, behind) = call.split_at(end.expect("a closed call"));
        // For numbers and vectors alike: what is subtracted from itself is 0 of its own type.
        let below = format!("min(({argument}) + 200.0, ({argument}) - ({argument}))");
        wgsl += &format!("{}(exp({argument}) + abs({below}) * 3e38", &before[..at + 1]);
        rest = behind;
    }
    assert!(!wgsl.is_empty(), "{} has no exponentials", source.name);
    wgsl += rest;
    Source { name: format!("{}, careless", source.name), wgsl: wgsl.into(), ..source }
}

#[test]
fn attention_clamps_what_it_takes_the_exponential_of() {
    let sizes: &[u32] = if is_thorough() { &[64, 256, 512] } else { &[64] };
    let types = [KvType::F16, KvType::Q8_0];
    for &head_dim in sizes {
        // The exponentials are the same in all permutations of a text.
        for (kv, group) in [(Kv::Own, 2), (Kv::Shared, 1), (Kv::Own, 1), (Kv::Shared, 2)] {
            let of = |kv_type| Decode { head_dim, kv, kv_type, group, quads: 0 };
            if is_thorough() || (kv, group) == (Kv::Own, 2) {
                types.into_iter().for_each(|kv_type| check_as(&of(kv_type), careless));
            }
        }
        for until in [false, true] {
            let of = |kv_type| Block { head_dim, kv_type, until };
            if is_thorough() || until {
                types.into_iter().for_each(|kv_type| check_as(&of(kv_type), careless));
            }
        }
    }
}

#[test]
fn a_canvas_clamps_what_it_takes_the_exponential_of() {
    check_as(&Statistics, careless);
    check_as(&Weigh, careless);
}

#[test]
fn sampling_clamps_what_it_takes_the_exponential_of() {
    check_as(&Sample(Candidates::Many), careless);
    check_as(&Sample(Candidates::Few), careless);
}
