use shaders::bandwidth::copy;

use super::verify::{Unsound, Verifier};
use super::{Grid, Limits, Origin, Plan, PlanError, Value};
use crate::model::{DecoderPlans, Products};
use crate::session::DeviceMemory;
use crate::synth::tests::plan as shape;
use crate::synth::{Quant, Shape};

/// A card that binds 2 GiB, and what every device has.
const CARD: Limits = Limits {
    software: false,
    portable: false,
    storage_buffers: 9,
    largest_binding: (1 << 31) - 4,
    largest_part: (1 << 31) - 4,
};
const LEAST: Limits = Limits {
    portable: true,
    storage_buffers: 8,
    largest_binding: 128 << 20,
    largest_part: 128 << 20,
    ..CARD
};

fn copying(from: &Value, to: &Value) -> Plan {
    let mut plan = Plan::default();
    let kernel = copy::source().expect("a kernel");
    plan.push(&kernel, &copy::Params::new(4), &[from, to], Grid::Fixed([1; 3])).expect("a step");
    plan
}

#[test]
fn a_step_binds_what_its_kernel_says() {
    let kernel = copy::source().expect("a kernel");
    let [from, to] = ["from", "to"].map(|name| Value::temporary(name, 64));
    let mut plan = Plan::default();
    let refused = plan.push(&kernel, &copy::Params::new(4), &[&from], Grid::Fixed([1; 3]));
    assert_eq!(refused, Err(PlanError::Bindings { kernel: kernel.name.clone(), expected: 3, given: 2 }));
    assert!(plan.is_empty());
    plan.extend(&copying(&from, &to));
    plan.extend(&copying(&to, &from));
    assert_eq!((plan.len(), plan.kernels().len(), plan.values().len()), (2, 1, 2));
    let access: Vec<_> = plan.steps()[0].operands().map(|(value, writes)| (value.name(), writes)).collect();
    assert_eq!(access, [("from", false), ("to", true)]);
}

#[test]
fn unsound_plans_are_found_out() {
    let mut verifier = Verifier::default();
    let step = copy::source().expect("a kernel").name;
    let given = Value::state("given", 64);
    let [a, b] = ["a", "b"].map(|name| Value::temporary(name, 64));
    let mut plan = copying(&given, &a);
    plan.extend(&copying(&a, &b));
    assert_eq!(verifier.verify(&plan, CARD), []);

    let mut wrong = |plan: &Plan, limits| verifier.verify(plan, limits);
    let named = |value: &str| (step.clone(), value.to_owned());
    let (step, value) = named("a");
    assert_eq!(wrong(&copying(&a, &b), CARD), [Unsound::NotWritten { step, value }]);
    let mut late = copying(&a, &b);
    late.extend(&copying(&given, &a));
    let (step, value) = named("a");
    assert_eq!(wrong(&late, CARD), [Unsound::NotWritten { step, value }]);
    let (step, value) = named("given");
    assert_eq!(wrong(&copying(&given, &given), CARD), [Unsound::Aliased { step, value }]);
    let weights = Value::new("weights", 64, Origin::Weight);
    let (step, value) = named("weights");
    assert_eq!(wrong(&copying(&given, &weights), CARD), [Unsound::Overwritten { step, value }]);
    let large = Value::state("large", LEAST.largest_binding + 4);
    let (step, value) = named("large");
    assert_eq!(wrong(&copying(&large, &b), LEAST), [Unsound::TooLarge { step, value }]);
    let (step, _) = named("");
    let few = Limits { storage_buffers: 1, ..CARD };
    assert_eq!(wrong(&copying(&given, &b), few), [Unsound::TooMany { step, bindings: 2 }]);
}

#[test]
fn the_plans_of_every_shape_are_sound() {
    let mut verifier = Verifier::default();
    for name in Shape::names() {
        let model = shape(name, Quant::Q4KM);
        for limits in [CARD, LEAST] {
            let memory = DeviceMemory { available: u64::MAX, largest_binding: limits.largest_binding };
            let fit = model.fit(0, memory).expect("it fits");
            let mut parts = model.describe(fit, limits).expect("a description");
            for products in [Products::Floats, Products::Packed { least_rows: 0 }] {
                let plans = DecoderPlans::new(&mut parts, products).expect("plans");
                let steps: usize = plans.all().map(Plan::len).sum();
                assert!(steps > 10 * parts.config.layers.len(), "{name}: {steps}");
                for plan in plans.all() {
                    assert_eq!(verifier.verify(plan, limits), [], "{name} {products:?} {limits:?}");
                }
            }
        }
    }
}
