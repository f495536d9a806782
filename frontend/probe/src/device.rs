//! The options of every command: which device, and how models are loaded.

use std::path::Path;
use std::rc::Rc;

use anyhow::Result;
use clap::{Args, ValueEnum};
use engine::bytes::CancelToken;
use engine::gguf::Header;
use engine::gpu::{Gpu, GpuOptions};
use engine::model::{KvType, LARGE, Tuning};
use engine::session::{DeviceMemory, LoadOptions, ModelFile, ModelSpec, Session, TablePlace};
use web_time::Instant;

use super::files::source;

/// Options of every command.
#[derive(Args)]
pub struct DeviceArgs {
    /// Choose the graphics card by a part of its name.
    #[arg(long, global = true)]
    gpu: Option<String>,
    /// Don't use optional features of the graphics card.
    #[arg(long, global = true)]
    portable: bool,
    /// Compute prefill by floats, also where the graphics card has matrix units.
    #[arg(long, global = true)]
    no_matrix_units: bool,
    /// Compute prefill without rows rounded to int8, also where they are faster and there are no matrix units.
    #[arg(long, global = true)]
    no_packed_tiles: bool,
    /// Split tables and experts into parts of at most this many bytes, as on a device with small bindings.
    #[arg(long, global = true, value_name = "BYTES")]
    largest_part: Option<u64>,
    /// Assume this much graphics memory. A per-layer table that doesn't fit is requantised, or stays in the file.
    #[arg(long, global = true, value_name = "BYTES")]
    memory: Option<u64>,
    /// Give the experts of a mixture this much graphics memory. The others stay in the file, and are loaded when they are
    /// chosen. By default, all memory that is left, if they don't fit.
    #[arg(long, global = true, value_name = "BYTES")]
    expert_budget: Option<u64>,
    /// Try other forms of the products of a generated token when the model is loaded, and use the fastest.
    #[arg(long, global = true)]
    tune: bool,
    /// Where the per-layer table may lie at best.
    #[arg(long, global = true, value_enum, default_value_t = TableArg::Device)]
    table_place: TableArg,
    /// The type of the KV cache.
    #[arg(long, global = true, value_enum, default_value_t = KvArg::F16)]
    kv_type: KvArg,
    /// Which quantised matrix products of a generated token use packed 8-bit integers.
    #[arg(long, global = true, value_enum, default_value_t = ProductsArg::Measured)]
    products: ProductsArg,
}

#[derive(Clone, Copy, ValueEnum)]
enum ProductsArg {
    /// Those that turn out to be the fastest.
    Measured,
    /// None of them.
    Floats,
    /// The large ones.
    Packed,
    /// All of them.
    AllPacked,
    /// All of them, and not fused with what precedes them.
    Unfused,
}

impl From<ProductsArg> for Option<Tuning> {
    fn from(asked: ProductsArg) -> Self {
        match asked {
            ProductsArg::Measured => None,
            ProductsArg::Floats => Some(Tuning::FLOATS),
            ProductsArg::Packed => Some(Tuning::packed(LARGE)),
            ProductsArg::AllPacked => Some(Tuning::packed(0)),
            ProductsArg::Unfused => Some(Tuning::unfused(true)),
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum TableArg {
    /// On the device as it is in the file.
    Device,
    /// On the device, requantised to Q8_0 if it is in floats.
    Requantized,
    /// In the file.
    Host,
}

impl From<TableArg> for TablePlace {
    fn from(asked: TableArg) -> Self {
        match asked {
            TableArg::Device => Self::Device,
            TableArg::Requantized => Self::Requantized,
            TableArg::Host => Self::Host,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum KvArg {
    /// Half precision, or Q8_0 where the context doesn't fit otherwise.
    F16,
    /// Full precision.
    F32,
    /// Signed bytes, and a scale for every 32 of them.
    #[value(name = "q8_0")]
    Q8_0,
}

impl From<KvArg> for KvType {
    fn from(asked: KvArg) -> Self {
        match asked {
            KvArg::F16 => Self::F16,
            KvArg::F32 => Self::F32,
            KvArg::Q8_0 => Self::Q8_0,
        }
    }
}

/// How models are loaded, for every command.
pub struct Device {
    pub gpu: GpuOptions,
    pub tuning: Option<Tuning>,
    tries_forms: bool,
    table: TablePlace,
    pub kv_type: KvType,
    expert_budget: Option<u64>,
}

impl Device {
    /// The options of a load with this context length.
    pub fn load(&self, context: u32) -> LoadOptions {
        let Self { tuning, tries_forms, table, kv_type, .. } = *self;
        LoadOptions { context, tuning, tries_forms, table, kv_type, ..LoadOptions::default() }
    }

    /// These options of a load, with places for as many experts as they may have.
    pub fn with_experts(&self, header: &Header, load: &LoadOptions, gpu: &Gpu) -> Result<LoadOptions> {
        let memory = DeviceMemory::assumed(gpu);
        Ok(ModelSpec::with_expert_budget(header, load, self.expert_budget, memory)?)
    }
}

impl From<DeviceArgs> for Device {
    fn from(args: DeviceArgs) -> Self {
        let gpu = GpuOptions {
            adapter: args.gpu,
            portable: args.portable,
            no_matrix_units: args.no_matrix_units,
            packed_tiles: args.no_packed_tiles.then_some(false),
            largest_part: args.largest_part,
            memory: args.memory,
            ..GpuOptions::default()
        };
        Self {
            gpu,
            tuning: args.products.into(),
            tries_forms: args.tune,
            table: args.table_place.into(),
            kv_type: args.kv_type.into(),
            expert_budget: args.expert_budget,
        }
    }
}

/// Loads a model for a context of this length.
pub fn load(options: &Device, model: &Path, context: u32) -> Result<(Session, f64, Rc<Gpu>)> {
    load_with(options, model, &options.load(context))
}

/// Loads a model. Also returns the milliseconds that it took.
pub fn load_with(
    options: &Device,
    model: &Path,
    load_options: &LoadOptions,
) -> Result<(Session, f64, Rc<Gpu>)> {
    let gpu = Rc::new(pollster::block_on(Gpu::open(&options.gpu))?);
    let started = Instant::now();
    let cancel = CancelToken::new();
    let mut quiet = |_| ();
    let mut file = ModelFile::local(source(model)?);
    let header = pollster::block_on(Header::read(&*file.bytes))?;
    let load_options = options.with_experts(&header, load_options, &gpu)?;
    file.header = Some(header);
    let load = Session::load(Rc::clone(&gpu), file, &load_options, &cancel, &mut quiet);
    let session = pollster::block_on(load)?;
    Ok((session, started.elapsed().as_secs_f64() * 1000.0, gpu))
}
