//! The plans of drafters, and of targets that keep their hidden states.

use std::collections::HashSet;

use engine::adapter::Ranks;
use engine::bytes::FileSource;
use engine::gguf::Header;
use engine::model::{Corrections, DecoderPlans, DraftParts, DrafterSpec, Products};
use engine::plan::{Layout, Plan};
use engine::session::{DeviceMemory, ModelSpec};

use super::verify::Verifier;
use super::{devices, keeps_apart};

/// Models and their drafters: with a whole head, and with an ordered one.
const PAIRS: [[&str; 2]; 2] = [
    ["server/models/pebble.gguf", "server/models/pebble-drafter.gguf"],
    [
        "frontend/engine/tests/golden/models/tiny-e2b.q4_k_m.gguf",
        "frontend/engine/tests/golden/models/tiny-e2b-assistant.f16.gguf",
    ],
];

fn header(path: &str) -> Header {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    pollster::block_on(Header::read(&FileSource::open(&path).expect("a file"))).expect("a header")
}

#[test]
fn rounds_with_a_drafter_are_sound() {
    let mut verifier = Verifier::default();
    let mut ordered = Vec::new();
    for [target, drafter] in PAIRS {
        let model = ModelSpec::read(&header(target)).expect("a model");
        for limits in devices() {
            let fit = model.fit(0, DeviceMemory { available: u64::MAX, limits }).expect("it fits");
            let mut parts = model.describe(fit.context, fit.storage, limits).expect("a description");
            parts.keeps_hidden = true;
            let spec =
                DrafterSpec::read(&header(drafter), &parts.config, parts.vocabulary).expect("a drafter");
            let drafter = DraftParts::describe(&spec, &parts, limits).expect("a description");
            ordered.push(drafter.ordered.is_some());
            let adapters = [None, Some(16)].map(|rank| {
                rank.map(|rank| {
                    Corrections::describe(&parts, &[Ranks::both(rank)], &|_| true).expect("corrections")
                })
            });
            let products = [Products::Floats, Products::Packed { least_rows: 0 }];
            for (corrections, products) in
                adapters.iter().flat_map(|corrections| products.map(|products| (corrections, products)))
            {
                let plans = DecoderPlans::new(&parts, products, corrections.as_ref()).expect("plans");
                // Every step leaves its hidden state.
                let keeps = |plan: &&Plan| plan.values().contains(&&parts.scratch.x);
                let alone = plans.schedules().into_iter().filter(|schedule| schedule.len() == 2);
                assert!(alone.flatten().filter(|plan| plan.len() > 10).all(|plan| keeps(&plan)));
                let rounds = [2, 8].map(|rows| {
                    plans.round(&parts, rows, corrections.as_ref(), Some(&drafter)).expect("a plan")
                });
                let looked_up = plans.round(&parts, 8, corrections.as_ref(), None).expect("a plan");
                assert!(rounds.iter().all(|round| keeps(&round)));
                let [_, longest] = &rounds;
                assert!(longest.len() > looked_up.len() + 7 * 4 * 5);
                let mut schedules = plans.schedules();
                schedules.extend(rounds.iter().map(|round| vec![round]));
                for schedule in &schedules {
                    assert_eq!(
                        verifier.verify_schedule(schedule, limits),
                        [],
                        "{target} {products:?} {limits:?}"
                    );
                }
                assert!(keeps_apart(&Layout::of(&schedules), &schedules) > 0);
                // A drafter has no cache of its own.
                let caches = |plan: &Plan| -> HashSet<_> {
                    let is_cache =
                        |value: &&&engine::plan::Value| value.origin() == engine::plan::Origin::Cache;
                    plan.values().iter().filter(is_cache).map(|&value| value.clone()).collect()
                };
                assert_eq!(caches(longest), caches(&looked_up));
            }
        }
    }
    assert_eq!(ordered, [false, false, false, true, true, true]);
}
