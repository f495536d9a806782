//! What the products of decode and its attention do for adapters, against their twins: z that comes from a buffer, in
//! parts from the workgroups before, or ahead from the product before, and what is left for the next.

mod common;

use common::{BufferArg, Gpu, Output, assert_close};
use shaders::attention::decode::{Decode, Kv};
use shaders::matvec::{self, Adapted, Epilogue, Leaves, Matvec, Prologue, Takes};
use shaders::selftest::{Arg, Form, Reading};
use shaders::{Binding, DType};

/// Runs the case of a kernel.
fn check(form: &Form) {
    let case = form.case().expect("a case");
    let arg = |(arg, binding): (&Arg, &Binding)| match (arg, binding) {
        (Arg::Uniform(bytes), _) => BufferArg::Uniform(bytes.clone()),
        (Arg::Words(words), Binding::ReadWrite) => BufferArg::read_write(words),
        (Arg::Words(words), _) => BufferArg::read(words),
    };
    let args: Vec<_> = case.args.iter().zip(&case.source.bindings).map(arg).collect();
    let written = |binding: usize| {
        case.source.bindings[..binding].iter().filter(|kind| **kind == Binding::ReadWrite).count()
    };
    let out = Gpu::get().run(&case.source, &args, case.grid);
    for expected in &case.expected {
        assert!(expected.reading != Reading::F16 || expected.binding > 5, "a cache");
        let words = Output::u32s(&out[written(expected.binding)]);
        let got = expected.reading.read(&words, expected.values.len());
        println!("{}: {} values of binding {}", case.source.name, got.len(), expected.binding);
        assert_close(&got, &expected.values, expected.absolute, expected.relative);
    }
}

fn products(takes: &[Takes], leaves: Leaves, dtypes: &[DType], prologue: Prologue, epilogue: Epilogue) {
    let small = matvec::Form::new(1, 8, 2);
    for form in [matvec::Form::default(), small, matvec::Form::new(4, 4, 1)] {
        for &takes in takes {
            let dtypes = dtypes.to_vec();
            let adapted = Adapted { takes, leaves, quads: 2 };
            check(&Form::Matvec(Matvec { k: 768, dtypes, prologue, epilogue, adapted, form }));
        }
    }
}

const ADD_NORM: Prologue = Prologue::Add { norm: true, mix: false };

#[test]
fn z_comes_from_a_buffer_or_in_parts_from_what_made_x() {
    let takes = [Takes::Z, Takes::Partial];
    products(&takes, Leaves::Nothing, &[DType::Q4_K], Prologue::Plain, Epilogue::Store);
    products(&[Takes::Partial], Leaves::Nothing, &[DType::Q6_K], Prologue::Merge, Epilogue::Store);
}

#[test]
fn z_comes_ahead_with_the_branch() {
    for dtypes in [vec![DType::Q4_K], vec![DType::Q4_K, DType::Q4_K, DType::Q6_K]] {
        products(&[Takes::Ahead], Leaves::Nothing, &dtypes, ADD_NORM, Epilogue::Store);
    }
    let not_normed = Prologue::Add { norm: false, mix: false };
    products(&[Takes::Ahead], Leaves::Nothing, &[DType::F16], not_normed, Epilogue::Ple);
}

#[test]
fn v_and_u_are_left_behind_the_branch() {
    let leaves = Leaves::Ahead { stream: 512 };
    let takes = [Takes::Nothing, Takes::Z, Takes::Partial];
    products(&takes, leaves, &[DType::Q4_K, DType::F32], Prologue::Plain, Epilogue::Store);
    let takes = [Takes::Nothing, Takes::Partial];
    products(&takes, leaves, &[DType::Q4_K, DType::F32], Prologue::Merge, Epilogue::Store);
}

#[test]
fn workgroups_leave_their_part_of_the_next_z() {
    let takes = [Takes::Nothing, Takes::Ahead];
    products(&takes, Leaves::Partial, &[DType::Q4_K, DType::Q5_K], ADD_NORM, Epilogue::Geglu);
    products(&[Takes::Z], Leaves::Partial, &[DType::Q4_K; 2], Prologue::Plain, Epilogue::Geglu);
    let packed = matvec::Form::new(4, 4, 1).packed();
    let adapted = Adapted { takes: Takes::Ahead, leaves: Leaves::Partial, quads: 2 };
    let (prologue, epilogue) = (ADD_NORM, Epilogue::Geglu);
    let dtypes = vec![DType::Q4_K; 2];
    check(&Form::Matvec(Matvec { k: 768, dtypes, prologue, epilogue, adapted, form: packed }));
}

#[test]
fn attention_leaves_its_part_of_the_next_z() {
    for head_dim in [16, 64, 256, 512] {
        for kv in [Kv::Own, Kv::OwnVIsK, Kv::Shared] {
            check(&Form::Decode(Decode { head_dim, kv, kv_f16: true, quads: 2 }));
        }
    }
}
