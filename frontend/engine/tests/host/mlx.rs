//! Adapters of mlx-lm.

use engine::adapter::{self, Adapter, AdapterError, Projection, Target};
use engine::bytes::MemorySource;
use pollster::block_on;
use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};

const INPUT: usize = 5;
const OUTPUT: usize = 3;
const RANK: usize = 2;

fn file(tensors: &[(&str, &[usize])]) -> Vec<u8> {
    let values: Vec<f32> = (0..64).map(|i| i as f32).collect();
    let views = tensors.iter().map(|(name, shape)| {
        let count: usize = shape.iter().product();
        let view = TensorView::new(Dtype::F32, shape.to_vec(), bytemuck::cast_slice(&values[..count]));
        ((*name).to_owned(), view.expect("a view"))
    });
    safetensors::serialize(views, None).expect("a file")
}

fn read(file: Vec<u8>, config: &Value) -> Result<Adapter, AdapterError> {
    block_on(adapter::read(&MemorySource::new(file), config.to_string().as_bytes()))
}

fn query(prefix: &str) -> Vec<u8> {
    let [a, b] = ["lora_a", "lora_b"].map(|side| format!("{prefix}layers.1.self_attn.q_proj.{side}"));
    file(&[(&a, &[INPUT, RANK]), (&b, &[RANK, OUTPUT])])
}

#[test]
fn factors_are_turned_and_the_scale_is_its_own() {
    for prefix in ["language_model.model.", "model.", "model.language_model."] {
        for (config, scale) in [
            (
                json!({"fine_tune_type": "lora", "num_layers": 4, "lora_parameters": {"rank": 2, "scale": 20.0, "dropout": 0.0, "keys": ["self_attn.q_proj"]}}),
                20.0,
            ),
            (
                json!({"model": "gemma", "lora_layers": 4, "lora_parameters": {"rank": 2, "scale": 10, "dropout": 0}}),
                10.0,
            ),
            (
                json!({"fine_tune_type": null, "use_dora": false, "lora_parameters": {"rank": 2, "scale": 10.0, "alpha": 16.0}}),
                80.0,
            ),
        ] {
            let adapter = read(query(prefix), &config).expect("an adapter");
            let factors = adapter.get(Target { layer: 1, projection: Projection::Q }).expect("factors");
            assert_eq!((factors.rank, factors.input, factors.output, factors.scale), (2, 5, 3, scale));
            // Row by row what the file has column by column.
            assert_eq!(factors.a, [0., 2., 4., 6., 8., 1., 3., 5., 7., 9.]);
            assert_eq!(factors.b, [0., 3., 1., 4., 2., 5.]);
        }
    }
}

#[test]
fn what_is_no_lora_is_refused_by_name() {
    let parameters = json!({"rank": 2, "scale": 20.0});
    let told = |file: Vec<u8>, config: Value| read(file, &config).expect_err("no LoRA").to_string();
    for (kind, word) in [("dora", "DoRA"), ("full", "the whole model"), ("new", "new")] {
        let words = told(query("model."), json!({"fine_tune_type": kind, "lora_parameters": parameters}));
        assert!(words.contains(word), "{words}");
    }
    assert!(told(query("model."), json!({"use_dora": true, "lora_parameters": parameters})).contains("DoRA"));
    assert!(told(query("model."), json!({"fine_tune_type": "lora"})).contains("lora_parameters"));
    assert!(told(query("model."), json!({"lora_parameters": {"rank": 2}})).contains("no scale"));
    let magnitude = file(&[("model.layers.1.self_attn.q_proj.m", &[3])]);
    assert!(told(magnitude, json!({"lora_parameters": parameters})).contains("DoRA"));
    let experts = file(&[("model.layers.1.experts.switch_glu.up_proj.lora_a", &[4, 2, 5])]);
    assert!(told(experts, json!({"lora_parameters": parameters})).contains("switch_glu.up_proj"));
    let embedding = file(&[("model.embed_tokens.lora_a", &[4, 2])]);
    assert!(told(embedding, json!({"lora_parameters": parameters})).contains("embed_tokens"));
    let neither = read(query("model."), &json!({"rank": 2})).expect_err("no configuration");
    assert!(matches!(neither, AdapterError::NotAnAdapter { .. }), "{neither}");
}

#[test]
fn shapes_that_contradict_each_other_are_refused() {
    let config = json!({"lora_parameters": {"rank": 2, "scale": 1.0}});
    let name = |side: &str| format!("model.layers.1.self_attn.q_proj.{side}");
    let [a, b] = ["lora_a", "lora_b"].map(name);
    let pair = |first: &[usize], second: &[usize]| read(file(&[(&a, first), (&b, second)]), &config);
    assert!(matches!(pair(&[5, 2], &[3, 4]), Err(AdapterError::Shape { .. })));
    assert_eq!(pair(&[1, 2], &[2, 0]).expect("no rows").len(), 1, "the model refuses its shape");
    assert!(matches!(pair(&[0, 0], &[0, 3]), Err(AdapterError::Rank { .. })));
    assert!(matches!(read(file(&[(&a, &[5, 2])]), &config), Err(AdapterError::Unpaired { .. })));
}
