//! The forms of decode products that a load may find to be the fastest: each gives the reference's logits.

use engine::model::{FormChoice, Forms, Products};
use engine::session::LoadOptions;

use super::{EXACT, Golden, carried, distance, label, step_through};
use crate::common;

#[test]
fn every_form_of_a_class_gives_the_logits_of_the_reference() {
    let gpu = common::gpu();
    let cases = carried();
    // One model that has every kind of product.
    let case = cases.iter().find(|case| case.key == "tiny-e2b/q4_k_m").expect("a small model");
    let golden = Golden::read(case);
    for (products, number) in [
        (Products::Floats, 1),
        (Products::Floats, 2),
        (Products::Unfused { packed: false }, 1),
        (Products::Unfused { packed: false }, 2),
    ] {
        let forms: Forms =
            serde_json::from_value(serde_json::json!([number, number, number])).expect("numbers");
        let options = LoadOptions { forms: FormChoice::Known(forms), products, ..common::exact_options() };
        let mut session = common::load(&gpu, &case.model, &options);
        assert_eq!(session.decoder().forms_of_products(), forms);
        let mut far = 0.0f32;
        for (key, ids) in golden.prompts() {
            let (_, logits) = step_through(&mut session, &ids);
            far = far.max(distance(&logits, &golden.f32s(&format!("{key}.logits_last"))));
        }
        println!("{} {products:?} {number}: {far:.1e}", label(case));
        assert!(far <= EXACT, "{} {products:?} {number}: logits differ by {far}", label(case));
    }
}
