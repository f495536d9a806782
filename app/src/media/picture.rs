//! Pictures that the browser draws: to be kept in a format that the engine reads, or taken from a video.

use futures_channel::oneshot;
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement, HtmlVideoElement, ImageBitmap};

/// Sides above this are not drawn: canvases of browsers end here or sooner.
const MAX_SIDE: u32 = 8_192;

/// Writes a picture of any format that the browser reads as PNG; `None` if it does not read it.
pub async fn as_png(blob: &Blob) -> Option<Blob> {
    let promise = web_sys::window()?.create_image_bitmap_with_blob(blob).ok()?;
    let bitmap: ImageBitmap = JsFuture::from(promise).await.ok()?.unchecked_into();
    let (width, height) = (bitmap.width(), bitmap.height());
    let drawn = canvas(width, height).and_then(|(canvas, context)| {
        let (w, h) = (f64::from(width), f64::from(height));
        context.draw_image_with_image_bitmap_and_dw_and_dh(&bitmap, 0.0, 0.0, w, h).ok()?;
        Some(canvas)
    });
    bitmap.close();
    written(&drawn?, "image/png").await
}

/// Returns what a video shows now, with its longer side at most `side` pixels long; `None` if it shows nothing.
pub async fn of_video(video: &HtmlVideoElement, side: u32, mime: &str) -> Option<Blob> {
    let (width, height) = fitted(video.video_width(), video.video_height(), side)?;
    let (canvas, context) = canvas(width, height)?;
    let (w, h) = (f64::from(width), f64::from(height));
    context.draw_image_with_html_video_element_and_dw_and_dh(video, 0.0, 0.0, w, h).ok()?;
    written(&canvas, mime).await
}

/// A size of the same proportions with sides of at most `side`; `None` for a size of nothing.
fn fitted(width: u32, height: u32, side: u32) -> Option<(u32, u32)> {
    let longer = width.max(height);
    if width.min(height) == 0 {
        return None;
    }
    if longer <= side {
        return Some((width, height));
    }
    let scaled = |length: u32| (u64::from(length) * u64::from(side) / u64::from(longer)).max(1) as u32;
    Some((scaled(width), scaled(height)))
}

fn canvas(width: u32, height: u32) -> Option<(HtmlCanvasElement, CanvasRenderingContext2d)> {
    if width.min(height) == 0 || width.max(height) > MAX_SIDE {
        return None;
    }
    let document = web_sys::window()?.document()?;
    let canvas: HtmlCanvasElement = document.create_element("canvas").ok()?.unchecked_into();
    canvas.set_width(width);
    canvas.set_height(height);
    let context = canvas.get_context("2d").ok()??.unchecked_into();
    Some((canvas, context))
}

async fn written(canvas: &HtmlCanvasElement, mime: &str) -> Option<Blob> {
    let (sender, receiver) = oneshot::channel();
    let done = Closure::once(move |blob: JsValue| {
        sender.send(blob.dyn_into::<Blob>().ok()).ok();
    });
    canvas
        .to_blob_with_type_and_encoder_options(done.as_ref().unchecked_ref(), mime, &JsValue::from_f64(0.92))
        .ok()?;
    receiver.await.ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::fitted;

    #[test]
    fn proportions_are_kept() {
        assert_eq!(fitted(1_920, 1_080, 960), Some((960, 540)));
        assert_eq!(fitted(100, 50, 960), Some((100, 50)));
        assert_eq!(fitted(4_000, 1, 960), Some((960, 1)));
        assert_eq!(fitted(0, 10, 960), None);
    }
}
