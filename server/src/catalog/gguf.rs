//! A glance at the header of a GGUF file: enough to say what it is in a list.
//!
//! The engine reads files properly; this reader keeps a few facts and skips the rest. Nothing in the file is trusted:
//! counts and lengths are compared with what the file can hold before anything is done with them, and the memory used
//! does not depend on them.

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek},
};

/// What the header says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peek {
    /// `general.architecture`, such as `gemma4`, or `clip` for towers in a file of their own.
    pub architecture: String,
    /// `general.name`, or empty.
    pub name: String,
    /// `general.size_label`, such as `5.1B`, or empty.
    pub size_label: String,
    /// `general.type`: `model`, `adapter`, `mmproj`, or empty.
    pub kind: String,
    /// Quantisation by `general.file_type`, such as `Q4_K_M`; empty when absent or unknown.
    pub quantization: &'static str,
    /// Elements of all tensors.
    pub parameters: u64,
    /// `<architecture>.embedding_length`: width of the residual stream.
    pub width: Option<u64>,
    /// `clip.vision.projection_dim` or `clip.audio.projection_dim`: the width that a tower's output fits.
    pub projection: Option<u64>,
    /// `<architecture>.embedding_length_out`: the width of the model that a drafter is for.
    pub target: Option<u64>,
    /// `split.count`: files that the model is cut into; 0 or 1 when it is whole.
    pub parts: u64,
    /// Whether the file says how a chat with it ends a turn: it has a template, or another end of answers than that of texts.
    pub chats: bool,
    /// Whether it makes one vector of all tokens: `<architecture>.pooling_type`.
    pub pools: bool,
    /// Whether there are tensors that see.
    pub vision: bool,
    /// Whether there are tensors that hear.
    pub audio: bool,
}

/// Why a header could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PeekError {
    /// The file does not begin with `GGUF`.
    #[error("it is not a GGUF file")]
    NotGguf,
    /// Another version than those that are read.
    #[error("it is GGUF version {0}; versions 2 and 3 are read")]
    Version(u32),
    /// The file ends before its header or before its last tensor begins.
    #[error("it is cut short")]
    Truncated,
    /// A count that no real file has.
    #[error("its header is damaged: {what} {count}")]
    Absurd {
        /// What is counted.
        what: &'static str,
        /// The count.
        count: u64,
    },
    /// Reading failed.
    #[error("it cannot be read ({0})")]
    Io(#[from] io::Error),
}

/// The id of `<eos>` in every vocabulary of Gemma.
const EOS: u64 = 1;
/// Metadata entries, tensors: published files have about 50 and 2000.
const MAX_ENTRIES: u64 = 1 << 16;
/// Elements of one array, with those of arrays in it: the largest vocabulary has 2^18 pieces and twice as many merges.
const MAX_ELEMENTS: u64 = 1 << 24;
/// Arrays inside one another: as many as the engine skips.
const MAX_NESTING: usize = 8;
/// Bytes of a key or a tensor's name.
const LONGEST_KEY: u64 = 1 << 12;
/// Bytes of a text that is kept; longer ones are left out.
const LONGEST_TEXT: u64 = 1 << 10;
/// Dimensions of a tensor.
const MAX_DIMENSIONS: u32 = 8;

/// Reads the header of an open file.
///
/// # Errors
/// When the file cannot be read, is not GGUF or contradicts itself.
pub fn peek(file: File) -> Result<Peek, PeekError> {
    let size = file.metadata()?.len();
    peek_from(file, size)
}

/// Reads the header of a file of `size` bytes.
///
/// # Errors
/// When reading fails, or when the bytes are not GGUF or contradict themselves.
pub fn peek_from(reader: impl Read + Seek, size: u64) -> Result<Peek, PeekError> {
    let (mut header, Counts { tensors, entries, .. }) = Header::begin(reader, size)?;

    let mut peek = Peek::default();
    let mut alignment = 32;
    // Tensors of all parts.
    let mut whole = None;
    for _ in 0..entries {
        let key = header.key()?;
        let kind = header.u32()?;
        match (key.as_str(), header.value(kind)?) {
            ("general.architecture", Value::Text(text)) => peek.architecture = text,
            ("general.name", Value::Text(text)) => peek.name = text,
            ("general.size_label", Value::Text(text)) => peek.size_label = text,
            ("general.type", Value::Text(text)) => peek.kind = text,
            ("general.file_type", Value::Unsigned(number)) => peek.quantization = quantization(number),
            ("general.alignment", Value::Unsigned(number)) => alignment = number,
            ("split.count", Value::Unsigned(number)) => peek.parts = number,
            (
                "tokenizer.chat_template" | "tokenizer.ggml.eot_token_id" | "tokenizer.ggml.eos_token_ids",
                _,
            ) => {
                peek.chats = true;
            }
            ("tokenizer.ggml.eos_token_id", Value::Unsigned(number)) => peek.chats |= number != EOS,
            ("split.tensors.count", Value::Unsigned(number)) => whole = Some(number),
            ("clip.vision.projection_dim" | "clip.audio.projection_dim", Value::Unsigned(number)) => {
                peek.projection = Some(number);
            }
            (key, Value::Unsigned(_)) if key.ends_with(".pooling_type") => peek.pools = true,
            (key, Value::Unsigned(number)) if is_width(key) => peek.width = Some(number),
            (key, Value::Unsigned(number)) if key.ends_with(".embedding_length_out") => {
                peek.target = Some(number);
            }
            _ => {}
        }
    }

    // A file that was put together again may still have the keys of a part.
    if whole.is_some_and(|whole| whole <= tensors) {
        peek.parts = 0;
    }

    let mut last_offset = None;
    for _ in 0..tensors {
        let name = header.key()?;
        let dimensions = header.dimensions()?;
        let mut elements = 1_u64;
        for _ in 0..dimensions {
            let length = header.u64()?;
            elements = elements
                .checked_mul(length)
                .ok_or(PeekError::Absurd { what: "length of a tensor:", count: length })?;
        }
        let _kind = header.u32()?;
        let offset = header.u64()?;
        peek.parameters = peek.parameters.saturating_add(elements);
        peek.vision |= name.starts_with("v.");
        peek.audio |= name.starts_with("a.") || name.starts_with("mm.a.");
        last_offset = last_offset.max(Some(offset));
    }
    // Tensors begin at the next multiple of the alignment. An unfinished download most often ends before the last one.
    let start = header.position.checked_next_multiple_of(alignment);
    if let Some(offset) = last_offset
        && start.and_then(|start| start.checked_add(offset)).is_none_or(|first| first >= size)
    {
        return Err(PeekError::Truncated);
    }
    Ok(peek)
}

/// Whether the key is `<architecture>.embedding_length`, not that of a tower (`<architecture>.vision.…`).
fn is_width(key: &str) -> bool {
    key.strip_suffix(".embedding_length").is_some_and(|architecture| !architecture.contains('.'))
}

/// A metadata value, as far as it matters here.
pub(crate) enum Value {
    Text(String),
    Unsigned(u64),
    Other,
}

/// What a file begins with.
pub(crate) struct Counts {
    pub(crate) version: u32,
    pub(crate) tensors: u64,
    pub(crate) entries: u64,
}

/// A reader that knows where it is and how much there is.
pub(crate) struct Header<R> {
    reader: R,
    pub(crate) position: u64,
    size: u64,
}

impl<R: Read + Seek> Header<BufReader<R>> {
    /// Reads up to the first metadata entry.
    pub(crate) fn begin(reader: R, size: u64) -> Result<(Self, Counts), PeekError> {
        let mut header = Self { reader: BufReader::with_capacity(1 << 16, reader), position: 0, size };
        if size < 4 || &header.take::<4>()? != b"GGUF" {
            return Err(PeekError::NotGguf);
        }
        let version = header.u32()?;
        if !(2..=3).contains(&version) {
            return Err(PeekError::Version(version));
        }
        let tensors = header.count("tensors", MAX_ENTRIES)?;
        let entries = header.count("metadata entries", MAX_ENTRIES)?;
        Ok((header, Counts { version, tensors, entries }))
    }

    /// A tensor's dimensions.
    pub(crate) fn dimensions(&mut self) -> Result<u32, PeekError> {
        let dimensions = self.u32()?;
        if dimensions > MAX_DIMENSIONS {
            return Err(PeekError::Absurd { what: "dimensions of a tensor:", count: dimensions.into() });
        }
        Ok(dimensions)
    }

    /// Fails unless `bytes` more are there.
    fn need(&self, bytes: u64) -> Result<(), PeekError> {
        if bytes > self.size - self.position { Err(PeekError::Truncated) } else { Ok(()) }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], PeekError> {
        self.need(N as u64)?;
        let mut bytes = [0; N];
        self.reader.read_exact(&mut bytes).map_err(shorter_than_it_was)?;
        self.position += N as u64;
        Ok(bytes)
    }

    pub(crate) fn skip(&mut self, bytes: u64) -> Result<(), PeekError> {
        self.need(bytes)?;
        let step = i64::try_from(bytes).map_err(|_| PeekError::Truncated)?;
        self.reader.seek_relative(step)?;
        self.position += bytes;
        Ok(())
    }

    pub(crate) fn u32(&mut self) -> Result<u32, PeekError> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, PeekError> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    fn count(&mut self, what: &'static str, most: u64) -> Result<u64, PeekError> {
        let count = self.u64()?;
        if count > most { Err(PeekError::Absurd { what, count }) } else { Ok(count) }
    }

    fn text(&mut self, length: u64) -> Result<String, PeekError> {
        self.need(length)?;
        // At most LONGEST_KEY: both callers have checked.
        let mut bytes = vec![0; length as usize];
        self.reader.read_exact(&mut bytes).map_err(shorter_than_it_was)?;
        self.position += length;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(crate) fn key(&mut self) -> Result<String, PeekError> {
        let length = self.count("bytes in a key:", LONGEST_KEY)?;
        self.text(length)
    }

    pub(crate) fn value(&mut self, kind: u32) -> Result<Value, PeekError> {
        match kind {
            STRING => {
                let length = self.u64()?;
                if length <= LONGEST_TEXT {
                    return Ok(Value::Text(self.text(length)?));
                }
                self.skip(length)?;
                Ok(Value::Other)
            }
            ARRAY => {
                self.skip_array()?;
                Ok(Value::Other)
            }
            U32 => Ok(Value::Unsigned(self.u32()?.into())),
            I32 => Ok(u64::try_from(i32::from_le_bytes(self.take()?)).map_or(Value::Other, Value::Unsigned)),
            U16 => Ok(Value::Unsigned(u16::from_le_bytes(self.take()?).into())),
            U64 => Ok(Value::Unsigned(self.u64()?)),
            _ => {
                self.skip(scalar_size(kind)?)?;
                Ok(Value::Other)
            }
        }
    }

    /// Skips an array, and those that it holds.
    fn skip_array(&mut self) -> Result<(), PeekError> {
        // How many are left at each level, and of all elements how many more there may be.
        let (mut levels, mut elements) = (vec![1], MAX_ELEMENTS);
        while let Some(left) = levels.last_mut() {
            if *left == 0 {
                levels.pop();
                continue;
            }
            *left -= 1;
            let kind = self.u32()?;
            let count = self.count("elements of an array:", elements)?;
            elements -= count;
            match kind {
                // Whatever they would be.
                _ if count == 0 => {}
                ARRAY if levels.len() > MAX_NESTING => {
                    return Err(PeekError::Absurd {
                        what: "arrays in one another:",
                        count: MAX_NESTING as u64,
                    });
                }
                ARRAY => levels.push(count),
                STRING => {
                    for _ in 0..count {
                        let length = self.u64()?;
                        self.skip(length)?;
                    }
                }
                // Both factors are small: this cannot overflow.
                _ => self.skip(count * scalar_size(kind)?)?,
            }
        }
        Ok(())
    }
}

/// The file shrank while it was read.
fn shorter_than_it_was(error: io::Error) -> PeekError {
    if error.kind() == io::ErrorKind::UnexpectedEof { PeekError::Truncated } else { error.into() }
}

// Value types, from the GGUF specification.
const U16: u32 = 2;
const U32: u32 = 4;
const I32: u32 = 5;
const STRING: u32 = 8;
const ARRAY: u32 = 9;
const U64: u32 = 10;

/// Bytes of a value of fixed size. Behind one of an unknown type nothing can be found.
fn scalar_size(kind: u32) -> Result<u64, PeekError> {
    match kind {
        0 | 1 | 7 => Ok(1),
        2 | 3 => Ok(2),
        4..=6 => Ok(4),
        10..=12 => Ok(8),
        _ => Err(PeekError::Absurd { what: "unknown type of a value:", count: kind.into() }),
    }
}

/// Names of `general.file_type`, numbered as in llama.cpp (`llama_ftype`).
fn quantization(file_type: u64) -> &'static str {
    match file_type {
        0 => "F32",
        1 => "F16",
        2 => "Q4_0",
        3 => "Q4_1",
        7 => "Q8_0",
        8 => "Q5_0",
        9 => "Q5_1",
        10 => "Q2_K",
        11 => "Q3_K_S",
        12 => "Q3_K_M",
        13 => "Q3_K_L",
        14 => "Q4_K_S",
        15 => "Q4_K_M",
        16 => "Q5_K_S",
        17 => "Q5_K_M",
        18 => "Q6_K",
        19 => "IQ2_XXS",
        20 => "IQ2_XS",
        21 => "Q2_K_S",
        22 => "IQ3_XS",
        23 => "IQ3_XXS",
        24 => "IQ1_S",
        25 => "IQ4_NL",
        26 => "IQ3_S",
        27 => "IQ3_M",
        28 => "IQ2_S",
        29 => "IQ2_M",
        30 => "IQ4_XS",
        31 => "IQ1_M",
        32 => "BF16",
        36 => "TQ1_0",
        37 => "TQ2_0",
        38 => "MXFP4_MOE",
        39 => "NVFP4",
        40 => "Q1_0",
        41 => "Q2_0",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;
    use crate::testing::Gguf;

    fn read(bytes: &[u8]) -> Result<Peek, PeekError> {
        peek_from(Cursor::new(bytes), bytes.len() as u64)
    }

    #[test]
    fn keeps_what_a_list_needs() {
        let bytes = Gguf::new("gemma4")
            .text("general.name", "Tiny")
            .text("general.size_label", "4.1M")
            .number("general.file_type", 15)
            .number("gemma4.embedding_length", 256)
            .number("gemma4.vision.embedding_length", 128)
            .strings("tokenizer.ggml.tokens", &["a", "bc", ""])
            .text("tokenizer.chat_template", &"x".repeat(5000))
            .tensor("v.patch_embd.weight", &[16, 4])
            .tensor("token_embd.weight", &[256, 3])
            .build();
        let expected = Peek {
            architecture: "gemma4".into(),
            name: "Tiny".into(),
            size_label: "4.1M".into(),
            quantization: "Q4_K_M",
            parameters: 16 * 4 + 256 * 3,
            width: Some(256),
            chats: true,
            vision: true,
            ..Peek::default()
        };
        assert_eq!(read(&bytes).expect("a header"), expected);
    }

    #[test]
    fn broken_headers_are_refused() {
        let file = Gguf::new("gemma4")
            .text("general.name", "Tiny")
            .number("general.file_type", 15)
            .number("gemma4.embedding_length", 256)
            .strings("tokenizer.ggml.tokens", &["a", "bc", ""])
            .text("tokenizer.chat_template", "{{ .Prompt }}")
            .tensor("v.patch_embd.weight", &[16, 4])
            .tensor("token_embd.weight", &[256, 3])
            .build();
        crate::fuzz::fuzz("GGUF header", &[file], |bytes| read(bytes).is_ok());
    }

    #[test]
    fn a_unified_projector_hears_without_an_audio_tower() {
        let bytes = Gguf::new("clip")
            .number("clip.audio.projection_dim", 640)
            .tensor("mm.a.input_projection.weight", &[4])
            .build();
        let peek = read(&bytes).expect("a header");
        assert!(peek.audio && !peek.vision);
        assert_eq!(peek.projection, Some(640));
    }

    #[test]
    fn says_what_is_wrong() {
        let good = Gguf::new("gemma4").tensor("token_embd.weight", &[8]).build();
        assert!(matches!(read(b"PK\x03\x04 an archive"), Err(PeekError::NotGguf)));
        assert!(matches!(read(b""), Err(PeekError::NotGguf)));
        let mut old = good.clone();
        old[4] = 1;
        assert!(matches!(read(&old), Err(PeekError::Version(1))));
        let mut many = good.clone();
        many[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(matches!(read(&many), Err(PeekError::Absurd { what: "tensors", .. })));
        let whole = good.len();
        for length in 4..whole - 32 {
            assert!(matches!(read(&good[..length]), Err(PeekError::Truncated)), "{length} of {whole}");
        }
    }

    /// Arrays of these bytes in one another, `depth` deep.
    fn nested(depth: usize, innermost: &[u8]) -> Vec<u8> {
        let level = [ARRAY.to_le_bytes().as_slice(), &1_u64.to_le_bytes()].concat();
        [level.repeat(depth), innermost.to_vec()].concat()
    }

    #[test]
    fn what_is_not_used_refuses_no_file() {
        let array = |kind: u32, count: u64, elements: &[u8]| {
            [kind.to_le_bytes().as_slice(), &count.to_le_bytes(), elements].concat()
        };
        let texts = array(STRING, 2, &[1, 0, 0, 0, 0, 0, 0, 0, b'a', 0, 0, 0, 0, 0, 0, 0, 0]);
        let flags = array(7, 3, &[0, 1, 9]);
        let both = array(ARRAY, 2, &[texts.clone(), flags.clone()].concat());
        let unused = [
            texts,
            flags,
            both,
            array(99, 0, &[]),
            array(ARRAY, 1, &array(13, 0, &[])),
            nested(8, &array(U32, 0, &[])),
        ];
        let file = |unused: &[u8]| {
            let file = Gguf::new("gemma4").entry("x.unused", ARRAY, unused).number("general.file_type", 15);
            file.tensor("v.patch_embd.weight", &[16, 4]).build()
        };
        for unused in &unused {
            let peek = read(&file(unused)).unwrap_or_else(|error| panic!("{error}: {unused:?}"));
            assert_eq!((peek.quantization, peek.parameters, peek.vision), ("Q4_K_M", 64, true), "{unused:?}");
        }

        // Lengths are believed nowhere, and neither are depths.
        let unsound = [
            array(99, 1, &[0; 8]),
            array(ARRAY, 1, &array(U32, 1 << 40, &[])),
            array(ARRAY, 1, &array(STRING, 1, &u64::MAX.to_le_bytes())),
            nested(9, &array(U32, 0, &[])),
            nested(100_000, &array(U32, 0, &[])),
        ];
        for unused in &unsound {
            assert!(read(&file(unused)).is_err(), "{:?}", &unused[..24]);
        }
        let many = array(ARRAY, MAX_ELEMENTS, &array(U32, 0, &[]).repeat(9));
        assert!(matches!(read(&file(&many)), Err(PeekError::Truncated | PeekError::Absurd { .. })));
    }

    #[test]
    fn lengths_beyond_the_file_are_refused_before_memory_is_taken() {
        let mut bytes = Gguf::new("gemma4").text("general.name", "abc").build();
        let at = bytes.windows(3).position(|w| w == b"abc").expect("the text") - 8;
        bytes[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(matches!(read(&bytes), Err(PeekError::Truncated)));
        let bytes = Gguf::new("gemma4").tensor("t", &[u64::MAX, 2]).build();
        assert!(matches!(read(&bytes), Err(PeekError::Absurd { what: "length of a tensor:", .. })));
    }

    proptest! {
        /// Whatever bytes change, the answer is a header or an error: no panic, no hang.
        #[test]
        fn survives_damage(changes in prop::collection::vec((0_usize..400, any::<u8>()), 1..12)) {
            let mut bytes = Gguf::new("gemma4")
                .number("general.alignment", 32)
                .strings("tokenizer.ggml.tokens", &["a", "b"])
                .tensor("blk.0.attn_q.weight", &[4, 4])
                .build();
            for (at, value) in changes {
                let at = at % bytes.len();
                bytes[at] = value;
            }
            let _ = read(&bytes);
        }

        #[test]
        fn survives_noise(noise in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut bytes = b"GGUF\x03\0\0\0".to_vec();
            bytes.extend(noise);
            let _ = read(&bytes);
        }
    }
}
