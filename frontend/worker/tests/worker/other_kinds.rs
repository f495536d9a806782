//! Files that the engine runs and the page does not yet: they are refused by what they are, and the worker goes on.

use engine::synth::{self, Quant};
use protocol::failure::{Code, ModelFailure, OtherKind};
use protocol::{Event, Request, RequestId};

use crate::desk::server::Server;
use crate::desk::{Desk, generate, golden, load, small, source, synthetic};

#[test]
fn a_diffusion_model_is_refused_by_its_kind() {
    let (desk, host) = Desk::new();
    desk.server.replace(Some(Server::of(&golden("models/tiny-diffusion.q4_k_m.gguf"))));
    host.receive(Request::Inspect { id: RequestId(1), source: source(), context: 0 }, Vec::new());
    host.receive(load(2), Vec::new());
    for id in [1, 2] {
        let Event::Failed { failure, .. } = desk.end_of(id) else { panic!("request {id} did not fail") };
        assert_eq!(failure.code, Code::Model(ModelFailure::OtherKind(OtherKind::Diffusion)));
    }
    let options = synth::Options { vocabulary: 1024, ..synth::Options::new(small("31b"), Quant::Q4KM) };
    desk.server.replace(Some(Server::of(&synthetic("after_diffusion.gguf", &options))));
    host.receive(load(3), Vec::new());
    assert!(matches!(desk.end_of(3), Event::Loaded { .. }));
    host.receive(generate(4, "Hello"), Vec::new());
    assert!(matches!(desk.end_of(4), Event::Done { .. }));
}
