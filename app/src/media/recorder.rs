//! The microphone: a worklet hears, this hands on what it heard.

use futures_channel::oneshot;
use js_sys::Float32Array;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AudioContext, AudioWorkletNode, MediaStreamAudioSourceNode, MessageEvent, MessagePort};

use super::device::{Device, DeviceError, Stream};

/// A running recording. Dropping it lets go of the microphone.
pub struct Recorder {
    context: AudioContext,
    port: MessagePort,
    ended: Rc<RefCell<Option<oneshot::Sender<()>>>>,
    _stream: Stream,
    // Held, or a browser may take it for unused.
    _nodes: Nodes,
    _on_piece: Closure<dyn FnMut(MessageEvent)>,
    _on_unplugged: Closure<dyn FnMut()>,
}

impl Recorder {
    /// Asks for the microphone and begins; `echo_cancelled`, what the page plays is taken out. `heard` gets pieces of about a tenth of a second with the rate of their
    /// samples; `unplugged` is called when the microphone goes away.
    ///
    /// # Errors
    /// Why there is nothing to hear.
    pub async fn start(
        echo_cancelled: bool,
        heard: impl Fn(Vec<f32>, f64) + 'static,
        unplugged: impl Fn() + 'static,
    ) -> Result<Self, DeviceError> {
        let stream = Device::Microphone.open(echo_cancelled).await?;
        let on_unplugged = Closure::<dyn FnMut()>::new(unplugged);
        for track in stream.tracks() {
            track.set_onended(Some(on_unplugged.as_ref().unchecked_ref()));
        }
        let context = AudioContext::new().map_err(|error| other(&error))?;
        match Self::connect(&context, &stream, heard).await {
            Ok((nodes, port, ended, on_piece)) => Ok(Self {
                context,
                port,
                ended,
                _stream: stream,
                _nodes: nodes,
                _on_piece: on_piece,
                _on_unplugged: on_unplugged,
            }),
            Err(error) => {
                let failure = other(&error);
                // It may be closed already; then there is nothing left to close.
                context.close().ok();
                Err(failure)
            }
        }
    }

    async fn connect(
        context: &AudioContext,
        stream: &Stream,
        heard: impl Fn(Vec<f32>, f64) + 'static,
    ) -> Result<Connected, JsValue> {
        let script =
            crate::browser::meta("gemtab-recorder").ok_or("the page does not say where its recorder is")?;
        JsFuture::from(context.audio_worklet()?.add_module(&script)?).await?;
        let node = AudioWorkletNode::new(context, "recorder")?;
        let port = node.port()?;
        let ended: Rc<RefCell<Option<oneshot::Sender<()>>>> = Rc::default();
        let rate = f64::from(context.sample_rate());
        let on_piece = Closure::<dyn FnMut(MessageEvent)>::new({
            let ended = Rc::clone(&ended);
            move |event: MessageEvent| match event.data().dyn_into::<Float32Array>() {
                Ok(piece) => heard(piece.to_vec(), rate),
                // Anything else is the worklet's last word.
                Err(_) => {
                    if let Some(ended) = ended.borrow_mut().take() {
                        ended.send(()).ok();
                    }
                }
            }
        });
        port.set_onmessage(Some(on_piece.as_ref().unchecked_ref()));
        let source = context.create_media_stream_source(stream.stream())?;
        source.connect_with_audio_node(&node)?;
        // It plays nothing; some browsers run only what leads to the loudspeaker.
        node.connect_with_audio_node(&context.destination())?;
        JsFuture::from(context.resume()?).await?;
        Ok(((source, node), port, ended, on_piece))
    }

    /// Hears nothing until [`Self::resume`].
    pub fn pause(&self) {
        // A context that is closed hears nothing anyway.
        self.context.suspend().ok();
    }

    /// Goes on after [`Self::pause`].
    pub fn resume(&self) {
        self.context.resume().ok();
    }

    /// Has the last piece handed on, and ends. A paused recording has handed on all but a tenth of a second.
    pub async fn stop(self) {
        let (sender, receiver) = oneshot::channel();
        self.ended.borrow_mut().replace(sender);
        if self.port.post_message(&JsValue::NULL).is_ok() {
            let limit = gloo_timers::future::TimeoutFuture::new(500);
            futures_util::future::select(receiver, limit).await;
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.port.set_onmessage(None);
        self.context.close().ok();
    }
}

type Nodes = (MediaStreamAudioSourceNode, AudioWorkletNode);

type Connected =
    (Nodes, MessagePort, Rc<RefCell<Option<oneshot::Sender<()>>>>, Closure<dyn FnMut(MessageEvent)>);

fn other(error: &JsValue) -> DeviceError {
    DeviceError::Other { device: Device::Microphone, reason: interop::words(error) }
}
