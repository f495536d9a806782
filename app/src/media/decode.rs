//! Sound files of any kind that the browser reads, as 16 kHz mono.

use js_sys::{ArrayBuffer, Uint8Array};
use protocol::Sense;
use protocol::failure::MediaFailure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AudioBuffer, Blob, OfflineAudioContext};

use super::wav::Wav;
use super::{SAMPLE_RATE, extent, level};

/// Longest sound, in seconds.
const MAX_SECONDS: u64 = 1_200;
/// Most bytes that decoding may take. Twenty minutes of stereo take half of it.
const MAX_DECODED: u64 = 3 << 29;
/// The browser does not read it.
const UNREADABLE: MediaFailure = MediaFailure::NotDecoded(Sense::Hearing);
/// Samples that are taken at a time, so that a long sound is never whole in this program's memory.
const PIECE: u32 = 1 << 16;

/// Sound as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Sound {
    /// The file.
    pub wav: Wav,
    /// Whether nothing is heard in it.
    pub silent: bool,
}

/// Decodes a file, resamples it as the browser does for playing, and takes the mean of its channels.
///
/// # Errors
/// Why there is no sound to be had of it.
pub async fn decode(blob: &Blob) -> Result<Sound, MediaFailure> {
    let file = JsFuture::from(blob.array_buffer()).await.map_err(|_| UNREADABLE)?;
    let file: ArrayBuffer = file.unchecked_into();
    // Headers lie, and a decoder that has begun cannot be stopped.
    if let Some(extent) = extent::of(&Uint8Array::new(&file).to_vec())
        && extent.bytes() > MAX_DECODED
    {
        let most = extent.most_seconds(MAX_DECODED).min(MAX_SECONDS);
        return Err(MediaFailure::SoundTooLong { seconds: extent.seconds(), most });
    }
    let audio = read(&file).await.map_err(|_| UNREADABLE)?;
    let (length, channels) = (audio.length(), audio.number_of_channels());
    if length == 0 || channels == 0 {
        return Err(MediaFailure::NoSound);
    }
    let seconds = u64::from(length.div_ceil(SAMPLE_RATE));
    if seconds > MAX_SECONDS {
        return Err(MediaFailure::SoundTooLong { seconds, most: MAX_SECONDS });
    }
    let mut sound = Sound { wav: Wav::new(), silent: true };
    let mut channel = vec![0.0; PIECE as usize];
    for start in (0..length).step_by(PIECE as usize) {
        let count = (length - start).min(PIECE) as usize;
        let mut mean = vec![0.0; count];
        for number in 0..channels as i32 {
            let part = &mut channel[..count];
            let copied = audio.copy_from_channel_with_start_in_channel(part, number, start);
            copied.map_err(|_| UNREADABLE)?;
            for (mean, sample) in mean.iter_mut().zip(part) {
                *mean += *sample / channels as f32;
            }
        }
        sound.silent &= level::peak(&mean) < level::SILENCE;
        sound.wav.push(&mean);
    }
    Ok(sound)
}

async fn read(file: &ArrayBuffer) -> Result<AudioBuffer, JsValue> {
    // Its rate is the one that the decoder resamples to; its length plays no part.
    let context = OfflineAudioContext::new_with_number_of_channels_and_length_and_sample_rate(
        1,
        1,
        SAMPLE_RATE as f32,
    )?;
    Ok(JsFuture::from(context.decode_audio_data(file)?).await?.unchecked_into())
}
