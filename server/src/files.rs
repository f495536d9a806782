//! Open files: how many this process may have.

/// A connection's socket, and the file or the connection to the object store that it is sent from.
const EACH: u64 = 2;
/// All others.
const OTHERS: u64 = 64;

/// Lets this process open as many files as so many connections need, as far as the system allows that.
#[cfg(unix)]
pub fn allow(connections: usize) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let needed = connections as u64 * EACH + OTHERS;
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= needed) {
        return;
    }
    let wanted = maximum.map_or(needed, |maximum| maximum.min(needed));
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    if raised.is_err() || wanted < needed {
        tracing::warn!(
            "{connections} connections need {needed} open files, but this process may have {}. Raise its limit \
             (LimitNOFILE in systemd, `ulimit -n` in a shell), or lower --connections",
            if raised.is_ok() { Some(wanted) } else { current }.unwrap_or_default()
        );
    }
}

/// This system has no such limit, or sets it itself.
#[cfg(not(unix))]
pub fn allow(_connections: usize) {}
