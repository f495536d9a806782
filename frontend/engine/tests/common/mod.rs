//! What the tests on a device share.

#![allow(dead_code)] // Each test binary uses a part.

use std::cell::Cell;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::bytes::{ByteSource, Bytes, CancelToken, FileSource, LocalBoxFuture, MemorySource, SourceError};
use engine::gguf::Header;
use engine::gpu::{Gpu, GpuOptions};
use engine::model::{KvType, Tuning};
use engine::session::{LoadOptions, ModelFile, Session};

/// A path in this repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Whether what differs in sizes and numbers alone runs too: `cargo xtask test --thorough`.
pub fn is_thorough() -> bool {
    std::env::var_os("GEMTAB_THOROUGH").is_some()
}

/// The full golden set, which GEMTAB_GOLDEN names; else the test says that it skips what needs it.
pub fn full_set() -> Option<PathBuf> {
    if let Some(set) = std::env::var_os("GEMTAB_GOLDEN").map(PathBuf::from) {
        assert!(set.join("manifest.json").exists(), "GEMTAB_GOLDEN names no golden set: {}", set.display());
        return Some(set);
    }
    let test = std::thread::current();
    // Not by a macro: what those print is shown for failed tests alone.
    writeln!(std::io::stderr(), "skipped: {} needs GEMTAB_GOLDEN", test.name().unwrap_or_default()).ok();
    None
}

/// Opens a device. These tests can say nothing without one.
pub fn gpu() -> Rc<Gpu> {
    // Tolerances are those of floats.
    open(&GpuOptions { no_matrix_units: true, packed_tiles: Some(false), ..GpuOptions::default() })
}

/// A device with these options.
pub fn open(options: &GpuOptions) -> Rc<Gpu> {
    Rc::new(pollster::block_on(Gpu::open(options)).expect(
        "these tests need a GPU adapter; a software one is enough: install mesa-vulkan-drivers and set \
         VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json (lavapipe)",
    ))
}

/// Loads a model with a cache of full precision, so that it can be held against an f32 reference.
pub fn exact(gpu: &Rc<Gpu>, path: &Path) -> Session {
    load(gpu, path, &exact_options())
}

/// How [`exact`] loads.
pub fn exact_options() -> LoadOptions {
    LoadOptions {
        context: 2048,
        kv_type: KvType::F32,
        tuning: Some(EXACT_PRODUCTS),
        ..LoadOptions::default()
    }
}

/// The products that a software device uses, on every device: others may choose those that round, by timing.
pub const EXACT_PRODUCTS: Tuning = Tuning::unfused(false);

/// Loads a model.
pub fn load(gpu: &Rc<Gpu>, path: &Path, options: &LoadOptions) -> Session {
    let file = ModelFile::local(Rc::new(FileSource::open(path).expect("the model file opens")));
    pollster::block_on(Session::load(Rc::clone(gpu), file, options, &CancelToken::new(), &mut |_| ()))
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Opens a model in full precision, with the towers of a projector where one is given.
pub fn with_projector(gpu: &Rc<Gpu>, model: &Path, projector: Option<&Path>) -> Session {
    let mut session = exact(gpu, model);
    if let Some(path) = projector {
        let source: Rc<dyn ByteSource> = Rc::new(FileSource::open(path).expect("the projector opens"));
        let header = pollster::block_on(Header::read(&*source)).expect("a header");
        session.use_projector(&source, &header).expect("a projector");
    }
    session
}

/// A file on a server that counts what it is asked for.
pub struct Server {
    pub file: MemorySource,
    pub reads: Cell<u32>,
}

impl Server {
    /// A server with this file.
    pub fn new(file: Vec<u8>) -> Rc<Self> {
        Rc::new(Self { file: MemorySource::new(file), reads: Cell::default() })
    }
}

impl ByteSource for Server {
    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        self.reads.set(self.reads.get() + 1);
        self.file.read(range)
    }
}
