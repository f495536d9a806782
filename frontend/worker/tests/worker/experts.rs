//! Memory for the experts of a mixture: what a person chooses, what is said of it, and what a device leaves of it.

use std::path::PathBuf;
use std::rc::Rc;

use engine::gguf::Header;
use engine::gpu::{Gpu, GpuOptions};
use engine::session::{DeviceMemory, ModelSpec};
use futures_util::FutureExt as _;
use probe::synth::{self, Quant, Shape};
use protocol::failure::DeviceFailure;
use protocol::{
    Cause, ExpertMemory, Failure, FitVerdict, LoadOptions, LoadedModel, ModelDetails, Outcome, Request,
    RequestId, ToWorker,
};
use worker::Host;

use crate::desk::server::Server;
use crate::desk::{Desk, Ended, generate, golden, loaded_model, small, source, synthetic};

/// Layers of the model; each has eight experts, and uses two for a token.
const LAYERS: u64 = 4;
/// Context length in tokens.
const CONTEXT: u32 = 512;

fn worker() -> (Rc<Desk>, Rc<Host>) {
    let (desk, host) = Desk::new();
    desk.model.replace(golden("models/tiny-moe.q4_k_m.gguf"));
    (desk, host)
}

fn inspect(desk: &Desk, host: &Rc<Host>, id: u64, expert_memory: Option<u64>) -> Ended {
    let options = LoadOptions { context: CONTEXT, expert_memory, ..LoadOptions::default() };
    host.receive(crate::desk::inspect(id, options), Vec::new());
    desk.end_of(id)
}

fn load(desk: &Desk, host: &Rc<Host>, id: u64, expert_memory: Option<u64>) -> Ended {
    let options = LoadOptions { context: CONTEXT, expert_memory, ..LoadOptions::default() };
    host.receive(ToWorker::request(RequestId(id), Request::Load { source: source(), options }), Vec::new());
    desk.end_of(id)
}

fn of_inspection(event: Ended) -> (ExpertMemory, FitVerdict) {
    let Ok(Outcome::Inspected { details, verdict, .. }) = event else { panic!("{event:?}") };
    (details.experts.expect("a mixture"), verdict)
}

fn of_load(ended: Ended) -> (ModelDetails, u64) {
    let LoadedModel { details, gpu_bytes, .. } = loaded_model(ended);
    (details, gpu_bytes)
}

#[test]
fn the_verdict_follows_what_is_chosen_for_experts() {
    let (desk, host) = worker();
    let (all, verdict) = of_inspection(inspect(&desk, &host, 1, None));
    assert_eq!((all.held, all.asked, all.rate), (all.all, None, None));
    assert_eq!((all.least, all.all % 8), (all.all / 4, 0));
    let FitVerdict::Fits { bytes: with_all, outside: 0, .. } = verdict else { panic!("{verdict:?}") };

    // A budget that holds five and a bit.
    let asked = all.all / 8 * 5 + 100;
    let (some, verdict) = of_inspection(inspect(&desk, &host, 2, Some(asked)));
    assert_eq!((some.held, some.asked), (all.all / 8 * 5, Some(asked)));
    let FitVerdict::Fits { bytes, outside, .. } = verdict else { panic!("{verdict:?}") };
    assert!(bytes < with_all && outside > 0, "{verdict:?}");
    // Fewer places, more to read.
    let (least, _) = of_inspection(inspect(&desk, &host, 3, Some(all.least)));
    assert!(least.rate < some.rate && least.held == all.least, "{least:?}, {some:?}");
    let (more, _) = of_inspection(inspect(&desk, &host, 4, Some(u64::MAX)));
    assert_eq!((more.held, more.rate), (all.all, None));

    // What is loaded takes what was said.
    let (details, gpu_bytes) = of_load(load(&desk, &host, 5, Some(asked)));
    assert_eq!((details.experts, gpu_bytes), (Some(some), bytes));
    host.receive(generate(6, "Hello"), Vec::new());
    let Ok(Outcome::Done { timings, .. }) = desk.end_of(6) else { panic!("no answer") };
    let found = timings.experts.expect("a cache");
    assert_eq!(found.uses, u64::from(timings.decode_tokens - 1) * 2 * LAYERS);
    assert!(found.misses < found.uses && (found.misses > 0) == (found.bytes > 0), "{found:?}");

    let (_, gpu_bytes) = of_load(load(&desk, &host, 7, None));
    assert_eq!(gpu_bytes, with_all);
    host.receive(generate(8, "Hello"), Vec::new());
    assert!(matches!(desk.end_of(8), Ok(Outcome::Done { timings, .. }) if timings.experts.is_none()));
}

#[test]
fn too_little_for_the_experts_of_a_token_is_told_in_numbers() {
    let (desk, host) = worker();
    let (all, _) = of_inspection(inspect(&desk, &host, 1, None));
    let asked = all.least - 1;
    for end in [inspect(&desk, &host, 2, Some(asked)), load(&desk, &host, 3, Some(asked))] {
        let Err(failure) = end else { panic!("{end:?}") };
        let told = DeviceFailure::ExpertMemory { asked, least: all.least };
        assert_eq!((failure.code.clone(), failure.cause()), (told.into(), Cause::Invalid));
    }
}

#[test]
fn other_models_have_no_use_for_it() {
    let (desk, host) = Desk::new();
    let Ok(Outcome::Inspected { details, .. }) = inspect(&desk, &host, 1, Some(1)) else {
        panic!("no inspection")
    };
    assert_eq!(details.experts, None);
}

#[test]
fn a_diffusion_model_can_do_with_some_of_its_experts_too() {
    let (desk, host) = Desk::new();
    desk.model.replace(golden("models/tiny-diffusion.q4_k_m.gguf"));
    let (all, verdict) = of_inspection(inspect(&desk, &host, 1, None));
    assert_eq!((all.held, all.rate, all.least), (all.all, None, all.all / 4));
    let FitVerdict::Fits { bytes: with_all, outside: 0, .. } = verdict else { panic!("{verdict:?}") };
    let (some, verdict) = of_inspection(inspect(&desk, &host, 2, Some(all.all / 8 * 5)));
    let FitVerdict::Fits { bytes, outside, .. } = verdict else { panic!("{verdict:?}") };
    assert!(bytes < with_all && outside > 0, "{verdict:?}");
    // A step reads what has no place, at 1 GB/s while nothing is measured. A block of 32 tokens takes 48 steps at most.
    let seconds = outside as f64 / 1e9;
    let rate = some.rate.expect("it reads");
    assert!((rate * seconds - 32.0 / 48.0).abs() < 1e-3, "{rate} with {seconds}");
    let asked = all.least - 1;
    let Err(failure) = inspect(&desk, &host, 3, Some(asked)) else { panic!("no failure") };
    assert_eq!(failure.code, DeviceFailure::ExpertMemory { asked, least: all.least }.into());

    let (details, gpu_bytes) = of_load(load(&desk, &host, 4, Some(all.all / 8 * 5)));
    assert_eq!((details.experts, gpu_bytes), (Some(some), bytes));
    host.receive(generate(5, "Hello"), Vec::new());
    let Ok(Outcome::Done { timings, .. }) = desk.end_of(5) else { panic!("no answer") };
    let (found, steps) = (timings.experts.expect("a cache"), timings.diffusion.expect("steps").steps);
    // Of three layers with eight experts each.
    assert!(steps > 0 && found.uses <= u64::from(steps) * 8 * 3, "{found:?}");
    assert!(found.misses > 0 && found.misses <= u64::from(steps) * 3 * 3 && found.bytes > 0, "{found:?}");
}

/// A mixture whose experts are most of it.
fn heavy(name: &str) -> PathBuf {
    let experts = synth::Experts { count: 64, used: 2, feed_forward: 1024 };
    let shape = Shape { experts: Some(experts), ..small("26b") };
    synthetic(name, &synth::Options { vocabulary: 2048, ..synth::Options::new(shape, Quant::Q4KM) })
}

#[test]
fn a_device_with_less_memory_than_assumed_gets_fewer_experts() {
    let (desk, host) = Desk::new();
    let model = heavy("heavy_experts.gguf");
    let header = Header::read(&*Server::of(&model)).now_or_never().expect("memory").expect("a header");
    desk.model.replace(model);
    let (all, _) = of_inspection(inspect(&desk, &host, 1, None));
    let gpu = Gpu::open(&GpuOptions::default()).now_or_never().expect("natively no one is waited for");
    let memory = DeviceMemory::assumed(&gpu.expect("a device"));
    let plan = ModelSpec::read(&header).expect("a plan");
    let weights = plan.needs(memory).expect("its needs").memory(CONTEXT, plan.storage).weights;
    // All weights, and nothing else.
    host.limit_memory(weights).now_or_never().expect("nobody opens a device meanwhile");

    let (details, gpu_bytes) = of_load(load(&desk, &host, 2, None));
    let held = details.experts.expect("a mixture").held;
    assert!(held >= all.least && held < all.all && gpu_bytes <= weights, "{held} of {all:?}");
    let told: Failure = DeviceFailure::FewerExperts { held, all: all.all }.into();
    let warnings = desk.warnings();
    assert!(warnings.contains(&told), "{warnings:?}");

    // What a person chose is no less limited; and what fits is as it was chosen.
    let (details, _) = of_load(load(&desk, &host, 3, Some(all.all - 1)));
    assert!(details.experts.is_some_and(|it| it.held <= held), "{details:?}");
    let troubles = |desk: &Desk| desk.warnings().len();
    let before = troubles(&desk);
    let (details, _) = of_load(load(&desk, &host, 4, Some(all.least)));
    assert!(details.experts.is_some_and(|it| it.held == all.least), "{details:?}");
    assert_eq!(troubles(&desk), before);
}
