//! Every combination of type, prologue and epilogue of a matrix–vector product that a plan may ask for.

use shaders::matvec::{Epilogue, Form, HandoffForm, LowRank, Matvec, Prologue, ZSource, shrink_form};
use shaders::{DType, Kernel as _};

use super::Sources;

pub fn permutations() -> Sources {
    combinations().iter().map(|kernel| kernel.source()).collect()
}

fn combinations() -> Vec<Matvec> {
    let mut all = Vec::new();
    let forms = [Form::default(), Form::new(1, 8, 1), Form::new(4, 4, 1), Form::new(1, 8, 2)];
    for dtype in DType::readers() {
        let packed = Form::new(4, 4, 1).packed();
        for form in forms.into_iter().chain((!dtype.is_float()).then_some(packed)) {
            let make = |dtypes: Vec<DType>, prologue, epilogue| Matvec {
                k: 768,
                dtypes,
                prologue,
                epilogue,
                low_rank: LowRank::NONE,
                form,
            };
            all.push(make(vec![dtype], Prologue::Plain, Epilogue::Store));
            let add_norm = Prologue::Add { norm: true };
            all.push(make(vec![dtype; 2], add_norm, Epilogue::Geglu));
            let low_rank = LowRank { z_source: ZSource::Ahead, handoff: HandoffForm::PartialSums, quads: 4 };
            all.push(Matvec { low_rank, ..make(vec![dtype; 2], add_norm, Epilogue::Geglu) });
        }
        all.extend(of_default_form(dtype));
    }
    all.extend(shrinking());
    all
}

/// Every prologue and epilogue with matrices of a type.
fn of_default_form(dtype: DType) -> Vec<Matvec> {
    let low_rank = |z_source, handoff| LowRank { z_source, handoff, quads: 4 };
    let make = |dtypes: Vec<DType>, prologue, epilogue, low_rank| Matvec {
        k: 768,
        dtypes,
        prologue,
        epilogue,
        low_rank,
        form: Form::default(),
    };
    let three = || vec![DType::Q4_K, DType::Q4_K, dtype];
    let mut all = Vec::new();
    for handoff in [HandoffForm::None, HandoffForm::Ahead { stream: 512 }] {
        let dtypes = || if handoff == HandoffForm::None { vec![dtype] } else { vec![dtype, DType::F32] };
        for z_source in [ZSource::None, ZSource::Dispatch, ZSource::PartialSums] {
            let low_rank = low_rank(z_source, handoff);
            // What adapters have nothing to do with is there in every form.
            if low_rank.is_bound() {
                all.push(make(dtypes(), Prologue::Plain, Epilogue::Store, low_rank));
            }
        }
        for z_source in [ZSource::None, ZSource::PartialSums] {
            all.push(make(dtypes(), Prologue::Merge, Epilogue::Store, low_rank(z_source, handoff)));
        }
    }
    let (not, z) = (LowRank::NONE, low_rank(ZSource::Dispatch, HandoffForm::None));
    all.push(make(vec![dtype], Prologue::Norm, Epilogue::Store, not));
    all.push(make(three(), Prologue::Norm, Epilogue::Store, not));
    all.push(make(vec![dtype; 2], Prologue::Plain, Epilogue::Geglu, z));
    all.push(make(
        vec![dtype; 2],
        Prologue::Plain,
        Epilogue::Geglu,
        low_rank(ZSource::Dispatch, HandoffForm::PartialSums),
    ));
    all.push(make(vec![dtype], Prologue::Plain, Epilogue::Ple, z));
    all.push(make(vec![DType::Q4_K, dtype], Prologue::Plain, Epilogue::Store, z));
    all.push(make(three(), Prologue::Plain, Epilogue::Store, z));
    let (add, add_norm) = (Prologue::Add { norm: false }, Prologue::Add { norm: true });
    all.push(make(vec![dtype], add, Epilogue::Ple, not));
    all.push(make(vec![DType::Q4_K, dtype], add_norm, Epilogue::Store, not));
    all.push(make(three(), add_norm, Epilogue::Store, not));
    let ahead = low_rank(ZSource::Ahead, HandoffForm::None);
    all.push(make(vec![dtype], add_norm, Epilogue::Store, ahead));
    all.push(make(vec![DType::Q4_K, dtype], add_norm, Epilogue::Store, ahead));
    all.push(make(three(), add_norm, Epilogue::Store, ahead));
    all.push(make(
        vec![dtype; 2],
        add_norm,
        Epilogue::Geglu,
        low_rank(ZSource::None, HandoffForm::PartialSums),
    ));
    all
}

/// The products that make z.
fn shrinking() -> Vec<Matvec> {
    let mut all = Vec::new();
    for form in [Form::new(1, 4, 1), shrink_form(4096), shrink_form(1 << 14), Form::new(4, 4, 1)] {
        let make = |prologue, keep| Matvec {
            k: 768,
            dtypes: vec![DType::F32],
            prologue,
            epilogue: Epilogue::Shrink { keep },
            low_rank: LowRank::NONE,
            form,
        };
        all.push(make(Prologue::Plain, false));
        all.push(make(Prologue::Norm, true));
        all.push(make(Prologue::Add { norm: true }, true));
        all.push(make(Prologue::Add { norm: false }, false));
        all.push(make(Prologue::Merge, true));
    }
    all
}
