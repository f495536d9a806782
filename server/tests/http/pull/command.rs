//! `server pull`, as a person runs it.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    process::{Command, Stdio},
};

use super::{
    Model, Target,
    fake::{Fake, Fault},
};

fn command(name: &str, target: &Target) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    command.args(["pull", name, "--ollama-models"]).arg(target.path());
    command
}

#[test]
fn odd_names_are_refused() {
    let target = Target::new();
    for name in ["../../etc/passwd", "gemma4:e2b\u{202e}", "a b", "hf.co/gemma", "größe", "m/../n", ""] {
        let output = command(name, &target).output().expect("the program");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let explained = said.contains("isn't the name of a model") || said.contains("hf.co/OWNER/REPOSITORY");
        assert!(explained, "{name:?}: {said}");
    }
    assert!(target.files().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_file_has_a_line() {
    let (model, target) = (Model::tiny(), Target::new());
    let (_fake, name) = Fake::with(&model).await;
    let output = command(&name, &target).output().expect("the program");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && output.stdout.is_empty(), "{said}");
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines[0], "3.0 MB to download, in 5 files.");
    assert_eq!(lines[5..], ["model: 3.0 MB", &format!("{name}:latest is complete.")]);
    target.assert_has(&name, &model);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_pull_says_that_it_can_be_continued() {
    let (model, target) = (Model::tiny(), Target::new());
    let (fake, name) = Fake::with(&model).await;
    fake.fail(model.content(), [Fault::Stall(2_500_000)]);
    let mut process = command(&name, &target).stderr(Stdio::piped()).spawn().expect("the program");
    let mut said = BufReader::new(process.stderr.take().expect("what it says"));
    let mut line = String::new();
    while !line.starts_with("model: ") {
        line.clear();
        assert!(said.read_line(&mut line).expect("a line") > 0, "it has ended");
    }
    target.written(2 << 20, model.content()).await;
    let id = process.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
    let code = process.wait().expect("its end").code();
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("text");
    assert_eq!(code, Some(130), "{rest}");
    assert!(rest.ends_with("kept: run the same command again to continue.\n"), "{rest}");

    let output = command(&name, &target).output().expect("the program");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("model: 3.0 MB, continued after 2."), "{said}");
    target.assert_has(&name, &model);
}
