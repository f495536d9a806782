//! The curves as files: values as CSV, both fields as a picture.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use protocol::tune::TunePoint;
use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::series::{LOSSES, RATES, Series, axis_of};
use crate::{axis::across, browser, format, language::t};

/// The picture in pixels.
const WIDTH: f64 = 1200.0;
const HEIGHT: f64 = 900.0;
const MARGIN: f64 = 90.0;

/// Saves the values of all steps.
pub fn save_csv(points: &[TunePoint]) {
    browser::download("training.csv", "text/csv", &csv(points));
}

fn csv(points: &[TunePoint]) -> String {
    let mut text = "step,loss,eval_loss,learning_rate\n".to_owned();
    for point in points {
        let evaluation = point.eval_loss.map(|loss| loss.to_string()).unwrap_or_default();
        text.push_str(&format!("{},{},{evaluation},{}\n", point.step, point.loss, point.learning_rate));
    }
    text
}

/// Saves the curves as they are drawn, in the colours of the theme.
pub fn save_picture(points: &[TunePoint]) {
    if let Some(bytes) = picture(points) {
        browser::download_bytes("training.png", &bytes);
    }
}

/// `None` if the browser cannot draw it.
fn picture(points: &[TunePoint]) -> Option<Vec<u8>> {
    let document = web_sys::window()?.document()?;
    let canvas: HtmlCanvasElement = document.create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width(WIDTH as u32);
    canvas.set_height(HEIGHT as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    context.set_fill_style_str(&style_of("html", "background-color")?);
    context.fill_rect(0.0, 0.0, WIDTH, HEIGHT);
    context.set_font("24px system-ui, sans-serif");
    context.set_line_width(3.0);
    draw(&context, points, t().chart_loss(), &LOSSES, 60.0, 430.0)?;
    draw(&context, points, t().chart_rate(), &RATES, 600.0, 200.0)?;
    let url = canvas.to_data_url_with_type("image/png").ok()?;
    STANDARD.decode(url.split_once(',')?.1).ok()
}

fn draw(
    context: &CanvasRenderingContext2d,
    points: &[TunePoint],
    title: &str,
    series: &[Series],
    top: f64,
    height: f64,
) -> Option<()> {
    let axis = axis_of(points, series);
    let (first, last) = (points.first()?.step, points.last()?.step);
    let width = WIDTH - 2.0 * MARGIN;
    let y = |value: f64| top + (1.0 - axis.place(value)) * height;
    let ink = style_of("body", "color")?;
    context.set_fill_style_str(&ink);
    context.set_text_align("left");
    context.fill_text(title, MARGIN, top - 20.0).ok()?;
    context.set_text_align("right");
    context.fill_text(&format::count(last.into()), WIDTH - MARGIN, top + height + 34.0).ok()?;
    for tick in axis.ticks() {
        context.fill_text(&axis.label(tick), MARGIN - 12.0, y(tick) + 8.0).ok()?;
        context.set_stroke_style_str(&style_of(".grid", "stroke")?);
        context.begin_path();
        context.move_to(MARGIN, y(tick));
        context.line_to(WIDTH - MARGIN, y(tick));
        context.stroke();
    }
    for (index, curve) in series.iter().enumerate() {
        let colour = style_of(&format!(".{}", curve.class), "stroke")?;
        context.set_stroke_style_str(&colour);
        // Dashed as on the page, so that it is recognized without its colour.
        let dashes =
            if index == 0 { js_sys::Array::new() } else { js_sys::Array::of2(&12.0.into(), &8.0.into()) };
        context.set_line_dash(&dashes).ok()?;
        context.begin_path();
        let mut pen = false;
        for point in points {
            let Some(value) = (curve.read)(point).filter(|value| value.is_finite()) else { continue };
            let x = MARGIN + across(point.step, first, last) * width;
            if pen {
                context.line_to(x, y(value))
            } else {
                context.move_to(x, y(value))
            }
            pen = true;
        }
        context.stroke();
        if series.len() > 1 {
            context.set_fill_style_str(&colour);
            context
                .fill_text(
                    (curve.name)(t()),
                    WIDTH - MARGIN - 150.0 * (series.len() - 1 - index) as f64,
                    top - 20.0,
                )
                .ok()?;
        }
    }
    context.set_line_dash(&js_sys::Array::new()).ok()?;
    Some(())
}

/// What a style comes to, colours in full.
fn style_of(selector: &str, property: &str) -> Option<String> {
    let window = web_sys::window()?;
    let element = window.document()?.query_selector(selector).ok()??;
    window.get_computed_style(&element).ok()??.get_property_value(property).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_a_line() {
        let point = |step, eval_loss| TunePoint { step, loss: 0.5, eval_loss, learning_rate: 0.0002 };
        let text = csv(&[point(1, None), point(2, Some(0.25))]);
        assert_eq!(text, "step,loss,eval_loss,learning_rate\n1,0.5,,0.0002\n2,0.5,0.25,0.0002\n");
    }
}
