//! Pictures and sound of a conversation: what they are, what they cost, and their way to soft tokens.
//!
//! The page gives each medium a key and hands on its bytes as a handle. [`known`] reads them once to find out how many
//! tokens the medium takes; [`encode`] reads them again where the model has to look or listen. In between they are
//! nowhere in wasm memory. [`mod@listen`] encodes what the microphone hears as it comes.

mod budget;
mod encode;
mod known;
mod listen;

use std::rc::Rc;

use engine::audio::Audio;
use engine::media::Media;
use engine::vision::Vision;
use protocol::failure::MediaFailure;
use protocol::{Content, Failure, MediaNotice, MediaReport, MediaSize, Outcome};

use crate::host::Host;
use crate::state::known::Size;
use crate::state::tasks::Task;

pub use encode::{EncodeError, EncodeProgress, MediumOrigin, one, prepare};
pub use known::look;
pub use listen::listen;

/// Tokens that stand around a medium.
const BRACKETS: u32 = 2;

/// Answers [`protocol::Request::Examine`].
pub async fn examine(
    host: Rc<Host>,
    content: Content,
    handles: Vec<web_sys::Blob>,
    task: Task,
) -> Result<Outcome, Failure> {
    let known = known::look(&host, &content, &handles, &task.cancel).await?;
    let known = known.ok_or(MediaFailure::Neither)?;
    let mut notices = Vec::new();
    let size = match known.size {
        Size::Pixels { width, height, animated } => {
            notices.extend(animated.then_some(MediaNotice::FirstFrame));
            notices.extend(known.cut.then_some(MediaNotice::FewerTokens(known.budget.tokens())));
            MediaSize::Pixels { width, height }
        }
        Size::Seconds { seconds, silent } => {
            notices.extend((known.media.len() > 1).then_some(MediaNotice::Clips(known.media.len() as u32)));
            notices.extend(silent.then_some(MediaNotice::Silent));
            MediaSize::Seconds(seconds)
        }
    };
    let kind = if matches!(content, Content::Image { .. }) { Media::Image } else { Media::Audio };
    let takes = host.model.borrow().as_ref().is_some_and(|model| model.takes(kind));
    let tokens = takes.then(|| known.media.iter().map(|medium| medium.tokens + BRACKETS).sum());
    Ok(Outcome::Examined(MediaReport { size, tokens, notices }))
}

/// Answers [`protocol::Request::Towers`].
pub async fn towers(host: Rc<Host>, free: bool, task: Task) -> Result<Outcome, Failure> {
    let mut slot = host.slot(&task.cancel).await?;
    let Some(ready) = slot.as_mut() else { return Ok(Outcome::Towers { bytes: None, gpu_bytes: 0 }) };
    if free {
        ready.free_towers();
    }
    let session = ready.session.autoregressive().ok();
    let seeing = session.and_then(|session| session.vision()).map_or(0, Vision::bytes_in_use);
    let hearing = session.and_then(|session| session.audio()).map_or(0, Audio::bytes_in_use);
    Ok(Outcome::Towers { bytes: Some(seeing + hearing), gpu_bytes: ready.gpu.bytes_in_use() })
}
