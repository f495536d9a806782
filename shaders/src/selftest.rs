//! The self-test on the user's device: the kernels that are tried without a model.

use std::rc::Rc;

use crate::attention::block::Block;
use crate::attention::cooperative::Cooperative;
use crate::attention::decode::{Decode, Kv};
use crate::attention::split::{MergeChunk, Split};
use crate::attention::{KvType, few_rows};
use crate::audio::{attention, conv2d, light_conv, silu, unit_norm};
use crate::bandwidth::copy::BandwidthCopy;
use crate::draft;
use crate::embed::gather::Gather;
use crate::matmul::{
    CooperativeMatmul, CooperativeTile, FewRows, Matmul, PackedMatmul, PackedTile, Product, Tile,
    few_rows as products, half_rows::HalfRows, pack_rows::PackRows,
};
use crate::matvec::{Epilogue, Form, LowRank, Matvec, Prologue};
use crate::ple::combine::{Combine, Table};
use crate::repack::{Repack, requantize::Requantize};
use crate::rows::{
    gelu_mul::GeluMul, group_sum::GroupSum, mean::Mean, norm_add::NormAdd, norm_add::NormAddRows,
    qkv_finish::QkvFinish,
};
use crate::sampling::{Candidates, MergeLists, Sample, TopK, draft::Draft, look_up::LookUp, mask::Mask};
use crate::vision::layer_norm::LayerNorm;
use crate::vision::{heads, patches, pool, position};
use crate::{DType, Kernel};

pub use crate::case::{Arg, Case, CaseError, Expected, Reading, random};

#[derive(Default)]
struct List(Vec<Rc<dyn Kernel>>);

impl List {
    fn push(&mut self, kernel: impl Kernel) {
        self.0.push(Rc::new(kernel));
    }

    fn extend<K: Kernel>(&mut self, kernels: impl IntoIterator<Item = K>) {
        kernels.into_iter().for_each(|kernel| self.push(kernel));
    }
}

/// Kernels that any model may need, with the storage types of published files.
#[must_use]
pub fn standard() -> Vec<Rc<dyn Kernel>> {
    let mut all = List::default();
    all.push(BandwidthCopy);
    all.push(GeluMul);
    all.push(Combine(Table::Host));
    all.extend(Candidates::ALL.map(TopK));
    all.extend([Candidates::Few, Candidates::Many].map(MergeLists));
    all.extend(Candidates::ALL.map(Sample));
    all.extend(NormAdd::ALL.map(|form| NormAddRows { form, width: 1536 }));
    for dtype in DType::readers() {
        let kernel = |dtypes, prologue, epilogue| {
            let (low_rank, form) = (LowRank::NONE, Form::default());
            Matvec { k: 768, dtypes, prologue, epilogue, low_rank, form }
        };
        all.push(kernel(vec![dtype], Prologue::Plain, Epilogue::Store));
        all.push(kernel(vec![dtype; 2], Prologue::Add { norm: true }, Epilogue::Geglu));
        all.push(Gather(dtype));
        all.extend(dtype.is_float().then_some(Requantize(dtype)));
        all.extend(Tile::ALL.map(|tile| Matmul { tile, dtype, clamped: false }));
    }
    all.extend(DType::ALL.map(Repack));
    all.push(PackRows);
    all.push(HalfRows);
    all.push(GroupSum);
    all.push(Mean);
    all.push(LookUp);
    all.push(Draft);
    all.push(Mask);
    all.push(draft::clusters::Clusters);
    for dtype in [DType::BF16, DType::Q4_K, DType::Q6_K, DType::Q8_0] {
        all.push(draft::input::Input(dtype));
        all.push(draft::ordered_head::OrderedHead(dtype));
    }
    for dtype in [DType::Q4_K, DType::Q6_K, DType::Q8_0] {
        let few = |dtypes: &[DType]| FewRows::new(4, dtypes, Form::new(2, 4, 1));
        all.extend([few(&[dtype]), few(&[DType::Q4_K, DType::Q4_K, dtype])]);
        let form = Form::new(2, 8, 1).with_lanes(16).packed();
        let (pair, one) = (FewRows::new(4, &[dtype; 2], form), FewRows::new(4, &[dtype], form));
        let gated = [(pair, products::Epilogue::Geglu), (one, products::Epilogue::Ple)];
        all.extend(gated.map(|(kernel, epilogue)| FewRows { epilogue, packs: true, ..kernel }));
        all.extend(PackedTile::ALL.map(|tile| PackedMatmul { tile, dtype, experts: false }));
        all.push(PackedMatmul { tile: PackedTile::EXPERTS, dtype, experts: true });
    }
    attention_of_decoders(&mut all);
    towers(&mut all);
    all.0
}

fn attention_of_decoders(all: &mut List) {
    let heads = [256, 512].into_iter().flat_map(|size| [KvType::F16, KvType::Q8_0].map(|it| (size, it)));
    for (head_dim, kv_type) in heads {
        for (rows, group) in [(1, 1), (1, 4), (4, 1)] {
            let few = |finished| few_rows::FewRows { head_dim, kv_type, finished, rows, group };
            all.extend([true, false].map(few));
        }
        if kv_type == KvType::F16 {
            all.extend([true, false].map(|packed| few_rows::MergeRows { head_dim, packed }));
            all.push(MergeChunk { head_dim });
        }
        let block = Block { head_dim, kv_type, until: false };
        all.push(block);
        all.push(Split(block));
        for kv in [Kv::Own, Kv::OwnVIsK, Kv::Shared] {
            let group = Decode::group(head_dim, 4, kv != Kv::Shared, kv_type);
            all.extend([1, group].map(|group| Decode { head_dim, kv, kv_type, group, quads: 0 }));
            all.push(QkvFinish { head_dim, kv, kv_type, joined: false });
            let joined = QkvFinish { head_dim, kv, kv_type, joined: true };
            all.extend((kv != Kv::Shared).then_some(joined));
        }
    }
}

/// Kernels of the towers of published models, apart from those shared with decoders.
fn towers(all: &mut List) {
    all.push(unit_norm::UnitNorm);
    all.push(light_conv::LightConv);
    all.push(silu::Silu);
    all.extend([16, 48].map(|side| patches::Patches { side }));
    all.extend([DType::F32, DType::F16, DType::BF16].map(position::Positions));
    all.extend([64, 72].map(|head_dim| heads::Heads { head_dim }));
    all.extend([64, 72].map(|head_dim| Block { head_dim, kv_type: KvType::F32, until: true }));
    all.extend([false, true].map(|standardise| pool::Pool { standardise }));
    let norms = [(false, false), (true, false), (false, true)];
    all.extend(norms.map(|(bias, rms)| LayerNorm { bias, rms }));
    all.extend(conv2d::CHANNELS.map(|(channels_in, channels)| conv2d::Conv2d::new(channels_in, channels)));
    all.push(attention::Attention { head_dim: 128 });
    for dtype in [DType::F16, DType::BF16, DType::Q8_0] {
        all.extend(Tile::ALL.map(|tile| Matmul { tile, dtype, clamped: true }));
    }
}

/// Kernels for matrix units, with every storage type.
#[must_use]
pub fn cooperative() -> Vec<Rc<dyn Kernel>> {
    let mut all = List::default();
    all.push(HalfRows);
    for head_dim in [256, 512] {
        for kv_type in [KvType::F16, KvType::Q8_0] {
            all.extend([false, true].map(|until| Cooperative { head_dim, kv_type, until }));
        }
    }
    for dtype in DType::readers().filter(|&dtype| dtype != DType::F32) {
        let rows = CooperativeTile::ALL.map(|tile| (tile, Product::Rows));
        let others =
            [(CooperativeTile::EXPERTS, Product::Experts), (CooperativeTile::COLUMNS, Product::Columns)];
        let kernel = |(tile, product)| CooperativeMatmul { tile, dtype, product };
        all.extend(rows.into_iter().chain(others).map(kernel));
    }
    all.0
}
