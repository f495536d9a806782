//! Whether every kernel computes what it should.

use leptos::prelude::*;
use protocol::SelfTest;
use protocol::diagnosis::SwitchedOff;

use super::measure::StartButton;
use crate::{
    failures,
    language::{in_a_row, t},
    state::measuring::{Kind, Measurements},
};

/// The self-test.
#[component]
pub fn SelfTestView(measured: Measurements) -> impl IntoView {
    view! {
        <section class="part">
            <h2>{t().selftest()}</h2>
            <p class="muted">
                {t().selftest_hint()}
            </p>
            <StartButton measured kind=Kind::SelfTest label=t().selftest_start() of_model=false />
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
    let class = if failed.is_empty() { "finding good" } else { "finding bad" };
    view! {
        <p class=class>{verdict(found)}</p>
        <ul>{failed}</ul>
        <details class="fold">
            <summary>{t().selftest_tried()}</summary>
            <ul class="chips" role="list">{tried}</ul>
        </details>
    }
}

/// The outcome in a sentence.
fn verdict(found: &SelfTest) -> String {
    let kernels = found.checks.len() as u64;
    match found.failed().count() as u64 {
        0 if found.of_model => t().selftest_good_model(kernels),
        0 => t().selftest_good(kernels),
        wrong => {
            let words = match found.of_model {
                true => t().selftest_bad_model(wrong, kernels),
                false => t().selftest_bad(wrong, kernels),
            };
            let then = match found.switched_off {
                Some(SwitchedOff::PackedProducts) => t().selftest_switched_off(),
                None if found.of_model => t().selftest_unloaded(),
                None => "",
            };
            in_a_row([&words, then, t().selftest_advice()])
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
        assert_eq!(verdict(&good), "Verified on this graphics card: 2 kernels of the loaded model.");
        let checks =
            vec![check(None), check(Some(KernelProblem::Differs { element: 1, found: 2.0, expected: 3.0 }))];
        let advice = "Update the browser and the graphics driver.";
        let standard = verdict(&found(false, checks.clone()));
        assert_eq!(standard, format!("1 of 2 kernels gives wrong results on this graphics card. {advice}"));
        let unloaded = verdict(&found(true, checks.clone()));
        assert!(unloaded.contains("The model was unloaded"), "{unloaded}");
        let switched_off = Some(SwitchedOff::PackedProducts);
        let goes_on = verdict(&SelfTest { switched_off, ..found(true, checks) });
        assert!(goes_on.contains("is now off") && !goes_on.contains("unloaded"), "{goes_on}");
    }
}
