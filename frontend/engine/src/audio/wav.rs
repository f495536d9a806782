//! Reading WAV files: uncompressed whole numbers of 8 to 32 bits and floats, of any rate and number of channels.
//!
//! Layout, little endian: `RIFF`, u32 size, `WAVE`, then chunks of a four-letter name, u32 size and as many bytes, padded
//! to an even number. `fmt ` says how the samples in `data` are stored. Source: the Multimedia Programming Interface and
//! Data Specifications 1.0 of IBM and Microsoft, and the WAVEFORMATEXTENSIBLE structure of the Windows documentation.
//!
//! Files come from strangers: every size in them is held against what is there.

/// What `fmt ` says about compression.
mod format {
    pub const INTEGERS: u16 = 1;
    pub const FLOATS: u16 = 3;
    /// The format stands further behind.
    pub const EXTENSIBLE: u16 = 0xfffe;
}

/// Sample rates that are believed.
const RATES: std::ops::RangeInclusive<u32> = 1_000..=768_000;
/// Most channels that are believed.
const MOST_CHANNELS: u16 = 64;
/// Longest sound that is read, in seconds: longer ones fit no context, at 25 tokens a second.
const MOST_SECONDS: u64 = 90 * 60;

/// Why a file is no sound that can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum WavError {
    /// It does not begin as a WAV file does.
    #[error("this is not a WAV file")]
    NotWav,
    /// A part that every file has is missing.
    #[error("the WAV file ends before its {what}")]
    Missing { what: &'static str },
    /// It holds no samples.
    #[error("the WAV file holds no sound")]
    Empty,
    /// Compressed, or of another kind.
    #[error(
        "the WAV file holds {what}; gemtab reads uncompressed samples of 8, 16, 24 or 32 bits, and floats"
    )]
    Unsupported { what: String },
    /// Longer than any model could hear, though its file may be small.
    #[error("the sound is {seconds} seconds long; up to {most} are read")]
    TooLong { seconds: u64, most: u64 },
    /// A value that cannot be.
    #[error("the WAV file says {name} = {found}")]
    Value { name: &'static str, found: u64 },
}

/// A file's sound, with all channels mixed into one.
#[derive(Clone, Debug, PartialEq)]
pub struct Wav {
    /// Samples a second.
    pub rate: u32,
    /// Channels in the file.
    pub channels: u16,
    /// The mean of the channels, −1 to 1.
    pub samples: Vec<f32>,
    /// Bytes of samples that the file announces and does not have.
    pub missing_bytes: u64,
}

/// How a sample is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Encoding {
    U8,
    I16,
    I24,
    I32,
    F32,
    F64,
}

struct Format {
    encoding: Encoding,
    channels: u16,
    rate: u32,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

impl Encoding {
    const fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::I16 => 2,
            Self::I24 => 3,
            Self::I32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The value of a sample of as many [`bytes`](Self::bytes).
    fn value(self, b: &[u8]) -> f32 {
        let value = match self {
            Self::U8 => (f32::from(b[0]) - 128.0) / 128.0,
            Self::I16 => f32::from(i16::from_le_bytes([b[0], b[1]])) / 32_768.0,
            // Read as the upper bytes of 32 bits, so that the sign is where it belongs.
            Self::I24 => (i32::from_le_bytes([0, b[0], b[1], b[2]]) >> 8) as f32 / 8_388_608.0,
            Self::I32 => i32::from_le_bytes([b[0], b[1], b[2], b[3]]) as f32 / 2_147_483_648.0,
            Self::F32 => f32::from_le_bytes([b[0], b[1], b[2], b[3]]),
            Self::F64 => f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]) as f32,
        };
        if value.is_finite() { value } else { 0.0 }
    }
}

fn read_format(body: &[u8]) -> Result<Format, WavError> {
    const MISSING: WavError = WavError::Missing { what: "description" };
    let half = |at| u16_at(body, at).ok_or(MISSING);
    let rate = u32_at(body, 4).ok_or(MISSING)?;
    let (channels, block, bits) = (half(2)?, half(12)?, half(14)?);
    let tag = match half(0)? {
        format::EXTENSIBLE => half(24)?,
        tag => tag,
    };
    let encoding = match (tag, bits) {
        (format::INTEGERS, 8) => Encoding::U8,
        (format::INTEGERS, 16) => Encoding::I16,
        (format::INTEGERS, 24) => Encoding::I24,
        (format::INTEGERS, 32) => Encoding::I32,
        (format::FLOATS, 32) => Encoding::F32,
        (format::FLOATS, 64) => Encoding::F64,
        (format::INTEGERS, bits) => {
            return Err(WavError::Unsupported { what: format!("samples of {bits} bits") });
        }
        (format::FLOATS, bits) => {
            return Err(WavError::Unsupported { what: format!("floats of {bits} bits") });
        }
        (tag, _) => return Err(WavError::Unsupported { what: format!("compressed sound (format {tag})") }),
    };
    if channels == 0 || channels > MOST_CHANNELS {
        return Err(WavError::Value { name: "channels", found: channels.into() });
    }
    if !RATES.contains(&rate) {
        return Err(WavError::Value { name: "samples a second", found: rate.into() });
    }
    if usize::from(block) != encoding.bytes() * usize::from(channels) {
        return Err(WavError::Value { name: "bytes of a sample of all channels", found: block.into() });
    }
    Ok(Format { encoding, channels, rate })
}

/// Reads a file. One that ends early is read as far as it goes.
///
/// # Errors
/// See [`WavError`].
pub fn read(file: &[u8]) -> Result<Wav, WavError> {
    // A size of four gigabytes and more stands elsewhere in RF64; the file's own length says it, too.
    let begins = matches!(file.get(..4), Some(b"RIFF" | b"RF64")) && file.get(8..12) == Some(b"WAVE");
    if !begins {
        return Err(WavError::NotWav);
    }
    let mut format = None;
    let mut data: Option<(&[u8], u64)> = None;
    let mut at = 12;
    while let (Some(name), Some(size)) = (file.get(at..at + 4), u32_at(file, at + 4)) {
        let start = at + 8;
        let left = file.len() - start;
        let body = &file[start..start + left.min(size as usize)];
        match name {
            b"fmt " => format = Some(read_format(body)?),
            b"data" => {
                // Written while recording: nobody came back to fill in the sizes.
                let open = size == u32::MAX || (size == 0 && matches!(u32_at(file, 4), Some(0 | u32::MAX)));
                let body = if open { &file[start..] } else { body };
                let missing = if open { 0 } else { u64::from(size) - body.len() as u64 };
                data = Some((body, missing));
            }
            _ => {}
        }
        if format.is_some() && data.is_some() {
            break;
        }
        // Chunks begin at even places; one that reaches past the end is the last.
        at = start.saturating_add(size as usize).saturating_add(size as usize % 2);
    }
    let format = format.ok_or(WavError::Missing { what: "description" })?;
    let (data, missing_bytes) = data.ok_or(WavError::Missing { what: "samples" })?;
    let channels = usize::from(format.channels);
    let size = format.encoding.bytes();
    let seconds = (data.len() / (size * channels)) as u64 / u64::from(format.rate);
    if seconds > MOST_SECONDS {
        return Err(WavError::TooLong { seconds, most: MOST_SECONDS });
    }
    let mix = |frame: &[u8]| {
        let values = frame.chunks_exact(size).map(|sample| format.encoding.value(sample));
        if channels == 1 { values.sum() } else { values.sum::<f32>() / channels as f32 }
    };
    let samples: Vec<f32> = data.chunks_exact(size * channels).map(mix).collect();
    if samples.is_empty() {
        return Err(WavError::Empty);
    }
    Ok(Wav { rate: format.rate, channels: format.channels, samples, missing_bytes })
}
