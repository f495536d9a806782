//! How much memory models may plan with: what a person says, and what loads have shown.

use std::rc::Rc;

use futures_util::FutureExt as _;
use protocol::failure::DeviceFailure;
use protocol::{Code, FitVerdict, LoadOptions, LoadedModel, Outcome, Request, RequestId, ToPage, ToWorker};
use worker::Host;

use crate::desk::{Desk, Ended, failure, inspect, loaded_model, source};

fn options(memory: Option<u64>, anyway: bool) -> LoadOptions {
    LoadOptions { memory, anyway, ..LoadOptions::default() }
}

fn verdict(desk: &Desk, host: &Rc<Host>, id: u64, memory: Option<u64>) -> FitVerdict {
    host.receive(inspect(id, options(memory, false)), Vec::new());
    let Ok(Outcome::Inspected { details, verdict }) = desk.end_of(id) else { panic!("no inspection") };
    assert_eq!(details.allowed, memory);
    verdict
}

fn load(desk: &Desk, host: &Rc<Host>, id: u64, options: LoadOptions) -> Ended {
    host.receive(ToWorker::request(RequestId(id), Request::Load { source: source(), options }), Vec::new());
    desk.end_of(id)
}

/// The memory that the pages were told of last.
fn told(desk: &Desk) -> u64 {
    let memory = |event: &ToPage| match event {
        ToPage::Device(report) => Some(report.memory),
        _ => None,
    };
    desk.posted().iter().rev().find_map(memory).expect("a device")
}

#[test]
fn a_person_may_say_how_much_and_load_all_the_same() {
    let (desk, host) = Desk::new();
    let FitVerdict::Fits { context, bytes, .. } = verdict(&desk, &host, 1, None) else { panic!("no room") };
    assert_eq!(verdict(&desk, &host, 2, Some(bytes)), verdict(&desk, &host, 3, None));
    assert!(matches!(
        verdict(&desk, &host, 4, Some(bytes - 1)),
        FitVerdict::Fits { bytes: less, .. } | FitVerdict::FitsWith { bytes: less, .. } if less < bytes
    ));
    let little = Some(1 << 20);
    let too_large = verdict(&desk, &host, 5, little);
    assert!(matches!(too_large, FitVerdict::TooLarge { available: 0x10_0000, .. }), "{too_large:?}");
    let refused = failure(load(&desk, &host, 6, options(little, false)));
    assert!(matches!(refused.code, Code::Device(DeviceFailure::ModelTooLarge { .. })), "{refused:?}");

    let LoadedModel { context: loaded, gpu_bytes, details, .. } =
        loaded_model(load(&desk, &host, 7, options(little, true)));
    assert!(loaded == context && gpu_bytes <= bytes, "{gpu_bytes}");
    assert_eq!(details.allowed, little);
}

#[test]
fn what_a_load_has_shown_is_remembered() {
    let (desk, host) = Desk::new();
    let whole = verdict(&desk, &host, 1, None);
    let FitVerdict::Fits { bytes, .. } = whole else { panic!("no room") };
    host.leave_memory_open().now_or_never().expect("nobody opens a device meanwhile");
    host.limit_memory(1 << 20).now_or_never().expect("nobody opens a device meanwhile");
    let full = failure(load(&desk, &host, 2, options(None, false)));
    let Code::Device(DeviceFailure::OutOfMemory { in_use, requested, .. }) = full.code else {
        panic!("{full:?}")
    };
    let less = told(&desk);
    assert!(less < in_use + requested && less < bytes, "{less} of {in_use} and {requested}");

    // Another worker of the same browser, on a device that has more.
    let (desk, host) = desk.successor();
    verdict(&desk, &host, 1, None);
    host.leave_memory_open().now_or_never().expect("nobody opens a device meanwhile");
    let too_large = verdict(&desk, &host, 2, None);
    assert!(
        matches!(too_large, FitVerdict::TooLarge { available, .. } if available == less),
        "{too_large:?}"
    );
    let LoadedModel { gpu_bytes, .. } = loaded_model(load(&desk, &host, 3, options(None, true)));
    // As much as was refused works, so that is no limit any more.
    assert!(told(&desk) > gpu_bytes && gpu_bytes > less);
    assert_eq!(verdict(&desk, &host, 4, None), whole);
}
