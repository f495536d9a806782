//! Real headers, broken headers, and headers made to do harm.

use std::cell::Cell;
use std::ops::Range;
use std::path::PathBuf;

use futures_util::FutureExt as _;
use proptest::prelude::*;
use shaders::DType;

use engine::bytes::{ByteSource, Bytes, FileSource, LocalBoxFuture, MemorySource, SourceError};
use engine::gguf::{
    DTypeId, GgufError, Header, StringArray, TensorSpec, Value, WriteError, WriteValue, Writer, limits,
    summary,
};

const ALIGNMENT_KEY: &str = "general.alignment";

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/models").join(name)
}

fn parse(bytes: &[u8]) -> Result<Header, GgufError> {
    pollster::block_on(Header::read(&MemorySource::new(bytes.to_vec())))
}

fn open(name: &str) -> Header {
    let source = FileSource::open(golden(name)).expect("the model is in the repository");
    pollster::block_on(Header::read(&source)).expect("a good file")
}

/// A header put together field by field, so that any field can be wrong.
#[derive(Clone, Default)]
struct Raw(Vec<u8>);

impl Raw {
    fn new(version: u32, tensors: u64, pairs: u64) -> Self {
        Self(b"GGUF".to_vec()).u32(version).u64(tensors).u64(pairs)
    }

    fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    fn u32(self, value: u32) -> Self {
        self.raw(&value.to_le_bytes())
    }

    fn u64(self, value: u64) -> Self {
        self.raw(&value.to_le_bytes())
    }

    fn str(self, text: &str) -> Self {
        self.u64(text.len() as u64).raw(text.as_bytes())
    }

    fn tensor(self, name: &str, shape: &[u64], dtype: u32, offset: u64) -> Self {
        let raw = self.str(name).u32(shape.len() as u32);
        shape.iter().fold(raw, |raw, &dimension| raw.u64(dimension)).u32(dtype).u64(offset)
    }

    /// Padding, then `len` bytes of tensor data.
    fn data(mut self, len: usize) -> Self {
        let start = self.0.len().next_multiple_of(32);
        self.0.resize(start + len, 0);
        self
    }

    fn parse(&self) -> Result<Header, GgufError> {
        parse(&self.0)
    }
}

#[test]
fn a_published_layout_is_read() {
    let header = open("tiny-e2b.q4_k_m.gguf");
    assert_eq!((header.version, header.alignment, header.tensors.len()), (3, 32, 99));
    assert_eq!(header.architecture(), Some("gemma4"));
    let metadata = &header.metadata;
    assert_eq!(metadata.u32("gemma4.embedding_length"), Some(256));
    assert_eq!(metadata.f32("gemma4.rope.freq_base"), Some(1e6));
    assert_eq!(metadata.integers("gemma4.feed_forward_length"), Some(vec![256, 256, 256, 512, 512, 512]));
    assert_eq!(metadata.bool("tokenizer.ggml.add_bos_token"), Some(true));
    let tokens = metadata.strings("tokenizer.ggml.tokens").expect("tokens");
    assert_eq!((tokens.len(), tokens.get(2)), (1024, Some("<bos>")));
    let merges = metadata.strings("tokenizer.ggml.merges").expect("merges");
    assert_eq!((merges.len(), merges.get(1)), (630, Some("\n \n\n")));

    let tensor = header.require("per_layer_token_embd.weight").expect("it is there");
    assert_eq!(tensor.shape, [1536, 1024]);
    assert_eq!(tensor.dtype, DTypeId::Known(DType::Q6_K));
    assert_eq!(tensor.range(), header.data_start + 215_040..header.data_start + 1_505_280);
    assert_eq!((tensor.columns(), tensor.rows(), tensor.elements()), (1536, 1024, 1536 * 1024));
    assert!(matches!(header.require("blk.6.attn_q.weight"), Err(GgufError::MissingTensor { .. })));
}

#[test]
fn every_model_of_the_repository_is_read_and_fills_its_file() {
    let mut models = 0;
    for entry in std::fs::read_dir(golden("")).expect("the folder is in the repository") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_none_or(|extension| extension != "gguf") {
            continue;
        }
        let source = FileSource::open(&path).expect("a readable file");
        let header = pollster::block_on(Header::read(&source))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let end = header.tensors.iter().map(|tensor| tensor.range().end).max().expect("tensors");
        assert!(end <= header.file_size && header.file_size - end < 32, "{}", path.display());
        models += 1;
    }
    assert!(models >= 5, "{models}");
}

#[test]
fn a_summary_adds_up() {
    let header = open("tiny-e2b.q4_k_m.gguf");
    let summary = summary(&header);
    assert_eq!(summary.architecture, "gemma4");
    assert_eq!((summary.vision, summary.audio), (false, false));
    assert_eq!(summary.types.iter().map(|share| share.tensors).sum::<u32>(), 99);
    assert_eq!(
        summary.types.iter().map(|share| share.bytes).sum::<u64>(),
        header.tensors.iter().map(|tensor| tensor.bytes).sum::<u64>()
    );
    let mut names: Vec<_> = summary.types.iter().map(|share| &*share.name).collect();
    names.sort_unstable();
    assert_eq!(names, ["F16", "F32", "Q4_K", "Q6_K"]);
    assert!(summary.types.windows(2).all(|pair| pair[0].bytes >= pair[1].bytes));
    assert!(summary.parameters > 2_000_000);
}

#[test]
fn version_2_is_read_as_version_3() {
    let raw = |version| Raw::new(version, 1, 0).tensor("a", &[8], 0, 0).data(32);
    let (two, three) = (raw(2).parse().expect("version 2"), raw(3).parse().expect("version 3"));
    assert_eq!((two.version, three.version), (2, 3));
    assert_eq!(two.tensors, three.tensors);
}

#[test]
fn what_is_no_gguf_is_named() {
    let error = parse(b"PK\x03\x04 and so on").expect_err("a zip file");
    assert!(matches!(error, GgufError::NotGguf { found: [b'P', b'K', 3, 4] }), "{error}");
    let error = parse(b"<!doctype html>").expect_err("a web page");
    assert_eq!(error.to_string(), "This is not a GGUF file: it begins with \u{ab}<!do\u{bb}.");
    assert!(matches!(parse(b"GG"), Err(GgufError::HeaderCut { file_size: 2, .. })));
    assert!(matches!(parse(b""), Err(GgufError::HeaderCut { file_size: 0, .. })));
    assert!(matches!(Raw::new(1, 0, 0).parse(), Err(GgufError::Version { version: 1 })));
    assert!(matches!(Raw::new(4, 0, 0).parse(), Err(GgufError::Version { version: 4 })));
    assert!(matches!(Raw::new(3 << 24, 0, 0).parse(), Err(GgufError::BigEndian)));
    assert!(Raw::new(3, 0, 0).parse().expect("an empty file is a file").tensors.is_empty());
}

#[test]
fn counts_and_lengths_are_held_against_the_file() {
    for count in [u64::MAX, 1 << 40, 100] {
        let pairs = Raw::new(3, 0, count).parse();
        assert!(matches!(pairs, Err(GgufError::Overfull { value, .. }) if value == count));
        let tensors = Raw::new(3, count, 0).parse();
        assert!(matches!(tensors, Err(GgufError::Overfull { value, .. }) if value == count));
        let key = Raw::new(3, 0, 1).u64(count).data(40).parse();
        assert!(matches!(key, Err(GgufError::Overfull { value, .. }) if value == count));
        for kind in [0, 5, 8, 10] {
            let array = Raw::new(3, 0, 1).str("a").u32(9).u32(kind).u64(count).data(40).parse();
            assert!(matches!(array, Err(GgufError::Overfull { value, .. }) if value == count));
        }
    }
}

/// A file that pretends to be a terabyte, so that no count exceeds it. Counts what is read.
struct Terabyte {
    head: Vec<u8>,
    filler: u8,
    read: Cell<u64>,
}

impl ByteSource for Terabyte {
    fn len(&self) -> u64 {
        1 << 40
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        self.read.set(self.read.get() + range.end - range.start);
        let byte = |at| self.head.get(at as usize).copied().unwrap_or(self.filler);
        std::future::ready(Ok(range.map(byte).collect::<Vec<u8>>().into())).boxed_local()
    }
}

#[test]
fn limits_hold_where_the_file_is_huge() {
    let huge = 1 << 35;
    let pair = || Raw::new(3, 0, 1).str("key");
    let cases = [
        (Raw::new(3, 0, huge), 0),
        (Raw::new(3, huge, 0), 0),
        (Raw::new(3, 0, 1).u64(huge), 0),
        (pair().u32(8).u64(huge), 0),
        (pair().u32(9).u32(0).u64(huge), 0),
        (pair().u32(9).u32(8).u64(huge), 0),
        // Each part is plausible, all together are not.
        (Raw::new(3, 0, limits::PAIRS), 0),
        (pair().u32(9).u32(8).u64(limits::ARRAY_ELEMENTS), 1),
        (Raw::new(3, limits::TENSORS, 0), 0),
    ];
    for (number, (raw, filler)) in cases.into_iter().enumerate() {
        let file = Terabyte { head: raw.0, filler, read: Cell::new(0) };
        let result = pollster::block_on(Header::read(&file));
        assert!(result.is_err(), "case {number}");
        assert!(file.read.get() <= limits::HEADER_BYTES + (16 << 20), "case {number}: {}", file.read.get());
    }
}

#[test]
fn a_long_header_is_read_through_a_moving_window() {
    let piece = "x".repeat(100);
    let count = 60_000;
    let raw = Raw::new(3, 1, 2).str("strings").u32(9).u32(8).u64(count);
    let raw = (0..count).fold(raw, |raw, _| raw.str(&piece));
    let raw = raw.str("last").u32(4).u32(7).tensor("a", &[8], 0, 0).data(32);
    let mut steps = Vec::new();
    let source = MemorySource::new(raw.0.clone());
    let header = pollster::block_on(Header::read_with_progress(&source, &mut |read| steps.push(read)))
        .expect("a good header");
    assert_eq!(header.metadata.strings("strings").expect("strings").len(), count as usize);
    assert_eq!(header.metadata.u32("last"), Some(7));
    assert!(steps.len() >= 3 && steps.is_sorted(), "{steps:?}");
    assert_eq!(*steps.last().expect("steps"), raw.0.len() as u64);
}

#[test]
fn broken_metadata_is_refused() {
    let pair = || Raw::new(3, 0, 1).str("key");
    assert!(matches!(
        pair().u32(13).data(8).parse(),
        Err(GgufError::UnknownValueType { value_type: 13, .. })
    ));
    let twice = Raw::new(3, 0, 2).str("key").u32(4).u32(1).str("key").u32(4).u32(1);
    assert!(matches!(twice.parse(), Err(GgufError::DuplicateKey { .. })));
    let nested = |levels| (0..levels).fold(pair().u32(9), |raw, _| raw.u32(9).u64(1)).u32(4).u64(0);
    assert!(nested(limits::NESTING).parse().is_ok());
    assert!(matches!(nested(limits::NESTING + 1).parse(), Err(GgufError::NestedArray { .. })));
    let many = pair().u32(9).u32(9).u64(2).u32(0).u64(limits::ARRAY_ELEMENTS - 1).data(1 << 23);
    assert!(matches!(many.parse(), Err(GgufError::TooMany { .. })));
    let cut = pair().u32(9).u32(9).u64(2).u32(8).u64(1).str("a").u32(4).u64(3);
    assert!(matches!(cut.parse(), Err(GgufError::Overfull { .. })));
}

#[test]
fn odd_values_of_keys_that_nobody_reads_are_skipped() {
    let array = |kind| Raw::default().u32(9).u32(kind);
    let nested =
        array(9).u64(4).u32(4).u64(2).u32(7).u32(8).u32(8).u64(1).str("text").u32(9).u64(1).u32(0).u64(3);
    let odd = [
        nested.raw(&[1, 2, 3]).u32(12).u64(0),
        Raw::default().u32(7).raw(&[2]),
        array(7).u64(2).raw(&[1, 255]),
        array(10).u64(2).u64(1).u64(u64::MAX),
        Raw::default().u32(8).u64(2).raw(&[0xff, 0xfe]),
        array(8).u64(3).str("a").u64(1).raw(&[0xe4]).str("b"),
        // Whatever the elements would be.
        array(13).u64(0),
        array(9).u64(2).u32(99).u64(0).u32(7).u64(1).raw(&[1]),
    ];
    for (index, odd) in odd.iter().enumerate() {
        let raw = Raw::new(3, 0, 2).str("odd").raw(&odd.0).str("last").u32(4).u32(7);
        let metadata = raw.parse().unwrap_or_else(|error| panic!("{index}: {error}")).metadata;
        assert!(matches!(metadata.0.get("odd"), Some(Value::Skipped(_))), "{index}: {metadata:?}");
        assert_eq!(metadata.u32("last"), Some(7), "{index}");
        // Who needs it is told what it is.
        assert!(metadata.try_u32("odd").is_err(), "{index}");
    }
}

#[test]
fn alignment_is_a_power_of_two() {
    let file = |kind, value| {
        let raw = Raw::new(3, 2, 1).str(ALIGNMENT_KEY).u32(kind).u32(value);
        raw.tensor("a", &[8], 0, 0).tensor("b", &[8], 0, 64).data(200).parse()
    };
    let header = file(4, 64).expect("64 is fine");
    assert_eq!((header.alignment, header.data_start % 64), (64, 0));
    for value in [0, 3, 48, 1 << 20, u32::MAX] {
        assert!(matches!(file(4, value), Err(GgufError::BadAlignment { .. })), "{value}");
    }
    assert_eq!(file(5, 64).expect("a signed integer is one as well").alignment, 64);
    assert!(matches!(file(5, u32::MAX - 63), Err(GgufError::BadAlignment { .. })), "-64");
    assert!(matches!(file(6, 32), Err(GgufError::BadAlignment { .. })), "a float");
    assert!(matches!(file(4, 128), Err(GgufError::Misaligned { alignment: 128, .. })));
}

#[test]
fn broken_tensors_are_refused() {
    let one =
        |shape: &[u64], dtype, offset| Raw::new(3, 1, 0).tensor("t", shape, dtype, offset).data(4096).parse();
    assert!(one(&[], 0, 0).is_ok(), "a scalar");
    assert!(matches!(one(&[1; 5], 0, 0), Err(GgufError::TooManyDimensions { dimensions: 5, .. })));
    assert!(matches!(one(&[4, 0], 0, 0), Err(GgufError::BadShape { .. })));
    assert!(matches!(one(&[1 << 32, 1 << 32], 0, 0), Err(GgufError::BadShape { .. })));
    assert!(matches!(one(&[1 << 62], 0, 0), Err(GgufError::BadShape { .. })), "elements fit, bytes do not");
    assert!(matches!(
        one(&[100, 4], 12, 0),
        Err(GgufError::PartialBlock { row: 100, block: 256, dtype: "Q4_K", .. })
    ));
    assert!(matches!(one(&[8], 0, 4), Err(GgufError::Misaligned { offset: 4, .. })));
    assert!(matches!(one(&[8], 0, u64::MAX - 31), Err(GgufError::Truncated { .. })));

    let name = Raw::new(3, 1, 0).u64(2).raw(&[0xc3, 0x28]).data(64);
    assert!(matches!(name.parse(), Err(GgufError::NotText { what: "the name of a tensor", .. })));
    let two = |second, offset| {
        Raw::new(3, 2, 0).tensor("first", &[16], 0, 0).tensor(second, &[8], 0, offset).data(4096).parse()
    };
    assert!(matches!(two("first", 64), Err(GgufError::DuplicateTensor { .. })));
    assert!(
        matches!(two("second", 32), Err(GgufError::Overlap { first, second }) if (&*first, &*second) == ("first", "second"))
    );
    assert!(two("second", 64).is_ok());
}

#[test]
fn a_truncated_file_says_how_much_is_missing() {
    let whole = std::fs::read(golden("tiny-31b.q4_0.gguf")).expect("the model is in the repository");
    let header = parse(&whole).expect("a good file");
    let end = header.tensors.iter().map(|tensor| tensor.range().end).max().expect("tensors");
    let cut = header.data_start + 1000;
    match parse(&whole[..cut as usize]) {
        Err(GgufError::Truncated { missing, file_size, needed }) => {
            assert_eq!((missing, file_size, needed), (end - cut, cut, end));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_type_that_is_not_read_here_is_kept_by_name_or_number() {
    let raw = Raw::new(3, 3, 0);
    let raw = raw.tensor("a", &[256], 31, 0).tensor("b", &[7], 777, 160).tensor("c", &[8], 0, 224);
    let header = raw.data(256).parse().expect("nothing is wrong with it");
    let describe = |name| {
        let tensor = header.require(name).expect("it is there");
        (tensor.dtype.to_string(), tensor.dtype.known(), tensor.bytes)
    };
    assert_eq!(describe("a"), ("Q4_0_4_4".to_owned(), None, 144));
    assert_eq!(describe("b"), ("type 777".to_owned(), None, 64), "up to the next tensor");
    assert_eq!(describe("c"), ("F32".to_owned(), Some(DType::F32), 32));
}

#[test]
fn what_is_written_is_read() {
    let strings: StringArray = ["a", "", "\u{2581}wide\n"].into_iter().collect();
    let metadata = [
        ("general.architecture".to_owned(), WriteValue::String("test".to_owned())),
        (ALIGNMENT_KEY.to_owned(), WriteValue::U32(64)),
        ("u64".to_owned(), WriteValue::U64(u64::MAX)),
        ("i32".to_owned(), WriteValue::I32(-5)),
        ("f32".to_owned(), WriteValue::F32(0.5)),
        ("bool".to_owned(), WriteValue::Bool(true)),
        ("u32s".to_owned(), WriteValue::U32s(vec![1, u32::MAX])),
        ("i32s".to_owned(), WriteValue::I32s(vec![-1, 2])),
        ("f32s".to_owned(), WriteValue::F32s(vec![1.5, -2.5])),
        ("bools".to_owned(), WriteValue::Bools(vec![true, false])),
        ("strings".to_owned(), WriteValue::Strings(strings.clone())),
    ];
    let tensors = [
        TensorSpec::new("a", &[3], DType::F32),
        TensorSpec::new("b", &[32, 2], DType::Q8_0),
        TensorSpec::new("c", &[1], DType::F32),
    ];
    let mut writer = Writer::new(Vec::new(), &metadata, &tensors).expect("a good header");
    writer.write(&[1; 12]).expect("all of a");
    writer.write(&[2; 34]).expect("one row of b");
    assert!(matches!(writer.write(&[0; 35]), Err(WriteError::TooMuch { excess: 1, .. })));
    writer.write(&[3; 34]).expect("the other row");
    writer.write(&[4; 4]).expect("all of c");
    let bytes = writer.finish().expect("complete");
    assert_eq!(bytes.len() % 64, 0);

    let header = parse(&bytes).expect("our own file");
    let expected = [
        ("general.architecture", Value::String("test".to_owned())),
        (ALIGNMENT_KEY, Value::Unsigned(64)),
        ("u64", Value::Unsigned(u64::MAX)),
        ("i32", Value::Signed(-5)),
        ("f32", Value::Float(0.5)),
        ("bool", Value::Bool(true)),
        ("u32s", Value::Integers(vec![1, u32::MAX.into()])),
        ("i32s", Value::Integers(vec![-1, 2])),
        ("f32s", Value::Floats(vec![1.5, -2.5])),
        ("bools", Value::Bools(vec![true, false])),
        ("strings", Value::Strings(strings)),
    ];
    assert_eq!(header.metadata.0, expected.into_iter().map(|(key, value)| (key.to_owned(), value)).collect());
    let data = |name| {
        let range = header.require(name).expect("it was written").range();
        bytes[range.start as usize..range.end as usize].to_vec()
    };
    assert_eq!(data("a"), [1; 12]);
    assert_eq!(data("b"), [[2; 34], [3; 34]].concat());
    assert_eq!(data("c"), [4; 4]);
    assert!(header.tensors.iter().all(|tensor| tensor.offset % 64 == 0));
}

#[test]
fn what_nobody_could_read_is_not_written() {
    let write = |metadata: &[(String, WriteValue)], tensors: &[TensorSpec]| {
        Writer::new(Vec::new(), metadata, tensors).map(Writer::finish)
    };
    let pair = |value| ("key".to_owned(), WriteValue::U32(value));
    let tensor = || TensorSpec::new("t", &[32], DType::Q8_0);
    let invalid = |result| match result {
        Err(WriteError::Invalid(error)) => error,
        other => panic!("{other:?}"),
    };
    assert!(matches!(invalid(write(&[pair(1), pair(2)], &[])), GgufError::DuplicateKey { .. }));
    assert!(matches!(invalid(write(&[], &[tensor(), tensor()])), GgufError::DuplicateTensor { .. }));
    let partial = TensorSpec::new("t", &[33], DType::Q8_0);
    assert!(matches!(invalid(write(&[], &[partial])), GgufError::PartialBlock { .. }));
    let odd = (ALIGNMENT_KEY.to_owned(), WriteValue::U32(33));
    assert!(matches!(invalid(write(&[odd], &[])), GgufError::BadAlignment { .. }));
    let unfinished = write(&[], &[tensor()]).expect("the header is good");
    assert!(matches!(unfinished, Err(WriteError::TooLittle { missing: 34, .. })));
}

/// The header and the first bytes of data of a small real model, in a file of the real size.
fn real_head() -> (Vec<u8>, u64) {
    let mut bytes = std::fs::read(golden("tiny-31b.q4_0.gguf")).expect("the model is in the repository");
    let size = bytes.len() as u64;
    let header = parse(&bytes).expect("a good file");
    bytes.truncate(header.data_start as usize);
    (bytes, size)
}

/// A file that begins with `head` and goes on with zeros.
struct Padded {
    head: Vec<u8>,
    len: u64,
}

impl ByteSource for Padded {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        let (start, end) = (range.start as usize, range.end as usize);
        let mut bytes = self.head[start.min(self.head.len())..end.min(self.head.len())].to_vec();
        bytes.resize(end - start, 0);
        std::future::ready(Ok(bytes.into())).boxed_local()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..400), real in any::<bool>()) {
        let mut bytes = bytes;
        if real && bytes.len() >= 8 {
            bytes[..8].copy_from_slice(b"GGUF\x03\0\0\0");
        }
        let _ = parse(&bytes);
    }

    #[test]
    fn structured_nonsense_is_survived(
        counts in (0..4_u64, 0..4_u64),
        words in proptest::collection::vec(prop_oneof![0..14_u64, any::<u64>()], 0..60),
    ) {
        let raw = words.iter().fold(Raw::new(3, counts.0, counts.1), |raw, &word| match word % 3 {
            0 => raw.u32(word as u32),
            1 => raw.u64(word),
            _ => raw.str("abc"),
        });
        let _ = raw.parse();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a mutated header says, what is accepted is consistent.
    #[test]
    fn mutated_headers_are_refused_or_consistent(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        early in any::<bool>(),
    ) {
        let (mut head, len) = real_head();
        for (index, byte) in &edits {
            // Most of a header is vocabulary; half of the cases aim at the fields before it or at the tensor table.
            let span = if early { 0..2000 } else { head.len() - 4000..head.len() };
            let at = span.start + index.index(span.len());
            head[at] = *byte;
        }
        if let Ok(header) = pollster::block_on(Header::read(&Padded { head, len })) {
            for tensor in &header.tensors {
                prop_assert!(tensor.range().end <= len);
                prop_assert!(tensor.offset >= header.data_start);
                prop_assert!(tensor.offset.is_multiple_of(header.alignment.into()) || header.alignment < 32);
                prop_assert_eq!(header.tensor(&tensor.name), Some(tensor));
            }
        }
    }

    #[test]
    fn a_file_cut_anywhere_is_refused(cut in any::<prop::sample::Index>()) {
        let whole = std::fs::read(golden("tiny-31b.q4_0.gguf")).expect("the model is in the repository");
        let header = parse(&whole).expect("a good file");
        let end = header.tensors.iter().map(|tensor| tensor.range().end).max().expect("tensors");
        let cut = cut.index(end as usize);
        prop_assert!(parse(&whole[..cut]).is_err());
    }
}
