//! The microphone, heard as utterances.

use std::cell::RefCell;
use std::rc::Rc;

use crate::media::activity::{Activity, Heard, Utterance};
use crate::media::device::DeviceError;
use crate::media::level;
use crate::media::recorder::Recorder;
use crate::media::resample::Resampler;
use crate::media::wav::Wav;

/// An open microphone. Dropping it lets go of the device.
pub(super) struct Ear {
    recorder: Recorder,
    hearing: Rc<RefCell<Hearing>>,
}

struct Hearing {
    resampler: Option<Resampler>,
    activity: Activity,
}

impl Ear {
    /// Asks for the microphone. A pause of so many milliseconds ends an utterance. `heard` gets what is heard, and how loud it
    /// is. `echo_cancelled`, what the page speaks is not heard.
    pub(super) async fn open(
        pause: u32,
        echo_cancelled: bool,
        heard: impl Fn(Vec<Heard>, f32) + 'static,
        unplugged: impl Fn() + 'static,
    ) -> Result<Self, DeviceError> {
        let hearing = Rc::new(RefCell::new(Hearing { resampler: None, activity: Activity::new(pause) }));
        let listen = {
            let hearing = Rc::clone(&hearing);
            move |piece: Vec<f32>, rate: f64| {
                let found = {
                    let Hearing { resampler, activity } = &mut *hearing.borrow_mut();
                    let mut wav = Wav::new();
                    wav.push(&resampler.get_or_insert_with(|| Resampler::new(rate)).push(&piece));
                    activity.push(&wav.since(0))
                };
                heard(found, level::meter(&piece));
            }
        };
        let recorder = Recorder::start(echo_cancelled, listen, unplugged).await?;
        Ok(Self { recorder, hearing })
    }

    /// Closes the microphone. Returns what is being said.
    pub(super) async fn close(self) -> Option<Utterance> {
        self.recorder.stop().await;
        self.hearing.borrow_mut().activity.finish()
    }
}
