//! Videos: pictures at even distances, each with its time.

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use wasm_bindgen::{JsCast as _, closure::Closure};
use web_sys::{Blob, EventTarget, HtmlVideoElement, Url};

use super::picture;
use crate::{format, language::t};

/// Most pictures of one video.
pub const MAX_FRAMES: u32 = 32;
/// Longest video, in seconds.
const MAX_SECONDS: f64 = 600.0;
/// Longer side of a picture, in pixels: more than 70 tokens can show.
const SIDE: u32 = 768;
/// How long the browser may take to find a place in a video, in milliseconds.
const SEEK_LIMIT_MS: u32 = 10_000;

/// Why a file gives no pictures.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VideoError {
    /// The browser does not play it.
    #[error("{}", t().video_unreadable())]
    Unreadable,
    /// It does not say how long it is.
    #[error("{}", t().video_no_length())]
    NoLength,
    /// It is longer than the page takes.
    #[error("{}", t().media_too_long(length, &format::seconds(MAX_SECONDS)))]
    TooLong {
        /// Its length, in words.
        length: String,
    },
}

/// A picture of a video.
pub struct Frame {
    /// Its time in milliseconds.
    pub millis: u64,
    /// It, as a JPEG file.
    pub blob: Blob,
}

/// The times of the pictures of a video, in seconds: one a second, or [`MAX_FRAMES`] at even distances, each in the
/// middle of its part.
fn moments(seconds: f64) -> Vec<f64> {
    let count = seconds.ceil().clamp(1.0, f64::from(MAX_FRAMES));
    (0..count as u32).map(|number| (f64::from(number) + 0.5) * seconds / count).collect()
}

/// Takes the pictures of a video. `progress` hears how many were taken, and of how many, and says whether more are wanted.
///
/// # Errors
/// Why there are none.
pub async fn frames(blob: &Blob, progress: impl Fn(usize, usize) -> bool) -> Result<Vec<Frame>, VideoError> {
    let player = Player::open(blob).await.ok_or(VideoError::Unreadable)?;
    if player.video.duration().is_infinite() {
        // What a browser has recorded does not say how long it is: that is known at its end.
        player.seek(f64::from(u32::MAX)).await;
    }
    let seconds = player.video.duration();
    if !seconds.is_finite() || seconds <= 0.0 {
        return Err(VideoError::NoLength);
    }
    if seconds > MAX_SECONDS {
        return Err(VideoError::TooLong { length: format::seconds(seconds) });
    }
    let moments = moments(seconds);
    let mut frames = Vec::new();
    for (taken, &moment) in moments.iter().enumerate() {
        if !progress(taken, moments.len()) {
            break;
        }
        if !player.seek(moment).await {
            return Err(VideoError::Unreadable);
        }
        let drawn = picture::of_video(&player.video, SIDE, "image/jpeg").await;
        let blob = drawn.ok_or(VideoError::Unreadable)?;
        frames.push(Frame { millis: (moment * 1000.0) as u64, blob });
    }
    Ok(frames)
}

/// A video that nobody sees.
struct Player {
    video: HtmlVideoElement,
    url: String,
}

impl Player {
    async fn open(blob: &Blob) -> Option<Self> {
        let document = web_sys::window()?.document()?;
        let video: HtmlVideoElement = document.create_element("video").ok()?.unchecked_into();
        let url = Url::create_object_url_with_blob(blob).ok()?;
        let player = Self { video, url };
        player.video.set_muted(true);
        player.video.set_preload("auto");
        let loaded = player.hears("loadeddata");
        player.video.set_src(&player.url);
        loaded.await.then_some(player)
    }

    async fn seek(&self, seconds: f64) -> bool {
        let found = self.hears("seeked");
        self.video.set_current_time(seconds);
        found.await
    }

    /// Waits for an event; false when an error comes first, or nothing for long.
    fn hears(&self, event: &'static str) -> impl Future<Output = bool> + use<> {
        let target: EventTarget = self.video.clone().into();
        let (sender, receiver) = oneshot::channel();
        let mut sender = Some(sender);
        let heard = Closure::<dyn FnMut(web_sys::Event)>::new(move |event: web_sys::Event| {
            if let Some(sender) = sender.take() {
                sender.send(event.type_() != "error").ok();
            }
        });
        for name in [event, "error"] {
            // Adding a listener to an element cannot fail.
            target.add_event_listener_with_callback(name, heard.as_ref().unchecked_ref()).ok();
        }
        async move {
            let result = match select(receiver, TimeoutFuture::new(SEEK_LIMIT_MS)).await {
                Either::Left((heard, _)) => heard.unwrap_or(false),
                Either::Right(_) => false,
            };
            for name in [event, "error"] {
                target.remove_event_listener_with_callback(name, heard.as_ref().unchecked_ref()).ok();
            }
            result
        }
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.video.set_src("");
        Url::revoke_object_url(&self.url).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::moments;

    #[test]
    fn there_is_one_picture_a_second_up_to_the_most() {
        assert_eq!(moments(0.4), [0.2]);
        assert_eq!(moments(3.0), [0.5, 1.5, 2.5]);
        let long = moments(64.0);
        assert_eq!(long.len(), 32);
        assert_eq!((long[0], long[31]), (1.0, 63.0));
    }
}
