//! What was found out about media, by their keys.

use std::rc::Rc;

use engine::audio::{self, Sound};
use engine::bytes::CancelToken;
use engine::media::{ContentHash, Media, Medium};
use engine::vision::{self, Budget, Head, Picture};
use protocol::{Content, Failure, TokenBudget};

use super::budget;
use crate::failure::{self, Stopped};
use crate::host::Host;
use crate::state::known::{Known, Size};

/// Examines a medium, unless it is known. Returns `None` for text.
pub async fn look(
    host: &Host,
    content: &Content,
    handles: &[web_sys::Blob],
    cancel: &CancelToken,
) -> Result<Option<Rc<Known>>, Failure> {
    let (media, wanted) = match content {
        Content::Text(_) => return Ok(None),
        Content::Image { media, budget } => (media, *budget),
        Content::Audio { media } => (media, TokenBudget::Auto),
    };
    let key = (media.key, wanted);
    if let Some(known) = host.known.borrow().get(&key) {
        return Ok(Some(Rc::clone(known)));
    }
    let bytes = read(host, handles, media.place, cancel).await?;
    let most = host.model.borrow().as_ref().and_then(|model| model.largest_picture).unwrap_or(u32::MAX);
    let known = match content {
        Content::Audio { .. } => sound(host, &bytes)?,
        _ => picture(&bytes, wanted, most).map_err(|error| failure::of_picture(&error))?,
    };
    let known = Rc::new(known);
    host.known.borrow_mut().insert(key, Rc::clone(&known));
    Ok(Some(known))
}

/// The bytes of a medium.
pub async fn read(
    host: &Host,
    handles: &[web_sys::Blob],
    place: u32,
    cancel: &CancelToken,
) -> Result<Vec<u8>, Failure> {
    let reading = async { host.platform.read(handles, place).await.map_err(Stopped) };
    cancel.guard(reading).await.map_err(|Stopped(failure)| failure)
}

/// A picture, with at most `most` tokens: the model takes no more at once.
fn picture(file: &[u8], wanted: TokenBudget, most: u32) -> Result<Known, vision::PictureError> {
    let Head { width, height, .. } = Head::read(file)?;
    // All of it, for a file may be cut short behind its header.
    let picture = Picture::decode(file)?;
    let wished = match wanted.tokens() {
        Some(tokens) => Budget::new(tokens)?,
        None => budget::automatic(&picture)?,
    };
    let budget = budget::within(wished, most);
    let cut = budget < wished && wanted != TokenBudget::Auto;
    let size = Size::Pixels { width, height, animated: picture.is_animated() };
    Ok(Known { media: vec![vision::medium(file, budget)?], budget, cut, size })
}

fn sound(host: &Host, file: &[u8]) -> Result<Known, Failure> {
    let sound = Sound::from_wav(file).map_err(|error| failure::of_wav(&error))?;
    let model = host.model.borrow();
    let config = model.as_ref().and_then(|model| model.audio_tower.as_ref());
    let clips = sound.clips().into_iter().map(|clip| clip_medium(clip, config));
    let size = Size::Seconds { seconds: sound.seconds(), silent: sound.is_silent() };
    Ok(Known { media: clips.collect(), budget: Budget::default(), cut: false, size })
}

/// The medium that a clip is for a model with this tower; it takes no tokens where there is none.
fn clip_medium(clip: &[f32], config: Option<&audio::TowerConfig>) -> Medium {
    if let Some(config) = config {
        return audio::medium(config, clip);
    }
    let bytes: Vec<u8> = clip.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    Medium { media: Media::Audio, content: ContentHash::of(&bytes, &[]), tokens: 0 }
}
