//! Asking the user for the microphone or the camera, and what to say when there is none.

use js_sys::Reflect;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{MediaStream, MediaStreamConstraints, MediaStreamTrack};

use crate::language::t;

/// A device that hears or sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// A microphone.
    Microphone,
    /// A camera.
    Camera,
}

/// Why there is no stream of a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// The user, or their system, said no.
    #[error("{}", t().device_refused(.0.text()))]
    Refused(Device),
    /// There is none.
    #[error("{}", t().device_missing(.0.text()))]
    None(Device),
    /// It is there and cannot be used.
    #[error("{}", t().device_busy(.0.text()))]
    Busy(Device),
    /// The browser offers none to this page.
    #[error("{}", t().device_unavailable(.0.text()))]
    Unavailable(Device),
    /// Anything else, in the browser's words.
    #[error("{}", t().device_other(device.text(), reason))]
    Other {
        /// The device.
        device: Device,
        /// The browser's words.
        reason: String,
    },
}

impl Device {
    /// Which variant of a message speaks of it.
    fn text(self) -> &'static str {
        match self {
            Self::Microphone => "microphone",
            Self::Camera => "camera",
        }
    }

    /// What the browser calls its kind.
    fn kind(self) -> &'static str {
        match self {
            Self::Microphone => "audioinput",
            Self::Camera => "videoinput",
        }
    }

    /// Opens it; the browser asks the user. `echo_cancelled`, a microphone doesn't hear what the page plays.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub async fn open(self, echo_cancelled: bool) -> Result<Stream, DeviceError> {
        let constraints = MediaStreamConstraints::new();
        match self {
            Self::Microphone => constraints.set_audio(&microphone(echo_cancelled)),
            Self::Camera => constraints.set_video(&JsValue::TRUE),
        }
        let devices = media_devices().ok_or(DeviceError::Unavailable(self))?;
        let asked = devices.get_user_media_with_constraints(&constraints);
        let stream = match asked {
            Ok(promise) => JsFuture::from(promise).await,
            Err(error) => Err(error),
        };
        let stream = stream.map_err(|error| self.error(&error))?;
        Ok(Stream(stream.unchecked_into()))
    }

    /// Whether there is one. A browser tells that without asking the user.
    pub async fn exists(self) -> bool {
        let Some(asked) = media_devices().and_then(|devices| devices.enumerate_devices().ok()) else {
            return false;
        };
        let Ok(list) = JsFuture::from(asked).await else { return false };
        js_sys::Array::from(&list).iter().any(|device| {
            let kind = Reflect::get(&device, &"kind".into());
            kind.is_ok_and(|kind| kind == self.kind())
        })
    }

    fn error(self, error: &JsValue) -> DeviceError {
        let text = |field: &str| {
            Reflect::get(error, &field.into()).ok().and_then(|value| value.as_string()).unwrap_or_default()
        };
        match text("name").as_str() {
            "NotAllowedError" | "SecurityError" => DeviceError::Refused(self),
            "NotFoundError" | "OverconstrainedError" => DeviceError::None(self),
            "NotReadableError" | "AbortError" => DeviceError::Busy(self),
            _ => {
                DeviceError::Other { device: self, reason: text("message").trim_end_matches('.').to_owned() }
            }
        }
    }
}

/// One channel, without what makes calls pleasant and speech harder to recognise.
fn microphone(echo_cancelled: bool) -> JsValue {
    let wishes = js_sys::Object::new();
    for (name, value) in [
        ("channelCount", JsValue::from_f64(1.0)),
        ("echoCancellation", JsValue::from_bool(echo_cancelled)),
        ("noiseSuppression", JsValue::FALSE),
        ("autoGainControl", JsValue::TRUE),
    ] {
        // A fresh object takes any property.
        Reflect::set(&wishes, &name.into(), &value).ok();
    }
    wishes.into()
}

/// Outside a secure context there are none, whatever the type says.
fn media_devices() -> Option<web_sys::MediaDevices> {
    let navigator = web_sys::window()?.navigator();
    let has = Reflect::get(&navigator, &"mediaDevices".into()).is_ok_and(|it| it.is_object());
    if has { navigator.media_devices().ok() } else { None }
}

/// What a device hears or sees. Dropping it lets go of the device.
pub struct Stream(MediaStream);

impl Stream {
    /// Returns the stream itself.
    #[must_use]
    pub fn stream(&self) -> &MediaStream {
        &self.0
    }

    /// Its tracks.
    pub fn tracks(&self) -> impl Iterator<Item = MediaStreamTrack> + use<> {
        self.0.get_tracks().iter().map(|track| track.unchecked_into()).collect::<Vec<_>>().into_iter()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        for track in self.tracks() {
            track.set_onended(None);
            track.stop();
        }
    }
}
