//! Where invocations read what another one then writes, a barrier for storage stands between: `workgroupBarrier` orders
//! workgroup memory alone. No device of ours is seen to need it, so the text is looked at.

use naga::{AddressSpace, Barrier, Block, Expression, Function, GlobalVariable, Handle, Module, Statement};

use super::permutations::parsed;

/// Kernels whose invocations write nothing that others read: of a row each has its own elements, and of sound that is
/// past other slots are read than written.
const ALONE: [&str; 5] =
    ["experts_mix_", "audio_attention_", "diffusion_join", "diffusion_weigh", "rows_norm_add_"];

/// What an entry point does, in the order of its text.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Read(Handle<GlobalVariable>),
    Write(Handle<GlobalVariable>),
    Barrier(Barrier),
}

struct Walk<'a> {
    module: &'a Module,
    events: Vec<Event>,
}

impl Walk<'_> {
    /// The storage buffer that a pointer leads into.
    fn storage(&self, function: &Function, pointer: Handle<Expression>) -> Option<Handle<GlobalVariable>> {
        match function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                self.storage(function, base)
            }
            Expression::GlobalVariable(variable) => {
                let space = self.module.global_variables[variable].space;
                matches!(space, AddressSpace::Storage { .. }).then_some(variable)
            }
            _ => None,
        }
    }

    fn block(&mut self, function: &Function, block: &Block) {
        for statement in block {
            match statement {
                Statement::Emit(range) => {
                    for expression in range.clone() {
                        if let Expression::Load { pointer } = function.expressions[expression] {
                            self.events.extend(self.storage(function, pointer).map(Event::Read));
                        }
                    }
                }
                Statement::Store { pointer, .. } => {
                    self.events.extend(self.storage(function, *pointer).map(Event::Write));
                }
                Statement::ControlBarrier(barrier) => self.events.push(Event::Barrier(*barrier)),
                Statement::Call { function, .. } => {
                    let module = self.module;
                    let called = &module.functions[*function];
                    self.block(called, &called.body);
                }
                Statement::Block(inner) => self.block(function, inner),
                Statement::If { accept, reject, .. } => {
                    self.block(function, accept);
                    self.block(function, reject);
                }
                Statement::Loop { body, continuing, .. } => {
                    self.block(function, body);
                    self.block(function, continuing);
                }
                Statement::Switch { cases, .. } => {
                    cases.iter().for_each(|case| self.block(function, &case.body));
                }
                _ => {}
            }
        }
    }
}

/// Names of the buffers that are written behind a read from which only barriers for workgroup memory part it.
fn unordered(module: &Module) -> Vec<String> {
    let entry = &module.entry_points[0].function;
    let mut walk = Walk { module, events: Vec::new() };
    walk.block(entry, &entry.body);
    let mut names = Vec::new();
    for (variable, global) in module.global_variables.iter() {
        // Whether it was read, and whether invocations have met since.
        let (mut read, mut met) = (false, false);
        for event in &walk.events {
            match *event {
                Event::Read(of) if of == variable => read = true,
                Event::Barrier(barrier) if barrier.contains(Barrier::STORAGE) => (read, met) = (false, false),
                Event::Barrier(_) => met |= read,
                Event::Write(of) if of == variable && met => {
                    names.extend(global.name.clone());
                    break;
                }
                _ => {}
            }
        }
    }
    names
}

#[test]
fn what_others_have_read_is_written_behind_a_barrier_for_storage() {
    let mut faults = Vec::new();
    let mut seen = 0;
    for (source, module) in parsed() {
        seen += usize::from(source.wgsl.contains("storageBarrier()"));
        if ALONE.iter().any(|kernel| source.name.starts_with(kernel)) {
            continue;
        }
        faults.extend(unordered(module).into_iter().map(|buffer| format!("{}: {buffer}", source.name)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(seen > 10, "{seen} kernels with a barrier for storage");
}
