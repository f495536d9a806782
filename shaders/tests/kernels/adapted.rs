//! What the products of decode and its attention do for adapters, against their twins: z that comes from a buffer, in
//! parts from the workgroups before, or ahead from the product before, and what is left for the next.

use shaders::attention::decode::{Decode, Kv};
use shaders::matvec::{self, Adapted, Epilogue, Leaves, Matvec, Prologue, Takes};
use shaders::selftest::Form;
use shaders::{Binding, DType};

use crate::common::check;

fn products(takes: &[Takes], leaves: Leaves, dtypes: &[DType], prologue: Prologue, epilogue: Epilogue) {
    let small = matvec::Form::new(1, 8, 2);
    // Ranks that divide the threads and that do not; with 64 there is more of everything than is read at once.
    for (form, quads) in
        [(matvec::Form::default(), 2), (small, 3), (small, 16), (matvec::Form::new(4, 4, 1), 16)]
    {
        for &takes in takes {
            let dtypes = dtypes.to_vec();
            let adapted = Adapted { takes, leaves, quads };
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
    for (head_dim, quads) in [(16, 1), (64, 3), (256, 5), (512, 16)] {
        for kv in [Kv::Own, Kv::OwnVIsK, Kv::Shared] {
            check(&Form::Decode(Decode { head_dim, kv, kv_f16: true, quads }));
        }
    }
}

/// What a device has at least: 16 KiB of workgroup memory, and eight storage buffers but for the one kernel that is asked
/// for where there are nine.
#[test]
fn the_longest_rows_keep_to_what_every_device_has() {
    let forms = [matvec::Form::default(), matvec::Form::new(1, 8, 2), matvec::Form::new(4, 4, 1)];
    let three = vec![DType::Q4_K; 3];
    for form in forms {
        let kernel = |k, dtypes: &[DType], prologue, epilogue, takes, leaves| {
            let (dtypes, adapted) = (dtypes.to_vec(), Adapted { takes, leaves, quads: 16 });
            Matvec { k, dtypes, prologue, epilogue, adapted, form }
        };
        let ahead = Leaves::Ahead { stream: 3840 };
        let two = [DType::Q4_K, DType::F32];
        for (kernel, buffers) in [
            (kernel(3840, &three, ADD_NORM, Epilogue::Store, Takes::Ahead, Leaves::Nothing), 9),
            (kernel(3840, &three[..2], ADD_NORM, Epilogue::Geglu, Takes::Ahead, Leaves::Partial), 8),
            (kernel(8192, &two, Prologue::Merge, Epilogue::Store, Takes::Partial, ahead), 8),
            (kernel(8192, &two, Prologue::Plain, Epilogue::Store, Takes::Partial, ahead), 8),
        ] {
            let name = kernel.name();
            assert!(kernel.workgroup_bytes() <= 16_384, "{name}: {} bytes", kernel.workgroup_bytes());
            let bindings = kernel.source().expect("the template expands").bindings;
            let storage = bindings.iter().filter(|kind| **kind != Binding::Uniform).count();
            assert!(storage <= buffers, "{name}: {storage} storage buffers");
        }
    }
}
