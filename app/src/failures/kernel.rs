//! Kernels that compute wrongly.

use protocol::diagnosis::KernelProblem;

use super::t;
use crate::format::setting_of;

/// What is wrong with a kernel.
#[must_use]
pub fn kernel_problem(problem: &KernelProblem) -> String {
    match problem {
        KernelProblem::Differs { element, found, expected } => {
            t().kernel_differs(*element, &setting_of(&found.to_string()), &setting_of(&expected.to_string()))
        }
        KernelProblem::Refused { .. } => t().kernel_refused().into(),
    }
}
