use std::collections::HashSet;

use shaders::bandwidth::copy;

use super::verify::{Unsound, Verifier};
use super::{Grid, Layout, Limits, Origin, Plan, PlanError, Schedule, Slot, Value};
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
            let parts = model.describe(fit, limits).expect("a description");
            for products in [Products::Floats, Products::Packed { least_rows: 0 }] {
                let plans = DecoderPlans::new(&parts, products).expect("plans");
                let steps: usize = plans.usual().map(Plan::len).sum();
                assert!(steps > 10 * parts.config.layers.len(), "{name}: {steps}");
                let schedules = plans.schedules();
                for schedule in &schedules {
                    assert_eq!(
                        verifier.verify_schedule(schedule, limits),
                        [],
                        "{name} {products:?} {limits:?}"
                    );
                }
                keeps_apart(&Layout::of(&schedules), &schedules);
            }
        }
    }
}

/// No two values of a buffer are needed at the same time in any schedule.
fn keeps_apart(layout: &Layout, schedules: &[Schedule<'_>]) {
    let mut shared = 0;
    for slot in &layout.slots {
        shared += usize::from(slot.values.len() > 1);
        for schedule in schedules {
            let steps: Vec<_> = schedule.iter().flat_map(|plan| plan.steps()).collect();
            // The value that the buffer holds, as the steps go: once another has it, the one before is not bound again.
            let mut gone: HashSet<&Value> = HashSet::new();
            let mut holds: Option<&Value> = None;
            for step in steps {
                let bound: Vec<&Value> = step.values().filter(|value| slot.values.contains(value)).collect();
                let Some(&value) = bound.first() else { continue };
                assert!(bound.iter().all(|other| *other == value), "{bound:?} in one step");
                assert!(!gone.contains(value), "{value:?} was overwritten");
                if let Some(before) = holds.replace(value).filter(|before| *before != value) {
                    gone.insert(before);
                }
            }
        }
    }
    assert!(shared > 0);
}

#[test]
fn temporaries_share_buffers_where_their_lives_do_not_overlap() {
    let given = Value::state("given", 64);
    let [a, b, c] = [("a", 64), ("b", 32), ("c", 48)].map(|(name, bytes)| Value::temporary(name, bytes));
    let mut chain = copying(&given, &a);
    chain.extend(&copying(&a, &b));
    chain.extend(&copying(&b, &c));
    let slots = |schedules: &[Schedule<'_>]| {
        let names = |slot: &Slot| slot.values.iter().map(|value| value.name().to_owned()).collect::<Vec<_>>();
        let layout = Layout::of(schedules);
        layout.slots.iter().map(|slot| (slot.bytes, names(slot).join(" "))).collect::<Vec<_>>()
    };
    let named = |slots: &[(u64, &str)]| -> Vec<_> {
        slots.iter().map(|&(bytes, names)| (bytes, names.to_owned())).collect()
    };
    // c comes when a is done with; b is needed beside both.
    assert_eq!(slots(&[vec![&chain]]), named(&[(64, "given"), (64, "a c"), (32, "b")]));
    // Another schedule binds a and c together.
    let both = copying(&a, &c);
    assert_eq!(slots(&[vec![&chain], vec![&both]]), named(&[(64, "given"), (64, "a"), (48, "c"), (32, "b")]));
    // What lives across plans lives across them.
    let (first, second) = (copying(&given, &a), copying(&a, &b));
    assert_eq!(slots(&[vec![&first, &second]]), named(&[(64, "given"), (64, "a"), (32, "b")]));
}
