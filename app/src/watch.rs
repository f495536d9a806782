//! What an owner listens to for as long as it lives: events of the window, scrolling anywhere on the page, the sizes of elements.

use leptos::{
    ev::EventDescriptor,
    html::ElementType,
    prelude::*,
    web_sys::{AddEventListenerOptions, Event, ResizeObserver},
};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, prelude::Closure};

/// Calls `heard` with each event of this kind that reaches the window.
pub fn on_window<E>(event: E, heard: impl Fn(E::EventType) + Clone + 'static)
where
    E: EventDescriptor + 'static,
    E::EventType: JsCast,
{
    Effect::new(move |_| {
        let listener = window_event_listener(event.clone(), heard.clone());
        on_cleanup(move || listener.remove());
    });
}

/// Calls `scrolled` whenever something on the page scrolls.
pub fn on_scroll(scrolled: impl Fn() + Copy + 'static) {
    Effect::new(move |_| {
        let listener = SendWrapper::new(Closure::<dyn Fn(Event)>::new(move |_: Event| scrolled()));
        let options = AddEventListenerOptions::new();
        // Scroll events of elements don't bubble.
        options.set_capture(true);
        let function = listener.as_ref().unchecked_ref();
        if window()
            .add_event_listener_with_callback_and_add_event_listener_options("scroll", function, &options)
            .is_err()
        {
            return;
        }
        on_cleanup(move || {
            let function = listener.as_ref().unchecked_ref();
            // It was added.
            window().remove_event_listener_with_callback_and_bool("scroll", function, true).ok();
        });
    });
}

/// Calls `resized` when the element is in the page, and whenever its size changes.
pub fn on_resize<E>(element: NodeRef<E>, resized: impl Fn() + Copy + 'static)
where
    E: ElementType,
    E::Output: JsCast + Clone + AsRef<web_sys::Element> + 'static,
{
    Effect::new(move |_| {
        let Some(element) = element.get() else { return };
        let callback = Closure::<dyn Fn()>::new(resized);
        let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) else { return };
        observer.observe(element.as_ref());
        let observed = SendWrapper::new((observer, callback));
        on_cleanup(move || observed.0.disconnect());
    });
}
