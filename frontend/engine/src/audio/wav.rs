//! Reading WAV files: uncompressed integers of 8 to 32 bits and floats, with any sample rate and number of
//! channels.
//!
//! Layout, little endian: `RIFF`, u32 size, `WAVE`, then chunks: a four-letter name, a u32 size and that many
//! bytes, padded to an even number. `fmt ` describes the samples in `data`. Source: the Multimedia Programming
//! Interface and Data Specifications 1.0 of IBM and Microsoft, and the WAVEFORMATEXTENSIBLE structure of the
//! Windows documentation.
//!
//! Files are untrusted: every size is checked against the length of the file.

/// The format tags in `fmt `.
mod format {
    pub const INTEGERS: u16 = 1;
    pub const FLOATS: u16 = 3;
    /// The tag is in the extension of the chunk.
    pub const EXTENSIBLE: u16 = 0xfffe;
}

/// Accepted sample rates.
const RATES: std::ops::RangeInclusive<u32> = 1_000..=768_000;
/// Maximum number of channels.
const MAX_CHANNELS: u16 = 64;
/// Maximum length in seconds: longer audio fits no context, at 25 tokens a second.
const MAX_SECONDS: u64 = 90 * 60;

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum WavError {
    /// It does not start like a WAV file.
    #[error("this is not a WAV file")]
    NotWav,
    /// A required chunk is missing.
    #[error("the WAV file ends before its {what}")]
    Missing { what: &'static str },
    /// It has no samples.
    #[error("the WAV file holds no sound")]
    Empty,
    /// Compressed, or of another unsupported format.
    #[error(
        "the WAV file holds {what}; gemtab reads uncompressed samples of 8, 16, 24 or 32 bits, and floats"
    )]
    Unsupported { what: String },
    /// Longer than the maximum, even if the file is small.
    #[error("the sound is {seconds} seconds long; up to {most} are read")]
    TooLong { seconds: u64, most: u64 },
    /// A value that is out of range.
    #[error("the WAV file says {name} = {found}")]
    Value { name: &'static str, found: u64 },
}

/// The audio of a file, mixed to mono.
#[derive(Clone, Debug, PartialEq)]
pub struct Wav {
    /// Sample rate.
    pub rate: u32,
    /// Channels in the file.
    pub channels: u16,
    /// The mean of all channels, −1 to 1.
    pub samples: Vec<f32>,
    /// Number of bytes that the file declares but does not contain.
    pub missing_bytes: u64,
}

/// The encoding of a sample.
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

    /// Returns the value of a sample of [`bytes`](Self::bytes) bytes.
    fn value(self, b: &[u8]) -> f32 {
        let value = match self {
            Self::U8 => (f32::from(b[0]) - 128.0) / 128.0,
            Self::I16 => f32::from(i16::from_le_bytes([b[0], b[1]])) / 32_768.0,
            // Read as the upper bytes of 32 bits, so that the sign is correct.
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
    if channels == 0 || channels > MAX_CHANNELS {
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

/// Reads a file. A truncated file is read as far as possible.
///
/// # Errors
/// See [`WavError`].
pub fn read(file: &[u8]) -> Result<Wav, WavError> {
    // RF64 stores sizes above 4 GB elsewhere; the length of the file suffices.
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
                // A recording that was not finalised: its sizes were never filled in.
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
        // Chunks start at even offsets. One that extends past the end is the last.
        at = start.saturating_add(size as usize).saturating_add(size as usize % 2);
    }
    let format = format.ok_or(WavError::Missing { what: "description" })?;
    let (data, missing_bytes) = data.ok_or(WavError::Missing { what: "samples" })?;
    let channels = usize::from(format.channels);
    let size = format.encoding.bytes();
    let seconds = (data.len() / (size * channels)) as u64 / u64::from(format.rate);
    if seconds > MAX_SECONDS {
        return Err(WavError::TooLong { seconds, most: MAX_SECONDS });
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
