//! The model that makes embeddings, beside the one that chats.
//!
//! Its batches take turns behind answers: one that is asked for meanwhile waits for a batch at most.

use std::cell::RefCell;
use std::iter;
use std::rc::Rc;

use engine::audio::Sound;
use engine::bytes::{ByteSource, CancelToken, SourceError};
use engine::gguf::Header;
use engine::gpu::Gpu;
use engine::media::{Input, Medium, SoftTokens};
use engine::session::{EncoderSession, EngineError, LoadOptions, Loading, ModelFile, ModelSpec, shortened};
use engine::template::{Prompt, Segment};
use engine::vision::Budget;
use futures_util::lock::MutexGuard;
use protocol::failure::RequestFailure;
use protocol::{Content, Embeddings, EncoderDetails, Failure, Outcome, Progress, ToPage};
use web_time::Instant;

use crate::details::Modalities;
use crate::failure::Stopped;
use crate::host::recovery::Losses;
use crate::host::{Host, is_lost};
use crate::loading::LoadRequest;
use crate::media::EncodeError;
use crate::platform::Link;
use crate::progress::Meter;
use crate::state::encoder::{Encoder, EncoderSlot};
use crate::state::tasks::Task;
use crate::towers::Towers;
use crate::{device, failure, keeping};

/// Inputs that are prepared for a batch at most.
const MAX_INPUTS: usize = 256;

/// Embeddings to make.
pub struct EmbedRequest {
    /// The inputs.
    pub inputs: Vec<Vec<Content>>,
    /// The bytes of pictures and sounds.
    pub handles: Vec<web_sys::Blob>,
    /// Elements to keep of each.
    pub elements: Option<u32>,
}

/// Answers [`protocol::Request::LoadEncoder`].
pub async fn load(host: Rc<Host>, wanted: LoadRequest, task: Task) -> Result<Outcome, Failure> {
    let cancel = &task.cancel;
    let _turn = host.turn(task.id, cancel).await?;
    let mut slot = lock(&host, cancel).await?;
    // The memory of the one before is needed.
    clear(&host, &mut slot);
    let (meter, started) = (RefCell::new(Meter::default()), Instant::now());
    let mut tell = |step: Loading| {
        let report = meter.borrow_mut().step(step, started.elapsed().as_secs_f64() * 1000.0);
        if let Some(progress) = report {
            host.progress(task.id, Progress::Loading(progress));
        }
    };
    let opening = async {
        let link = Link::from(cancel);
        Ok::<_, Stopped>(host.platform.open(&wanted.source, &wanted.files, wanted.options.keep, link).await?)
    };
    let opened = cancel.guard(opening).await.map_err(|stopped| stopped.0)?;
    let of_engine = |error: EngineError| failure::of(&error, None);
    let reading = async { Header::read(&*opened.model.source).await.map_err(EngineError::from) };
    let header = cancel.guard(reading).await.map_err(of_engine)?;
    let gpu = host.gpu().await.map_err(|report| device::failure(&report))?;
    let spec = ModelSpec::read(&header).map_err(of_engine)?;
    let source = opened.projector.as_ref().map(|file| &file.source);
    let reading = Modalities::read(source, &spec, gpu.plan_limits());
    let modalities = cancel.guard(reading).await.map_err(|stopped| stopped.0)?;
    let own = Towers::new(&opened.model, spec.tower_ranges());
    let projector = opened.projector.as_ref();
    let projector = projector.map(|file| Towers::new(file, iter::once(0..file.source.len()).collect()));
    let file =
        ModelFile { bytes: Rc::clone(&own.source) as _, local: opened.model.local.clone(), header: None };
    let source = projector.as_ref().map(|towers| Rc::clone(&towers.source) as Rc<dyn ByteSource>);
    let options = LoadOptions {
        bytes_of_others: chat_bytes(&host),
        projector_bytes: modalities.bytes,
        memory: Some(host.whole_memory(&gpu)),
        ..LoadOptions::default()
    };
    let with_header = ModelFile { header: Some(header), ..file.clone() };
    let opened_model = open(Rc::clone(&gpu), (file, with_header), options, source, cancel, &mut tell).await;
    if let Err(error) = &opened_model {
        host.learn_misfit(&gpu, error).await;
    }
    let mut encoder = opened_model.map_err(of_engine)?;
    for towers in [Some(&own), projector.as_ref()].into_iter().flatten() {
        towers.fetch(cancel, &mut tell).await.map_err(|stopped| stopped.0)?;
    }
    keeping::fetch_rest(&opened, cancel, &mut tell).await.map_err(|stopped| stopped.0)?;
    let session = &mut encoder.session;
    let details = EncoderDetails {
        name: wanted.source.name().to_owned(),
        elements: session.elements(),
        longest: session.longest(),
        lacks_dense: session.lacks_dense(),
        vision: session.vision().is_some(),
        audio: session.audio().is_some(),
        gpu_bytes: session.planned_bytes(),
    };
    host.encoder_bytes.set(details.gpu_bytes);
    *slot = Some(encoder);
    Ok(Outcome::EncoderLoaded(details))
}

/// Answers [`protocol::Request::UnloadEncoder`].
pub async fn unload(host: Rc<Host>, task: Task) -> Result<Outcome, Failure> {
    let _turn = host.turn(task.id, &task.cancel).await?;
    clear(&host, &mut *lock(&host, &task.cancel).await?);
    Ok(Outcome::Unloaded)
}

fn clear(host: &Host, slot: &mut EncoderSlot) {
    *slot = None;
    host.encoder_bytes.set(0);
}

/// Answers [`protocol::Request::Embed`].
pub async fn embed(host: Rc<Host>, wanted: EmbedRequest, task: Task) -> Result<Outcome, Failure> {
    let (cancel, total) = (&task.cancel, wanted.inputs.len());
    let mut all = Embeddings::default();
    let (mut done, mut losses) = (0, Losses::default());
    while done < total {
        let _turn = host.patient_turn(task.id, cancel).await?;
        let mut slot = lock(&host, cancel).await?;
        let encoder = ensure(&host, &mut slot, cancel).await?;
        let elements = wanted.elements.unwrap_or(u32::MAX).min(encoder.session.elements());
        let failed = match batch(&host, encoder, &wanted.inputs[done..], &wanted.handles, cancel).await {
            Ok(vectors) => {
                done += vectors.len();
                all.elements = elements;
                all.values.extend(vectors.iter().flat_map(|vector| shortened(vector, elements as usize)));
                losses.reset();
                host.progress(task.id, Progress::Embedding { done: done as u32, total: total as u32 });
                continue;
            }
            Err(EncodeError::Failure(failure)) => return Err(failure),
            Err(EncodeError::Engine(error)) => error,
        };
        // On a device that was lost, the next turn loads the model again.
        let lost = losses.record(&host, None, (&encoder.gpu, &failed), |error| failure::of(error, None));
        let reason = lost.await?;
        host.post(ToPage::DeviceLost { reason });
    }
    Ok(Outcome::Embedded(all))
}

/// Embeddings of the first of these inputs, as many as a batch has room for.
async fn batch(
    host: &Host,
    encoder: &mut Encoder,
    inputs: &[Vec<Content>],
    handles: &[web_sys::Blob],
    cancel: &CancelToken,
) -> Result<Vec<Vec<f32>>, EncodeError> {
    let mut ready = Vec::new();
    for content in inputs.iter().take(MAX_INPUTS) {
        let input = match content.as_slice() {
            [Content::Text(text)] => encoder.session.text(text)?,
            parts => with_media(host, &mut encoder.session, parts, handles, cancel).await?,
        };
        ready.push(input);
        if encoder.session.batch(&ready) < ready.len() {
            break;
        }
    }
    // One that is too long for any batch is refused by name.
    let count = encoder.session.batch(&ready).max(1);
    Ok(encoder.session.embed(&ready[..count], cancel, &mut |_| ()).await?)
}

/// Texts, pictures and sounds in order.
async fn with_media(
    host: &Host,
    session: &mut EncoderSession,
    parts: &[Content],
    handles: &[web_sys::Blob],
    cancel: &CancelToken,
) -> Result<Input, EncodeError> {
    let (mut segments, mut soft) = (Vec::new(), Vec::<SoftTokens>::new());
    let mut quiet = |_| ();
    let mut silent = |_| ();
    for part in parts {
        let first = soft.len();
        match part {
            Content::Text(text) => segments.push(Segment::Text(text.clone())),
            Content::Image { media, budget } => {
                let file = host.platform.read(handles, media.place).await.map_err(EncodeError::Failure)?;
                let budget = budget.tokens().and_then(|tokens| Budget::new(tokens).ok()).unwrap_or_default();
                let soft_tokens = session.vision_mut()?.soft_tokens(&file, budget, cancel, &mut quiet).await;
                soft.push(soft_tokens.map_err(EngineError::from)?);
            }
            Content::Audio { media } => {
                let file = host.platform.read(handles, media.place).await.map_err(EncodeError::Failure)?;
                let sound =
                    Sound::from_wav(&file).map_err(|error| EncodeError::Failure(failure::of_wav(&error)))?;
                for clip in sound.clips() {
                    let soft_tokens = session.audio_mut()?.soft_tokens(clip, cancel, &mut silent).await;
                    soft.push(soft_tokens.map_err(EngineError::from)?);
                }
            }
        }
        segments.extend(soft[first..].iter().map(|soft| Segment::Media(soft.medium().media)));
    }
    let media: Vec<Medium> = soft.iter().map(SoftTokens::medium).collect();
    let mut input = session.input(&segments.into_iter().collect::<Prompt>(), &media)?;
    for (index, rows) in soft.into_iter().enumerate() {
        input.attach(index, rows).map_err(EngineError::from)?;
    }
    Ok(input)
}

/// Returns the model, loaded again on a new device if the old one is lost.
async fn ensure<'a>(
    host: &Rc<Host>,
    slot: &'a mut EncoderSlot,
    cancel: &CancelToken,
) -> Result<&'a mut Encoder, Failure> {
    // If that fails, the next batch tries again.
    if let Some(lost) = slot.as_ref().filter(|encoder| is_lost(&encoder.gpu)) {
        let (file, projector) = (lost.file.clone(), lost.projector.clone());
        let options = LoadOptions { bytes_of_others: chat_bytes(host), ..lost.options };
        let gpu = host.gpu().await.map_err(|report| device::failure(&report))?;
        let again = open(gpu, (file.clone(), file), options, projector, cancel, &mut |_| ()).await;
        *slot = Some(again.map_err(|error| failure::of(&error, None))?);
    }
    slot.as_mut().ok_or_else(|| RequestFailure::NoModel.into())
}

/// Bytes of graphics memory of the model that chats.
fn chat_bytes(host: &Host) -> u64 {
    host.pages.loaded().map_or(0, |model| model.gpu_bytes)
}

/// Loads a model; the second file is the first one, with its header if that was read.
async fn open(
    gpu: Rc<Gpu>,
    (file, with_header): (ModelFile, ModelFile),
    options: LoadOptions,
    projector: Option<Rc<dyn ByteSource>>,
    cancel: &CancelToken,
    tell: &mut dyn FnMut(Loading),
) -> Result<Encoder, EngineError> {
    let mut session = EncoderSession::load(Rc::clone(&gpu), with_header, &options, cancel, tell).await?;
    if let Some(source) = &projector {
        let header = Header::read(&**source).await?;
        session.use_projector(source, &header)?;
    }
    Ok(Encoder { gpu, session, file, options, projector })
}

async fn lock<'a>(host: &'a Host, cancel: &CancelToken) -> Result<MutexGuard<'a, EncoderSlot>, Failure> {
    let locked = cancel.guard(async { Ok::<_, SourceError>(host.encoder.lock().await) }).await;
    locked.map_err(|_| failure::cancelled())
}
