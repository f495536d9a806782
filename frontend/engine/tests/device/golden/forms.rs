//! The forms of decode products that a load may find to be the fastest: each gives the reference's logits. The golden models
//! have no large products; those of a synthetic one are compared with the usual forms.

use std::rc::Rc;

use engine::bytes::{CancelToken, MemorySource};
use engine::model::{LARGE, Tuning};
use engine::session::{LoadOptions, ModelFile, Session};
use probe::synth::{self, Quant, Shape};

use super::{EXACT, Golden, carried, distance, label, step_through};
use crate::common;

#[test]
fn forms_of_long_and_short_products_give_the_logits_of_the_reference() {
    let gpu = common::gpu();
    let cases = carried();
    // One model that has every kind of product.
    let case = cases.iter().find(|case| case.key == "tiny-e2b/q4_k_m").expect("a small model");
    let golden = Golden::read(case);
    // Products are the same at every position: the shortest prompt will do.
    let (key, ids) = golden.prompts().into_iter().min_by_key(|(_, ids)| ids.len()).expect("a prompt");
    let all =
        [(Tuning::FLOATS, 1), (Tuning::unfused(false), 2), (Tuning::FLOATS, 2), (Tuning::unfused(false), 1)];
    for (tuning, number) in all.into_iter().take(if common::is_thorough() { 4 } else { 2 }) {
        // The usual form where a class has not as many.
        let tuning = Tuning { forms: [number; 4], ..tuning };
        let options = LoadOptions { tuning: Some(tuning), ..common::exact_options() };
        let mut session = common::load(&gpu, &case.model, &options);
        assert_eq!(session.decoder().tuning(), tuning);
        let (_, logits) = step_through(&mut session, &ids);
        let far = distance(&logits, &golden.f32s(&format!("{key}.logits_last")));
        println!("{} {tuning:?}: {far:.1e}", label(case));
        assert!(far <= EXACT, "{} {tuning:?}: logits differ by {far}", label(case));
    }
}

#[test]
fn forms_of_large_products_give_the_logits_of_the_usual_one() {
    let gpu = common::gpu();
    let shape: Shape = "e2b-small".parse().expect("a shape");
    // A head with enough rows.
    let options = synth::Options { vocabulary: LARGE, ..synth::Options::new(shape, Quant::Q4KM) };
    let mut file = Vec::new();
    synth::write(&mut file, &options).expect("a model");
    let source = Rc::new(MemorySource::new(file));
    let ids: Vec<u32> = (0..3).map(|i| (i * 997 + 5) % LARGE).collect();
    // Products that are not fused take the same forms.
    let all = [Tuning::FLOATS, Tuning::unfused(false)];
    for usual in all.into_iter().take(if common::is_thorough() { 2 } else { 1 }) {
        let logits = |tuning, name: &str| {
            let options = LoadOptions { context: 512, tuning: Some(tuning), ..common::exact_options() };
            let file = ModelFile::local(Rc::<MemorySource>::clone(&source));
            let (cancel, mut quiet) = (CancelToken::new(), |_| ());
            let loading = Session::load(Rc::clone(&gpu), file, &options, &cancel, &mut quiet);
            let mut session = pollster::block_on(loading).expect("it loads");
            assert!(
                session.decoder().token().plan().names().any(|kernel| kernel.contains(name)),
                "no {name}"
            );
            step_through(&mut session, &ids).1
        };
        let want = logits(usual, "");
        assert!(want.iter().any(|logit| logit.abs() > 0.1));
        let others: &[_] = match usual.unfused {
            false => &["_r2g8s1", "_r4g2s1"],
            true => &["_r2g8s1", "_r2g1s1", "_r4g2l16s1"],
        };
        let most = if common::is_thorough() { usize::MAX } else { 1 };
        for (number, name) in (1..).zip(others).take(most) {
            let tuning = Tuning { forms: [number, 0, 0, 0], ..usual };
            let far = distance(&logits(tuning, name), &want);
            println!("{tuning:?}: {far:.1e}");
            assert!(far <= EXACT, "{tuning:?}: logits differ by {far}");
        }
    }
}
