//! Adapters on a native device: opened, scaled by the answer, kept through a lost device, let go, refused.

use std::rc::Rc;

use futures_util::FutureExt as _;
use protocol::failure::{AdapterFailure, RequestFailure};
use protocol::{
    AdapterDetails, AdapterScale, AdapterSource, Cause, GenerateOptions, Layer, LayerKind, LoadOptions,
    LoadedModel, Message, ModelSource, Outcome, Request, RequestId, Role, Sampling, ToWorker,
};
use worker::Host;

use crate::desk;
use crate::desk::{Desk, Ended, failure, golden, loaded_model};

/// The model that the adapters among the engine's tests are for.
fn desk() -> (Rc<Desk>, Rc<Host>) {
    let (desk, host) = Desk::new();
    desk.model.replace(golden("models/tiny-e2b.q4_k_m.gguf"));
    let file = |name: &str, path: &str| desk.files.borrow_mut().insert(name.into(), golden(path));
    file("pirate.gguf", "adapters/exported/adapter.gguf");
    file("adapter_model.safetensors", "adapters/peft/adapter_model.safetensors");
    file("adapter_config.json", "adapters/peft/adapter_config.json");
    file("sha256-adapter", "adapters/exported/adapter.gguf");
    (desk, host)
}

fn loaded() -> (Rc<Desk>, Rc<Host>) {
    let (desk, host) = desk();
    host.receive(desk::load(1), Vec::new());
    let end = desk.end_of(1);
    assert_eq!(loaded_model(end).adapters, []);
    (desk, host)
}

fn local(names: &[&str]) -> ModelSource {
    let size = |name: &&str| {
        let path = if *name == "adapter_config.json" {
            "adapters/peft/adapter_config.json"
        } else {
            "adapters/ids.json"
        };
        std::fs::metadata(golden(path)).expect("a file").len()
    };
    ModelSource::Local {
        names: names.iter().map(|&name| name.to_owned()).collect(),
        sizes: names.iter().map(size).collect(),
    }
}

fn open(id: u64, key: &str, names: &[&str]) -> ToWorker {
    ToWorker::request(
        RequestId(id),
        Request::OpenAdapter { key: key.to_owned(), source: AdapterSource::Files(local(names)) },
    )
}

fn opened(ended: Ended) -> AdapterDetails {
    match ended {
        Ok(Outcome::AdapterOpened(details)) => details,
        other => panic!("not opened: {other:?}"),
    }
}

/// A request to answer with these adapters, always with the likeliest token.
fn ask(id: u64, adapters: &[(&str, f32)]) -> ToWorker {
    let adapters = adapters.iter().map(|&(key, scale)| AdapterScale { key: key.to_owned(), scale }).collect();
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    let options = GenerateOptions { sampling, max_tokens: 16, adapters, ..GenerateOptions::default() };
    let messages = vec![Message::text(Role::User, "Tell me about the harbour.")];
    ToWorker::request(RequestId(id), Request::Generate { messages, options })
}

/// What is answered with these adapters.
fn answer(desk: &Desk, host: &Rc<Host>, id: u64, adapters: &[(&str, f32)]) -> String {
    host.receive(ask(id, adapters), Vec::new());
    let end = desk.end_of(id);
    assert!(matches!(end, Ok(Outcome::Done { .. })), "{end:?}");
    desk.text_of(id)
}

#[test]
fn an_adapter_counts_as_the_answer_says() {
    let (desk, host) = loaded();
    let plain = answer(&desk, &host, 2, &[]);
    host.receive(open(3, "a", &["pirate.gguf"]), Vec::new());
    let details = opened(desk.end_of(3));
    assert_eq!((details.key.as_str(), details.name.as_str()), ("a", "pirate.gguf"));
    assert!(details.rank > 0 && details.parameters > 0 && details.layers > 0, "{details:?}");
    assert!(details.projections.iter().any(|name| name == "attn_q"), "{details:?}");
    assert_eq!(answer(&desk, &host, 4, &[]), plain, "off until it is asked for");
    let spoken = answer(&desk, &host, 5, &[("a", 1.0)]);
    assert_ne!(spoken, plain);
    assert_eq!(answer(&desk, &host, 6, &[("a", 0.0)]), plain);

    // The same as the two files of PEFT, and both at once.
    host.receive(open(7, "b", &["adapter_model.safetensors", "adapter_config.json"]), Vec::new());
    assert_eq!(opened(desk.end_of(7)).parameters, details.parameters);
    assert_eq!(answer(&desk, &host, 8, &[("b", 1.0)]), spoken);
    assert_eq!(answer(&desk, &host, 9, &[("a", 0.25), ("b", 0.75)]), spoken);

    // Lost with the device, they are back with it.
    host.lose_device().now_or_never().expect("nobody opens a device meanwhile");
    assert_eq!(answer(&desk, &host, 10, &[("a", 1.0)]), spoken);

    for (id, key) in [(11, "a"), (12, "b")] {
        host.receive(ToWorker::request(RequestId(id), Request::CloseAdapter { key: key.into() }), Vec::new());
        assert_eq!(desk.end_of(id), Ok(Outcome::AdapterClosed));
    }
    assert_eq!(answer(&desk, &host, 13, &[("a", 0.0)]), plain);
    host.receive(ask(14, &[("a", 1.0)]), Vec::new());
    let gone = failure(desk.end_of(14));
    assert_eq!(gone, AdapterFailure::NotOpen { key: "a".into() }.into());
}

#[test]
fn an_adapter_of_the_model_counts_unless_it_is_switched_off() {
    let (plain_desk, plain_host) = loaded();
    let plain = answer(&plain_desk, &plain_host, 2, &[]);
    let (desk, host) = desk();
    let layer = |kind, digest: &str| Layer { kind, digest: digest.into(), size: 1, url: String::new() };
    let layers = vec![layer(LayerKind::Model, "sha256-model"), layer(LayerKind::Adapter, "sha256-adapter")];
    let source = ModelSource::Server { name: "corsair".into(), layers };
    host.receive(
        ToWorker::request(RequestId(1), Request::Load { source, options: LoadOptions::default() }),
        Vec::new(),
    );
    let LoadedModel { adapters, .. } = loaded_model(desk.end_of(1));
    assert_eq!(adapters.iter().map(|adapter| adapter.key.as_str()).collect::<Vec<_>>(), ["sha256-adapter"]);
    assert_ne!(answer(&desk, &host, 2, &[]), plain);
    assert_eq!(answer(&desk, &host, 3, &[("sha256-adapter", 0.0)]), plain);
}

#[test]
fn what_is_no_adapter_of_the_model_is_refused() {
    // The built-in model has other shapes.
    let (desk, host) = desk();
    desk.model.replace(desk::pebble());
    host.receive(open(1, "a", &["pirate.gguf"]), Vec::new());
    assert_eq!(failure(desk.end_of(1)), RequestFailure::NoModel.into());
    host.receive(desk::load(2), Vec::new());
    desk.end_of(2).ok();
    host.receive(open(3, "a", &["pirate.gguf"]), Vec::new());
    let other = failure(desk.end_of(3));
    assert_eq!(other.code, AdapterFailure::OtherModel.into());
    assert!(other.detail.contains("shape") || other.detail.contains("layer"), "{other:?}");
    host.receive(open(4, "b", &["adapter_model.safetensors"]), Vec::new());
    let half = failure(desk.end_of(4));
    assert_eq!(half.cause(), Cause::Invalid);
    assert_eq!(half.code, AdapterFailure::Incomplete.into());
    host.receive(open(5, "c", &["model.gguf"]), Vec::new());
    let model = failure(desk.end_of(5));
    assert_eq!(model.code, AdapterFailure::NotAnAdapter.into());
}
