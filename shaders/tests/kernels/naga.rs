//! Every permutation the engine can ask for parses and validates: with portable capabilities only, but for those for
//! devices with matrix units.

use naga::common::wgsl::TypeContext as _;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, GlobalVariable, Module, StorageAccess, TypeInner};
use shaders::Kernel as _;
use shaders::backward::attention::Span;
use shaders::experts::{Choice, Mixture, down::Down, gate_up::GateUp, mix};
use shaders::matvec::{Epilogue, Form, HandoffForm, LowRank, Matvec, Prologue, ZSource};
use shaders::state::State;
use shaders::vision::PatchGrid;
use shaders::{Access, Binding, DType, Field, PreprocessError, Source, WgslStruct};
use std::collections::BTreeMap;

use super::permutations::{PORTABLE, cooperative, parse, parsed, permutations};

/// The number of a bound variable, and the binding as the text has it.
fn bound(variable: &GlobalVariable) -> Option<(u32, Binding)> {
    let access = match variable.space {
        AddressSpace::Uniform => Access::Uniform,
        AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => Access::ReadWrite,
        AddressSpace::Storage { .. } => Access::Read,
        _ => return None,
    };
    let name = variable.name.clone().unwrap_or_default();
    Some((variable.binding.as_ref()?.binding, Binding { name, access }))
}

/// Every struct that kernels share with the host: its name in WGSL, its fields and bytes in Rust.
fn shared_structs(source: &Source) -> [(&'static str, &'static [Field], usize); 5] {
    fn of<S: WgslStruct>(name: &'static str) -> (&'static str, &'static [Field], usize) {
        (name, S::FIELDS, size_of::<S>())
    }
    [
        ("Params", source.params.fields, source.params.bytes),
        of::<State>("State"),
        of::<PatchGrid>("PatchGrid"),
        of::<Choice>("Choice"),
        of::<Span>("Span"),
    ]
}

/// How the layout of a struct in naga differs from Rust's: in a field's name, type or offset, or in the size.
fn layout_difference(
    module: &Module,
    (name, fields, bytes): (&str, &'static [Field], usize),
) -> Option<String> {
    let (_, declared) = module.types.iter().find(|(_, declared)| declared.name.as_deref() == Some(name))?;
    let TypeInner::Struct { members, span } = &declared.inner else {
        return Some(format!("{name} is no struct"));
    };
    let types = module.to_ctx();
    let laid_out = members.iter().map(|member| {
        let wgsl = types.type_to_string(member.ty);
        (member.name.clone().unwrap_or_default(), wgsl, member.offset as usize)
    });
    let declared = fields.iter().flat_map(|field| field.members());
    let declared: Vec<_> = declared.map(|(name, wgsl, at)| (name, wgsl.to_owned(), at)).collect();
    let laid_out: Vec<_> = laid_out.collect();
    (laid_out != declared || *span as usize != bytes)
        .then(|| format!("{name}: {span} bytes {laid_out:?} in WGSL, {bytes} bytes {declared:?} in Rust"))
}

/// What is wrong with a text: it does not validate with these capabilities, or says otherwise than its launcher what it
/// binds and which structs it shares.
fn faults(source: &Source, module: &Module, capabilities: Capabilities) -> Vec<String> {
    if let Err(error) = Validator::new(ValidationFlags::all(), capabilities).validate(module) {
        return vec![error.emit_to_string(&source.wgsl)];
    }
    let mut faults = Vec::new();
    if !module.entry_points.iter().any(|entry| entry.name == "main") {
        faults.push("no entry point main".to_owned());
    }
    let mut bound: Vec<_> = module.global_variables.iter().filter_map(|(_, v)| bound(v)).collect();
    bound.sort_unstable_by_key(|(number, _)| *number);
    faults.extend(shared_structs(source).into_iter().filter_map(|shared| layout_difference(module, shared)));
    let listed: Vec<_> = (0..).zip(source.bindings.iter().cloned()).collect();
    if bound != listed {
        faults.push(format!("{bound:?} in the text, {listed:?} listed"));
    }
    faults
}

#[test]
fn every_permutation_validates() {
    let mut failures = Vec::new();
    for (source, module) in parsed() {
        failures
            .extend(faults(source, module, PORTABLE).iter().map(|fault| format!("{}: {fault}", source.name)));
        if source.wgsl.lines().any(|line| line.trim_start().starts_with("enable ")) {
            failures.push(format!("{}: has an enable line", source.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn products_by_matrix_units_validate() {
    let capabilities =
        PORTABLE | Capabilities::SHADER_FLOAT16 | Capabilities::SUBGROUP | Capabilities::COOPERATIVE_MATRIX;
    let mut texts = Texts::default();
    for source in cooperative() {
        let module = parse(&source, capabilities);
        assert_eq!(faults(&source, &module, capabilities), [""; 0], "{}", source.name);
        texts.add(Ok(source));
    }
}

/// Texts that must all differ, with the names of their kernels: pipelines are kept by text.
#[derive(Default)]
struct Texts(BTreeMap<String, String>);

impl Texts {
    fn add(&mut self, source: Result<Source, PreprocessError>) {
        let Source { name, wgsl, .. } = source.expect("the template preprocesses");
        if let Some(other) = self.0.insert(wgsl.to_string(), name.clone()) {
            panic!("{name} and {other} have one text");
        }
        assert_eq!(
            self.0.values().filter(|other| **other == name).count(),
            1,
            "two kernels are called {name}"
        );
    }
}

#[test]
fn every_axis_of_a_product_is_in_its_text() {
    let mut texts = Texts::default();
    let base = Matvec {
        k: 768,
        dtypes: vec![DType::Q4_K],
        prologue: Prologue::Plain,
        epilogue: Epilogue::Store,
        low_rank: LowRank::NONE,
        form: Form::default(),
    };
    let mut add = |kernel: Matvec| texts.add(kernel.source());
    add(base.clone());
    add(Matvec { k: 512, ..base.clone() });
    for dtype in DType::readers() {
        for dtypes in [vec![dtype], vec![DType::Q4_K, dtype], vec![DType::Q5_K, dtype, DType::Q4_K]] {
            if dtypes != base.dtypes {
                add(Matvec { dtypes, ..base.clone() });
            }
        }
    }
    let adding = [true, false].map(|norm| Prologue::Add { norm });
    for prologue in adding.into_iter().chain([Prologue::Norm, Prologue::Merge]) {
        add(Matvec { prologue, ..base.clone() });
    }
    for epilogue in [Epilogue::Ple, Epilogue::Shrink { keep: false }, Epilogue::Shrink { keep: true }] {
        add(Matvec { epilogue, ..base.clone() });
    }
    for (rows, groups, ksplit) in [(1, 4, 1), (4, 4, 1), (2, 8, 1), (2, 4, 2)] {
        let form = Form::new(rows, groups, ksplit);
        add(Matvec { form, ..base.clone() });
        add(Matvec { form: form.packed(), ..base.clone() });
        add(Matvec { form: form.with_lanes(16), ..base.clone() });
    }
    let two = Matvec { dtypes: vec![DType::Q4_K; 2], ..base.clone() };
    let pair = Matvec { epilogue: Epilogue::Geglu, ..two.clone() };
    add(pair.clone());
    for quads in [4, 8] {
        let low_rank = |z_source, handoff| LowRank { z_source, handoff, quads };
        for z_source in [ZSource::Dispatch, ZSource::PartialSums] {
            add(Matvec { low_rank: low_rank(z_source, HandoffForm::None), ..base.clone() });
        }
        add(Matvec {
            prologue: adding[0],
            low_rank: low_rank(ZSource::Ahead, HandoffForm::None),
            ..base.clone()
        });
        for z_source in [ZSource::None, ZSource::Dispatch] {
            add(Matvec { low_rank: low_rank(z_source, HandoffForm::PartialSums), ..pair.clone() });
            for stream in [512, 768] {
                add(Matvec { low_rank: low_rank(z_source, HandoffForm::Ahead { stream }), ..two.clone() });
            }
        }
    }
}

#[test]
fn every_axis_of_experts_is_in_their_text() {
    let mut texts = Texts::default();
    let dtypes = [DType::Q4_K, DType::F32];
    // How many there were to choose from is nothing to those that were chosen.
    for mixture in [2, 3].map(|used| Mixture { experts: 8, used }) {
        for width in [256, 512, 768] {
            texts.add(mix::Mix { mixture: Some(mixture), width }.source());
        }
        for form in
            [(1, 8, 1), (2, 8, 1), (2, 4, 1)].map(|(rows, groups, split)| Form::new(rows, groups, split))
        {
            for dtype in dtypes {
                for packs in [false, true].into_iter().take(1 + usize::from(form.rows * form.groups == 16)) {
                    let kernel =
                        GateUp { mixture, gate: dtype, up: DType::Q8_0, packs, corrected: false, form };
                    texts.add(kernel.source());
                    texts.add(GateUp { gate: DType::Q8_0, up: dtype, ..kernel }.source());
                }
                texts.add(Down { mixture, dtype, form }.source());
            }
            let (gate, up, form) = (DType::Q4_K, DType::Q4_K, form.packed());
            texts.add(GateUp { mixture, gate, up, packs: false, corrected: false, form }.source());
            texts.add(Down { mixture, dtype: gate, form }.source());
        }
        texts.add(Down { mixture, dtype: DType::Q4_K, form: Form::new(1, 8, 2) }.source());
    }
    for width in [256, 512, 768] {
        texts.add(mix::Mix { mixture: None, width }.source());
    }
}

#[test]
fn permutations_differ_in_name_and_text() {
    let sources = permutations();
    let mut texts = Texts::default();
    for source in sources {
        // These are brought into place as those that the other name has: halves, and nibbles.
        if !["repack_BF16", "repack_IQ4_NL"].contains(&source.name.as_str()) {
            texts.add(Ok(source));
        }
    }
}
