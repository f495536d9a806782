//! What the camera sees, and a button that takes a picture of it.

use leptos::{html, prelude::*, task::spawn_local};
use send_wrapper::SendWrapper;

use crate::{language::t, media::camera::Camera, state::use_chat};

/// The view, and the button.
#[component]
pub fn CameraView(open: RwSignal<bool>) -> impl IntoView {
    let chat = use_chat();
    let video = NodeRef::<html::Video>::new();
    let trouble = RwSignal::new(None::<String>);
    let ready = RwSignal::new(false);
    let camera = StoredValue::new(None::<SendWrapper<Camera>>);
    Effect::new(move |_| {
        let Some(video) = video.get() else { return };
        spawn_local(async move {
            match Camera::open(video).await {
                // When the dialog was closed meanwhile there is no place for it, and it is let go at once.
                Ok(opened) => {
                    camera.try_update_value(|camera| *camera = Some(SendWrapper::new(opened)));
                    ready.try_set(true);
                }
                Err(error) => {
                    trouble.try_set(Some(error.to_string()));
                }
            }
        });
    });
    let take = move |_| {
        let Some(camera) = camera.try_update_value(Option::take).flatten().map(SendWrapper::take) else {
            return;
        };
        ready.set(false);
        spawn_local(async move {
            match camera.take().await {
                Some(blob) => {
                    chat.attach_picture(blob, t().camera_file());
                    open.set(false);
                }
                None => {
                    trouble.try_set(Some(t().camera_nothing().to_owned()));
                }
            }
        });
    };
    view! {
        <div class="camera-view">
            <video node_ref=video class="camera-picture" aria-label=t().camera_view() autoplay playsinline prop:muted=true></video>
            {move || trouble.get().map(|words| view! { <p role="alert">{words}</p> })}
            <div class="buttons">
                <button type="button" class="button primary" disabled=move || !ready.get() on:click=take>{t().camera_take()}</button>
                <button type="button" class="button" on:click=move |_| open.set(false)>{t().cancel()}</button>
            </div>
        </div>
    }
}
