//! Names of modules as PEFT has written them, by class, version and what was wrapped around the model.

use engine::adapter::{Adapter, AdapterError, Projection, Target, peft};
use engine::bytes::MemorySource;
use pollster::block_on;
use safetensors::tensor::{Dtype, TensorView};

/// A file with both factors of one module, `{}` in the name standing for A or B.
fn read(name: &str) -> Result<Adapter, AdapterError> {
    read_with(name, "")
}

/// Same as [`read`], with more fields of the configuration.
fn read_with(name: &str, fields: &str) -> Result<Adapter, AdapterError> {
    let values: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let view = |side: &str, shape: [usize; 2]| {
        let view = TensorView::new(Dtype::F32, shape.to_vec(), bytemuck::cast_slice(&values));
        (name.replace("{}", side), view.expect("a view"))
    };
    let file = safetensors::serialize([view("A", [2, 6]), view("B", [6, 2])], None).expect("a file");
    let config = format!(r#"{{"peft_type": "LORA", "r": 2, "lora_alpha": 4{fields}}}"#);
    block_on(peft::read(&MemorySource::new(file), config.as_bytes()))
}

#[test]
fn every_form_of_a_module_name_is_read() {
    for path in [
        "base_model.model.model.language_model.layers.7.",
        "base_model.model.model.layers.7.",
        "base_model.model.language_model.layers.7.",
        "base_model.model.language_model.model.layers.7.",
        "base_model.model.model.language_model.model.layers.7.",
        "base_model.model.layers.7.",
        "base_model.model.base_model.model.model.layers.7.",
        "base_model.model._orig_mod.model.language_model.layers.7.",
        "module.base_model.model.model.layers.7._checkpoint_wrapped_module.",
        "model.language_model.layers.7.",
        "language_model.model.layers.7.",
    ] {
        for end in [
            "lora_{}.weight",
            "lora_{}.default.weight",
            "lora_{}.my-adapter.weight",
            "lora_{}",
            "lora_{}.default",
        ] {
            for projection in [Projection::Q, Projection::Down, Projection::PleGate] {
                let name = format!("{path}{}.{end}", projection.module());
                let adapter = read(&name).expect(&name);
                let factors = adapter.get(Target { layer: 7, projection }).expect(&name);
                assert_eq!((factors.rank, factors.input, factors.scale), (2, 6, 2.0), "{name}");
            }
        }
    }
}

#[test]
fn other_modules_are_refused_by_name() {
    for module in [
        "model.vision_tower.encoder.layers.7.self_attn.q_proj",
        "model.audio_tower.layers.7.self_attn.q_proj",
        "model.language_model.layers.7.self_attn.qkv_proj",
        "model.language_model.layers.x.self_attn.q_proj",
        "model.language_model.embed_tokens",
        "lm_head",
    ] {
        let error = read(&format!("base_model.model.{module}.lora_{{}}.weight")).expect_err(module);
        assert!(matches!(error, AdapterError::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains(module), "{error}");
    }
    let bias = read("base_model.model.model.layers.7.self_attn.q_proj.lora_{}.bias").expect_err("a bias");
    assert!(bias.to_string().contains("a bias"), "{bias}");
    assert!(matches!(read("weights.{}"), Err(AdapterError::NotAnAdapter { .. })));
}

/// Gemma 3 270M has a class without towers, whose layers are at another path.
#[test]
fn modules_are_named_as_in_the_class_of_the_model() {
    for (width, layers) in [(640, "model.layers."), (1536, "model.language_model.layers.")] {
        let values = vec![0.5f32; 2 * width];
        let view = |side: &str, shape: [usize; 2]| {
            let name = format!("base_model.model.model.layers.3.self_attn.q_proj.lora_{side}.weight");
            let bytes = bytemuck::cast_slice(&values[..shape[0] * shape[1]]);
            (name, TensorView::new(Dtype::F32, shape.to_vec(), bytes).expect("a view"))
        };
        let file = safetensors::serialize([view("A", [2, width]), view("B", [6, 2])], None).expect("a file");
        let config = br#"{"peft_type": "LORA", "r": 2, "lora_alpha": 4}"#;
        let adapter = block_on(peft::read(&MemorySource::new(file), config)).expect("an adapter");
        let written = peft::write(&adapter, "base").expect("files");
        let tensors = safetensors::SafeTensors::deserialize(&written.weights).expect("tensors");
        let name = format!("base_model.model.{layers}3.self_attn.q_proj.lora_A.weight");
        assert!(tensors.tensor(&name).is_ok(), "{:?}", tensors.names());
        assert!(written.config.contains(&layers.replace('.', r"\\.")), "{}", written.config);
        let source = MemorySource::new(written.weights.clone());
        let again = block_on(peft::read(&source, written.config.as_bytes())).expect("it is read again");
        assert!(again.get(Target { layer: 3, projection: Projection::Q }).is_some());
    }
}

#[test]
fn adapters_that_changed_their_model_are_refused() {
    let name = "base_model.model.model.layers.7.self_attn.q_proj.lora_{}.weight";
    for begun in
        ["\"pissa\"", "\"pissa_niter_16\"", "\"olora\"", "\"corda\"", "\"loftq\"", "\"PiSSA\"", "\"lora_ga\""]
    {
        let error = read_with(name, &format!(", \"init_lora_weights\": {begun}")).expect_err(begun);
        assert!(matches!(error, AdapterError::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains("init_lora_weights"), "{error}");
    }
    for begun in ["true", "false", "null", "\"gaussian\"", "\"eva\"", "\"orthogonal\""] {
        read_with(name, &format!(", \"init_lora_weights\": {begun}")).expect(begun);
    }
}
