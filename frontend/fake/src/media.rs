//! How the fake engine looks at pictures and sound: with the browser's decoder, and a WAV file's header.

use js_sys::Uint8Array;
use protocol::failure::MediaFailure;
use protocol::{Content, Failure, Media, MediaNotice, MediaReport, MediaSize, Message, Sense, TokenBudget};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ImageBitmap};

use super::words;

/// Longer sides than this are refused.
const MAX_PIXELS: u32 = 16_384;
/// Bytes of a WAV file before its samples, as the page writes it.
const WAV_HEADER: usize = 44;
/// Bytes of a second of 16 kHz mono.
const SECOND_BYTES: usize = 32_000;
/// Seconds of a clip.
const CLIP_SECONDS: f64 = 30.0;

/// What is found in a picture or a sound.
pub async fn examine(content: &Content, handles: &[Blob]) -> Result<MediaReport, Failure> {
    match content {
        Content::Text(_) => Err(MediaFailure::Neither.into()),
        Content::Image { media, budget } => picture(handle(*media, handles)?, *budget).await,
        Content::Audio { media } => sound(handle(*media, handles)?).await,
    }
}

/// Tokens of all media in a message.
pub fn tokens(content: &Content) -> u32 {
    match content {
        Content::Text(_) => 0,
        Content::Image { budget, .. } => picture_tokens(*budget),
        // How long it is nobody has looked up: a clip of ten seconds.
        Content::Audio { .. } => 252,
    }
}

/// All media of the messages, by the sense they need and their keys.
pub fn of(messages: &[Message]) -> Vec<(Sense, u128)> {
    let parts = messages.iter().flat_map(|message| &message.content);
    let keys = parts.filter_map(|part| match part {
        Content::Text(_) => None,
        Content::Image { media, .. } => Some((Sense::Sight, media.key)),
        Content::Audio { media } => Some((Sense::Hearing, media.key)),
    });
    keys.collect()
}

/// What was sent, for the answer to say; none when all was text.
pub fn counted(messages: &[Message]) -> Option<String> {
    let all = of(messages);
    let of_sense = |wanted| all.iter().filter(|(sense, _)| *sense == wanted).count();
    let (seen, heard) = (of_sense(Sense::Sight), of_sense(Sense::Hearing));
    (seen + heard > 0).then(|| {
        let (pictures, sounds) = (words::counted(seen, "picture"), words::counted(heard, "sound"));
        format!("I was given {pictures} and {sounds}.")
    })
}

fn picture_tokens(budget: TokenBudget) -> u32 {
    budget.tokens().unwrap_or(280) + 2
}

async fn picture(blob: &Blob, budget: TokenBudget) -> Result<MediaReport, Failure> {
    let unreadable = |_: JsValue| Failure::from(MediaFailure::NotAnImage);
    let bitmap = super::scope().create_image_bitmap_with_blob(blob).map_err(unreadable)?;
    let bitmap: ImageBitmap = JsFuture::from(bitmap).await.map_err(unreadable)?.unchecked_into();
    let (width, height) = (bitmap.width(), bitmap.height());
    bitmap.close();
    if width.max(height) > MAX_PIXELS {
        return Err(MediaFailure::ImageTooLarge { width, height }.into());
    }
    let animated = is_animated(&bytes(blob).await?);
    Ok(MediaReport {
        size: MediaSize::Pixels { width, height },
        tokens: Some(picture_tokens(budget)),
        notices: animated.then_some(MediaNotice::FirstFrame).into_iter().collect(),
    })
}

async fn sound(blob: &Blob) -> Result<MediaReport, Failure> {
    let bytes = bytes(blob).await?;
    let samples = bytes.get(WAV_HEADER..).filter(|samples| !samples.is_empty());
    let samples = samples.ok_or(MediaFailure::NoSound)?;
    let seconds = samples.len() as f64 / SECOND_BYTES as f64;
    let clips = (seconds / CLIP_SECONDS).ceil().max(1.0) as u32;
    let mut notices = Vec::new();
    if clips > 1 {
        notices.push(MediaNotice::Clips(clips));
    }
    if samples.iter().all(|&byte| byte == 0) {
        notices.push(MediaNotice::Silent);
    }
    let tokens = (seconds * 25.0).ceil() as u32 + 2 * clips;
    Ok(MediaReport { size: MediaSize::Seconds(seconds), tokens: Some(tokens), notices })
}

/// Whether a file is a GIF with more than one frame: each has a graphic control extension before it.
fn is_animated(bytes: &[u8]) -> bool {
    bytes.starts_with(b"GIF8") && bytes.windows(3).filter(|it| *it == [0x21, 0xf9, 0x04]).count() > 1
}

fn handle(media: Media, handles: &[Blob]) -> Result<&Blob, Failure> {
    handles.get(media.place as usize).ok_or_else(|| MediaFailure::Gone.into())
}

async fn bytes(blob: &Blob) -> Result<Vec<u8>, Failure> {
    match JsFuture::from(blob.array_buffer()).await {
        Ok(buffer) => Ok(Uint8Array::new(&buffer).to_vec()),
        Err(_) => Err(MediaFailure::Gone.into()),
    }
}
