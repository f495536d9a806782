//! The cases with which a self-test tries the kernels of towers.

use shaders::DType;
use shaders::attention::{KvType, block::Block};
use shaders::audio::{attention::Attention, conv2d, light_conv::LightConv, silu::Silu, unit_norm::UnitNorm};
use shaders::matmul::{Matmul, Tile};
use shaders::vision::{
    heads::Heads, layer_norm::LayerNorm, patches::Patches, pool::Pool, position::Positions,
};

use crate::common::{check, is_thorough, some_types};

#[test]
fn what_sees_passes_its_own_test() {
    for side in [16, 48] {
        check(&Patches { side });
    }
    some_types().into_iter().for_each(|dtype| check(&Positions(dtype)));
    let sizes: &[u32] = if is_thorough() { &[16, 64, 72, 128] } else { &[16, 72] };
    for &head_dim in sizes {
        check(&Heads { head_dim });
        check(&Block { head_dim, kv_type: KvType::F32, until: true });
    }
    for yes in [false, true] {
        check(&Pool { standardise: yes });
        for bias in [false, true] {
            check(&LayerNorm { bias, rms: yes });
        }
    }
}

#[test]
fn what_hears_passes_its_own_test() {
    for (channels_in, channels) in conv2d::CHANNELS {
        check(&conv2d::Conv2d::new(channels_in, channels));
    }
    for head_dim in [64, 128] {
        check(&Attention { head_dim });
    }
    check(&UnitNorm);
    check(&LightConv);
    check(&Silu);
}

#[test]
fn clipped_linears_pass_their_own_test() {
    let clamped = |tile, dtype| Matmul { tile, dtype, clamped: true };
    let tiles = || Tile::ALL.into_iter().chain([Tile::SOFTWARE]);
    tiles().for_each(|tile| check(&clamped(tile, DType::F16)));
    for dtype in [DType::Q8_0, DType::Q4_K] {
        let most = if is_thorough() { usize::MAX } else { 1 };
        tiles().take(most).for_each(|tile| check(&clamped(tile, dtype)));
    }
}
