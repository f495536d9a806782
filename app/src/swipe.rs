//! Opens and closes the rail by swiping, where it is a sheet.

use leptos::{ev, prelude::*, web_sys};
use wasm_bindgen::JsCast as _;

use crate::{browser, state::Ui, watch::on_window};

/// Maximum distance from the edge where lines begin at which a swipe that opens the rail starts, in pixels. Some systems claim the edge itself.
const EDGE: f64 = 48.0;
/// Minimum length of a swipe, in pixels.
const FAR: f64 = 64.0;

/// Position of a touch, from where lines begin and from the top.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    x: f64,
    y: f64,
}

/// What a swipe does with the rail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Swipe {
    In,
    Out,
}

/// Returns the swipe between the two ends of a touch. `None` if it is too short, or more vertical than horizontal.
fn swipe(from: Point, to: Point) -> Option<Swipe> {
    let (across, along) = (to.x - from.x, (to.y - from.y).abs());
    if along * 2.0 > across.abs() {
        return None;
    }
    match across {
        _ if across >= FAR && from.x <= EDGE => Some(Swipe::In),
        _ if across <= -FAR => Some(Swipe::Out),
        _ => None,
    }
}

/// Listens for swipes.
pub fn follow_swipes(ui: Ui) {
    let from = StoredValue::new(None::<Point>);
    on_window(ev::Custom::<web_sys::Event>::new("touchstart"), move |event| {
        from.set_value(position(&event, web_sys::TouchEvent::touches));
    });
    on_window(ev::Custom::<web_sys::Event>::new("touchend"), move |event| {
        let (Some(from), Some(to)) = (
            from.try_update_value(Option::take).flatten(),
            position(&event, web_sys::TouchEvent::changed_touches),
        ) else {
            return;
        };
        match swipe(from, to) {
            Some(Swipe::In) if browser::is_narrow() && !browser::modal_is_open() => ui.rail.set(true),
            Some(Swipe::Out) if ui.rail.get_untracked() => ui.rail.set(false),
            _ => {}
        }
    });
}

/// Position of the only touch in `which`. `None` if there are several.
fn position(event: &web_sys::Event, which: fn(&web_sys::TouchEvent) -> web_sys::TouchList) -> Option<Point> {
    let touches = which(event.dyn_ref()?);
    let touch = touches.get(0).filter(|_| touches.length() == 1)?;
    Some(Point { x: browser::from_start(touch.client_x()).into(), y: touch.client_y().into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swipe_goes_sideways_and_far_enough() {
        let of = |from: (f64, f64), to: (f64, f64)| {
            swipe(Point { x: from.0, y: from.1 }, Point { x: to.0, y: to.1 })
        };
        assert_eq!(of((20.0, 300.0), (120.0, 320.0)), Some(Swipe::In));
        assert_eq!(of((20.0, 300.0), (60.0, 300.0)), None, "too short");
        assert_eq!(of((20.0, 300.0), (120.0, 400.0)), None, "it scrolls");
        assert_eq!(of((200.0, 300.0), (320.0, 300.0)), None, "not from the edge");
        assert_eq!(of((200.0, 300.0), (90.0, 290.0)), Some(Swipe::Out));
    }
}
