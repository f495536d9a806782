//! The graphics device.

use protocol::failure::{DeviceFailure, MemorySaving, NoGpu};

use super::{compared, t};
use crate::format::bytes;

/// Why there is no graphics device.
#[must_use]
pub fn no_gpu(problem: NoGpu) -> &'static str {
    match problem {
        NoGpu::InsecureContext => t().failure_gpu_insecure(),
        NoGpu::NoWebGpu => t().failure_gpu_no_webgpu(),
        NoGpu::NoAdapter => t().failure_gpu_no_adapter(),
        NoGpu::NoDevice => t().failure_gpu_no_device(),
    }
}

/// How graphics memory was saved.
fn saved(saving: MemorySaving) -> &'static str {
    match saving {
        MemorySaving::TableInEightBits => t().failure_gpu_saved_table(),
        MemorySaving::TableOutside => t().failure_gpu_saved_table_outside(),
        MemorySaving::CacheInEightBits => t().failure_gpu_saved_cache(),
    }
}

pub(super) fn sentence(failure: &DeviceFailure) -> String {
    match failure {
        DeviceFailure::None(problem) => no_gpu(*problem).into(),
        DeviceFailure::LostTwice => t().failure_gpu_lost().into(),
        DeviceFailure::OutOfMemory { in_use, requested, .. } => {
            t().failure_gpu_out_of_memory(&bytes(*in_use), &bytes(*requested))
        }
        // Which one is for engineers.
        DeviceFailure::BufferTooLarge { needed, limit, .. } => {
            let (needed, limit) = compared(*needed, *limit);
            t().failure_gpu_buffer(&needed, &limit)
        }
        DeviceFailure::ModelTooLarge { needed, available } => {
            let (needed, available) = compared(*needed, *available);
            t().failure_gpu_too_large(&needed, &available)
        }
        DeviceFailure::NeedsHostMemory { bytes: amount } => t().failure_gpu_host_memory(&bytes(*amount)),
        DeviceFailure::ExpertMemory { asked, least } => {
            let (least, asked) = compared(*least, *asked);
            t().failure_gpu_expert_memory(&asked, &least)
        }
        DeviceFailure::FewerExperts { held, all } => {
            let (all, held) = compared(*all, *held);
            t().failure_gpu_fewer_experts(&held, &all)
        }
        DeviceFailure::Saved(saving) => saved(*saving).into(),
        DeviceFailure::UploadRefused => t().failure_gpu_upload().into(),
        DeviceFailure::KernelRefused { kernel } => t().failure_gpu_kernel(kernel),
        DeviceFailure::Fault => t().failure_gpu_fault().into(),
    }
}
