//! The configuration of Gemma 3: what its files say in different ways, leave out, or contradict.

use engine::gguf::{Metadata, Value};
use engine::model::{Attention, Config, ConfigError};

const NAME: &str = "gemma3";

/// A model of `layers` layers, as llama.cpp's converter writes it.
fn metadata(layers: u64, more: &[(&str, Value)]) -> Metadata {
    let mut m = Metadata::default();
    m.0.insert("general.architecture".into(), Value::String(NAME.into()));
    for (key, value) in [
        ("block_count", layers),
        ("embedding_length", 640),
        ("feed_forward_length", 2048),
        ("context_length", 32_768),
        ("attention.head_count", 4),
        ("attention.head_count_kv", 1),
        ("attention.sliding_window", 512),
    ] {
        m.0.insert(format!("{NAME}.{key}"), Value::Unsigned(value));
    }
    for (key, value) in more {
        m.0.insert(format!("{NAME}.{key}"), value.clone());
    }
    m
}

fn config(layers: u64, more: &[(&str, Value)]) -> Result<Config, ConfigError> {
    Config::read(&metadata(layers, more))
}

#[test]
fn files_leave_out_what_all_models_have() {
    let small = config(18, &[]).expect("a configuration");
    let global: Vec<_> = (0..18).filter(|&i| small.layers[i].attention == Attention::Global).collect();
    assert_eq!(global, [5, 11, 17]);
    assert_eq!((small.layers[0].head_dim, small.window, small.eps), (256, 512, 1e-6));
    assert_eq!((small.theta_sliding, small.theta_global), (1e4, 1e6));
    assert_eq!((small.query_scale, small.rope_divisor, small.softcap), (1.0 / 16.0, 1.0, 0.0));
    // Without a window no layer slides, and a softcap is not applied.
    let more =
        [("attention.sliding_window", Value::Unsigned(0)), ("final_logit_softcapping", Value::Float(30.0))];
    let whole = config(18, &more).expect("a configuration");
    assert!(whole.layers.iter().all(|layer| layer.attention == Attention::Global) && whole.softcap == 0.0);
    // The 27B has its own scale, and long contexts divide positions.
    let long = [("context_length", Value::Unsigned(131_072)), ("attention.key_length", Value::Unsigned(128))];
    let large = config(62, &long).expect("a configuration");
    assert_eq!((large.query_scale, large.rope_divisor), ((640.0f32 / 4.0).sqrt().recip(), 8.0));
}

#[test]
fn files_say_the_same_in_two_ways() {
    let pattern = ("attention.sliding_window_pattern", Value::Bools(vec![true, true, false, true]));
    let ollama =
        [pattern, ("rope.local.freq_base", Value::Float(1e5)), ("rope.global.freq_base", Value::Float(2e6))];
    let config4 = config(4, &ollama).expect("a configuration");
    assert_eq!(config4.layers[2].attention, Attention::Global);
    assert_eq!((config4.theta_sliding, config4.theta_global), (1e5, 2e6));
    let linear =
        [("rope.scaling.type", Value::String("linear".into())), ("rope.scaling.factor", Value::Float(4.0))];
    assert_eq!(config(4, &linear).map(|config| config.rope_divisor), Ok(4.0));
}

#[test]
fn contradictions_name_both_keys() {
    let two = [("rope.freq_base", Value::Float(1e6)), ("rope.global.freq_base", Value::Float(1e5))];
    let error = config(4, &two).expect_err("a contradiction").to_string();
    for part in ["gemma3.rope.freq_base = 1000000", "gemma3.rope.global.freq_base = 100000"] {
        assert!(error.contains(part), "{error}");
    }
    let heads =
        [("attention.key_length", Value::Unsigned(64)), ("attention.value_length", Value::Unsigned(32))];
    assert!(matches!(config(4, &heads), Err(ConfigError::Contradiction { .. })));
    for (key, value) in [
        ("rope.scaling.type", Value::String("yarn".into())),
        ("rope.scaling.factor", Value::Float(0.0)),
        ("attention.sliding_window", Value::Unsigned(1 << 30)),
    ] {
        let refused = config(4, &[(key, value)]);
        assert!(
            matches!(&refused, Err(ConfigError::Value { key: named, .. }) if named.ends_with(key)),
            "{refused:?}"
        );
    }
}
