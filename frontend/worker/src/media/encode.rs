//! From a conversation to what the model reads, with its pictures and sounds encoded.

use std::rc::Rc;

use engine::audio::{AudioError, Encoder, RATE, Sound};
use engine::bytes::CancelToken;
use engine::media::{Input, Media, Medium, SoftTokens};
use engine::session::EngineError;
use engine::template::Prompt;
use engine::vision::{Budget, Encoding};
use protocol::failure::EngineFailure;
use protocol::{Content, Failure, LoadPhase, LoadProgress, Message, Progress, RequestId, Sense};
use web_time::Instant;

use super::known;
use crate::failure;
use crate::host::{Host, Model, Ready};
use crate::state::known::{Known, Size};

/// Samples that the tower is given at a time: a second.
pub const STEP: usize = RATE as usize;
/// Least time between two reports, in seconds.
const PAUSE: f64 = 0.1;

/// The media of a conversation, in the order of its prompt.
pub struct Prepared {
    known: Vec<Rc<Known>>,
    origins: Vec<MediumOrigin>,
}

/// Where a medium comes from.
#[derive(Clone, Copy, Debug)]
pub struct MediumOrigin {
    /// The handle of its bytes.
    handle: u32,
    /// For a sound: which clip of it.
    clip: usize,
    /// For a picture: its budget.
    budget: Budget,
}

impl MediumOrigin {
    /// The media of a picture or a sound that is known, and where each comes from; `handle` has its bytes.
    pub fn all(known: &Known, handle: u32) -> impl Iterator<Item = (Medium, Self)> + '_ {
        let origin = move |(clip, &medium)| (medium, Self { handle, clip, budget: known.budget });
        known.media.iter().enumerate().map(origin)
    }
}

/// Why encoding ended.
pub enum EncodeError {
    /// In words already.
    Failure(Failure),
    /// The engine's.
    Engine(EngineError),
}

impl From<EngineError> for EncodeError {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl From<AudioError> for EncodeError {
    fn from(error: AudioError) -> Self {
        match error {
            AudioError::Tensor(error) => Self::Engine(error.into()),
            AudioError::Load(error) => Self::Engine(error.into()),
            AudioError::Gpu(error) => Self::Engine(error.into()),
            other => Self::Failure(failure::of_audio(&other, None)),
        }
    }
}

/// Finds out about all media of a conversation.
pub async fn prepare(
    host: &Host,
    messages: &[Message],
    handles: &[web_sys::Blob],
    cancel: &CancelToken,
) -> Result<Prepared, Failure> {
    let mut prepared = Prepared { known: Vec::new(), origins: Vec::new() };
    for content in messages.iter().flat_map(|message| &message.content) {
        let handle = match content {
            Content::Text(_) => continue,
            Content::Image { media, .. } | Content::Audio { media } => media.place,
        };
        let Some(known) = known::look(host, content, handles, cancel).await? else { continue };
        prepared.origins.extend(MediumOrigin::all(&known, handle).map(|(_, origin)| origin));
        prepared.known.push(known);
    }
    Ok(prepared)
}

impl Prepared {
    /// The number of clips of each sound, in order.
    pub fn clips(&self) -> Vec<usize> {
        let sounds = self.known.iter().filter(|known| matches!(known.size, Size::Seconds { .. }));
        sounds.map(|known| known.media.len()).collect()
    }

    /// The media in order, and where each comes from.
    pub fn media(&self) -> impl Iterator<Item = (Medium, MediumOrigin)> {
        self.known.iter().flat_map(|known| known.media.iter().copied()).zip(self.origins.iter().copied())
    }

    /// The prompt as the model reads it, with media that are not encoded.
    pub fn input(&self, prompt: &Prompt, model: &Model) -> Result<Input, Failure> {
        let media: Vec<Medium> = self.media().map(|(medium, _)| medium).collect();
        if let Some(medium) = media.iter().find(|medium| !model.takes(medium.media)) {
            return Err(failure::no_tower(medium.media));
        }
        let input = prompt.expand(&model.tokenizer, &media);
        input.map_err(|error| failure::of(&error.into(), None))
    }

    /// How many tokens the model reads.
    pub fn count(&self, prompt: &Prompt, model: &Model) -> Result<u32, Failure> {
        let mut tokens = 0;
        for (medium, _) in self.media() {
            if !model.takes(medium.media) {
                return Err(failure::no_tower(medium.media));
            }
            // One slot is counted already; a token stands before and after those of a medium.
            tokens += medium.tokens + 1;
        }
        let texts = prompt.count(&model.tokenizer, &mut model.counts.borrow_mut());
        Ok(tokens + texts.map_err(|error| failure::of(&error.into(), None))? as u32)
    }

    /// Encodes what the session has to read, and gives it to the input.
    pub async fn encode(
        &self,
        progress: &mut EncodeProgress<'_>,
        ready: &mut Ready,
        input: &mut Input,
        handles: &[web_sys::Blob],
        cancel: &CancelToken,
    ) -> Result<(), EncodeError> {
        let mut fresh = Vec::new();
        for index in ready.session.unread_blocks(input) {
            let content = input.blocks()[index].medium().content;
            match ready.encoded.find(content) {
                Some(rows) => input.attach(index, rows).map_err(EngineError::from)?,
                None => fresh.push(index),
            }
        }
        let count = fresh.len();
        for (number, index) in fresh.into_iter().enumerate() {
            let medium = input.blocks()[index].medium();
            let origin = *self.origins.get(index).ok_or_else(|| {
                let detail = "a picture or sound has no place in the prompt";
                EncodeError::Failure(Failure::new(EngineFailure::Generating).detailed(detail))
            })?;
            progress.next(number, count);
            let rows = one(progress, ready, medium, origin, handles, cancel).await?;
            input.attach(index, rows.clone()).map_err(EngineError::from)?;
            ready.encoded.keep(rows);
        }
        Ok(())
    }
}

/// Encodes one medium.
pub async fn one(
    progress: &mut EncodeProgress<'_>,
    ready: &mut Ready,
    medium: Medium,
    origin: MediumOrigin,
    handles: &[web_sys::Blob],
    cancel: &CancelToken,
) -> Result<SoftTokens, EncodeError> {
    let host = Rc::clone(progress.host);
    let read = async || known::read(&host, handles, origin.handle, cancel).await;
    let file = match medium.media {
        Media::Audio => {
            Decoded::Sound(progress.decoded.get(origin.handle, read).await.map_err(EncodeError::Failure)?)
        }
        Media::Image | Media::Video => Decoded::File(read().await.map_err(EncodeError::Failure)?),
    };
    match encode(progress, ready, &file, origin, cancel).await {
        // What the other sense holds may be what is lacking.
        Err(EncodeError::Engine(error)) if failure::is_out_of_memory(&error) => {
            ready.free_towers();
            encode(progress, ready, &file, origin, cancel).await
        }
        rows => rows,
    }
}

/// What is given to a tower.
enum Decoded {
    /// The file of a picture.
    File(Vec<u8>),
    /// All clips of a sound.
    Sound(Rc<Sound>),
}

/// The sound that was decoded last, by the handle of its bytes: its clips are encoded one after the other.
#[derive(Default)]
struct LastSound(Option<(u32, Rc<Sound>)>);

impl LastSound {
    async fn get(
        &mut self,
        handle: u32,
        read: impl AsyncFnOnce() -> Result<Vec<u8>, Failure>,
    ) -> Result<Rc<Sound>, Failure> {
        if let Some((_, sound)) = self.0.as_ref().filter(|(known, _)| *known == handle) {
            return Ok(Rc::clone(sound));
        }
        // The one before needs no room any more.
        self.0 = None;
        let sound = Rc::new(Sound::from_wav(&read().await?).map_err(|error| failure::of_wav(&error))?);
        self.0 = Some((handle, Rc::clone(&sound)));
        Ok(sound)
    }
}

async fn encode(
    progress: &mut EncodeProgress<'_>,
    ready: &mut Ready,
    decoded: &Decoded,
    origin: MediumOrigin,
    cancel: &CancelToken,
) -> Result<SoftTokens, EncodeError> {
    let file = match decoded {
        Decoded::File(file) => file,
        Decoded::Sound(sound) => {
            progress.sense = Sense::Hearing;
            return listen(progress, ready, sound, origin.clip, cancel).await;
        }
    };
    progress.sense = Sense::Sight;
    let report = &mut |step| match step {
        Encoding::Weights(done, total) => progress.tower(done, total),
        Encoding::Layers(done, total) => progress.encoding(done as f32 / total.max(1) as f32),
    };
    let soft = ready
        .session
        .autoregressive_mut()?
        .vision_mut()?
        .soft_tokens(file, origin.budget, cancel, report)
        .await;
    Ok(soft.map_err(EngineError::from)?)
}

async fn listen(
    progress: &mut EncodeProgress<'_>,
    ready: &mut Ready,
    sound: &Sound,
    clip: usize,
    cancel: &CancelToken,
) -> Result<SoftTokens, EncodeError> {
    let clips = sound.clips();
    let samples = *clips.get(clip).ok_or_else(|| EncodeError::Failure(failure::no_tower(Media::Audio)))?;
    let report = &mut |step: engine::weights::Progress| progress.tower(step.done, step.total);
    let tower = ready.session.autoregressive_mut()?.audio_mut()?.tower(cancel, report).await?;
    let mut encoder = Encoder::new(Rc::clone(&tower));
    // However short it is, the page is to see that it is heard.
    progress.encoding(0.0);
    for piece in samples.chunks(STEP) {
        encoder.push(piece);
        progress.encoding(encoder.samples() as f32 / samples.len().max(1) as f32);
        // The page is to see it, and the device is not to be given a whole clip at once.
        tower.gpu().drained().await.map_err(EngineError::from)?;
        cancel.check().map_err(EngineError::from)?;
    }
    Ok(encoder.finish()?)
}

/// Tells the page how encoding goes, ten times a second at most.
pub struct EncodeProgress<'a> {
    host: &'a Rc<Host>,
    id: RequestId,
    sense: Sense,
    index: u32,
    of: u32,
    last: Option<Instant>,
    decoded: LastSound,
}

impl<'a> EncodeProgress<'a> {
    /// For this request.
    pub fn new(host: &'a Rc<Host>, id: RequestId) -> Self {
        Self { host, id, sense: Sense::Sight, index: 0, of: 0, last: None, decoded: LastSound::default() }
    }

    /// Of so many, this one is next, counted from 0.
    pub fn next(&mut self, index: usize, of: usize) {
        (self.index, self.of) = (index as u32, of as u32);
    }

    fn tower(&mut self, done: u64, total: u64) {
        if self.is_due(done >= total) {
            let progress = LoadProgress { phase: LoadPhase::Weights, done, total, rate: 0.0, lost: false };
            self.host.progress(self.id, Progress::Tower { sense: self.sense, progress });
        }
    }

    fn encoding(&mut self, share: f32) {
        if self.is_due(share <= 0.0) {
            let Self { sense, index, of, .. } = *self;
            self.host.progress(self.id, Progress::Encoding { sense, index, of, share });
        }
    }

    fn is_due(&mut self, always: bool) -> bool {
        let due = always || self.last.is_none_or(|last| last.elapsed().as_secs_f64() >= PAUSE);
        if due {
            self.last = Some(Instant::now());
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_sound_is_read_and_decoded_once_for_all_its_clips() {
        // A sample of 16 bits at 16 kHz.
        let mut wav = b"RIFF\x26\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
        wav.extend([16_000_u32, 32_000].map(u32::to_le_bytes).concat());
        wav.extend(b"\x02\0\x10\0data\x02\0\0\0\0\x40");
        let (mut last, reads) = (LastSound::default(), std::cell::Cell::new(0));
        let mut get = |handle| {
            let read = async || {
                reads.set(reads.get() + 1);
                Ok(wav.clone())
            };
            let sound =
                last.get(handle, read).now_or_never().expect("it waits for nothing").expect("a sound");
            (sound.samples.len(), reads.get())
        };
        assert_eq!([7, 7, 7, 8, 8, 7].map(&mut get), [(1, 1), (1, 1), (1, 1), (1, 2), (1, 2), (1, 3)]);
    }
}
