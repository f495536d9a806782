//! Opening the port, and knowing when to stop.

use std::io;

use tokio::{net::TcpListener, signal};

/// Why the port could not be opened, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Another program has the port.
    #[error(
        "port {0} is taken, perhaps by a gemtab that still runs. Stop it, or choose another port: \
         --port 0 takes any that is free"
    )]
    Taken(u16),
    /// The system does not allow it.
    #[error("this account may not open port {0}. Choose one from 1024 on, such as --port 3000")]
    Forbidden(u16),
    /// The address is not one of this machine.
    #[error(
        "{host} is not an address of this machine. Leave --host out, or use 0.0.0.0 for all its addresses"
    )]
    NotHere {
        /// What was asked for.
        host: String,
    },
    /// Anything else.
    #[error("port {port} of {host} could not be opened: {error}")]
    Other {
        /// Address.
        host: String,
        /// Port.
        port: u16,
        /// The system's reason.
        error: io::Error,
    },
}

/// Opens the port.
///
/// # Errors
/// When that is not possible: see [`ListenError`].
pub async fn bind(host: &str, port: u16) -> Result<TcpListener, ListenError> {
    TcpListener::bind((host, port)).await.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => ListenError::Taken(port),
        io::ErrorKind::PermissionDenied => ListenError::Forbidden(port),
        io::ErrorKind::AddrNotAvailable => ListenError::NotHere { host: host.into() },
        _ => ListenError::Other { host: host.into(), port, error },
    })
}

/// Waits until the person or the system asks the program to end.
pub async fn interrupted() {
    // Where a signal cannot be watched for, it ends the program by itself.
    let asked = async {
        if signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match signal::unix::signal(signal::unix::SignalKind::terminate()) {
            Ok(mut terminate) => terminate.recv().await,
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<Option<()>>();
    tokio::select! {
        () = asked => {}
        _ = terminated => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_taken_port_is_named_with_a_way_out() {
        let first = bind("127.0.0.1", 0).await.expect("a free port");
        let port = first.local_addr().expect("an address").port();
        let error = bind("127.0.0.1", port).await.expect_err("it is taken");
        assert!(matches!(error, ListenError::Taken(taken) if taken == port));
        assert!(error.to_string().contains("--port 0"), "{error}");
    }

    #[tokio::test]
    async fn an_address_of_another_machine_is_refused() {
        // A documentation address (RFC 5737): no machine has it.
        let error = bind("192.0.2.1", 0).await.expect_err("not here");
        assert!(matches!(error, ListenError::NotHere { .. }), "{error}");
    }
}
