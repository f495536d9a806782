//! No WebGPU, a device that computes in software, or a page that the browser does not trust: said before anything is
//! downloaded, with what to do.

use leptos::prelude::*;

use super::{Dialog, Glyph, Icon};
use crate::{
    browser, failures,
    language::t,
    state::{use_engine, use_ui},
    webgpu_advice,
};

/// The steps that switch WebGPU on, or a real graphics device.
#[component]
pub fn AdviceSteps() -> impl IntoView {
    let engine = use_engine();
    let software =
        Memo::new(move |_| engine.device.with(|device| device.as_ref().is_some_and(|it| it.software)));
    move || {
        if !browser::is_secure() {
            let port = browser::origin()
                .rsplit(':')
                .next()
                .filter(|port| port.parse::<u16>().is_ok())
                .map(str::to_owned);
            let local =
                format!("http://localhost{}", port.map(|port| format!(":{port}")).unwrap_or_default());
            return view! {
                <p>{t().advice_origin(&browser::origin())}</p>
                <ol class="steps">
                    <li>{step_view(&t().advice_local(&local))}</li>
                    <li>{t().advice_https()}</li>
                </ol>
            }
            .into_any();
        }
        let advice = webgpu_advice::advice(&browser::user_agent(), software.get());
        let steps: Vec<_> =
            advice.steps.into_iter().map(|step| view! { <li>{step_view(&step)}</li> }).collect();
        view! {
            <p>{advice.place}</p>
            <ol class="steps">{steps}</ol>
        }
        .into_any()
    }
}

/// A step, with what is between backquotes as code.
fn step_view(step: &str) -> Vec<AnyView> {
    step.split('`')
        .enumerate()
        .map(|(index, part)| {
            let part = part.to_owned();
            if index % 2 == 1 { view! { <code>{part}</code> }.into_any() } else { part.into_any() }
        })
        .collect()
}

/// The steps in a dialog.
#[component]
pub fn AdviceDialog() -> impl IntoView {
    let ui = use_ui();
    view! {
        <Dialog open=ui.advice title=t().advice_title()>
            <AdviceSteps />
        </Dialog>
    }
}

/// What is the matter with the graphics device. Nothing when nothing is.
#[component]
pub fn DeviceNotice() -> impl IntoView {
    let (engine, ui) = (use_engine(), use_ui());
    let device = engine.device;
    move || {
        let device = device.get()?;
        if !device.available {
            let words =
                device.problem.as_ref().map_or_else(|| t().device_no_webgpu().to_owned(), failures::no_gpu);
            return Some(
                view! {
                    <section class="notice danger" aria-label=t().device_none()>
                        <Icon glyph=Glyph::Warning />
                        <div>
                            <p>
                                <strong>{words}</strong>
                                " " {t().device_nothing_lost()}
                            </p>
                            <AdviceSteps />
                        </div>
                    </section>
                }
                .into_any(),
            );
        }
        device.software.then(|| {
            let name = if device.description.is_empty() { device.architecture } else { device.description };
            view! {
                <section class="notice" aria-label=t().device_slow()>
                    <Icon glyph=Glyph::Info />
                    <div>
                        <p>
                            <strong>{software_words(&name)}</strong>
                            " "
                            {t().device_software_hint()}
                        </p>
                        <button type="button" class="button" on:click=move |_| ui.advice.set(true)>
                            {t().device_how()}
                        </button>
                    </div>
                </section>
            }
            .into_any()
        })
    }
}

fn software_words(name: &str) -> String {
    if name.is_empty() { t().device_software().to_owned() } else { t().device_software_named(name) }
}
