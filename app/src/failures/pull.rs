//! Why the server doesn't download a model. Where it says what this page doesn't know yet, its own words are shown.

use protocol::{PullProblem, said::Said};

use super::t;
use crate::format::bytes;

/// Why a model isn't downloaded, and what to do.
#[must_use]
pub fn pull_problem(said: &Said<PullProblem>) -> String {
    use PullProblem as P;
    let Some(problem) = &said.code else { return said.english.clone() };
    match problem {
        P::Name => t().pull_name().into(),
        P::Host { host } => t().pull_host(host),
        P::NoOwner { host } => t().pull_no_owner(host),
        P::PlainHttp => t().pull_plain_http().into(),
        P::NotOffered => t().pull_not_offered().into(),
        P::Registry { host } => t().pull_registry(host),
        P::Busy { model } => t().pull_busy(model),
        P::Late => t().pull_late().into(),
        P::Tls => t().pull_tls().into(),
        P::Network { host } => t().pull_network(host),
        P::Certificate { host } => t().pull_certificate(host),
        P::NoSuchModel { model, host } => t().pull_no_such_model(model, host),
        P::Private { model, host } => t().pull_private(model, host),
        P::Status { host, status } => t().pull_status(host, &status.to_string()),
        P::Redirect { host } => t().pull_redirect(host),
        P::Manifest { host } => t().pull_manifest(host),
        P::Pieces { files } => t().pull_pieces(*files),
        P::Quantization { wanted, there } => t().pull_quantization(wanted, there),
        P::WrongLength { host } => t().pull_wrong_length(host),
        P::WrongDigest { host } => t().pull_wrong_digest(host),
        P::NoRoom { needed, free, folder } => t().pull_no_room(&bytes(*needed), &bytes(*free), folder),
        P::Full { needed, free, folder } => t().pull_full(&bytes(*needed), &bytes(*free), folder),
        P::Disk { path } => t().pull_disk(path),
        P::Locked => t().pull_locked().into(),
        P::BegunByOllama => t().pull_begun_by_ollama().into(),
        P::Vanished => t().pull_vanished().into(),
        P::Part { file } => t().pull_part(file),
    }
}
