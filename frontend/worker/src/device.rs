//! What the graphics device is, for people; and why there is none.

use engine::gpu::Gpu;
use protocol::failure::{DeviceFailure, NoGpu};
use protocol::{DeviceReport, Failure};

/// What a browser says of an adapter (`GPUAdapterInfo`), and of the computer that it is in. Any of the texts may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdapterNames {
    /// Maker.
    pub vendor: String,
    /// Family.
    pub architecture: String,
    /// The device, as its maker numbers it.
    pub device: String,
    /// Description.
    pub description: String,
    /// The browser with its version, as it names itself.
    pub browser: String,
    /// Whether the browser calls it a fallback.
    pub is_fallback: bool,
    /// What it offers, by WebGPU's names, whether the engine asks for it or not. Empty natively.
    pub features: Vec<String>,
    /// Its smallest and largest subgroup, if it offers them.
    pub subgroups: Option<(u32, u32)>,
    /// Whether it multiplies matrices of halves, which wgpu doesn't report.
    pub matrix_units: bool,
    /// Whether the computer is a phone or a tablet, as far as it says so.
    pub mobile: bool,
    /// Bytes of the computer's memory, roughly, if the browser tells.
    pub ram: Option<u64>,
}

/// The report of a device that is not there; `detail` are the platform's words.
pub fn missing(problem: NoGpu, detail: impl Into<String>) -> DeviceReport {
    DeviceReport { problem: Some(problem), detail: detail.into(), ..DeviceReport::default() }
}

/// The failure of a request that needs a device, from the report of one that is not there.
pub fn failure(report: &DeviceReport) -> Failure {
    let problem = report.problem.unwrap_or(NoGpu::NoAdapter);
    Failure::new(DeviceFailure::None(problem)).detailed(&report.detail)
}

/// The report of a device, of which models may use so many bytes.
pub fn report(gpu: &Gpu, names: AdapterNames, memory: u64) -> DeviceReport {
    let report = gpu.report();
    let software = report.software || computes_in_software(&names);
    // As WebGPU writes them.
    let granted = || report.features.iter().map(|name| name.replace('_', "-")).collect();
    let features: Vec<_> = if names.features.is_empty() { granted() } else { names.features };
    DeviceReport {
        available: true,
        problem: None,
        detail: String::new(),
        software,
        description: if names.description.is_empty() { report.name.clone() } else { names.description },
        vendor: names.vendor,
        architecture: names.architecture,
        shader_f16: features.iter().any(|name| name == "shader-f16"),
        subgroups: names.subgroups.or(report.subgroups),
        matrix_units: gpu.plan_limits().matrix_units,
        timestamps: report.timestamps,
        memory,
        max_buffer_size: gpu.max_buffer(),
        max_binding_size: gpu.max_binding(),
        limits: report.limits,
        features,
    }
}

/// Whether these are the names of an adapter that computes in software.
fn computes_in_software(names: &AdapterNames) -> bool {
    const NAMES: [&str; 4] = ["swiftshader", "llvmpipe", "lavapipe", "microsoft basic render"];
    let says = |text: &str| NAMES.iter().any(|name| text.to_lowercase().contains(name));
    names.is_fallback || says(&names.vendor) || says(&names.architecture) || says(&names.description)
}

#[cfg(test)]
mod tests {
    use protocol::{Cause, Remedy};

    use super::*;

    #[test]
    fn software_is_known_by_its_names() {
        let names = |architecture: &str, description: &str| AdapterNames {
            architecture: architecture.into(),
            description: description.into(),
            ..AdapterNames::default()
        };
        assert!(computes_in_software(&names("swiftshader", "")));
        assert!(computes_in_software(&names("", "llvmpipe (LLVM 19.1.7, 256 bits)")));
        assert!(computes_in_software(&names("", "Microsoft Basic Render Driver")));
        assert!(computes_in_software(&AdapterNames { is_fallback: true, ..AdapterNames::default() }));
        assert!(!computes_in_software(&names("hopper", "NVIDIA H200")));
    }

    #[test]
    fn a_missing_device_says_why() {
        let report = missing(NoGpu::NoDevice, "it is\n lost");
        let failure = failure(&report);
        assert_eq!(failure.code, DeviceFailure::None(NoGpu::NoDevice).into());
        assert_eq!((failure.cause(), failure.remedies()), (Cause::NoGpu, vec![Remedy::EnableWebGpu]));
        assert!(failure.detail == "it is lost" && !report.available);
    }
}
