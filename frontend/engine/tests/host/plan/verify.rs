//! Whether plans are sound: what a kernel really reads and writes, as naga finds it in its text, beside the origins of the
//! values it is given.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use naga::valid::{Capabilities, GlobalUse, ValidationFlags, Validator};
use shaders::Source;

use engine::plan::{Limits, Origin, Plan, Schedule, Value};

/// What is wrong with a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsound {
    /// A temporary is read that no step before has written.
    NotWritten { step: String, value: String },
    /// A value is written that the same step binds a second time: its other workgroups may be reading it.
    Aliased { step: String, value: String },
    /// Weights, but for experts that are repacked into their slots, or a constant are written.
    Overwritten { step: String, value: String },
    /// A binding is larger than the device allows.
    TooLarge { step: String, value: String },
    /// A step binds more storage buffers than the device allows.
    TooMany { step: String, bindings: usize },
}

/// Looks through plans; what is known of a kernel is kept.
#[derive(Default)]
pub struct Verifier {
    /// By the address of the text, which is kept: hashing the text of every step would take most of the time.
    uses: HashMap<*const u8, (Arc<str>, Vec<GlobalUse>)>,
}

impl Verifier {
    /// What is wrong with a plan for a device with these limits.
    pub fn verify(&mut self, plan: &Plan, limits: Limits) -> Vec<Unsound> {
        self.verify_schedule(&vec![plan], limits)
    }

    /// What is wrong with plans that run one after the other.
    pub fn verify_schedule(&mut self, schedule: &Schedule<'_>, limits: Limits) -> Vec<Unsound> {
        let mut wrong = Vec::new();
        let mut written: HashSet<&Value> = HashSet::new();
        for step in schedule.iter().flat_map(|plan| plan.steps()) {
            let name = || step.name().to_owned();
            let uses = self.uses_of(&step.source);
            if step.operands.len() as u32 > limits.storage_buffers {
                wrong.push(Unsound::TooMany { step: name(), bindings: step.operands.len() });
            }
            for (at, (value, uses)) in step.operands.iter().zip(uses).enumerate() {
                let of = |wrong: fn(String, String) -> Unsound| wrong(name(), value.name().to_owned());
                let writes = uses.contains(GlobalUse::WRITE);
                if value.bytes() > limits.largest_binding {
                    wrong.push(of(|step, value| Unsound::TooLarge { step, value }));
                }
                let origin = value.origin();
                if origin == Origin::Temporary && uses.contains(GlobalUse::READ) && !written.contains(value) {
                    // What a kernel reads back of its own result is written by then.
                    if !writes {
                        wrong.push(of(|step, value| Unsound::NotWritten { step, value }));
                    }
                }
                let is_slot = step.name().starts_with("repack_") && value.name().ends_with("_exps");
                if writes && matches!(origin, Origin::Weight | Origin::Constant) && !is_slot {
                    wrong.push(of(|step, value| Unsound::Overwritten { step, value }));
                }
                let again = step.operands.iter().enumerate().any(|(other, v)| other != at && v == value);
                if writes && again {
                    wrong.push(of(|step, value| Unsound::Aliased { step, value }));
                }
            }
            let after = step.operands.iter().zip(uses).filter(|(_, uses)| uses.contains(GlobalUse::WRITE));
            written.extend(after.map(|(value, _)| value));
        }
        wrong
    }

    /// How `main` uses the bindings behind the parameters, in their order.
    fn uses_of(&mut self, kernel: &Source) -> &[GlobalUse] {
        let (_, uses) = self.uses.entry(kernel.wgsl.as_ptr()).or_insert_with(|| {
            let module = naga::front::wgsl::parse_str(&kernel.wgsl).expect("valid WGSL");
            let info = Validator::new(ValidationFlags::all(), Capabilities::all())
                .validate(&module)
                .expect("a valid module");
            let main = info.get_entry_point(0);
            let bound = module
                .global_variables
                .iter()
                .filter_map(|(handle, global)| Some((global.binding.as_ref()?.binding, main[handle])));
            let mut bound: Vec<_> = bound.collect();
            bound.sort_by_key(|(binding, _)| *binding);
            let uses = bound.into_iter().skip(1).map(|(_, uses)| uses).collect();
            (Arc::clone(&kernel.wgsl), uses)
        });
        uses
    }
}
