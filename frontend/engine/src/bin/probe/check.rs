//! The self-test: kernels against their CPU twins.

use anyhow::{Result, bail};
use engine::check::{Check, check};
use engine::gpu::Gpu;
use serde_json::{Value, json};
use shaders::selftest::Form;

/// Tests each kernel. A wrong result is an error that names the kernel.
pub fn run(gpu: &Gpu, forms: &[Form]) -> Result<Value> {
    let mut worst = Check::default();
    let mut wrong = Vec::new();
    for form in forms {
        let check = pollster::block_on(check(gpu, form))?;
        if let Some(problem) = &check.problem {
            wrong.push(format!("{}: {problem}", check.name));
        }
        if check.deviation > worst.deviation {
            worst = check;
        }
    }
    if !wrong.is_empty() {
        bail!("{} of {} kernels give wrong results: {}", wrong.len(), forms.len(), wrong.join("; "));
    }
    let worst = json!({ "kernel": worst.name, "share_of_allowed": worst.deviation });
    Ok(json!({ "adapter": gpu.report().name, "kernels": forms.len(), "worst": worst }))
}
