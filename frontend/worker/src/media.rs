//! Pictures and sound: looking at them, encoding them, and the towers that do.

use std::rc::Rc;

use protocol::{Cause, Content, Event, Failure, Remedy, RequestId};

use crate::host::Host;

/// Answers [`protocol::Request::Examine`].
pub async fn examine(
    _host: Rc<Host>,
    _id: RequestId,
    content: Content,
    _handles: Vec<web_sys::Blob>,
) -> Result<Event, Failure> {
    let what = match content {
        Content::Text(_) => {
            return Err(Failure::new(Cause::Invalid, "There is no picture or sound in this."));
        }
        Content::Image { .. } => "pictures",
        Content::Audio { .. } => "sound",
    };
    let message = format!("gemtab does not take {what} with this model yet.");
    Err(Failure::new(Cause::Unsupported, message).with(Remedy::OtherModel))
}

/// Answers [`protocol::Request::Towers`].
pub async fn towers(host: Rc<Host>, id: RequestId, _free: bool) -> Result<Event, Failure> {
    let slot = host.slot_now().await;
    let gpu_bytes = slot.as_ref().map_or(0, |ready| ready.gpu.bytes_in_use());
    Ok(Event::Towers { id, bytes: slot.as_ref().map(|_| 0), gpu_bytes })
}
