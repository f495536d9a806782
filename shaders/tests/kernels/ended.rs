//! A step that was ended early has no rows (`state.len` is 0), and the kernels of its matrices leave the weights alone: reading
//! them is most of what a token takes. Nothing that a kernel writes tells, so the text is looked at.

use std::collections::HashSet;

use naga::valid::Capabilities;
use naga::{
    Block, Expression, Function, GlobalVariable, Handle, LocalVariable, Module, Statement, TypeInner,
};
use shaders::Source;

use super::permutations::{cooperative, parse, parsed};

/// An entry point, with what in it follows from `state.len`.
struct Walk<'a> {
    module: &'a Module,
    state: Handle<GlobalVariable>,
    /// The place of `len` in the state.
    len: u32,
}

impl Walk<'_> {
    /// Whether a value follows from the number of rows, directly or by these variables.
    fn follows(
        &self,
        of: &Function,
        value: Handle<Expression>,
        locals: &HashSet<Handle<LocalVariable>>,
    ) -> bool {
        let follows = |value| self.follows(of, value, locals);
        match of.expressions[value] {
            Expression::AccessIndex { base, index } => {
                let is_state =
                    matches!(of.expressions[base], Expression::GlobalVariable(it) if it == self.state);
                if is_state { index == self.len } else { follows(base) }
            }
            Expression::LocalVariable(local) => locals.contains(&local),
            Expression::Load { pointer } => follows(pointer),
            Expression::Unary { expr, .. } | Expression::As { expr, .. } => follows(expr),
            Expression::Binary { left, right, .. } => follows(left) || follows(right),
            _ => false,
        }
    }

    /// Adds the variables of the block that are set to what follows from the number of rows.
    fn set(&self, of: &Function, block: &Block, locals: &mut HashSet<Handle<LocalVariable>>) {
        for statement in block {
            match statement {
                Statement::Store { pointer, value } if self.follows(of, *value, locals) => {
                    if let Expression::LocalVariable(local) = of.expressions[*pointer] {
                        locals.insert(local);
                    }
                }
                _ => inner(statement).into_iter().for_each(|block| self.set(of, block, locals)),
            }
        }
    }

    /// Whether the weights are read anywhere in the block.
    fn reads_weights(&self, of: &Function, block: &Block) -> bool {
        block.iter().any(|statement| match statement {
            Statement::Emit(range) => range.clone().any(|expression| match of.expressions[expression] {
                Expression::Load { pointer } => self.is_weight(of, pointer),
                _ => false,
            }),
            Statement::Call { function, .. } => {
                let called = &self.module.functions[*function];
                self.reads_weights(called, &called.body)
            }
            statement => inner(statement).into_iter().any(|block| self.reads_weights(of, block)),
        })
    }

    fn is_weight(&self, of: &Function, pointer: Handle<Expression>) -> bool {
        match of.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                self.is_weight(of, base)
            }
            Expression::GlobalVariable(variable) => {
                let name = self.module.global_variables[variable].name.as_deref();
                name.is_some_and(|name| name.starts_with("weights"))
            }
            _ => false,
        }
    }

    /// Whether the entry point returns for want of rows before it reads a weight.
    fn leaves_weights(&self) -> bool {
        let of = &self.module.entry_points[0].function;
        let mut locals = HashSet::new();
        self.set(of, &of.body, &mut locals);
        for statement in &of.body {
            if let Statement::If { condition, accept, .. } = statement
                && self.follows(of, *condition, &locals)
                && matches!(accept.last(), Some(Statement::Return { .. }))
            {
                return true;
            }
            if self.reads_weights(of, &Block::from_vec(vec![statement.clone()])) {
                return false;
            }
        }
        true
    }
}

/// The blocks of a statement.
fn inner(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        _ => Vec::new(),
    }
}

/// Other kernels: of the fused plan of a token, which know no rows but where they merge attention (mixtures, whose steps are what
/// ends early, are not fused), of training, and of a drafter's input, which reads one row of a table.
const OTHERS: [&str; 3] = ["matvec_", "backward_", "draft_input_"];

/// Whether a kernel leaves the weights alone; `None` if it has no rows, or no weights.
fn leaves_weights(source: &Source, module: &Module) -> Option<bool> {
    let has = |wanted: fn(&str) -> bool| source.bindings.iter().any(|binding| wanted(&binding.name));
    if OTHERS.iter().any(|other| source.name.starts_with(other))
        || !has(|name| name == "state")
        || !has(|name| name.starts_with("weights"))
    {
        return None;
    }
    let (state, variable) = module
        .global_variables
        .iter()
        .find(|(_, it)| it.name.as_deref() == Some("state"))
        .expect("the state");
    let TypeInner::Struct { members, .. } = &module.types[variable.ty].inner else { panic!("no struct") };
    let len = members.iter().position(|member| member.name.as_deref() == Some("len")).expect("its rows");
    Some(Walk { module, state, len: len as u32 }.leaves_weights())
}

#[test]
fn without_rows_no_weight_is_read() {
    let mut few = 0;
    let mut faults = Vec::new();
    let cooperative = cooperative().into_iter().map(|source| {
        let module = parse(&source, Capabilities::all());
        (source, module)
    });
    let cooperative: Vec<_> = cooperative.collect();
    for (source, module) in parsed().iter().chain(&cooperative) {
        let Some(leaves) = leaves_weights(source, module) else { continue };
        few += usize::from(source.name.contains("_rows"));
        if !leaves {
            faults.push(source.name.clone());
        }
    }
    faults.sort();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(few > 10, "{few} kernels of a few rows");
}
