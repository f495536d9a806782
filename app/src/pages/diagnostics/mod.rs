//! For engineers: what the graphics device is, offers and achieves, to read and to copy.

mod kernels;
mod measure;
mod report;
mod self_test;
mod speed;

use leptos::{prelude::*, task::spawn_local};
use protocol::{DeviceReport, LoadTimes};

use super::Column;
use crate::{
    browser,
    components::{DeviceNotice, Glyph, Icon},
    failures, format,
    language::t,
    state::{engine::EnginePhase, measuring::Measurements, models::ModelState, use_engine, use_ui},
};
use kernels::Kernels;
use measure::Running;
use report::report;
use self_test::SelfTestView;
use speed::Speed;

/// Measurements, a self-test, adapter, limits, features, and the model that is loaded.
#[component]
pub fn DiagnosticsPage() -> impl IntoView {
    let (engine, ui) = (use_engine(), use_ui());
    let measured = Measurements::new(engine);
    on_cleanup(move || measured.stop());
    let copy = move |_| {
        let text = untrack(|| report(engine, &measured, &browser::user_agent()));
        spawn_local(async move {
            if browser::copy_text(&text).await {
                ui.toast(t().copied());
            } else {
                ui.toast(t().copy_refused());
            }
        });
    };
    let phase = move || match engine.phase.get() {
        EnginePhase::Starting => t().load_starting().to_owned(),
        EnginePhase::Running => t().diagnostics_running(protocol::VERSION.into()),
        EnginePhase::Crashed(failure) => failures::report(&failure),
    };
    let device = move || match engine.device.get() {
        None => view! { <p class="muted">{t().diagnostics_waiting()}</p> }.into_any(),
        Some(device) if !device.available => view! { <DeviceNotice /> }.into_any(),
        Some(device) => device_view(device),
    };
    view! {
        <Column title=t().place_diagnostics()>
            <section class="part">
                <div class="buttons">
                    <button type="button" class="button" on:click=copy>
                        <Icon glyph=Glyph::Copy />
                        {t().diagnostics_copy()}
                    </button>
                </div>
                <h2>{t().diagnostics_engine()}</h2>
                <dl class="pairs">
                    <div><dt>{t().diagnostics_state()}</dt><dd>{phase}</dd></div>
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
            <h2>{t().diagnostics_device()}</h2>
            <dl class="pairs">{pairs_view(device_pairs(&device))}</dl>
        </section>
        <section class="part">
            <h2>{t().diagnostics_features()}</h2>
            <ul class="chips" role="list">{features}</ul>
        </section>
        <section class="part">
            <h2>{t().diagnostics_limits()}</h2>
            <div class="scroll-x" tabindex="0" role="region" aria-label=t().diagnostics_limits()>
                <table class="table">
                    <thead><tr><th scope="col">{t().diagnostics_name()}</th><th scope="col">{t().diagnostics_value()}</th></tr></thead>
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

fn yes(it: bool) -> String {
    if it { t().yes() } else { t().no() }.to_owned()
}

fn device_pairs(device: &DeviceReport) -> Pairs {
    let known =
        |text: &str| if text.is_empty() { t().diagnostics_unknown().to_owned() } else { text.to_owned() };
    vec![
        (t().diagnostics_vendor(), known(&device.vendor)),
        (t().details_architecture(), known(&device.architecture)),
        (t().diagnostics_description(), known(&device.description)),
        (t().diagnostics_software(), yes(device.software)),
        (t().diagnostics_f16(), yes(device.shader_f16)),
        (
            t().diagnostics_subgroups(),
            match device.subgroups {
                None => t().no().to_owned(),
                Some((least, most)) if least == most => format::count(least.into()),
                Some((least, most)) => t().range(&format::count(least.into()), &format::count(most.into())),
            },
        ),
        (t().diagnostics_matrices(), yes(device.matrix_units)),
        (t().diagnostics_timestamps(), yes(device.timestamps)),
        (t().diagnostics_buffer(), format::bytes(device.max_buffer_size)),
        (t().diagnostics_binding(), format::bytes(device.max_binding_size)),
    ]
}

fn load_time(times: &LoadTimes) -> String {
    let LoadTimes { all, weights, kernels, tuning } = *times;
    let [all, weights, kernels, tuning] =
        [all, weights, kernels, tuning].map(|ms| format::seconds(ms / 1000.0));
    t().load_times(&all, &weights, &kernels, &tuning)
}

fn model_pairs(model: &ModelState) -> Pairs {
    match model {
        ModelState::None => vec![(t().saved_model(), t().diagnostics_no_model().to_owned())],
        ModelState::Loading { choice, .. } => vec![(t().saved_model(), t().load_of(&choice.entry.name))],
        ModelState::Failed { choice, failure } => {
            vec![(t().saved_model(), t().named(&choice.entry.name, &failures::report(failure)))]
        }
        ModelState::Ready { choice, context, gpu_bytes, details, times, .. } => vec![
            (t().saved_model(), format!("{} ({})", choice.entry.name, choice.summary())),
            (t().diagnostics_context(), t().tokens((*context).into())),
            (t().diagnostics_packed(), yes(details.packed_prompts)),
            (t().memory_graphics(), format::bytes(*gpu_bytes)),
            (t().load_time(), load_time(times)),
        ],
    }
}
