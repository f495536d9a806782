//! Kernels that compute wrongly.

use protocol::diagnosis::KernelProblem;

use super::t;

/// What is wrong with a kernel.
#[must_use]
pub fn kernel_problem(problem: &KernelProblem) -> String {
    match problem {
        KernelProblem::Differs { element, found, expected } => {
            t().kernel_differs(*element, &expected.to_string(), &found.to_string())
        }
        KernelProblem::Refused { .. } => t().kernel_refused().into(),
    }
}
