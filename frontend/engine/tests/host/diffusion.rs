//! Files of models that decode by diffusion: what is read of them, and what is refused.

use std::path::Path;

use engine::bytes::MemorySource;
use engine::gguf::Header;
use engine::model::Denoising;
use engine::session::{EngineError, LoadOptions, ModelSpec};
use engine::weights::TensorError;
use probe::synth::{Options, Quant, header};

fn tiny() -> Vec<u8> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/models");
    std::fs::read(models.join("tiny-diffusion.q4_k_m.gguf")).expect("the model")
}

fn read(bytes: Vec<u8>) -> Result<ModelSpec, EngineError> {
    let header = pollster::block_on(Header::read(&MemorySource::new(bytes)))?;
    ModelSpec::with_options(&header, &LoadOptions::default())
}

/// Where a string of the header ends.
fn end_of(bytes: &[u8], text: &str) -> usize {
    let counted = [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let at = bytes.windows(counted.len()).position(|window| window == counted);
    at.unwrap_or_else(|| panic!("no {text}")) + counted.len()
}

#[test]
fn a_diffusion_model_is_described() {
    let spec = read(tiny()).expect("a model");
    let usual = Denoising::default();
    assert_eq!(spec.config.diffusion, Some(Denoising { canvas: 32, ..usual }));
    for name in ["self_cond_gate", "self_cond_up", "self_cond_down"] {
        assert!(spec.tensors.matrix(name).is_some(), "{name}");
    }
    let vectors = |name: &str| spec.tensors.vectors.iter().filter(|vector| vector.name == name).count();
    for name in ["self_cond_pre_norm", "blk.2.enc_layer_output_scale", "blk.2.layer_output_scale"] {
        assert_eq!(vectors(name), 1, "{name}");
    }
    let published = header(&Options::new("26b-diffusion".parse().expect("a shape"), Quant::Q4KM));
    let published = published.expect("a header");
    assert_eq!(published.tensors.len(), 692);
    let spec = ModelSpec::with_options(&published, &LoadOptions::default()).expect("a model");
    assert_eq!(spec.config.diffusion, Some(usual));
}

#[test]
fn a_tensor_that_is_missing_is_named() {
    for name in ["self_cond_pre_norm", "self_cond_gate", "self_cond_down", "blk.1.enc_layer_output_scale"] {
        let mut bytes = tiny();
        let end = end_of(&bytes, &format!("{name}.weight"));
        bytes[end - 1] = b'x';
        match read(bytes) {
            Err(EngineError::Tensor(TensorError::Missing { name: missing })) => {
                assert_eq!(missing, format!("{name}.weight"));
            }
            other => panic!("{name}: {:?}", other.map(|_| ())),
        }
    }
}

#[test]
fn a_canvas_of_no_or_too_many_positions_is_refused() {
    let key = "diffusion-gemma.canvas_length";
    for canvas in [0_u32, 513, u32::MAX] {
        let mut bytes = tiny();
        // Behind the number of its type.
        let at = end_of(&bytes, key) + 4;
        bytes[at..at + 4].copy_from_slice(&canvas.to_le_bytes());
        let refused = read(bytes).expect_err("no canvas").to_string();
        assert!(refused.contains(&format!("{key} = {canvas}, but a canvas has 1 to 512")), "{refused}");
    }
}
