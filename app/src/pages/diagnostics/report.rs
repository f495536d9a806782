//! The whole page as text.

use leptos::prelude::*;
use protocol::diagnosis::{KernelProblem, SwitchedOff};
use protocol::{Benchmark, DeviceReport, Profile, SelfTest};

use super::{Pairs, device_pairs, kernels, model_pairs, speed};
use crate::{
    failures, format,
    language::{in_a_row, t},
    state::{engine::EngineStore, measuring::Measurements, models::ModelState},
};

/// Returns what is known now.
pub fn report(engine: EngineStore, measured: &Measurements, user_agent: &str) -> String {
    let mut lines = about(engine.device.get().as_ref(), &engine.model.get(), user_agent);
    if let Some(self_test) = measured.self_test.get() {
        lines.extend(of_self_test(&self_test));
    }
    if let Some(benchmark) = measured.benchmark.get() {
        lines.extend(of_benchmark(&benchmark));
    }
    if let Some(profile) = measured.profile.get() {
        lines.extend(of_profile(&profile));
    }
    lines.join("\n")
}

fn pairs(title: &str, pairs: Pairs) -> impl Iterator<Item = String> {
    let lines: Vec<_> = pairs.into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
    [String::new(), title.to_owned()].into_iter().chain(lines)
}

fn about(device: Option<&DeviceReport>, model: &ModelState, user_agent: &str) -> Vec<String> {
    let mut lines = vec![format!("gemtab {}", env!("CARGO_PKG_VERSION")), t().report_browser(user_agent)];
    let push = |lines: &mut Vec<String>, pairs: Pairs| {
        lines.extend(pairs.into_iter().map(|(name, value)| format!("{name}: {value}")));
    };
    push(&mut lines, model_pairs(model));
    match device {
        None => lines.push(t().report_no_device().to_owned()),
        Some(device) if !device.available => lines.push(t().report_no_card(&no_device(device))),
        Some(device) => {
            push(&mut lines, device_pairs(device));
            lines.push(t().report_features(&device.features.join(", ")));
            lines.extend(device.limits.iter().map(|(name, value)| format!("{name}: {value}")));
        }
    }
    lines
}

fn no_device(device: &DeviceReport) -> String {
    let problem = device.problem.as_ref().map(failures::no_gpu).unwrap_or_default();
    in_a_row([&*problem, &*device.detail])
}

/// What is wrong with a kernel, with the compiler's words.
fn kernel_problem(problem: &KernelProblem) -> String {
    match problem {
        KernelProblem::Refused { reason } => format!("{}: {reason}", failures::kernel_problem(problem)),
        KernelProblem::Differs { .. } => failures::kernel_problem(problem),
    }
}

fn of_self_test(self_test: &SelfTest) -> Vec<String> {
    let checks = self_test.checks.iter().map(|check| match &check.problem {
        None => t().report_right(&check.name, &format::number(check.deviation, 3)),
        Some(problem) => t().report_wrong(&check.name, &kernel_problem(problem)),
    });
    let switched_off = self_test.switched_off.map(|form| match form {
        SwitchedOff::PackedProducts => t().report_switched_off().to_owned(),
    });
    let title = ["".to_owned(), t().selftest().to_owned()];
    title.into_iter().chain(checks).chain(switched_off).collect()
}

fn of_benchmark(benchmark: &Benchmark) -> Vec<String> {
    let tuning = (!benchmark.tuning.is_empty()).then(|| t().report_tuning(&benchmark.tuning));
    pairs(t().speed(), speed::pairs(benchmark)).chain(tuning).collect()
}

fn of_profile(profile: &Profile) -> Vec<String> {
    let rows = kernels::rows(profile).into_iter().map(|row| row.join("  "));
    pairs(t().kernels(), kernels::pairs(profile)).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use protocol::diagnosis::{KernelCheck, KernelTime, Round};
    use protocol::failure::NoGpu;

    use super::*;

    #[test]
    fn the_report_names_the_device_and_every_limit() {
        let device = DeviceReport {
            available: true,
            vendor: "nvidia".into(),
            limits: vec![("maxBufferSize".into(), 4_294_967_296)],
            features: vec!["subgroups".into()],
            ..DeviceReport::default()
        };
        let text = about(Some(&device), &ModelState::None, "Firefox").join("\n");
        for part in [
            "Vendor: nvidia",
            "maxBufferSize: 4294967296",
            "Features: subgroups",
            "Browser: Firefox",
            "Model: none",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    #[test]
    fn the_report_tells_what_was_measured() {
        let of = |lines: Vec<String>| lines.join("\n");
        let wrong = KernelProblem::Differs { element: 3, found: 7.0, expected: 0.5 };
        let checks = vec![
            KernelCheck { name: "good".into(), deviation: 0.25, problem: None },
            KernelCheck { name: "bad".into(), deviation: 9.0, problem: Some(wrong) },
        ];
        let switched_off = Some(SwitchedOff::PackedProducts);
        let tested = of(of_self_test(&SelfTest { of_model: true, checks, switched_off }));
        assert!(tested.contains("good: correct, 0.250 of the tolerance"), "{tested}");
        assert!(tested.contains("bad: WRONG, element 3 is 7 instead of 0.5"), "{tested}");
        assert!(tested.ends_with("Turned off: packed integer math"), "{tested}");
        let rounds = vec![Round { prefill_ms: 100.0, decode_ms: 500.0 }];
        let tuning = "{}".to_owned();
        let benchmark = Benchmark { prompt: 512, answer: 101, rounds, tuning, ..Benchmark::default() };
        let text = of(of_benchmark(&benchmark));
        assert!(
            text.contains("Generation speed: 200 tok/s") && text.ends_with("Kernel variants: {}"),
            "{text}"
        );
        let kernels = vec![KernelTime { name: "slow".into(), dispatches: 2, ms: 2.0, bytes: 100_000_000 }];
        let profile = Profile { copy_bytes_per_s: 100e9, kernels, ..Profile::default() };
        assert!(of(of_profile(&profile)).contains("slow  2  2.000  50.0  50%"), "{:?}", of_profile(&profile));
    }

    #[test]
    fn without_a_device_the_reason_is_told() {
        let (problem, detail) = (Some(NoGpu::NoWebGpu), "navigator.gpu is undefined".into());
        let device = DeviceReport { problem, detail, ..DeviceReport::default() };
        let text = about(Some(&device), &ModelState::None, "").join("\n");
        assert!(text.contains("navigator.gpu is undefined)"));
    }
}
