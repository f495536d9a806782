//! Whether every kernel computes what it should.

use leptos::prelude::*;
use protocol::SelfTest;
use protocol::diagnosis::SwitchedOff;

use super::measure::{Kind, Measurements, StartButton};
use crate::{failures, format};

/// The self-test.
#[component]
pub fn SelfTestView(measured: Measurements) -> impl IntoView {
    view! {
        <section class="part">
            <h2>"Self-test"</h2>
            <p class="muted">
                "Runs the kernels that this device uses on small numbers and compares them with the same computation on \
                 the processor."
            </p>
            <StartButton measured kind=Kind::SelfTest label="Test kernels" of_model=false />
            <div role="status">
                {move || measured.self_test.with(|found| found.as_ref().map(found_view))}
            </div>
        </section>
    }
}

fn found_view(found: &SelfTest) -> impl IntoView + use<> {
    let failed: Vec<_> = found
        .failed()
        .map(|check| {
            let problem = check.problem.as_ref().map(failures::kernel_problem);
            view! { <li><code>{check.name.clone()}</code>": "{problem}</li> }
        })
        .collect();
    let tried: Vec<_> = found.checks.iter().map(|check| view! { <li>{check.name.clone()}</li> }).collect();
    let class = if failed.is_empty() { "verdict good" } else { "verdict bad" };
    view! {
        <p class=class>{verdict(found)}</p>
        <ul>{failed}</ul>
        <details class="fold">
            <summary>"Kernels that were tried"</summary>
            <ul class="chips" role="list">{tried}</ul>
        </details>
    }
}

/// The outcome in a sentence.
fn verdict(found: &SelfTest) -> String {
    let kernels = format::counted(found.checks.len() as u64, "kernel", "kernels");
    let of = if found.of_model { " of the loaded model" } else { "" };
    match found.failed().count() as u64 {
        0 => format!("Verified on this GPU: {kernels}{of}."),
        wrong => {
            let are = if wrong == 1 { "computes" } else { "compute" };
            let then = match found.switched_off {
                Some(SwitchedOff::PackedProducts) => {
                    " Products of packed integers were switched off: the model goes on with floats, a little slower."
                }
                None if found.of_model => " The model was unloaded, because its answers would be wrong.",
                None => "",
            };
            let advice = "Update the browser and the graphics driver.";
            format!("{} of {kernels}{of} {are} wrongly on this GPU.{then} {advice}", format::count(wrong))
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::diagnosis::{KernelCheck, KernelProblem};

    use super::*;

    #[test]
    fn what_computes_wrongly_is_counted() {
        let check = |problem: Option<KernelProblem>| KernelCheck { problem, ..KernelCheck::default() };
        let found = |of_model, checks| SelfTest { of_model, checks, switched_off: None };
        let good = found(true, vec![check(None), check(None)]);
        assert_eq!(verdict(&good), "Verified on this GPU: 2 kernels of the loaded model.");
        let checks =
            vec![check(None), check(Some(KernelProblem::Differs { element: 1, found: 2.0, expected: 3.0 }))];
        let advice = "Update the browser and the graphics driver.";
        let standard = verdict(&found(false, checks.clone()));
        assert_eq!(standard, format!("1 of 2 kernels computes wrongly on this GPU. {advice}"));
        let unloaded = verdict(&found(true, checks.clone()));
        assert!(unloaded.contains("The model was unloaded"), "{unloaded}");
        let switched_off = Some(SwitchedOff::PackedProducts);
        let goes_on = verdict(&SelfTest { switched_off, ..found(true, checks) });
        assert!(goes_on.contains("switched off") && !goes_on.contains("unloaded"), "{goes_on}");
    }
}
