//! The self-test: kernels on the device against their CPU twins.

use std::sync::Arc;

use shaders::attention::{
    KvType, block::Block, cooperative::Cooperative, decode::Decode, decode::Kv, few_rows::FewRows,
};
use shaders::audio::conv2d;
use shaders::matmul::{self, CooperativeTile, Tile, few_rows};
use shaders::matvec::{self, Epilogue, Matvec, Prologue};
use shaders::ple::combine::Table;
use shaders::rows::{norm_add::NormAdd, qkv_finish::QkvFinish};
use shaders::sampling::Candidates;
use shaders::selftest::{Arg, Case, CaseError, Expected, Form};
use shaders::vision::layer_norm::LayerNorm;
use shaders::{Access, DType};

use crate::gpu::{Gpu, GpuError, Memory};
use crate::plan::{Grid, Origin, Plan, Value};

/// The result for one kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Check {
    /// The kernel.
    pub name: String,
    /// Maximum deviation relative to the tolerance.
    pub deviation: f64,
    /// The error, if any.
    pub problem: Option<Problem>,
}

/// The error of a kernel.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum Problem {
    /// It computes a wrong value.
    #[error("element {element} is {found}, but should be {expected}")]
    Differs { element: usize, found: f32, expected: f32 },
    /// The device rejected it.
    #[error("refused: {reason}")]
    Refused { reason: String },
}

/// Runs a kernel on small inputs and compares its output with the CPU twin's.
///
/// # Errors
/// When the device was lost or has no memory. A rejected kernel is reported in [`Check::problem`].
pub async fn check(gpu: &Gpu, form: &Form) -> Result<Check, GpuError> {
    let case = match form.case() {
        Ok(case) => case,
        Err(CaseError::Template(error)) => return Err(error.into()),
        Err(error) => return Err(GpuError::Fault { reason: format!("{form:?} cannot be tried: {error}") }),
    };
    let mut check = Check { name: case.source.name.clone(), ..Check::default() };
    match run(gpu, &case).await {
        Ok(buffers) => {
            for (expected, words) in case.expected.iter().zip(&buffers) {
                compare(expected, words, &mut check);
            }
        }
        Err(GpuError::Kernel { reason, .. }) => check.problem = Some(Problem::Refused { reason }),
        Err(error) => return Err(error),
    }
    Ok(check)
}

/// The words of each binding with an expected value.
async fn run(gpu: &Gpu, case: &Case) -> Result<Vec<Vec<u32>>, GpuError> {
    let [Arg::Uniform(params), args @ ..] = case.args.as_slice() else {
        return Err(GpuError::Fault { reason: format!("{} has no parameters", case.source.name) });
    };
    let mut memory = Memory::default();
    let mut insert = |buffer, origin| {
        let value = Value::new("self-test", 0, origin);
        memory.insert(value.clone(), buffer);
        value
    };
    let uniform = insert(gpu.uniform_with(&case.source.name, params)?, Origin::Params);
    let (mut buffers, mut values) = (Vec::with_capacity(args.len()), Vec::with_capacity(args.len()));
    for arg in args {
        match arg {
            Arg::Words(words) => {
                let buffer = gpu.storage_with(&case.source.name, words)?;
                values.push(insert(Arc::clone(&buffer), Origin::State));
                buffers.push(buffer);
            }
            Arg::Uniform(_) => {
                return Err(GpuError::Fault { reason: format!("{} has two uniforms", case.source.name) });
            }
        }
    }
    let mut plan = Plan::default();
    let operands: Vec<&Value> = values.iter().collect();
    plan.push_shared(&case.source, &uniform, &operands, Grid::Fixed(case.grid))?;
    gpu.run(&gpu.bind(&plan, &memory).await?, 1);
    let mut read = Vec::with_capacity(case.expected.len());
    for expected in &case.expected {
        debug_assert_eq!(case.source.bindings[expected.binding].access, Access::ReadWrite);
        let buffer = &buffers[expected.binding - 1];
        let bytes = gpu.read_once(buffer, 0, buffer.size()).await?;
        read.push(bytemuck::pod_collect_to_vec(&bytes));
    }
    Ok(read)
}

/// Tries matrix units, if the device has them, and gives them up if it computes a kernel wrongly or rejects it.
///
/// # Errors
/// When the device was lost or has no memory.
pub async fn try_matrix_units(gpu: &Gpu) -> Result<(), GpuError> {
    if !gpu.plan_limits().matrix_units {
        return Ok(());
    }
    let attention = Cooperative { head_dim: 256, kv_type: KvType::F16, until: false };
    let product = Form::Cooperative(CooperativeTile::LARGE, DType::Q4_K);
    for form in [Form::HalfRows, product, Form::CooperativeAttention(attention)] {
        if check(gpu, &form).await?.problem.is_some() {
            gpu.give_up_matrix_units();
            return Ok(());
        }
    }
    Ok(())
}

fn compare(expected: &Expected, words: &[u32], check: &mut Check) {
    let got = expected.reading.read(words, expected.values.len());
    for (index, &want) in expected.values.iter().enumerate() {
        let found = got.get(index).copied().unwrap_or(f32::NAN);
        let allowed = expected.absolute + expected.relative * want.abs();
        let differs = f64::from((found - want).abs());
        // With zero tolerance, values must be equal. NaN is never close to a number.
        let share = if differs == 0.0 { 0.0 } else { differs / f64::from(allowed) };
        let share = if share.is_nan() { f64::INFINITY } else { share };
        check.deviation = check.deviation.max(share);
        if share > 1.0 && check.problem.is_none() {
            check.problem = Some(Problem::Differs { element: index, found, expected: want });
        }
    }
}

/// Kernels that any model may need, with the storage types of published files.
#[must_use]
pub fn standard() -> Vec<Form> {
    let mut forms = vec![Form::Copy, Form::GeluMul, Form::Combine(Table::Host)];
    forms.extend(Candidates::ALL.map(Form::TopK));
    forms.extend([Candidates::Few, Candidates::Many].map(Form::MergeLists));
    forms.extend(Candidates::ALL.map(Form::Sample));
    forms.extend(NormAdd::ALL.map(|form| Form::NormAdd(form, 1536)));
    for dtype in DType::ALL {
        let form = matvec::Form::default();
        let kernel = |dtypes, prologue, epilogue| {
            Form::Matvec(Matvec { k: 768, dtypes, prologue, epilogue, low_rank: matvec::LowRank::NONE, form })
        };
        forms.push(kernel(vec![dtype], Prologue::Plain, Epilogue::Store));
        forms.push(kernel(vec![dtype; 2], Prologue::Add { norm: true }, Epilogue::Geglu));
        forms.extend([Form::Repack(dtype), Form::Gather(dtype)]);
        forms.extend(dtype.is_float().then_some(Form::Requantize(dtype)));
        forms.extend(Tile::ALL.map(|tile| Form::Matmul(tile, dtype)));
    }
    forms.extend([Form::PackRows, Form::HalfRows, Form::GroupSum, Form::LookUp, Form::Draft, Form::Clusters]);
    for dtype in [DType::BF16, DType::Q4_K, DType::Q6_K, DType::Q8_0] {
        forms.extend([Form::DraftInput(dtype), Form::OrderedHead(dtype)]);
    }
    for dtype in [DType::Q4_K, DType::Q6_K, DType::Q8_0] {
        let few = |dtypes: &[DType]| matmul::FewRows::new(4, dtypes, matvec::Form::new(2, 4, 1));
        forms.extend([few(&[dtype]), few(&[DType::Q4_K, DType::Q4_K, dtype])].map(Form::FewRows));
        let form = matvec::Form::new(2, 8, 1).with_lanes(16).packed();
        let (pair, one) =
            (matmul::FewRows::new(4, &[dtype; 2], form), matmul::FewRows::new(4, &[dtype], form));
        let gated = [(pair, few_rows::Epilogue::Geglu), (one, few_rows::Epilogue::Ple)];
        forms
            .extend(gated.map(|(kernel, epilogue)| {
                Form::FewRows(matmul::FewRows { epilogue, packs: true, ..kernel })
            }));
    }
    let heads =
        [256, 512].into_iter().flat_map(|size| [KvType::F16, KvType::Q8_0].map(|kv_type| (size, kv_type)));
    for (head_dim, kv_type) in heads {
        let few = [(1, 1), (1, 4), (4, 1)].into_iter().flat_map(|(rows, group)| {
            [true, false].map(|finished| FewRows { head_dim, kv_type, finished, rows, group })
        });
        forms.extend(few.map(Form::FewRowsAttention));
        if kv_type == KvType::F16 {
            forms.extend([true, false].map(|packed| Form::MergeRows(head_dim, packed)));
        }
        forms.push(Form::Block(Block { head_dim, kv_type, until: false }));
        for kv in [Kv::Own, Kv::OwnVIsK, Kv::Shared] {
            let group = Decode::group(head_dim, 4, kv != Kv::Shared, kv_type);
            forms.extend(
                [1, group].map(|group| Form::Decode(Decode { head_dim, kv, kv_type, group, quads: 0 })),
            );
            forms.push(Form::QkvFinish(QkvFinish { head_dim, kv, kv_type, joined: false }));
            let joined = QkvFinish { head_dim, kv, kv_type, joined: true };
            forms.extend((kv != Kv::Shared).then_some(Form::QkvFinish(joined)));
        }
    }
    forms.extend(of_towers());
    forms
}

/// Kernels for matrix units, with every storage type.
#[must_use]
pub fn cooperative() -> Vec<Form> {
    let mut forms = vec![Form::HalfRows];
    for head_dim in [256, 512] {
        for kv_type in [KvType::F16, KvType::Q8_0] {
            let of = |until| Form::CooperativeAttention(Cooperative { head_dim, kv_type, until });
            forms.extend([false, true].map(of));
        }
    }
    for dtype in DType::ALL.into_iter().filter(|&dtype| dtype != DType::F32) {
        forms.extend(CooperativeTile::ALL.map(|tile| Form::Cooperative(tile, dtype)));
        forms.push(Form::CooperativeExperts(CooperativeTile::EXPERTS, dtype));
        forms.push(Form::CooperativeColumns(dtype));
    }
    forms
}

/// Kernels of the towers of published models, apart from those shared with decoders.
fn of_towers() -> Vec<Form> {
    let norms = [(false, false), (true, false), (false, true)];
    let mut forms = vec![Form::UnitNorm, Form::LightConvolution, Form::Silu];
    forms.extend([16, 48].map(Form::Patches));
    forms.extend([DType::F32, DType::F16, DType::BF16].map(Form::Positions));
    forms.extend([64, 72].map(Form::TurnedHeads));
    forms.extend([64, 72].map(|head_dim| Form::Block(Block { head_dim, kv_type: KvType::F32, until: true })));
    forms.extend([false, true].map(Form::Pool));
    forms.extend(norms.map(|(bias, rms)| Form::LayerNorm(LayerNorm { bias, rms })));
    forms.extend(conv2d::CHANNELS.map(|(channels_in, channels)| Form::Convolution(channels_in, channels)));
    forms.push(Form::SoundAttention(128));
    for dtype in [DType::F16, DType::BF16, DType::Q8_0] {
        forms.extend(Tile::ALL.map(|tile| Form::ClampedMatmul(tile, dtype)));
    }
    forms
}
