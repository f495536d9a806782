//! What the products of decode and its attention do for adapters, against their twins: z that comes from a buffer, in
//! parts from the workgroups before, or ahead from the product before, and what is left for the next.

use shaders::Kernel as _;
use shaders::attention::KvType;
use shaders::attention::decode::{Decode, Kv};
use shaders::matvec::{self, Epilogue, HandoffForm, LowRank, Matvec, Prologue, ZSource};
use shaders::{Access, DType};

use crate::common::{check, is_thorough};

fn products(
    z_source: &[ZSource],
    handoff: HandoffForm,
    dtypes: &[DType],
    prologue: Prologue,
    epilogue: Epilogue,
) {
    let small = matvec::Form::new(1, 8, 2);
    // Ranks that divide the threads and that do not; with 64 there is more of everything than is read at once.
    let forms = [(small, 3), (matvec::Form::new(4, 4, 1), 16), (matvec::Form::default(), 2), (small, 16)];
    for (form, quads) in forms.into_iter().take(if is_thorough() { 4 } else { 2 }) {
        for &z_source in z_source {
            let dtypes = dtypes.to_vec();
            let low_rank = LowRank { z_source, handoff, quads };
            check(&Matvec { k: 768, dtypes, prologue, epilogue, low_rank, form });
        }
    }
}

const ADD_NORM: Prologue = Prologue::Add { norm: true };

#[test]
fn z_comes_from_a_buffer_or_in_parts_from_what_made_x() {
    let z_source = [ZSource::Dispatch, ZSource::PartialSums];
    products(&z_source, HandoffForm::None, &[DType::Q4_K], Prologue::Plain, Epilogue::Store);
    products(&[ZSource::PartialSums], HandoffForm::None, &[DType::Q6_K], Prologue::Merge, Epilogue::Store);
}

#[test]
fn z_comes_ahead_with_the_branch() {
    for dtypes in [vec![DType::Q4_K], vec![DType::Q4_K, DType::Q4_K, DType::Q6_K]] {
        products(&[ZSource::Ahead], HandoffForm::None, &dtypes, ADD_NORM, Epilogue::Store);
    }
}

#[test]
fn v_and_u_are_left_behind_the_branch() {
    let handoff = HandoffForm::Ahead { stream: 512 };
    let z_source = [ZSource::None, ZSource::Dispatch, ZSource::PartialSums];
    products(&z_source, handoff, &[DType::Q4_K, DType::F32], Prologue::Plain, Epilogue::Store);
    let z_source = [ZSource::None, ZSource::PartialSums];
    products(&z_source, handoff, &[DType::Q4_K, DType::F32], Prologue::Merge, Epilogue::Store);
}

#[test]
fn workgroups_leave_their_part_of_the_next_z() {
    let z_source = [ZSource::None, ZSource::Ahead];
    products(&z_source, HandoffForm::PartialSums, &[DType::Q4_K, DType::Q5_K], ADD_NORM, Epilogue::Geglu);
    products(
        &[ZSource::Dispatch],
        HandoffForm::PartialSums,
        &[DType::Q4_K; 2],
        Prologue::Plain,
        Epilogue::Geglu,
    );
    let packed = matvec::Form::new(4, 4, 1).packed();
    let low_rank = LowRank { z_source: ZSource::Ahead, handoff: HandoffForm::PartialSums, quads: 2 };
    let (prologue, epilogue) = (ADD_NORM, Epilogue::Geglu);
    let dtypes = vec![DType::Q4_K; 2];
    check(&Matvec { k: 768, dtypes, prologue, epilogue, low_rank, form: packed });
}

#[test]
fn attention_leaves_its_part_of_the_next_z() {
    let sizes: &[_] =
        if is_thorough() { &[(16, 1), (64, 3), (64, 16), (256, 5), (512, 16)] } else { &[(64, 16)] };
    for &(head_dim, quads) in sizes {
        for kv in [Kv::Own, Kv::OwnVIsK, Kv::Shared] {
            for kv_type in [KvType::F16, KvType::Q8_0] {
                check(&Decode { head_dim, kv, kv_type, group: 1, quads });
            }
        }
    }
}

/// What a device has at least: 16 KiB of workgroup memory, and eight storage buffers but for the one kernel that is
/// asked for where there are nine.
#[test]
fn the_longest_rows_keep_to_what_every_device_has() {
    let forms = [matvec::Form::default(), matvec::Form::new(1, 8, 2), matvec::Form::new(4, 4, 1)];
    let three = vec![DType::Q4_K; 3];
    for form in forms {
        let kernel = |k, dtypes: &[DType], prologue, epilogue, z_source, handoff| {
            let (dtypes, low_rank) = (dtypes.to_vec(), LowRank { z_source, handoff, quads: 16 });
            Matvec { k, dtypes, prologue, epilogue, low_rank, form }
        };
        let ahead = HandoffForm::Ahead { stream: 3840 };
        let two = [DType::Q4_K, DType::F32];
        for (kernel, buffers) in [
            (kernel(3840, &three, ADD_NORM, Epilogue::Store, ZSource::Ahead, HandoffForm::None), 9),
            (
                kernel(
                    3840,
                    &three[..2],
                    ADD_NORM,
                    Epilogue::Geglu,
                    ZSource::Ahead,
                    HandoffForm::PartialSums,
                ),
                8,
            ),
            (kernel(8192, &two, Prologue::Merge, Epilogue::Store, ZSource::PartialSums, ahead), 8),
            (kernel(8192, &two, Prologue::Plain, Epilogue::Store, ZSource::PartialSums, ahead), 8),
        ] {
            let name = kernel.name();
            assert!(kernel.workgroup_bytes() <= 16_384, "{name}: {} bytes", kernel.workgroup_bytes());
            let bindings = kernel.source().expect("the template expands").bindings;
            let storage = bindings.iter().filter(|binding| binding.access != Access::Uniform).count();
            assert!(storage <= buffers, "{name}: {storage} storage buffers");
        }
    }
}
