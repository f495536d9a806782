//! The cases with which a self-test tries the kernels of towers.

use shaders::DType;
use shaders::attention::{KvType, block::Block};
use shaders::audio::conv2d;
use shaders::matmul::Tile;
use shaders::selftest::Form;
use shaders::vision::layer_norm::LayerNorm;

use crate::common::{check, is_thorough, some_types};

#[test]
fn what_sees_passes_its_own_test() {
    for side in [16, 48] {
        check(&Form::Patches(side));
    }
    some_types().into_iter().for_each(|dtype| check(&Form::Positions(dtype)));
    let sizes: &[u32] = if is_thorough() { &[16, 64, 72, 128] } else { &[16, 72] };
    for &head_dim in sizes {
        check(&Form::TurnedHeads(head_dim));
        check(&Form::Block(Block { head_dim, kv_type: KvType::F32, until: true }));
    }
    for yes in [false, true] {
        check(&Form::Pool(yes));
        for bias in [false, true] {
            check(&Form::LayerNorm(LayerNorm { bias, rms: yes }));
        }
    }
}

#[test]
fn what_hears_passes_its_own_test() {
    for (channels_in, channels) in conv2d::CHANNELS {
        check(&Form::Convolution(channels_in, channels));
    }
    for head_dim in [64, 128] {
        check(&Form::SoundAttention(head_dim));
    }
    [Form::UnitNorm, Form::LightConvolution, Form::Silu].iter().for_each(check);
}

#[test]
fn clipped_linears_pass_their_own_test() {
    let tiles = || Tile::ALL.into_iter().chain([Tile::SOFTWARE]);
    tiles().for_each(|tile| check(&Form::ClampedMatmul(tile, DType::F16)));
    for dtype in [DType::Q8_0, DType::Q4_K] {
        let most = if is_thorough() { usize::MAX } else { 1 };
        tiles().take(most).for_each(|tile| check(&Form::ClampedMatmul(tile, dtype)));
    }
}
