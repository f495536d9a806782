//! The configuration of models that make embeddings.

use engine::gguf::{Metadata, Value};
use engine::model::{Attention, Config, ConfigError, Encoder};

/// A model of this architecture with the usual keys, and more of them.
fn config(architecture: &str, more: &[(&str, Value)]) -> Result<Config, ConfigError> {
    let mut m = Metadata::default();
    m.0.insert("general.architecture".into(), Value::String(architecture.into()));
    for (key, value) in [
        ("block_count", 12),
        ("embedding_length", 512),
        ("embedding_length_out", 768),
        ("embedding_length_per_layer_input", 256),
        ("feed_forward_length", 1024),
        ("context_length", 262_144),
        ("attention.head_count", 4),
        ("attention.head_count_kv", 1),
        ("attention.key_length", 256),
        ("attention.key_length_swa", 128),
        ("attention.sliding_window", 512),
    ] {
        m.0.insert(format!("{architecture}.{key}"), Value::Unsigned(value));
    }
    for (key, value) in more {
        m.0.insert(format!("{architecture}.{key}"), value.clone());
    }
    Config::read(&m)
}

#[test]
fn windows_are_those_of_both_sides() {
    let first = config("gemma-embedding", &[]).expect("a configuration");
    assert_eq!((first.encoder, first.window, first.ple), (Some(Encoder::Dense), 257, 0));
    assert!(!first.takes_media());
    let second = config("gemma-embedding2", &[]).expect("a configuration");
    assert_eq!((second.encoder, second.window, second.ple), (Some(Encoder::Projection(768)), 257, 256));
    assert_eq!((second.max_context, second.query_scale), (8192, 1.0));
    assert!(second.takes_media());
    assert_eq!((second.layers[0].head_dim, second.layers[5].head_dim), (128, 256));
    for config in [first, second] {
        let global = (0..12).filter(|&i| config.layers[i].attention == Attention::Global);
        assert_eq!(global.collect::<Vec<_>>(), [5, 11]);
    }
    // Ollama's files say so otherwise.
    assert_eq!(config("gemma3", &[]).map(|it| (it.encoder, it.window)), Ok((None, 512)));
    for said in [("pooling_type", Value::Unsigned(1)), ("attention.causal", Value::Bool(false))] {
        assert_eq!(
            config("gemma3", &[said]).map(|it| (it.encoder, it.window)),
            Ok((Some(Encoder::Dense), 257))
        );
    }
}

#[test]
fn what_is_computed_otherwise_is_refused_by_its_key() {
    let of_both = [
        ("pooling_type", Value::Unsigned(2)),
        ("pooling_type", Value::String("mean".into())),
        ("attention.sliding_window", Value::Unsigned(0)),
        ("attention.sliding_window", Value::Unsigned(1 << 40)),
        ("attention.causal", Value::Bool(true)),
        ("attention.head_count_kv", Value::Unsigned(3)),
        ("block_count", Value::Unsigned(0)),
    ];
    let of_second = [
        ("attention.shared_kv_layers", Value::Unsigned(2)),
        ("embedding_length_per_layer_input", Value::Unsigned(0)),
        ("embedding_length_out", Value::Unsigned(1 << 40)),
        ("attention.key_length_swa", Value::Unsigned(100)),
    ];
    let all = of_both.iter().flat_map(|pair| [("gemma-embedding", pair), ("gemma-embedding2", pair)]);
    for (architecture, pair) in all.chain(of_second.iter().map(|pair| ("gemma-embedding2", pair))) {
        let refused = config(architecture, std::slice::from_ref(pair));
        let Err(ConfigError::Value { key, .. }) = &refused else { panic!("{pair:?}: {refused:?}") };
        // One key stands for the sizes of both kinds of heads.
        assert!(key.ends_with(pair.0.trim_end_matches("_swa")), "{pair:?}: {key}");
    }
}
