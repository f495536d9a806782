//! Every permutation the engine can ask for parses and validates, with portable capabilities only.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use shaders::experts::{Mixture, down::Down, gate_up::GateUp, mix};
use shaders::matvec::{Adapted, Epilogue, Form, Matvec, Prologue};
use shaders::{DType, PreprocessError, Source};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn every_permutation_validates() {
    let sources = shaders::permutations().expect("every template preprocesses");
    let mut failures = Vec::new();
    for source in &sources {
        // unpack2x16float and its like are core WGSL; naga counts them apart for the sake of WebGL.
        let core = Capabilities::SHADER_FLOAT16_IN_FLOAT32;
        let capabilities = if source.subgroups { core | Capabilities::SUBGROUP } else { core };
        let result = match naga::front::wgsl::parse_str(&source.wgsl) {
            Ok(module) => Validator::new(ValidationFlags::all(), capabilities)
                .validate(&module)
                .map(|_| module)
                .map_err(|error| error.emit_to_string(&source.wgsl)),
            Err(error) => Err(error.emit_to_string(&source.wgsl)),
        };
        match result {
            Ok(module) => {
                if !module.entry_points.iter().any(|entry| entry.name == "main") {
                    failures.push(format!("{}: no entry point main", source.name));
                }
                let bound =
                    module.global_variables.iter().filter(|(_, global)| global.binding.is_some()).count();
                if bound != source.bindings.len() {
                    let listed = source.bindings.len();
                    failures.push(format!("{}: {bound} bindings in the text, {listed} listed", source.name));
                }
            }
            Err(error) => failures.push(format!("{}: {error}", source.name)),
        }
        let enables = source.wgsl.lines().any(|line| line.trim_start().starts_with("enable "));
        if enables {
            failures.push(format!("{}: has an enable line", source.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn kernels_of_other_shapes_have_other_names() {
    let mixtures = [Mixture { experts: 8, used: 2 }, Mixture { experts: 8, used: 3 }];
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut shapes = 0;
    let mut add = |source: Result<Source, PreprocessError>| {
        let source = source.expect("the template preprocesses");
        let text = texts.entry(source.name.clone()).or_insert_with(|| source.wgsl.to_string());
        assert_eq!(**text, *source.wgsl, "two kernels are called {}", source.name);
        shapes += 1;
    };
    for k in [256, 512, 768] {
        for dtype in [DType::Q4_K, DType::F32] {
            for prologue in [Prologue::Plain, Prologue::Norm, Prologue::Merge] {
                for form in [Form::default(), Form::new(1, 8, 2)] {
                    let (dtypes, epilogue, adapted) = (vec![dtype], Epilogue::Store, Adapted::NOT);
                    add(Matvec { k, dtypes, prologue, epilogue, adapted, form }.source());
                }
            }
            for mixture in mixtures {
                add(GateUp { mixture, k, gate: dtype, up: dtype }.source());
                add(Down { mixture, k, dtype }.source());
                add(mix::source(mixture, k));
            }
        }
    }
    // The sum of experts has no type of its own and came twice.
    assert_eq!(texts.len(), shapes - 6);
}

#[test]
fn names_are_cache_keys() {
    let sources = shaders::permutations().expect("every template preprocesses");
    let names: BTreeSet<_> = sources.iter().map(|source| &source.name).collect();
    assert_eq!(names.len(), sources.len());
}
