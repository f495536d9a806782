//! Kernels that compute wrongly.

use protocol::diagnosis::KernelProblem;

use super::t;

/// What is wrong with a kernel.
#[must_use]
pub fn kernel_problem(problem: &KernelProblem) -> String {
    match problem {
        KernelProblem::Differs { element, found, expected } => {
            t().kernel_differs(*element, &found.to_string(), &expected.to_string())
        }
        KernelProblem::Refused { .. } => t().kernel_refused().into(),
    }
}
