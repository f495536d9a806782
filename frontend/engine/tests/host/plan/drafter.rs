//! The plans of drafters, and of targets that keep their hidden states.

use std::collections::HashSet;

use engine::adapter::Ranks;
use engine::bytes::FileSource;
use engine::gguf::Header;
use engine::model::{Corrections, DecoderPlans, DraftParts, DrafterSpec, Tuning};
use engine::plan::{Layout, Limits, Origin, Plan};
use engine::session::{DeviceMemory, ModelSpec};
use probe::synth::{Options, Quant, header};

use super::verify::Verifier;
use super::{devices, keeps_apart};

/// A file of the repository.
fn file(path: &str) -> Header {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    pollster::block_on(Header::read(&FileSource::open(&path).expect("a file"))).expect("a header")
}

fn published(name: &str, quant: Quant) -> Header {
    header(&Options::new(name.parse().expect("a shape"), quant)).expect("a header")
}

/// Plans of a model and of its rounds with a drafter, with adapters of these ranks. Returns whether the drafter uses an ordered
/// head.
fn verify(
    verifier: &mut Verifier,
    [target, drafter]: [&Header; 2],
    ranks: &[Option<u32>],
    limits: Limits,
) -> bool {
    let model = ModelSpec::read(target).expect("a model");
    let fit = model.fit(0, DeviceMemory { available: u64::MAX, limits }).expect("it fits");
    let mut parts = model.describe(fit.context, fit.storage, limits).expect("a description");
    parts.keeps_hidden = true;
    let spec = DrafterSpec::read(drafter, &parts.config, parts.vocabulary).expect("a drafter");
    let drafter = DraftParts::describe(&spec, &parts, limits).expect("a description");
    let describe =
        |rank| Corrections::describe(&parts, &[Ranks::both(rank)], &|_| true).expect("corrections");
    let corrections: Vec<_> = ranks.iter().map(|rank| rank.map(describe)).collect();
    let tuning = [Tuning::FLOATS, Tuning::packed(0)];
    for (corrections, tuning) in
        corrections.iter().flat_map(|corrections| tuning.map(|tuning| (corrections, tuning)))
    {
        let plans = DecoderPlans::new(&parts, Some(tuning), corrections.as_ref()).expect("plans");
        // Every step leaves its hidden state.
        let keeps = |plan: &&Plan| plan.values().contains(&&parts.scratch.x);
        let alone = plans.schedules().into_iter().filter(|schedule| schedule.len() == 2);
        assert!(alone.flatten().filter(|plan| plan.len() > 10).all(|plan| keeps(&plan)));
        let rounds = [2, 8]
            .map(|rows| plans.round(&parts, rows, corrections.as_ref(), Some(&drafter)).expect("a plan"));
        let looked_up = plans.round(&parts, 8, corrections.as_ref(), None).expect("a plan");
        assert!(rounds.iter().all(|round| keeps(&round)));
        let [_, longest] = &rounds;
        assert!(longest.len() > looked_up.len() + 7 * 5 * spec.config.layers.len());
        let mut schedules = plans.schedules();
        schedules.extend(rounds.iter().map(|round| vec![round]));
        for schedule in &schedules {
            assert_eq!(verifier.verify_schedule(schedule, limits), [], "{tuning:?} {limits:?}");
        }
        assert!(keeps_apart(&Layout::of(&schedules), &schedules) > 0);
        // A drafter has no cache of its own.
        let caches = |plan: &Plan| -> HashSet<_> {
            plan.values().into_iter().filter(|value| value.origin() == Origin::Cache).cloned().collect()
        };
        assert_eq!(caches(longest), caches(&looked_up));
    }
    drafter.ordered.is_some()
}

#[test]
fn rounds_with_a_drafter_are_sound() {
    let demo = ["server/models/pebble.gguf", "server/models/pebble-drafter.gguf"].map(file);
    let tiny = ["tiny-e2b.q4_k_m.gguf", "tiny-e2b-assistant.f16.gguf"]
        .map(|name| file(&format!("frontend/engine/tests/golden/models/{name}")));
    let mut verifier = Verifier::default();
    for ([target, drafter], is_ordered) in [(&demo, false), (&tiny, true)] {
        for limits in devices() {
            let pair = [target, drafter];
            assert_eq!(verify(&mut verifier, pair, &[None, Some(16)], limits), is_ordered);
        }
    }
}

#[test]
fn rounds_with_published_drafters_are_sound() {
    let mut verifier = Verifier::default();
    for name in ["e2b", "e4b", "12b", "26b", "31b"] {
        let (target, drafter) =
            (published(name, Quant::Q4KM), published(&format!("{name}-drafter"), Quant::Q80));
        let all = devices();
        // The least capable device splits most tensors; one model on all devices is enough.
        for &limits in if name == "e2b" { &all[..] } else { &all[2..] } {
            verify(&mut verifier, [&target, &drafter], &[None], limits);
        }
    }
}
