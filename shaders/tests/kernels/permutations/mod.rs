//! Every permutation that the engine may ask for, in the shapes that tests use: what is expanded and validated.

mod matvec;

use std::sync::LazyLock;

use naga::Module;
use naga::front::wgsl::{Frontend, Options};
use naga::valid::Capabilities;
use shaders::attention::{
    KvType, block::Block, cooperative::Cooperative, decode::Decode, decode::Kv, few_rows,
};
use shaders::audio::{self, conv2d};
use shaders::backward::{self, cross_entropy, geglu, heads::Heads};
use shaders::diffusion::{join, statistics, weigh};
use shaders::draft;
use shaders::experts::low_rank::{Expand, Reduce};
use shaders::experts::{Mixture, buckets, choose, down::Down, gate_up::GateUp, locate, mix};
use shaders::matmul::{self, CooperativeTile, FewRows, Tile, few_rows::Epilogue};
use shaders::matvec::Form;
use shaders::ple::{
    combine::{self, Table},
    locate as find,
};
use shaders::rows::{gelu_mul, group_sum, norm_add::NormAdd, qkv_finish::QkvFinish};
use shaders::sampling::{self, Candidates, Sampling, look_up};
use shaders::train::{expert_gradient, lora::Lora, optimiser, rows, sum_pairs};
use shaders::vision::{self, layer_norm::LayerNorm};
use shaders::{DType, PreprocessError, Source, adapter, bandwidth, embed, repack};

/// Sizes of a head. Those of queries and keys in pictures are others, too.
const HEAD_DIMS: [u32; 6] = [16, 32, 64, 128, 256, 512];
const BOTH: [bool; 2] = [true, false];
const MIXTURES: [Mixture; 2] = [Mixture { experts: 128, used: 8 }, Mixture { experts: 5, used: 3 }];

/// Sources as launchers give them.
type Sources = Vec<Result<Source, PreprocessError>>;

/// All of them, each once.
pub fn permutations() -> Vec<Source> {
    let families = [
        matvec::permutations(),
        of_types(),
        decoder(),
        experts(),
        sampling(),
        vision_tower(),
        audio_tower(),
        backward_pass(),
        training(),
        vec![join::source(), statistics::source(), weigh::source()],
    ];
    families.into_iter().flatten().collect::<Result<_, _>>().expect("every template preprocesses")
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
    let plain = |dtype| CooperativeTile::ALL.map(|tile| tile.source(dtype));
    let of = |dtype| {
        let others =
            [CooperativeTile::EXPERTS.expert_source(dtype), CooperativeTile::COLUMNS.column_source(dtype)];
        plain(dtype).into_iter().chain(others)
    };
    let forms = [64, 128, 192, 256, 512]
        .into_iter()
        .flat_map(|head_dim| [KvType::F16, KvType::Q8_0].map(|kv_type| (head_dim, kv_type)))
        .flat_map(|(head_dim, kv_type)| {
            [false, true].map(|until| Cooperative { head_dim, kv_type, until }.source())
        });
    let all = DType::ALL.into_iter().flat_map(of).chain(forms);
    all.collect::<Result<_, _>>().expect("every template preprocesses")
}

/// What reads planar matrices of any type.
fn of_types() -> Sources {
    let mut all = vec![combine::source(Table::Host)];
    all.extend(BOTH.map(find::source));
    for dtype in DType::ALL {
        all.extend([embed::gather::source(dtype), repack::source(dtype), vision::position::source(dtype)]);
        all.extend(dtype.is_float().then(|| repack::requantize::source(dtype)));
        all.push(combine::source(Table::Planar(dtype)));
        all.extend([draft::input::source(dtype), draft::ordered_head::source(dtype)]);
        let tiles = Tile::ALL.into_iter().chain([Tile::SOFTWARE]);
        all.extend(tiles.flat_map(|tile| [tile.source(dtype), tile.clamped_source(dtype)]));
        all.extend(few_products(dtype).map(|kernel| kernel.source()));
        let of_experts = || BOTH.into_iter().flat_map(matmul::experts::tiles);
        all.extend(of_experts().map(|tile| matmul::experts::source(*tile, dtype)));
        let back = BOTH.into_iter().flat_map(backward::input::Tile::all);
        all.extend(back.map(|tile| tile.source(dtype)));
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
    let mut all = vec![
        bandwidth::copy::source(),
        gelu_mul::source(),
        matmul::pack_rows::source(),
        matmul::half_rows::source(),
    ];
    all.extend((1..=3).map(adapter::expand::source));
    all.extend([1536, 5376].iter().flat_map(|&width| NormAdd::ALL.map(|form| form.source(width))));
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
        all.extend(BOTH.map(|packed| few_rows::FewRows::merge(head_dim, packed)));
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
        all.extend(kv_types.flat_map(block));
    }
    all
}

fn experts() -> Sources {
    let mut all = Vec::new();
    for mixture in MIXTURES {
        all.extend([choose::source(mixture), mix::source(Some(mixture), 768)]);
        all.extend([16, 32].map(|bm| buckets::source(mixture, bm)));
        all.extend(BOTH.map(|few_rows| locate::source(mixture, few_rows)));
        let reduce = |scaled| BOTH.map(|packed| Reduce { mixture, sorted: false, scaled, packed }.source());
        all.extend(BOTH.into_iter().flat_map(reduce));
        all.extend([Expand::Few, Expand::FewSummed].map(|expand| expand(mixture).source()));
        for dtype in DType::ALL {
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
    all.push(mix::source(None, 768));
    all
}

/// A form with 16 rows per workgroup, with floats and, where they can be, packed.
fn product_forms(dtype: DType) -> impl Iterator<Item = Form> {
    let form = Form::new(2, 8, 1);
    [form, form.packed()].into_iter().take(1 + usize::from(!dtype.is_float()))
}

fn sampling() -> Sources {
    let mut all = vec![look_up::source(), sampling::draft::source(), draft::clusters::source()];
    for candidates in Candidates::ALL {
        let sampling = Sampling { vocab: 1 << 18, candidates };
        all.extend([sampling.top_k(), sampling.sample()]);
        all.extend(sampling.merges().then(|| sampling.merge_lists()));
    }
    all
}

fn vision_tower() -> Sources {
    let mut all = Vec::new();
    all.extend([16, 64, 72, 128].map(vision::heads::source));
    all.extend([16, 48].map(vision::patches::source));
    all.extend(BOTH.map(vision::pool::source));
    for bias in BOTH {
        all.extend(BOTH.map(|rms| LayerNorm { bias, rms }.source()));
    }
    all
}

fn audio_tower() -> Sources {
    let mut all = vec![audio::silu::source(), audio::unit_norm::source(), audio::light_conv::source()];
    // Every published tower has heads of 128.
    all.extend([128, 64].map(audio::attention::source));
    all.extend(conv2d::CHANNELS.map(|(from, to)| conv2d::Conv2d::new(from, to).source()));
    all
}

fn backward_pass() -> Sources {
    let mut all = vec![backward::norm::source(), cross_entropy::loss(), cross_entropy::gradient()];
    all.push(group_sum::source());
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
