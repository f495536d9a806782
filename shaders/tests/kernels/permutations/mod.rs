//! Every permutation that the engine may ask for, in the shapes that tests use: what is expanded and validated.

mod matvec;

use std::collections::HashSet;
use std::sync::LazyLock;

use naga::Module;
use naga::front::wgsl::{Frontend, Options};
use naga::valid::Capabilities;
use shaders::attention::{
    KvType,
    block::Block,
    cooperative::Cooperative,
    decode::Decode,
    decode::Kv,
    few_rows,
    split::{MergeChunk, Split},
};
use shaders::audio;
use shaders::backward::{self, cross_entropy, geglu, heads::Heads};
use shaders::diffusion::{join::Join, statistics::Statistics, weigh::Weigh};
use shaders::draft;
use shaders::experts::low_rank::{Expand, Reduce};
use shaders::experts::{
    Mixture, buckets::Buckets, choose::Choose, down::Down, gate_up::GateUp, locate, mix::Mix,
};
use shaders::matmul::{self, FewRows, Matmul, PackedMatmul, PackedTile, Tile, few_rows::Epilogue};
use shaders::matvec::Form;
use shaders::ple::{
    combine::{Combine, Table},
    locate as find,
};
use shaders::rows::{norm_add::NormAdd, norm_add::NormAddRows, qkv_finish::QkvFinish};
use shaders::train::{expert_gradient, lora::Lora, optimiser, rows, sum_pairs};
use shaders::vision::{self, layer_norm::LayerNorm};
use shaders::{DType, Kernel as _, PreprocessError, Source, adapter, selftest};

/// Sizes of a head. Those of queries and keys in pictures are others, too.
const HEAD_DIMS: [u32; 6] = [16, 32, 64, 128, 256, 512];
const BOTH: [bool; 2] = [true, false];
const MIXTURES: [Mixture; 2] = [Mixture { experts: 128, used: 8 }, Mixture { experts: 5, used: 3 }];

/// Sources as launchers give them.
type Sources = Vec<Result<Source, PreprocessError>>;

/// All of them, each once: those of the self-test, and what differs from them.
pub fn permutations() -> Vec<Source> {
    let families = [
        selftest::standard().iter().map(|kernel| kernel.source()).collect(),
        matvec::permutations(),
        of_types(),
        decoder(),
        experts(),
        towers(),
        backward_pass(),
        training(),
        vec![Join.source(), Statistics.source(), Weigh.source()],
    ];
    let mut seen = HashSet::new();
    let all = families.into_iter().flatten().map(|source| source.expect("every template preprocesses"));
    all.filter(|source| seen.insert((source.name.clone(), source.wgsl.clone()))).collect()
}

/// unpack2x16float and its like are core WGSL; naga counts them apart for the sake of WebGL.
pub const PORTABLE: Capabilities = Capabilities::SHADER_FLOAT16_IN_FLOAT32;

/// Reads the text of a kernel.
pub fn parse(source: &Source, capabilities: Capabilities) -> Module {
    let options = Options { parse_doc_comments: false, capabilities };
    let parsed = Frontend::new_with_options(options).parse(&source.wgsl);
    parsed.unwrap_or_else(|error| panic!("{}: {}", source.name, error.emit_to_string(&source.wgsl)))
}

/// All permutations, parsed, once for all tests that look at texts.
pub fn parsed() -> &'static [(Source, Module)] {
    static PARSED: LazyLock<Vec<(Source, Module)>> = LazyLock::new(|| {
        let parsed = |source| {
            let module = parse(&source, PORTABLE);
            (source, module)
        };
        permutations().into_iter().map(parsed).collect()
    });
    &PARSED
}

/// Those for devices with matrix units.
pub fn cooperative() -> Vec<Source> {
    let heads = [64, 128, 192].into_iter().flat_map(|head_dim| {
        [KvType::F16, KvType::Q8_0]
            .into_iter()
            .flat_map(move |kv_type| BOTH.map(|until| Cooperative { head_dim, kv_type, until }.source()))
    });
    let all = selftest::cooperative().into_iter().map(|kernel| kernel.source()).chain(heads);
    all.collect::<Result<_, _>>().expect("every template preprocesses")
}

/// What reads planar matrices of any type.
fn of_types() -> Sources {
    let mut all: Sources = BOTH.map(|few_rows| find::Locate { few_rows }.source()).into();
    for dtype in DType::readers() {
        all.push(vision::position::Positions(dtype).source());
        all.push(Combine(Table::Planar(dtype)).source());
        all.extend([draft::input::Input(dtype).source(), draft::ordered_head::OrderedHead(dtype).source()]);
        let tiles = Tile::ALL.into_iter().chain([Tile::SOFTWARE]);
        let tiles = tiles.flat_map(|tile| BOTH.map(|clamped| Matmul { tile, dtype, clamped }));
        all.extend(tiles.map(|kernel| kernel.source()));
        all.extend(few_products(dtype).map(|kernel| kernel.source()));
        let packed = PackedTile::ALL.into_iter().filter(|_| PackedTile::suits(dtype, 32));
        all.extend(packed.map(|tile| PackedMatmul { tile, dtype, experts: false }.source()));
        all.extend(
            PackedTile::suits(dtype, 32)
                .then(|| PackedMatmul { tile: PackedTile::EXPERTS, dtype, experts: true }.source()),
        );
        let of_experts = BOTH.into_iter().flat_map(matmul::experts::tiles);
        all.extend(of_experts.map(|&tile| matmul::experts::ExpertMatmul { tile, dtype }.source()));
        let back = BOTH.into_iter().flat_map(backward::input::Tile::all);
        all.extend(back.map(|&tile| backward::input::ColumnProduct { tile, dtype }.source()));
        let backward = |tile: &Tile| backward::experts::source(backward::experts::tile(*tile), dtype);
        all.extend(matmul::experts::tiles(false).iter().map(backward));
    }
    all
}

/// Products of a few rows with a matrix of this type, alone or beside others.
pub fn few_products(dtype: DType) -> impl Iterator<Item = FewRows> {
    let short = Form::new(4, 2, 1).with_lanes(16);
    let alone = [
        Form::new(4, 4, 1),
        Form::new(2, 4, 1),
        short,
        Form::new(4, 4, 1).packed(),
        Form::new(2, 1, 1).packed(),
        short.packed(),
    ];
    let (small, sixteen) = (Form::new(2, 4, 1), Form::new(2, 8, 1));
    let fused = move |rows: u32| {
        let store = |dtypes: &[DType], form| FewRows::new(rows, dtypes, form);
        let geglu = |form| FewRows { epilogue: Epilogue::Geglu, ..store(&[dtype, DType::Q4_K], form) };
        let ple = |form| FewRows { epilogue: Epilogue::Ple, ..store(&[dtype], form) };
        let three = [DType::Q4_K, dtype, DType::Q6_K];
        let floats = [store(&three, small), geglu(small), geglu(Form::new(2, 2, 1)), ple(small)];
        let packed =
            [store(&three[..2], small.packed()), store(&three, small.packed()), geglu(small.packed())];
        let packs = |kernel| FewRows { packs: true, ..kernel };
        let gated = [sixteen.packed(), sixteen.with_lanes(16).packed(), sixteen].map(geglu);
        let packing = gated.into_iter().chain([ple(sixteen.packed())]).map(packs);
        let corrected = [
            store(&three, small),
            store(&three, small.packed()),
            geglu(small),
            ple(small),
            packs(geglu(sixteen.packed())),
        ];
        let corrected = corrected.map(|kernel| FewRows { quads: 5, ..kernel });
        floats.into_iter().chain(packed).chain(packing).chain(corrected)
    };
    // Others than 4 rows in fused forms differ no more than in plain ones.
    let all_rows = if dtype == DType::Q4_K { &FewRows::ROWS[..] } else { &[4][..] };
    let all =
        FewRows::ROWS.into_iter().flat_map(move |rows| alone.map(|form| FewRows::new(rows, &[dtype], form)));
    let all = all.chain(all_rows.iter().flat_map(move |&rows| fused(rows)));
    // Beside others, a matrix of floats has no packed form; alone, X is unpacked for it.
    all.filter(move |kernel| !(kernel.form.packed && dtype.is_float() && kernel.dtypes.len() > 1))
}

/// What stands between the products of a decoder.
fn decoder() -> Sources {
    let mut all: Sources = (1..=3).map(|products| adapter::expand::Expand(products).source()).collect();
    all.extend(NormAdd::ALL.map(|form| NormAddRows { form, width: 5376 }.source()));
    for head_dim in HEAD_DIMS {
        for kv in [Kv::Own, Kv::OwnVIsK, Kv::Shared] {
            for kv_type in KvType::ALL {
                all.push(QkvFinish { head_dim, kv, kv_type, joined: false }.source());
                if kv != Kv::Shared {
                    all.push(QkvFinish { head_dim, kv, kv_type, joined: true }.source());
                }
                all.extend([0, 4].map(|quads| Decode { head_dim, kv, kv_type, group: 1, quads }.source()));
                for sharing in [2, 4] {
                    let group = Decode::group(head_dim, sharing, kv != Kv::Shared, kv_type);
                    // Large heads have groups of 2 with a cache of f32.
                    if group == sharing {
                        all.push(Decode { head_dim, kv, kv_type, group, quads: 0 }.source());
                    }
                }
            }
        }
    }
    for head_dim in HEAD_DIMS {
        all.extend(BOTH.map(|packed| few_rows::MergeRows { head_dim, packed }.source()));
        for kv_type in KvType::ALL {
            for (rows, group) in [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (3, 1), (4, 1)] {
                let form = |finished| few_rows::FewRows { head_dim, kv_type, finished, rows, group };
                all.extend(BOTH.map(|finished| form(finished).source()));
            }
        }
    }
    for head_dim in HEAD_DIMS.into_iter().chain([72]) {
        let block = |kv_type| BOTH.map(|until| Block { head_dim, kv_type, until }.source());
        let kv_types = KvType::ALL.into_iter().filter(|kv_type| kv_type.supports(head_dim));
        all.extend(kv_types.clone().flat_map(block));
        let split = |kv_type| BOTH.map(|until| Split(Block { head_dim, kv_type, until }).source());
        all.extend(kv_types.flat_map(split));
        all.extend(MergeChunk::supports(head_dim).then(|| MergeChunk { head_dim }.source()));
    }
    all
}

fn experts() -> Sources {
    let mut all = Vec::new();
    for mixture in MIXTURES {
        all.extend([Choose(mixture).source(), Mix { mixture: Some(mixture), width: 768 }.source()]);
        all.extend([16, 32].map(|bm| Buckets { mixture, bm }.source()));
        all.extend(BOTH.map(|few_rows| locate::Locate { mixture, few_rows }.source()));
        let reduce = |scaled| BOTH.map(|packed| Reduce { mixture, sorted: false, scaled, packed }.source());
        all.extend(BOTH.into_iter().flat_map(reduce));
        all.extend([Expand::Few, Expand::FewSummed].map(|expand| expand(mixture).source()));
        for dtype in DType::readers() {
            for form in product_forms(dtype) {
                let kernel = GateUp { mixture, gate: dtype, up: dtype, packs: false, corrected: false, form };
                all.push(kernel.source());
                all.push(GateUp { packs: true, ..kernel }.source());
                all.extend(BOTH.map(|packs| GateUp { packs, corrected: true, ..kernel }.source()));
                all.push(Down { mixture, dtype, form }.source());
                if dtype != DType::Q4_K {
                    all.push(GateUp { gate: DType::Q4_K, ..kernel }.source());
                }
            }
        }
    }
    let mixture = MIXTURES[0];
    all.extend(BOTH.map(|scaled| Reduce { mixture, sorted: true, scaled, packed: false }.source()));
    all.push(Expand::Sorted(mixture).source());
    all.push(Mix { mixture: None, width: 768 }.source());
    all
}

/// A form with 16 rows per workgroup, with floats and, where they can be, packed.
fn product_forms(dtype: DType) -> impl Iterator<Item = Form> {
    let form = Form::new(2, 8, 1);
    [form, form.packed()].into_iter().take(1 + usize::from(!dtype.is_float()))
}

/// Towers of other shapes than the published ones.
fn towers() -> Sources {
    let mut all: Sources = [16, 128].map(|head_dim| vision::heads::Heads { head_dim }.source()).into();
    all.push(LayerNorm { bias: true, rms: true }.source());
    all.push(audio::attention::Attention { head_dim: 64 }.source());
    all
}

fn backward_pass() -> Sources {
    let mut all = vec![backward::norm::source(), cross_entropy::loss(), cross_entropy::gradient()];
    all.extend(MIXTURES.map(backward::choices::source));
    all.extend(geglu::Form::ALL.map(geglu::Form::source));
    for head_dim in HEAD_DIMS {
        for both in BOTH {
            all.push(Heads { head_dim, turned: both }.source());
            all.push(backward::attention::queries(head_dim, both));
            all.push(backward::attention::keys_values(head_dim, both));
        }
    }
    all
}

fn training() -> Sources {
    let mut all = vec![optimiser::squares(), optimiser::AdamW::source(), rows::copy(), rows::pick_rows()];
    all.extend(MIXTURES.into_iter().flat_map(|mixture| BOTH.map(|w| sum_pairs::source(mixture, w))));
    all.extend(BOTH.map(expert_gradient::source));
    all.extend(Lora::ALL.into_iter().flat_map(|kernel| BOTH.map(|dropout| kernel.source(dropout))));
    all
}
