//! Blocks of random bits, against what ggml makes of them.

use safetensors::SafeTensors;
use shaders::quant::{dequantize, planar_values, repack};
use shaders::{DType, PlanarLayout};

use crate::common;

#[test]
fn every_type_has_the_published_values_in_blocks_and_in_planes() {
    let path = common::repository("frontend/engine/tests/golden/outputs/quant-vectors.safetensors");
    let bytes = std::fs::read(path).expect("the vectors");
    let vectors = SafeTensors::deserialize(&bytes).expect("tensors");
    let mut seen = 0;
    for dtype in DType::ALL {
        let Ok(raw) = vectors.tensor(&format!("{dtype}.raw")) else { continue };
        let values = vectors.tensor(&format!("{dtype}.values")).expect("the values of its blocks");
        let [rows, k] = [values.shape()[0], values.shape()[1]];
        let want: Vec<f32> = bytemuck::pod_collect_to_vec(values.data());
        let mut got = vec![0.0; want.len()];
        dequantize(dtype, raw.data(), &mut got).expect("whole blocks");
        let layout = PlanarLayout::new(dtype, k as u64, rows as u64).expect("a layout");
        let words = repack(dtype, k as u64, rows as u64, raw.data()).expect("planes");
        let planar: Vec<f32> = (0..rows as u32).flat_map(|row| planar_values(&layout, &words, row)).collect();
        for (e, want) in want.iter().enumerate() {
            assert_eq!(got[e], *want, "{dtype}, element {e}");
            // With ternary codes, the scale is subtracted from its own multiple.
            assert_eq!(planar[e], *want, "{dtype} in planes, element {e}");
        }
        seen += 1;
    }
    assert_eq!(seen, 14);
}
