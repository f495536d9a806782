//! What is logged.

use std::{
    io,
    sync::{Arc, LazyLock, Mutex},
};

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

/// What this program logs, of all tests. A log of one thread alone would miss spans that another thread came to first:
/// whether a span is wanted is asked once, of whoever comes.
static LOG: LazyLock<Log> = LazyLock::new(|| {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::set_global_default(subscriber).expect("nobody else sets one");
    // Asks once more for spans that somebody came to meanwhile.
    tracing::callsite::rebuild_interest_cache();
    log
});

#[tokio::test]
async fn an_address_cannot_turn_a_log_line_around() {
    let log = LOG.clone();
    Server::new(Vec::new()).get("/pkg/\u{202e}turned").await;
    let log = String::from_utf8(log.0.lock().expect("no panic").clone()).expect("text");
    let lines: Vec<_> = log.lines().filter(|line| line.contains("turned")).collect();
    assert!(!lines.is_empty(), "{log}");
    assert!(!lines.iter().any(|line| line.contains('\u{202e}')), "{lines:?}");
}
