//! What is logged.

use std::{
    io,
    sync::{Arc, Mutex},
};

use tracing::instrument::WithSubscriber as _;

use crate::Server;

/// Collects what is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn an_address_cannot_turn_a_log_line_around() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let server = Server::new(Vec::new());
    server.get("/pkg/\u{202e}turned").with_subscriber(subscriber).await;
    let log = String::from_utf8(log.0.lock().expect("no panic").clone()).expect("text");
    assert!(log.contains("turned"), "{log}");
    assert!(!log.contains('\u{202e}'), "{log}");
}
