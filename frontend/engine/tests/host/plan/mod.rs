//! Plans: what makes one, whether those of published shapes are sound, and which of their values share memory.

mod drafter;
mod layers;
mod verify;

use std::collections::{HashMap, HashSet};

use engine::adapter::{Projection, Ranks};
use engine::model::{Corrections, DecoderPlans, DiffusionPlans, EncoderPlans, LogitsPlans, Tuning};
use engine::plan::{Grid, Layout, Limits, Origin, Plan, PlanError, Schedule, Slot, Value};
use engine::session::{DeviceMemory, LoadOptions, ModelSpec};
use engine::train::{Settings, TrainError, Trainer};
use probe::synth::{Options, Quant, Shape, header};
use shaders::Kernel as _;
use shaders::bandwidth::copy::{self, BandwidthCopy};

use verify::{Unsound, Verifier};

use crate::common::is_thorough;

/// What a card with matrix units allows, and what every device has, beside rows in int8.
fn devices() -> [Limits; 2] {
    let largest = 128 << 20;
    let units = Limits { matrix_units: true, ..Limits::default() };
    let least = Limits { portable: true, packed_tiles: true, storage_buffers: 8, ..Limits::default() };
    let least = Limits { largest_binding: largest, largest_part: largest, ..least };
    [units, least]
}

fn copying(from: &Value, to: &Value) -> Plan {
    let mut plan = Plan::default();
    plan.push(BandwidthCopy, &copy::Params::new(4), &[from, to], Grid::Fixed([1; 3])).expect("a step");
    plan
}

#[test]
fn a_step_binds_what_its_kernel_says() {
    let kernel = BandwidthCopy.source().expect("a kernel").name;
    let [from, to] = ["from", "to"].map(|name| Value::temporary(name, 64));
    let mut plan = Plan::default();
    let refused = plan.push(BandwidthCopy, &copy::Params::new(4), &[&from], Grid::Fixed([1; 3]));
    assert_eq!(refused, Err(PlanError::Bindings { kernel, expected: 3, given: 2 }));
    assert!(plan.is_empty());
    plan.extend(&copying(&from, &to));
    plan.extend(&copying(&to, &from));
    assert_eq!((plan.len(), plan.sources().len(), plan.values().len()), (2, 1, 2));
    let access: Vec<_> = plan.steps()[0].operands().map(|(value, writes)| (value.name(), writes)).collect();
    assert_eq!(access, [("from", false), ("to", true)]);
}

#[test]
fn unsound_plans_are_found_out() {
    let mut verifier = Verifier::default();
    let step = BandwidthCopy.source().expect("a kernel").name;
    let given = Value::state("given", 64);
    let [a, b] = ["a", "b"].map(|name| Value::temporary(name, 64));
    let mut plan = copying(&given, &a);
    plan.extend(&copying(&a, &b));
    assert_eq!(verifier.verify(&plan, Limits::default()), []);

    let mut wrong = |plan: &Plan, limits| verifier.verify(plan, limits);
    let named = |value: &str| (step.clone(), value.to_owned());
    let (step, value) = named("a");
    assert_eq!(wrong(&copying(&a, &b), Limits::default()), [Unsound::NotWritten { step, value }]);
    let mut late = copying(&a, &b);
    late.extend(&copying(&given, &a));
    let (step, value) = named("a");
    assert_eq!(wrong(&late, Limits::default()), [Unsound::NotWritten { step, value }]);
    let (step, value) = named("given");
    assert_eq!(wrong(&copying(&given, &given), Limits::default()), [Unsound::Aliased { step, value }]);
    let weights = Value::new("weights", 64, Origin::Weight);
    let (step, value) = named("weights");
    assert_eq!(wrong(&copying(&given, &weights), Limits::default()), [Unsound::Overwritten { step, value }]);
    let [.., least] = devices();
    let large = Value::state("large", least.largest_binding + 4);
    let (step, value) = named("large");
    assert_eq!(wrong(&copying(&large, &b), least), [Unsound::TooLarge { step, value }]);
    let (step, _) = named("");
    let few = Limits { storage_buffers: 1, ..Limits::default() };
    assert_eq!(wrong(&copying(&given, &b), few), [Unsound::TooMany { step, bindings: 2 }]);
}

#[test]
fn the_plans_of_embeddings_are_sound() {
    let mut verifier = Verifier::default();
    for (name, quant) in [("embeddinggemma", Quant::Q80), ("embeddinggemma-2", Quant::Q4KM)] {
        let options = Options::new(name.parse().expect("a shape"), quant);
        let model = ModelSpec::read(&header(&options).expect("a header")).expect("a model");
        assert!(!model.lacks_dense());
        for limits in devices() {
            // Room for 32 texts of 256 tokens, and no binding beyond the limit.
            let memory = DeviceMemory { available: u64::MAX, limits };
            let fit = model.fit(0, memory).expect("it fits");
            assert_eq!(fit.context, 8192, "{name}");
            let parts = model.describe(fit.context, fit.storage, limits).expect("a description");
            let plans = EncoderPlans::new(&parts).expect("plans");
            assert_eq!(verifier.verify_schedule(&plans.schedule(), limits), [], "{name} {limits:?}");
            assert!(plans.layers.len() > 10 * parts.config.layers.len());
            let refused = DecoderPlans::new(&parts, None, None).map(|_| ());
            assert!(
                name == "embeddinggemma" || matches!(refused, Err(PlanError::Unknown { .. })),
                "{refused:?}"
            );
            let base = model.training_base(limits).expect("a base");
            let refused = Trainer::computation(&base, &Settings::default()).map(|plan| plan.len());
            assert!(matches!(refused, Err(TrainError::NotYet { .. })), "{refused:?}");
        }
    }
}

#[test]
fn the_plans_of_every_shape_are_sound() {
    let mut verifier = Verifier::default();
    for name in Shape::names() {
        let shape: Shape = name.parse().expect("a shape");
        if shape.canvas > 0 || shape.target_width > 0 || shape.embedding > 0 {
            continue; // below, and with their models
        }
        if ["gemma3-1b", "gemma3-12b", "gemma3-27b"].contains(&name) && !is_thorough() {
            continue; // the same plans in other sizes
        }
        let options = Options { towers: true, ..Options::new(shape, Quant::Q4KM) };
        let model = ModelSpec::read(&header(&options).expect("a header")).expect("a model");
        for limits in devices() {
            let memory = DeviceMemory { available: u64::MAX, limits };
            let fit = model.fit(0, memory).expect("it fits");
            let parts = model.describe(fit.context, fit.storage, limits).expect("a description");
            // Without adapters, with ranks for which decode has z without dispatches, and with more.
            let adapters = [None, Some(16), Some(128)].map(|rank| {
                rank.map(|rank| {
                    Corrections::describe(&parts, &[Ranks::both(rank)], &|_| true).expect("corrections")
                })
            });
            let all_products = [Tuning::FLOATS, Tuning::packed(0), Tuning::unfused(true)];
            // Each with one, or each with each.
            let pairs = (0..9).map(|at| (at / 3, at % 3)).filter(|(a, p)| a == p || is_thorough());
            for (corrections, tuning) in pairs.map(|(a, p)| (&adapters[a], all_products[p])) {
                let rank = corrections.as_ref().map_or(0, Corrections::rank);
                let plans = DecoderPlans::new(&parts, Some(tuning), corrections.as_ref()).expect("plans");
                let steps: usize = plans.usual().map(Plan::len).sum();
                assert!(steps > 10 * parts.config.layers.len(), "{name}: {steps}");
                let mut schedules = plans.schedules();
                let candidates = Tuning::candidates(limits, &parts.config, Some(tuning));
                let tuning = *candidates.last().expect("floats");
                let logits = LogitsPlans::new(&parts, tuning, corrections.as_ref()).expect("plans");
                schedules.extend(logits.schedules());
                let rounds =
                    [2, 8].map(|rows| plans.round(&parts, rows, corrections.as_ref(), None).expect("a plan"));
                schedules.extend(rounds.iter().map(|round| vec![round]));
                for schedule in &schedules {
                    assert_eq!(
                        verifier.verify_schedule(schedule, limits),
                        [],
                        "{name} rank {rank} {tuning:?} {limits:?}"
                    );
                }
                let bound: HashSet<_> = schedules.iter().flatten().flat_map(|plan| plan.values()).collect();
                let mut of_adapters = corrections.iter().flat_map(Corrections::values);
                assert!(of_adapters.all(|value| bound.contains(value)), "{name} rank {rank} {limits:?}");
                assert!(keeps_apart(&Layout::of(&schedules), &schedules) > 0);
            }
            let towers = [
                model.vision.as_ref().map(|tower| tower.computation(limits).expect("a plan")),
                model.audio.as_ref().map(|tower| tower.computation(limits).expect("a plan")),
            ];
            let has_towers = !name.ends_with("-small") && !name.starts_with("gemma3");
            assert_eq!(towers[0].is_some(), has_towers, "{name}");
            let base = model.training_base(limits).expect("a base");
            let settings = Settings { targets: Projection::ALL.to_vec(), ..Settings::default() };
            let training = Trainer::computation(&base, &settings).expect("a plan");
            let mut shared = |plan: &Plan| {
                assert_eq!(verifier.verify(plan, limits), [], "{name} {limits:?}");
                keeps_apart(&Layout::of(&[vec![plan]]), &[vec![plan]])
            };
            // Every layer of a tower works in the same values, which live from the first layer to the last.
            for plan in towers.iter().flatten() {
                shared(plan);
            }
            assert!(shared(&training) > 0, "{name} {limits:?}");
        }
    }
}

#[test]
fn what_steps_that_run_again_read_keeps_its_buffer() {
    let given = Value::state("given", 64);
    let [a, b, c] = ["a", "b", "c"].map(|name| Value::temporary(name, 64));
    let buffers = |marked: bool| {
        let mut plan = copying(&given, &a);
        let first = plan.len();
        plan.extend(&copying(&a, &b));
        plan.extend(&copying(&b, &c));
        if marked {
            plan.mark_experts(first);
        }
        let slots = Layout::of(&[vec![&plan]]).slots;
        slots.iter().filter(|slot| slot.origin() == Origin::Temporary).count()
    };
    // Once, c may take the place of a. The second time, a is read again.
    assert_eq!((buffers(false), buffers(true)), (2, 3));
}

#[test]
fn plans_with_an_expert_cache_are_sound_and_keep_what_runs_again() {
    let mut verifier = Verifier::default();
    let shape: Shape = "26b".parse().expect("a shape");
    let header = header(&Options::new(shape, Quant::Q4KM)).expect("a header");
    let options = LoadOptions { expert_slots: 24, ..LoadOptions::default() };
    let model = ModelSpec::with_options(&header, &options).expect("a model");
    for limits in devices() {
        let memory = DeviceMemory { available: u64::MAX, limits };
        let fit = model.fit(0, memory).expect("it fits");
        let whole = ModelSpec::read(&header).expect("a model").fit(0, memory).expect("it fits");
        assert!(fit.bytes < whole.bytes / 3, "{} of {}", fit.bytes, whole.bytes);
        let parts = model.describe(fit.context, fit.storage, limits).expect("a description");
        // With an adapter of experts alone, and of everything.
        let ranks = [None, Some(Ranks { shared: 0, experts: 12 }), Some(Ranks::both(64))];
        let adapters = ranks.map(|ranks| {
            ranks.map(|ranks| Corrections::describe(&parts, &[ranks], &|_| true).expect("corrections"))
        });
        let both = [Tuning::FLOATS, Tuning::unfused(true)];
        for (corrections, tuning) in
            adapters.iter().flat_map(|corrections| both.map(|tuning| (corrections.as_ref(), tuning)))
        {
            let plans = DecoderPlans::new(&parts, Some(tuning), corrections).expect("plans");
            let schedules = plans.schedules();
            for schedule in &schedules {
                assert_eq!(verifier.verify_schedule(schedule, limits), [], "{tuning:?} {limits:?}");
            }
            let layout = Layout::of(&schedules);
            assert!(keeps_apart(&layout, &schedules) > 0);
            // The steps that read experts may run several times in a row.
            for mut schedule in [plans.decode(), plans.prefill()] {
                let again = schedule.iter().map(|plan| repeating(plan)).collect::<Vec<_>>();
                assert!(again.iter().map(Plan::len).sum::<usize>() > schedule.iter().map(|p| p.len()).sum());
                schedule.splice(.., &again);
                keeps_apart(&layout, &[schedule]);
            }
            let round = plans.round(&parts, 4, corrections, None).expect("a round");
            assert_eq!(verifier.verify_schedule(&vec![&round], limits), [], "{tuning:?} {limits:?}");
            let again = repeating(&round);
            assert!(again.len() > round.len());
            keeps_apart(&Layout::of(&[vec![&round]]), &[vec![&again]]);
        }
        let base = model.training_base(limits).expect("a base");
        let refused = Trainer::computation(&base, &Settings::default()).map(|plan| plan.len());
        assert!(matches!(refused, Err(TrainError::NotYet { .. })), "{refused:?}");
    }
}

/// What `Settings::targets` says of them. Where bindings are small, a large rank is refused.
#[test]
fn experts_of_the_published_mixture_are_trained_in_so_much_memory() {
    let shape: Shape = "26b".parse().expect("a shape");
    let header = header(&Options::new(shape, Quant::Q4KM)).expect("a header");
    let model = ModelSpec::read(&header).expect("a model");
    let [most, least] = devices().map(|limits| model.training_base(limits).expect("a base"));
    let with = |rank| Settings { rank, targets: Projection::OF_EXPERTS.to_vec(), ..Settings::default() };
    let planned = Trainer::plan(&most, &with(8)).expect("a plan");
    assert_eq!(planned.parameters, 30 * 128 * 8 * ((2816 + 2 * 704) + (704 + 2816)));
    assert_eq!(planned.parameters, 237_895_680);
    assert_eq!(planned.optimiser, 16 * planned.parameters);
    assert!(Trainer::plan(&least, &with(32)).is_ok());
    let refused = Trainer::plan(&least, &with(64)).expect_err("too large");
    assert!(matches!(refused, TrainError::TooLarge { layer: 0, most: 134_217_728, .. }), "{refused}");
}

/// A plan whose steps that read experts run twice.
fn repeating(plan: &Plan) -> Plan {
    let mut again = Plan::default();
    let mut at = 0;
    for range in plan.expert_steps() {
        for steps in [at..range.end, range.clone()] {
            plan.steps()[steps].iter().for_each(|step| again.append(step.clone()));
        }
        at = range.end;
    }
    plan.steps()[at..].iter().for_each(|step| again.append(step.clone()));
    again
}

#[test]
fn the_plans_of_diffusion_are_sound_and_never_hold_all_logits() {
    let mut verifier = Verifier::default();
    for shape in Shape::names().iter().map(|name| name.parse::<Shape>().expect("a shape")) {
        let (name, canvas) = (shape.name, u64::from(shape.canvas));
        if canvas == 0 {
            continue; // above
        }
        let header = header(&Options::new(shape, Quant::Q4KM)).expect("a header");
        // With all experts, and with a cache of some.
        for (limits, expert_slots) in devices().into_iter().flat_map(|limits| [(limits, 0), (limits, 24)]) {
            let options = LoadOptions { expert_slots, ..LoadOptions::default() };
            let model = ModelSpec::with_options(&header, &options).expect("a model");
            let fit = model.fit(0, DeviceMemory { available: u64::MAX, limits }).expect("it fits");
            let parts = model.describe(fit.context, fit.storage, limits).expect("a description");
            let base = model.training_base(limits).expect("a base");
            let refused = Trainer::computation(&base, &Settings::default()).map(|plan| plan.len());
            assert!(matches!(refused, Err(TrainError::NotYet { .. })), "{refused:?}");
            let plans = DiffusionPlans::new(&parts).expect("plans");
            let schedules = plans.schedules();
            for schedule in &schedules {
                assert_eq!(verifier.verify_schedule(schedule, limits), [], "{name} {limits:?}");
            }
            assert!(plans.encode.len().min(plans.canvas.len()) > 10 * parts.config.layers.len());
            let layout = Layout::of(&schedules);
            assert!(keeps_apart(&layout, &schedules) > 0);
            if model.expert_slots.is_some() {
                // The steps that read experts may run several times in a row.
                for mut schedule in [vec![&plans.encode], plans.step()] {
                    let again = schedule.iter().map(|plan| repeating(plan)).collect::<Vec<_>>();
                    assert!(
                        again.iter().map(Plan::len).sum::<usize>() > schedule.iter().map(|p| p.len()).sum()
                    );
                    schedule.splice(.., &again);
                    keeps_apart(&layout, &[schedule]);
                }
            }
            // Not even in half precision.
            let logits = 2 * canvas * u64::from(parts.vocabulary);
            for slot in &layout.slots {
                let works = matches!(slot.origin(), Origin::Temporary | Origin::State);
                assert!(!works || slot.bytes < logits / 2, "{name}: {slot:?}");
            }
        }
    }
}

/// Checks that no two values of a buffer are needed at the same time in any schedule; the number of shared buffers.
fn keeps_apart(layout: &Layout, schedules: &[Schedule<'_>]) -> usize {
    let shared = layout.slots.iter().filter(|slot| slot.values.len() > 1).enumerate();
    let slots: HashMap<&Value, usize> = shared
        .clone()
        .flat_map(|(index, slot)| slot.values.iter().map(move |value| (value, index)))
        .collect();
    for schedule in schedules {
        // What each buffer holds, as the steps go: once another value has it, the one before is not bound again.
        let (mut holds, mut gone) = (HashMap::new(), HashSet::new());
        for step in schedule.iter().flat_map(|plan| plan.steps()) {
            let mut bound: HashMap<usize, &Value> = HashMap::new();
            for value in step.values() {
                let Some(&slot) = slots.get(value) else { continue };
                let first = *bound.entry(slot).or_insert(value);
                assert!(first == value, "{first:?} and {value:?} in one step");
                assert!(!gone.contains(value), "{value:?} was overwritten");
                if let Some(before) = holds.insert(slot, value).filter(|before| *before != value) {
                    gone.insert(before);
                }
            }
        }
    }
    shared.count()
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
