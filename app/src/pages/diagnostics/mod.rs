//! For engineers: what the graphics device is, offers and achieves, to read and to copy.

mod kernels;
mod measure;
mod report;
mod self_test;
mod speed;

use leptos::{prelude::*, task::spawn_local};
use protocol::DeviceReport;

use super::Column;
use crate::{
    browser,
    components::{DeviceNotice, Glyph, Icon},
    failures, format,
    state::{engine::EnginePhase, models::ModelState, use_stores},
};
use kernels::Kernels;
use measure::{Measurements, Running};
use report::report;
use self_test::SelfTestView;
use speed::Speed;

/// Measurements, a self-test, adapter, limits, features, and the model that is loaded.
#[component]
pub fn DiagnosticsPage() -> impl IntoView {
    let stores = use_stores();
    let engine = stores.engine;
    let measured = Measurements::new(engine);
    on_cleanup(move || measured.stop());
    let copy = move |_| {
        let text = untrack(|| report(engine, &measured, &browser::user_agent()));
        spawn_local(async move {
            if browser::copy_text(&text).await {
                stores.ui.toast("Copied.");
            } else {
                stores.ui.toast("The browser did not let this page copy.");
            }
        });
    };
    let phase = move || match engine.phase.get() {
        EnginePhase::Starting => "Starting".to_owned(),
        EnginePhase::Running => format!("Running, protocol version {}", protocol::VERSION),
        EnginePhase::Crashed(failure) => failures::report(&failure),
    };
    let device = move || match engine.device.get() {
        None => view! { <p class="muted">"No word from the device yet."</p> }.into_any(),
        Some(device) if !device.available => view! { <DeviceNotice /> }.into_any(),
        Some(device) => device_view(device),
    };
    view! {
        <Column title="Diagnostics">
            <section class="part">
                <div class="buttons">
                    <button type="button" class="button" on:click=copy>
                        <Icon glyph=Glyph::Copy />
                        "Copy as text"
                    </button>
                </div>
                <h2>"Engine"</h2>
                <dl class="pairs">
                    <div><dt>"State"</dt><dd>{phase}</dd></div>
                    {move || pairs_view(model_pairs(&engine.model.get()))}
                </dl>
            </section>
            <Show when=move || measured.can_test()>
                <Running measured />
                <SelfTestView measured />
                <Speed measured />
                <Kernels measured />
            </Show>
            {device}
        </Column>
    }
}

fn device_view(device: DeviceReport) -> AnyView {
    let software = device.software.then(|| view! { <DeviceNotice /> });
    let limits: Vec<_> = device
        .limits
        .iter()
        .map(|(name, value)| view! { <tr><th scope="row">{name.clone()}</th><td class="numbers">{format::count(*value)}</td></tr> })
        .collect();
    let features: Vec<_> = device.features.iter().map(|name| view! { <li>{name.clone()}</li> }).collect();
    view! {
        {software}
        <section class="part">
            <h2>"Graphics device"</h2>
            <dl class="pairs">{pairs_view(device_pairs(&device))}</dl>
        </section>
        <section class="part">
            <h2>"Features"</h2>
            <ul class="chips" role="list">{features}</ul>
        </section>
        <section class="part">
            <h2>"Limits"</h2>
            <div class="scroll-x" tabindex="0" role="region" aria-label="Limits">
                <table class="table">
                    <thead><tr><th scope="col">"Name"</th><th scope="col">"Value"</th></tr></thead>
                    <tbody>{limits}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

/// Names and values.
type Pairs = Vec<(&'static str, String)>;

fn pairs_view(pairs: Pairs) -> Vec<impl IntoView> {
    pairs.into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }).collect()
}

fn device_pairs(device: &DeviceReport) -> Pairs {
    let known = |text: &str| if text.is_empty() { "not told".to_owned() } else { text.to_owned() };
    let yes = |it: bool| if it { "yes" } else { "no" }.to_owned();
    vec![
        ("Vendor", known(&device.vendor)),
        ("Architecture", known(&device.architecture)),
        ("Description", known(&device.description)),
        ("Computes in software", yes(device.software)),
        ("Half precision in shaders", yes(device.shader_f16)),
        (
            "Subgroups",
            match device.subgroups {
                None => "no".to_owned(),
                Some((least, most)) if least == most => format!("of {least}"),
                Some((least, most)) => format!("of {least} to {most}"),
            },
        ),
        ("Timestamps", yes(device.timestamps)),
        ("Largest buffer", format::bytes(device.max_buffer_size)),
        ("Largest binding", format::bytes(device.max_binding_size)),
    ]
}

fn model_pairs(model: &ModelState) -> Pairs {
    match model {
        ModelState::None => vec![("Model", "none loaded".to_owned())],
        ModelState::Loading { choice, .. } => vec![("Model", format!("{}, loading", choice.entry.name))],
        ModelState::Failed { choice, failure } => {
            vec![("Model", format!("{}: {}", choice.entry.name, failures::report(failure)))]
        }
        ModelState::Ready { choice, context, gpu_bytes, .. } => vec![
            ("Model", format!("{} ({})", choice.entry.name, choice.summary())),
            ("Context", format!("{} tokens", format::count(u64::from(*context)))),
            ("Graphics memory", format::bytes(*gpu_bytes)),
        ],
    }
}
