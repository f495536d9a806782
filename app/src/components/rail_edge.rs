//! The rail beside the page: folded, and as wide as its edge was moved to.

use leptos::{ev, prelude::*};

use super::{Glyph, IconButton};
use crate::{
    browser,
    language::t,
    state::{SettingsStore, Ui, settings::RAIL_WIDTHS, use_settings, use_ui},
};

/// How far an arrow key moves the edge, in pixels.
const STEP: i32 = 16;

/// Shows the rail, beside the page or as a sheet where there is no room, or folds it.
pub fn toggle_rail(ui: Ui, settings: SettingsStore) {
    if browser::is_narrow() {
        ui.rail.update(|open| *open = !*open);
        return;
    }
    let had_focus =
        browser::focused().is_some_and(|it| it.closest(".rail, .rail-button").is_ok_and(|it| it.is_some()));
    settings.change(|settings| settings.rail_folded = !settings.rail_folded);
    let folded = settings.value.with_untracked(|settings| settings.rail_folded);
    // The button that was pressed goes with what it is in.
    if had_focus {
        browser::next_frame(move || browser::focus(if folded { ".rail-button" } else { ".rail-fold" }));
    }
}

/// Shows the rail where it isn't seen.
#[component]
pub fn RailButton() -> impl IntoView {
    let (ui, settings) = (use_ui(), use_settings());
    view! {
        <IconButton
            glyph=Glyph::Menu
            label=t().rail_title()
            class="rail-button"
            on_press=move |()| toggle_rail(ui, settings)
        />
    }
}

/// The edge by which the rail is made wider or narrower: a separator, as it is called in ARIA.
#[component]
pub fn RailEdge() -> impl IntoView {
    let settings = use_settings();
    let kept = settings.field(|settings| (settings.rail_folded, settings.rail_width));
    // While it is dragged, nothing is kept.
    let dragged = RwSignal::new(None::<u16>);
    let width = Memo::new(move |_| dragged.get().unwrap_or(kept.get().1));
    Effect::new(move |_| browser::set_rail((!kept.get().0).then(|| width.get())));
    let keep = move |width: i32| settings.change(|settings| settings.rail_width = limited(width));
    let begin = move |event: ev::PointerEvent| {
        event.prevent_default();
        // Without it, a fast pointer leaves the edge behind, and nothing else goes wrong.
        event_target::<web_sys::Element>(&event).set_pointer_capture(event.pointer_id()).ok();
        dragged.set(Some(width.get_untracked()));
    };
    let drag = move |event: ev::PointerEvent| {
        if dragged.with_untracked(Option::is_some) {
            dragged.set(Some(limited(browser::from_start(event.client_x()))));
        }
    };
    let end = move |_: ev::PointerEvent| {
        if let Some(width) = dragged.try_update(Option::take).flatten() {
            keep(width.into());
        }
    };
    let press = move |event: ev::KeyboardEvent| {
        let now = i32::from(width.get_untracked());
        // Toward the end of a line is wider, whichever way lines run.
        let step = if browser::is_right_to_left() { -STEP } else { STEP };
        match event.key().as_str() {
            "ArrowLeft" => keep(now - step),
            "ArrowRight" => keep(now + step),
            "Home" => keep(RAIL_WIDTHS.0.into()),
            "End" => keep(RAIL_WIDTHS.1.into()),
            _ => return,
        }
        event.prevent_default();
    };
    view! {
        <div
            class="rail-edge"
            role="separator"
            tabindex="0"
            aria-orientation="vertical"
            aria-label=t().rail_width()
            aria-valuemin=RAIL_WIDTHS.0
            aria-valuemax=RAIL_WIDTHS.1
            aria-valuenow=move || width.get()
            on:pointerdown=begin
            on:pointermove=drag
            on:pointerup=end
            on:pointercancel=end
            on:keydown=press
        ></div>
    }
}

/// A width that a rail may have, in pixels.
fn limited(width: i32) -> u16 {
    let (least, most) = RAIL_WIDTHS;
    width.clamp(least.into(), most.into()).try_into().unwrap_or(least)
}
