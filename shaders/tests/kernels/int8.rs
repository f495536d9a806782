//! Products of rows rounded to int8, with matrices emulated as wgpu has none of int8, and the rounding before them.

use shaders::DType;
use shaders::selftest::Form;

use crate::common::check;

#[test]
fn rows_and_weights_are_rounded_in_blocks() {
    check(&Form::Int8Rows);
    for dtype in DType::ALL.into_iter().filter(|&dtype| dtype != DType::F32) {
        check(&Form::Int8Weights(dtype));
    }
}

#[test]
fn products_scale_each_block() {
    check(&Form::CooperativeInt8);
}
