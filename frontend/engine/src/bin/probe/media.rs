//! Media on the command line and in conversations.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context as _, Result, bail};
use clap::{ArgMatches, Args};
use engine::bytes::{ByteSource, CancelToken, FileSource};
use engine::gguf::Header;
use engine::media::{Input, Media, Medium, SoftTokens};
use engine::session::Session;
use engine::template::Prompt;
use engine::vision::{Budget, Picture};
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Value, json};

/// Media for a prompt, and how they are encoded.
#[derive(Args, Clone, Debug, Default)]
pub struct MediaArgs {
    /// The file with the towers, where they are not in the model's own.
    #[arg(long)]
    projector: Option<PathBuf>,
    /// A picture: PNG, JPEG, WebP or GIF. May be given several times; media fill their places in order.
    #[arg(long = "image")]
    images: Vec<PathBuf>,
    /// Most soft tokens of a picture: 70, 140, 280, 560 or 1120.
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
    /// Takes the order in which the media were given, over all options, from what was parsed.
    pub fn in_order(&mut self, matches: &ArgMatches) {
        let kinds = [("images", Media::Image, &self.images)];
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Kinds of the media, in order.
    pub fn kinds(&self) -> impl Iterator<Item = Media> {
        self.order.iter().map(|attachment| attachment.media)
    }

    /// Adds the files that the parts of a conversation name, in front of those of the command line.
    ///
    /// # Errors
    /// When the file is no JSON.
    pub fn add_messages(&mut self, path: &Path) -> Result<()> {
        let text = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let conversation: Value =
            serde_json::from_slice(&text).with_context(|| format!("{} is no JSON", path.display()))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let parts = conversation["messages"].as_array().into_iter().flatten();
        let parts = parts.filter_map(|message| message["content"].as_array()).flatten();
        self.order.splice(0..0, parts.filter_map(|part| named(part, folder)));
        Ok(())
    }

    fn budget(&self) -> Result<Budget> {
        Ok(Budget::new(self.budget)?)
    }

    /// Tokens of the largest picture, for loading a model with room for it.
    pub fn largest_picture(&self) -> u32 {
        if self.order.iter().any(|attachment| attachment.media == Media::Image) { self.budget } else { 0 }
    }

    /// Gives a session the towers of the projector file, where one is named.
    ///
    /// # Errors
    /// When the file is no projector of this model.
    pub fn use_projector(&self, session: &mut Session) -> Result<()> {
        let Some(path) = &self.projector else { return Ok(()) };
        let source: Rc<dyn ByteSource> =
            Rc::new(FileSource::open(path).with_context(|| format!("{} cannot be opened", path.display()))?);
        let header = pollster::block_on(Header::read(&*source))?;
        Ok(session.use_projector(&source, &header)?)
    }

    /// The soft tokens of all media, in order.
    ///
    /// # Errors
    /// When a file cannot be read or encoded.
    fn encode(&self, session: &mut Session) -> Result<Vec<SoftTokens>> {
        let budget = self.budget()?;
        self.order.iter().map(|attachment| attachment.encode(session, budget)).collect()
    }

    /// Ids whose slots the media fill.
    ///
    /// # Errors
    /// When the media do not fit the slots.
    pub fn fill(&self, session: &mut Session, ids: Vec<u32>) -> Result<Input> {
        if self.is_empty() {
            // Slots without media are read as the ids that they are.
            return Ok(ids.into());
        }
        let soft = self.encode(session)?;
        let media: Vec<Medium> = soft.iter().map(SoftTokens::medium).collect();
        attached(Input::with_media(ids, session.tokenizer().special(), &media)?, soft)
    }

    /// A prompt with its media.
    ///
    /// # Errors
    /// When the media are not those that the prompt has places for.
    pub fn expand(&self, session: &mut Session, prompt: &Prompt) -> Result<Input> {
        let soft = self.encode(session)?;
        let media: Vec<Medium> = soft.iter().map(SoftTokens::medium).collect();
        attached(prompt.expand(session.tokenizer(), &media)?, soft)
    }
}

fn attached(mut input: Input, soft: Vec<SoftTokens>) -> Result<Input> {
    for (index, rows) in soft.into_iter().enumerate() {
        input.attach(index, rows)?;
    }
    Ok(input)
}

/// The file of a content part: `{"type": "image", "path": …}`, or the shape of chat APIs with a path for the address.
fn named(part: &Value, folder: &Path) -> Option<Attachment> {
    let (media, path) = match part["type"].as_str()? {
        "image" | "image_url" => {
            let nested = part["image_url"]["url"].as_str();
            (Media::Image, part["path"].as_str().or(part["image"].as_str()).or(nested)?)
        }
        _ => return None,
    };
    Some(Attachment { media, path: folder.join(path) })
}

impl Attachment {
    fn read(&self) -> Result<Vec<u8>> {
        std::fs::read(&self.path).with_context(|| format!("{} cannot be read", self.path.display()))
    }

    fn encode(&self, session: &mut Session, budget: Budget) -> Result<SoftTokens> {
        let file = self.read()?;
        let encoded = match self.media {
            Media::Image => {
                let vision = session.vision_mut()?;
                pollster::block_on(vision.soft_tokens(&file, budget, &CancelToken::new(), &mut |_| ()))
            }
            Media::Audio | Media::Video => bail!("{} cannot be encoded", self.path.display()),
        };
        encoded.with_context(|| self.path.display().to_string())
    }
}

/// Writes what a tower makes of the one medium given: `pixels`, and `soft_tokens`.
///
/// # Errors
/// When there is not exactly one, or it cannot be encoded.
pub fn encode(session: &mut Session, gpu: &engine::gpu::Gpu, media: &MediaArgs, out: &Path) -> Result<Value> {
    let [attachment] = media.order.as_slice() else { bail!("give exactly one medium") };
    let budget = media.budget()?;
    let started = web_time::Instant::now();
    let soft = attachment.encode(session, budget)?;
    let values = pollster::block_on(soft.read(gpu))?;
    let ms = started.elapsed().as_secs_f64() * 1000.0;
    let shape = vec![soft.medium().tokens as usize, soft.width() as usize];
    let rows = TensorView::new(Dtype::F32, shape.clone(), bytemuck::cast_slice(&values))?;
    let picture = Picture::decode(&attachment.read()?)?;
    let pixels = picture.resized(budget)?;
    let size = vec![pixels.size.height as usize, pixels.size.width as usize, 3];
    let view = TensorView::new(Dtype::U8, size.clone(), &pixels.rgb)?;
    safetensors::serialize_to_file([("pixels", view), ("soft_tokens", rows)], None, out)
        .with_context(|| format!("{} cannot be written", out.display()))?;
    Ok(json!({
        "out": out,
        "pixels": size,
        "soft_tokens": shape,
        "animated": picture.is_animated(),
        "ms": ms,
        "adapter": gpu.report().name,
    }))
}
