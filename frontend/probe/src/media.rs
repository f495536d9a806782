//! Media on the command line and in conversations.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context as _, Result, bail};
use clap::{ArgMatches, Args};
use engine::audio::{Encoder, Sound, mel};
use engine::bytes::{ByteSource, CancelToken, FileSource};
use engine::gguf::Header;
use engine::gpu::Gpu;
use engine::media::{Input, Media, Medium, SoftTokens};
use engine::session::{Core, EncoderSession};
use engine::template::{Content, Conversation, Part, Prompt, Segment};
use engine::train::examples::Named;
use engine::vision::{Budget, Picture};
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Value, json};

/// Media for a prompt.
#[derive(Args, Clone, Debug, Default)]
pub struct MediaArgs {
    /// The file with the towers, if they aren't in the model file. Can be repeated, for one file with each.
    #[arg(long = "projector", value_name = "PROJECTOR")]
    projectors: Vec<PathBuf>,
    /// An image: PNG, JPEG, WebP or GIF. Can be repeated; images and sounds fill their places in order.
    #[arg(long = "image")]
    images: Vec<PathBuf>,
    /// A sound: WAV. Can be repeated; more than 30 s are split into clips.
    #[arg(long = "audio")]
    sounds: Vec<PathBuf>,
    /// The most tokens for an image: 70, 140, 280, 560 or 1120.
    #[arg(long, default_value_t = Budget::default().tokens())]
    budget: u32,
    /// The media in the order of the command line.
    #[arg(skip)]
    order: Vec<Attachment>,
}

/// A file and what it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    media: Media,
    path: PathBuf,
}

impl MediaArgs {
    /// Takes the order of the media over all options from the parsed arguments.
    pub fn in_order(&mut self, matches: &ArgMatches) {
        let kinds = [("images", Media::Image, &self.images), ("sounds", Media::Audio, &self.sounds)];
        let mut all = Vec::new();
        for (option, media, paths) in kinds {
            let places = matches.indices_of(option).into_iter().flatten();
            all.extend(
                places.zip(paths).map(|(place, path)| (place, Attachment { media, path: path.clone() })),
            );
        }
        all.sort_by_key(|(place, _)| *place);
        self.order = all.into_iter().map(|(_, attachment)| attachment).collect();
    }

    /// Whether there are no media.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The content parts of the media in a message, in order.
    ///
    /// # Errors
    /// When a sound cannot be read.
    pub fn parts(&self) -> Result<Vec<Part>> {
        let parts = self.order.iter().map(Attachment::parts).collect::<Result<Vec<_>>>()?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// Repeats each audio part of a conversation once per clip. The first media are those of the conversation.
    ///
    /// # Errors
    /// When a sound cannot be read.
    pub fn spread(&self, conversation: &mut Conversation) -> Result<()> {
        let mut sounds = self.order.iter().filter(|attachment| attachment.media == Media::Audio);
        for message in &mut conversation.messages {
            let Content::Parts(parts) = &mut message.content else { continue };
            let mut spread = Vec::with_capacity(parts.len());
            for part in parts.drain(..) {
                match (part == Part::Audio).then(|| sounds.next()).flatten() {
                    Some(sound) => spread.extend(sound.parts()?),
                    None => spread.push(part),
                }
            }
            *parts = spread;
        }
        Ok(())
    }

    /// Notes about the audio files: silent, split into clips, or truncated.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn sounds(&self) -> Result<Vec<Value>> {
        let sounds = self.order.iter().filter(|attachment| attachment.media == Media::Audio);
        sounds.map(|attachment| Ok(describe(&attachment.sound()?))).collect()
    }

    /// Adds the files that the parts of a conversation name, before those of the command line.
    ///
    /// # Errors
    /// When the file is no JSON.
    pub fn add_messages(&mut self, path: &Path) -> Result<()> {
        let text = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let conversation: Value =
            serde_json::from_slice(&text).with_context(|| format!("{} isn't valid JSON", path.display()))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let parts = conversation["messages"].as_array().into_iter().flatten();
        let parts = parts.filter_map(|message| message["content"].as_array()).flatten();
        self.order.splice(0..0, parts.filter_map(|part| named(part, folder)));
        Ok(())
    }

    fn budget(&self) -> Result<Budget> {
        Ok(Budget::new(self.budget)?)
    }

    /// Tokens of the largest image, so that the model is loaded with enough memory for it.
    pub fn largest_picture(&self) -> u32 {
        if self.order.iter().any(|attachment| attachment.media == Media::Image) { self.budget } else { 0 }
    }

    /// Uses the towers of the projector files that are given.
    ///
    /// # Errors
    /// When a file is no projector of this model.
    pub fn use_projector(&self, session: &mut Core) -> Result<()> {
        self.projectors.iter().try_for_each(|path| use_projector(session, path))
    }

    /// The soft tokens of all media, in order.
    ///
    /// # Errors
    /// When a file cannot be read or encoded.
    fn encode(&self, session: &mut Core) -> Result<Vec<SoftTokens>> {
        let budget = self.budget()?;
        let soft = self.order.iter().map(|attachment| attachment.encode(session, budget));
        Ok(soft.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// Fills the media slots of the ids.
    ///
    /// # Errors
    /// When the media do not fit the slots.
    pub fn fill(&self, session: &mut Core, ids: Vec<u32>) -> Result<Input> {
        if self.is_empty() {
            // Slots without media are read as ordinary ids.
            return Ok(ids.into());
        }
        let soft = self.encode(session)?;
        let media: Vec<Medium> = soft.iter().map(SoftTokens::medium).collect();
        attached(Input::with_media(ids, session.tokenizer().special(), &media)?, soft)
    }

    /// The input of an embedding: the media behind each other.
    ///
    /// # Errors
    /// When a file cannot be read or encoded.
    pub fn embedded(&self, session: &mut EncoderSession) -> Result<Input> {
        let soft = self.encode(session)?;
        let media: Vec<Medium> = soft.iter().map(SoftTokens::medium).collect();
        let prompt: Prompt = media.iter().map(|medium| Segment::Media(medium.media)).collect();
        attached(session.input(&prompt, &media)?, soft)
    }

    /// A prompt with its media.
    ///
    /// # Errors
    /// When the media do not match the places in the prompt.
    pub fn expand(&self, session: &mut Core, prompt: &Prompt) -> Result<Input> {
        let soft = self.encode(session)?;
        let media: Vec<Medium> = soft.iter().map(SoftTokens::medium).collect();
        attached(prompt.expand(session.tokenizer(), &media)?, soft)
    }
}

/// Uses the towers of a projector file in a session.
///
/// # Errors
/// When the file is no projector of this model.
pub fn use_projector(session: &mut Core, path: &Path) -> Result<()> {
    let source: Rc<dyn ByteSource> =
        Rc::new(FileSource::open(path).with_context(|| format!("{} cannot be opened", path.display()))?);
    let header = pollster::block_on(Header::read(&*source))?;
    Ok(session.use_projector(&source, &header)?)
}

fn attached(mut input: Input, soft: Vec<SoftTokens>) -> Result<Input> {
    for (index, rows) in soft.into_iter().enumerate() {
        input.attach(index, rows)?;
    }
    Ok(input)
}

/// The file of a content part: `{"type": "image", "path": …}`, or the format of chat APIs with a path instead of
/// the URL.
fn named(part: &Value, folder: &Path) -> Option<Attachment> {
    let (media, path) = match part["type"].as_str()? {
        "image" | "image_url" => {
            let nested = part["image_url"]["url"].as_str();
            (Media::Image, part["path"].as_str().or(part["image"].as_str()).or(nested)?)
        }
        "audio" | "input_audio" => {
            let nested = part["input_audio"]["url"].as_str();
            (Media::Audio, part["path"].as_str().or(part["audio"].as_str()).or(nested)?)
        }
        _ => return None,
    };
    Some(Attachment { media, path: folder.join(path) })
}

impl Attachment {
    /// The file that a training example names, relative to this folder.
    pub fn of(named: &Named, folder: &Path) -> Self {
        Self { media: named.media, path: folder.join(&named.name) }
    }

    fn read(&self) -> Result<Vec<u8>> {
        std::fs::read(&self.path).with_context(|| format!("{} cannot be read", self.path.display()))
    }

    fn sound(&self) -> Result<Sound> {
        Sound::from_wav(&self.read()?).with_context(|| self.path.display().to_string())
    }

    fn parts(&self) -> Result<Vec<Part>> {
        Ok(match self.media {
            Media::Image => vec![Part::Image],
            Media::Video => vec![Part::Video],
            Media::Audio => vec![Part::Audio; self.sound()?.clips().len()],
        })
    }

    /// Encodes a file: one medium, or one for each clip of audio.
    ///
    /// # Errors
    /// When the file cannot be read or encoded.
    pub fn encode(&self, session: &mut Core, budget: Budget) -> Result<Vec<SoftTokens>> {
        let cancel = CancelToken::new();
        let encoded = match self.media {
            Media::Image => {
                let file = self.read()?;
                let vision = session.vision_mut()?;
                let soft = pollster::block_on(vision.soft_tokens(&file, budget, &cancel, &mut |_| ()));
                soft.map(|soft| vec![soft]).map_err(anyhow::Error::from)
            }
            Media::Audio => {
                let sound = self.sound()?;
                let hearing = session.audio_mut()?;
                let clips = sound.clips().into_iter();
                let soft = clips
                    .map(|clip| Ok(pollster::block_on(hearing.soft_tokens(clip, &cancel, &mut |_| ()))?));
                soft.collect()
            }
            Media::Video => bail!("{} cannot be encoded", self.path.display()),
        };
        encoded.with_context(|| self.path.display().to_string())
    }
}

/// Notes about an audio file.
fn describe(sound: &Sound) -> Value {
    json!({
        "seconds": sound.seconds(),
        "clips": sound.clips().len(),
        "silent": sound.is_silent(),
        "missing_bytes": sound.missing_bytes,
    })
}

/// Writes the output of a tower for one medium: its input (`pixels` of an image, `mel` of audio, or `samples` if
/// the model takes raw audio) and `soft_tokens`. The clips of long audio are concatenated.
///
/// # Errors
/// When there is not exactly one medium, or it cannot be encoded.
pub fn encode(session: &mut Core, gpu: &Gpu, media: &MediaArgs, out: &Path) -> Result<Value> {
    let [attachment] = media.order.as_slice() else { bail!("give exactly one image or sound") };
    let budget = media.budget()?;
    let started = web_time::Instant::now();
    let soft = attachment.encode(session, budget)?;
    let mut values = Vec::new();
    for soft in &soft {
        values.extend(pollster::block_on(soft.read(gpu))?);
    }
    let ms = started.elapsed().as_secs_f64() * 1000.0;
    let tokens: Vec<u32> = soft.iter().map(|soft| soft.medium().tokens).collect();
    let width = soft.first().map_or(0, SoftTokens::width);
    let shape = vec![tokens.iter().sum::<u32>() as usize, width as usize];
    let rows = TensorView::new(Dtype::F32, shape.clone(), bytemuck::cast_slice(&values))?;
    let written = |name: &str, view: TensorView<'_>| {
        safetensors::serialize_to_file([(name, view), ("soft_tokens", rows.clone())], None, out)
            .with_context(|| format!("{} cannot be written", out.display()))
    };
    let mut value = json!({
        "out": out,
        "soft_tokens": shape,
        "tokens_of_media": tokens,
        "ms": ms,
        "adapter": gpu.report().name,
    });
    if attachment.media == Media::Audio {
        let sound = attachment.sound()?;
        let (features, columns) = features(session, &sound)?;
        let name = if columns == mel::BINS { "mel" } else { "samples" };
        let size = vec![features.len() / columns.max(1), columns];
        written(name, TensorView::new(Dtype::F32, size.clone(), bytemuck::cast_slice(&features))?)?;
        value[name] = json!(size);
        value["sound"] = describe(&sound);
    } else {
        let picture = Picture::decode(&attachment.read()?)?;
        let pixels = picture.resized(budget)?;
        let size = vec![pixels.size.height as usize, pixels.size.width as usize, 3];
        written("pixels", TensorView::new(Dtype::U8, size.clone(), &pixels.rgb)?)?;
        value["pixels"] = json!(size);
        value["animated"] = json!(picture.is_animated());
    }
    Ok(value)
}

/// The tower's input for the clips of a sound, and its row length.
fn features(session: &mut Core, sound: &Sound) -> Result<(Vec<f32>, usize)> {
    let hearing = session.audio_mut()?;
    let tower = pollster::block_on(hearing.tower(&CancelToken::new(), &mut |_| ()))?;
    let (mut all, mut columns) = (Vec::new(), 0);
    for clip in sound.clips() {
        let mut encoder = Encoder::new(Rc::clone(&tower));
        encoder.push(clip);
        let (rows, width) = encoder.features();
        all.extend(rows);
        columns = width;
    }
    Ok((all, columns))
}
