//! What a pull tells while it goes on.

use std::time::Duration;

use protocol::{PullProblem, said::Said};

use crate::catalog::digest::Digest;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// What is to be downloaded is known.
    Planned {
        /// Files of the model that are not there yet.
        files: usize,
        /// Bytes of them that are still to be downloaded.
        bytes: u64,
    },
    /// What an earlier pull has left of a file is read again, before it goes on there.
    Checking {
        /// What it is: `model`, `projector`, `license` and so on.
        kind: String,
        /// Bytes that have been read.
        at: u64,
        /// Bytes that were left.
        size: u64,
    },
    /// A file begins, or goes on where it ended.
    Begun {
        /// The file.
        digest: Digest,
        /// What it is: `model`, `projector`, `license` and so on.
        kind: String,
        /// Bytes that were there from an earlier pull.
        at: u64,
        /// Bytes of the whole file.
        size: u64,
    },
    /// More bytes of a file have arrived.
    Received {
        /// The file.
        digest: Digest,
        /// Bytes that are there. Less than before when the server could only begin anew.
        at: u64,
        /// Bytes of the whole file.
        size: u64,
    },
    /// A connection broke, or a server asked for patience. It is asked again after a while.
    Waiting {
        /// What happened.
        reason: Said<PullProblem>,
        /// How long.
        wait: Duration,
    },
    /// A file is complete, and its bytes are those that its digest names.
    Verified {
        /// The file.
        digest: Digest,
    },
    /// The parts of a split model are joined into one file.
    Joining {
        /// How many.
        parts: usize,
        /// Bytes of the whole file.
        size: u64,
    },
}

/// Who is told. It is called often and has to be quick.
pub type Progress<'a> = &'a (dyn Fn(Event) + Send + Sync);
