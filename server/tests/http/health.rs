//! `/healthz`.

use std::{
    io::{self, BufRead as _, BufReader},
    process::{Command, Stdio},
    sync::{Arc, mpsc},
    time::Duration,
};

use server::{disk::Disk, library::Library, pull::api::Pulls};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{Server, bucket::programs::Running};

#[tokio::test]
async fn a_server_is_healthy_until_it_ends() {
    let server = Server::new(Vec::new());
    let answer = server.get("/healthz").await;
    assert_eq!((answer.status.as_u16(), answer.text()), (200, "ok"));
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(server.ask_with("GET", "/healthz", &[("host", "evil.example")]).await.status, 421);

    server.health.shut_down();
    let answer = server.get("/healthz").await;
    assert_eq!((answer.status.as_u16(), answer.text()), (503, "shutting down"));
    assert_eq!(server.get("/favicon.svg").await.status, 200, "who is there is still served");
}

#[tokio::test]
async fn a_server_whose_reads_do_not_end_is_not_healthy() {
    let disk = Disk::of(1, Duration::from_secs(3600), Duration::ZERO);
    let library = Library::new(Vec::new()).with_disk(disk.clone());
    let server = Server::over(Arc::new(library), [127, 0, 0, 1], &[], Pulls::default());
    assert_eq!(server.get("/healthz").await.status, 200);
    let ((begin, begun), (end, ended)) = (mpsc::channel(), mpsc::channel::<()>());
    let read = tokio::spawn(async move {
        disk.run(move || {
            begin.send(()).map_err(io::Error::other)?;
            ended.recv().map_err(io::Error::other)
        })
        .await
    });
    tokio::task::spawn_blocking(move || begun.recv()).await.expect("no panic").expect("it has begun");
    let answer = server.get("/healthz").await;
    assert_eq!((answer.status.as_u16(), answer.text()), (503, "the disk doesn't answer"));
    end.send(()).expect("the read waits");
    read.await.expect("no panic").expect("it ends");
    assert_eq!(server.get("/healthz").await.status, 200);
}

/// A disk in the network that has gone away never answers. What waits for it must not keep the program.
#[cfg(unix)]
#[tokio::test]
async fn the_program_ends_although_a_read_does_not() {
    use rustix::process::{Pid, Signal, kill_process};

    let site = Server::new(Vec::new());
    std::fs::remove_file(site.site().join("favicon.svg")).expect("removed");
    crate::support::pipe(&site.site().join("favicon.svg"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    command.args(["--port", "0", "--no-ollama", "--shutdown-timeout", "0", "--site-root"]).arg(site.site());
    let process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the server");
    let mut server = Running(process);
    let said = BufReader::new(server.0.stdout.take().expect("what it says"));
    let mut lines = said.lines().map_while(Result::ok);
    let address = lines.find_map(|line| Some(line.split_once("listens on http://")?.1.to_owned()));
    let mut client = TcpStream::connect(address.expect("where it listens")).await.expect("a connection");
    client.write_all(b"GET /favicon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n").await.expect("sent");
    // Asked later, answered earlier: the first request has been taken up.
    let address = client.peer_addr().expect("an address");
    let mut other = TcpStream::connect(address).await.expect("a connection");
    other.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.expect("sent");
    assert_eq!(other.read_u8().await.expect("an answer"), b'H');
    let id = Pid::from_raw(server.0.id() as i32).expect("its number");
    kill_process(id, Signal::TERM).expect("asked to end");
    assert!(server.0.wait().expect("its end").success());
}
