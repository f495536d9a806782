//! The camera: what it shows, and a picture of it.

use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, HtmlVideoElement};

use super::device::{Device, DeviceError, Stream};
use super::picture;

/// Longer side of a picture that the camera takes, in pixels.
const SIDE: u32 = 2_048;

/// An open camera. Dropping it lets go of the device.
pub struct Camera {
    video: HtmlVideoElement,
    _stream: Stream,
}

impl Camera {
    /// Opens the camera, and has `video` show it.
    ///
    /// # Errors
    /// Why there is nothing to show.
    pub async fn open(video: HtmlVideoElement) -> Result<Self, DeviceError> {
        let stream = Device::Camera.open(false).await?;
        video.set_src_object(Some(stream.stream()));
        if let Ok(playing) = video.play() {
            // Interrupted only when the dialog was closed meanwhile.
            JsFuture::from(playing).await.ok();
        }
        Ok(Self { video, _stream: stream })
    }

    /// Returns a picture of what it shows now; `None` if it shows nothing yet.
    pub async fn take(&self) -> Option<Blob> {
        picture::of_video(&self.video, SIDE, "image/png").await
    }
}

impl Drop for Camera {
    fn drop(&mut self) {
        self.video.set_src_object(None);
    }
}
